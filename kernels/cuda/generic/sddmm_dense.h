// SDDMM of small blocks as a dense product x y, tile by tile (tile_loop.cuh), from which the blocks are taken: each
// line of x and y is read in whole and shared by all blocks that need it. Worth the products in vain where A is not too
// sparse.
#pragma once

#include "kernels/cuda/generic/sddmm_split.h"
#include "kernels/cuda/generic/tile_shape.h"

namespace bsblas::cuda {

// Rows of the tile.
constexpr int dense_rows(int element_bytes) {
    return element_bytes == 16 ? 32 : 64;
}

struct SddmmDense {
    SddmmSplit split;
    int block_rows, block_columns;  // of a tile
    int64_t tiles_m, tiles_n;
    TileAccess x, y;
};

template <class In>
int launch_sddmm_dense(const SddmmProblem& problem, const SddmmDense& dense, const Launch& launch);
template <class In>
int load_sddmm_dense();

}  // namespace bsblas::cuda
