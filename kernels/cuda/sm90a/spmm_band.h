// SpMM of 16-bit types with blocks of 16 n x 16 n on Hopper's tensor cores (spmm_band.cuh).
#pragma once

#include "core/kernel.h"
#include "kernels/cuda/sm90a/band_plan.h"

#include <cuda.h>

namespace bsblas::cuda {

constexpr int band_columns = 128;  // of a tile

// What the host decides about a launch.
struct SpmmBand {
    CUtensorMap b, c;
    int b_matrices;    // 0: one matrix for the whole batch
    int tile_columns;  // how many tiles across
    // Tiles with the batch, and of those the ones that one block multiplies. The others, the last, are multiplied in
    // pieces of k by a block each, so that all blocks have work to the end; a second kernel sums them.
    int tiles, whole_tiles, pieces;
    bool stores_boxes;  // C is of the inputs' type, and bulk copies can store it
    int packs;          // of the batch: 1 when its matrices share A's values
    void* packed;       // A's units, in the order of the plan
    float* partial;     // the pieces' sums: of a tile, groups of 128 x 128, in the order of C's lines
    BandShape shape;
    BandPlan plan;
};

constexpr int partial_group = group_rows * band_columns;  // elements
BSBLAS_HD int groups_of_band(const BandShape& shape) {
    return shape.band_parts * shape.side / group_rows;
}

// How operands lie: a is read across k where its rows are side by side in memory, b where its columns are.
struct BandLayout {
    bool a_across_k, b_across_k;
};

template <class In>
int launch_spmm_band(const SpmmProblem& problem, const SpmmBand& plan, BandLayout layout, const Launch& launch);
template <class In>
int load_spmm_band();

}  // namespace bsblas::cuda
