// SpMM of 16-bit types with blocks of 64 n x 64 n on Hopper's tensor cores (spmm_wgmma.cuh).
#pragma once

#include "core/kernel.h"

#include <cuda.h>

namespace bsblas::cuda {

constexpr int wgmma_rows = 128;     // of a tile: 64 for each of two warpgroups
constexpr int wgmma_columns = 256;  // of a tile
constexpr int wgmma_k = 64;         // of a stage

// What the host decides about a launch.
struct SpmmWgmma {
    CUtensorMap a, b, c;
    int a_matrices, b_matrices;   // 0: one matrix for the whole batch
    int parts_m, parts_k;         // of a block: 64 x 64
    int parts;                    // 64 rows each, of C's block rows
    int tile_rows, tile_columns;  // how many tiles, down and across
    int64_t tiles;                // with the batch
    bool stores_boxes;            // C is of the inputs' type, and bulk copies can store it
};

// How operands lie: a is read across k where its rows are side by side in memory, b where its columns are.
struct WgmmaLayout {
    bool a_across_k, b_across_k, c_by_row;
};

template <class In>
int launch_spmm_wgmma(const SpmmProblem& problem, const SpmmWgmma& plan, WgmmaLayout layout, const Launch& launch);
template <class In>
int load_spmm_wgmma();

}  // namespace bsblas::cuda
