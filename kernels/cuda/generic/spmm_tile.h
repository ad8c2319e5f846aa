// SpMM by tiles of a block row: a block computes Rows rows by a tile of columns from copies in shared memory
// (spmm_tile.cuh).
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

constexpr int tile_warps = 4;
constexpr int tile_threads = 32 * tile_warps;
constexpr int most_teams_log2 = 2;  // a warp each

// How a warp's lanes share a tile of `rows` rows.
struct SpmmTileShape {
    int rows, row_lanes, lane_rows;
    int columns, column_lanes, lane_columns;
    int k_bytes;  // of a chunk, along k: as many as give each warp 4 KiB of b, but at most 128

    constexpr int k(int element_bytes) const { return k_bytes / element_bytes; }
};

// 64 registers of sums in each lane at most, and half of that in 8 rows.
constexpr SpmmTileShape spmm_tile_shape(int element_bytes, int rows) {
    const int most = rows == 32 ? 256 / element_bytes : 512 / element_bytes;
    const int columns = most < 64 ? most : 64;
    const int row_lanes = rows == 8 ? 2 : 4;
    const int column_lanes = 32 / row_lanes;
    const int k_bytes = columns < 32 ? 128 : 4096 / columns;
    return {rows, row_lanes, rows / row_lanes, columns, column_lanes, columns / column_lanes, k_bytes};
}

// How many blocks a multiprocessor is to hold: four where 128 registers for a thread do (H200, 4096^2, d = 0.1, f32,
// b = 8, column-major: N = 64, 41 us to 26; N = 8192, 1869 us to 1736; f64, N = 64, 52 us to 32). Where they do not,
// spilling costs more (f64, 16 rows, N = 64: 30 us to 42).
constexpr int spmm_tile_blocks(int element_bytes, int rows) {
    return rows == 8 || (rows == 16 && element_bytes <= 4) ? 4 : 3;
}

// What the host decides about a launch.
struct SpmmTile {
    int64_t slices;  // of a block row
    int64_t tiles;   // of columns
    int column_warps_log2, teams_log2;
    int tile_columns;
    int blocks_per_step, rest_per_step;  // k from one of a team's chunks to its next, divided by bk
    bool wide_a, wide_b;                 // copies take 16 bytes, else an element
    bool wide_c;
};

// Launches the kernel of input type In; there is one translation unit for each.
template <class In>
int launch_spmm_tile(const SpmmProblem& problem, const SpmmTile& tile, int rows, bool along_k, const Launch& launch);
template <class In>
int load_spmm_tile();

}  // namespace bsblas::cuda
