// SDDMM by tiles of one block row: tile_rows rows of x times up to 64 columns of y, which several small blocks of the
// row or a part of a large one need (tile_loop.cuh).
#pragma once

#include "kernels/cuda/generic/sddmm_split.h"
#include "kernels/cuda/generic/tile_shape.h"

namespace bsblas::cuda {

struct SddmmTile {
    SddmmSplit split;
    int entries = 1;                   // of a tile
    int entries_log2 = 0;              // rounded down
    int64_t slots = 0;                 // at which tiles of entries may begin
    int64_t parts_m = 1, parts_n = 1;  // of a block
    TileAccess x = TileAccess::tokens, y = TileAccess::tokens;
    int out_width = 0;  // so many outputs are neighbours, and aligned as a whole; 0: each is aligned as its real part
};

// All but how tokens are split.
SddmmTile cut_into_tiles(const SddmmProblem& problem, int rows);
// Those that have work.
double count_tiles(const SddmmProblem& problem, const SddmmTile& tile);

template <class In>
int launch_sddmm_tile(const SddmmProblem& problem, const SddmmTile& tile, int rows, const Launch& launch);
template <class In>
int load_sddmm_tile();

}  // namespace bsblas::cuda
