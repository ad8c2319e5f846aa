// The kernel behind sddmm_dense.h. When a tile's sums are in shared memory, each warp goes through all entries of some
// of its block rows, in any order, and writes those whose columns the tile has.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/sddmm_dense.h"
#include "kernels/cuda/generic/sddmm_write.cuh"
#include "kernels/cuda/generic/tile_loop.cuh"

namespace bsblas::cuda {

template <class In>
using DenseLoop = TileLoop<In, dense_rows(sizeof(In))>;

template <class In>
__global__ void __launch_bounds__((DenseLoop<In>::threads), (tile_min_blocks(sizeof(In), dense_rows(sizeof(In)))))
    sddmm_dense(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmDense dense,
                const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Loop = DenseLoop<In>;
    using Acc = typename Loop::Acc;
    constexpr int rows = Loop::rows, columns = Loop::columns, threads = Loop::threads;
    __shared__ typename Loop::Shared shared;
    // Of each line, -1 where A's logical size has none.
    __shared__ int64_t x_from[rows], y_from[columns];
    // Entries that a warp has found, and their first columns in the tile.
    __shared__ int64_t found_entry[threads];
    __shared__ int found_column[threads];

    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    const int64_t index = origin.x + blockIdx.x;
    const int64_t tile_m = index / dense.tiles_n, tile_n = index - tile_m * dense.tiles_n;
    const int bm = static_cast<int>(a.bm), bk = static_cast<int>(a.bk);
    const int64_t first_row = tile_m * dense.block_rows, first_column = tile_n * dense.block_columns;

    for (int m = threadIdx.x; m < rows; m += threads) {
        const int64_t row = first_row * bm + m;
        x_from[m] = m < dense.block_rows * bm && row < a.rows ? row * x.row_stride : -1;
    }
    for (int n = threadIdx.x; n < columns; n += threads) {
        const int64_t column = first_column * bk + n;
        y_from[n] = n < dense.block_columns * bk && column < a.cols ? column * y.col_stride : -1;
    }
    __syncthreads();

    const Epilogue<Acc> epilogue(problem.arithmetic);
    Loop loop;
    if (epilogue.multiplies()) {
        const int64_t begin = split * dense.split.tokens;
        typename Loop::X from_x(static_cast<const In*>(x.values) + batch * x.batch_stride + begin * x.col_stride,
                                x.col_stride, x_from,
                                // y is never conjugated: x conj(y) = conj(conj(x) y).
                                dense.x, x.type, x.conjugate != y.conjugate);
        typename Loop::Y from_y(static_cast<const In*>(y.values) + batch * y.batch_stride + begin * y.row_stride,
                                y.row_stride, y_from, dense.y, y.type, false);
        loop.run(from_x, from_y, min(x.cols - begin, dense.split.tokens), shared.stage);
    }
    loop.share(shared.sums);

    const Pattern pattern = a.pattern.of_batch(batch);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bool row_major = a.col_stride == 1;
    const int inner = row_major ? bk : bm, elements = bm * bk;
    for (int i = warp; i < dense.block_rows && first_row + i < pattern.rows; i += threads / 32) {
        const int64_t end = min(pattern.end(first_row + i), a.pattern.capacity);
        for (int64_t first = pattern.begin(first_row + i); first < end; first += 32) {
            const int64_t entry = first + lane;
            const int64_t column = entry < end ? pattern.col(entry) - first_column : -1;
            const bool found = column >= 0 && column < dense.block_columns;
            const unsigned all = __ballot_sync(0xffffffffu, found);
            if (all == 0) continue;
            if (found) {
                const int place = warp * 32 + __popc(all & ((1u << lane) - 1));
                found_entry[place] = entry;
                found_column[place] = static_cast<int>(column) * bk;
            }
            __syncwarp();
            for (int e = lane; e < __popc(all) * elements; e += 32) {
                const int place = warp * 32 + e / elements, in_block = e % elements;
                const int outer = in_block / inner;
                const int m = i * bm + (row_major ? outer : in_block - outer * inner);
                const int n = found_column[place] + (row_major ? in_block - outer * inner : outer);
                const int64_t at = found_entry[place] * a.block_stride + in_block;
                write_sampled<In>(problem, dense.split, epilogue, batch, split, at, x_from[m] >= 0 && y_from[n] >= 0,
                                  shared.sums[m][n]);
            }
            __syncwarp();
        }
    }
}

template <class In>
int launch_sddmm_dense(const SddmmProblem& problem, const SddmmDense& dense, const Launch& launch) {
    const int result =
        cover(dense.tiles_m * dense.tiles_n, dense.split.splits, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch_early(sddmm_dense<In>, blocks, DenseLoop<In>::threads, 0, launch, problem, dense,
                                      origin);
        });
    if (result == cudaSuccess && dense.split.partial) return launch_sddmm_reduce<In>(problem, dense.split, launch);
    return result;
}

template <class In>
int load_sddmm_dense() {
    return load(sddmm_dense<In>);
}

}  // namespace bsblas::cuda
