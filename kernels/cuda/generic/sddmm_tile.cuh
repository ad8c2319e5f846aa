// The kernel behind sddmm_tile.h. One block, or one warp, of threads for each tile:
//
//              entry      entry + 1    entry + 2
//            +----------+----------+----------+-----+
//   row i    | bm x bk  |          |          |  -  |      64 columns; what the entries do not fill idles
//            +----------+----------+----------+-----+
//
// Tiles never span block rows. Row i's begin at slot begin(i) / 2^entries_log2 + i, so that no row needs a slot of the
// next, and a slot's row is found by search; slots left over do nothing.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_tile.h"
#include "kernels/cuda/generic/sddmm_write.cuh"
#include "kernels/cuda/generic/tile_loop.cuh"

namespace bsblas::cuda {

template <class In, int Rows>
__global__ void __launch_bounds__((TileLoop<In, Rows>::threads), (tile_min_blocks(sizeof(In), Rows)))
    sddmm_tile(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmTile tile,
               const __grid_constant__ Origin origin) {
    using Loop = TileLoop<In, Rows>;
    using Acc = typename Loop::Acc;
    constexpr int columns = Loop::columns, threads = Loop::threads;
    __shared__ typename Loop::Shared shared;
    // Of each line of the tile: its beginning in x or y, -1 where A's logical size has none; its place in the output,
    // -1 where no block has it.
    __shared__ int64_t x_from[Rows], x_to[Rows], y_from[columns], y_to[columns];

    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t parts = tile.parts_m * tile.parts_n;
    const int64_t index = origin.x + blockIdx.x;
    const int64_t slot = parts == 1 ? index : index / parts;
    const int part = static_cast<int>(index - slot * parts);
    const int part_m = part / static_cast<int>(tile.parts_n), part_n = part - part_m * static_cast<int>(tile.parts_n);

    const auto first_slot = [&](int64_t row) {
        const int64_t begin = pattern.begin(row);
        return tile.entries == 1 ? begin : (begin >> tile.entries_log2) + row;
    };
    const int64_t block_row =
        last_row(pattern.rows, threadIdx.x % 32, [&](int64_t row) { return first_slot(row) <= slot; });
    const int64_t entry = pattern.begin(block_row) + (slot - first_slot(block_row)) * tile.entries;
    const int64_t left = min(pattern.end(block_row), a.pattern.capacity) - entry;
    if (left <= 0) return;

    for (int m = threadIdx.x; m < Rows; m += threads) {
        const int64_t r = int64_t{part_m} * Rows + m, row = block_row * a.bm + r;
        x_from[m] = r < a.bm && row < a.rows ? row * x.row_stride : -1;
        x_to[m] = r < a.bm ? r * a.row_stride : -1;
    }
    for (int n = threadIdx.x; n < columns; n += threads) {
        const int64_t part_column = int64_t{part_n} * columns + n;
        const int of_tile = tile.entries == 1 ? 0 : n / static_cast<int>(a.bk);
        const int64_t c = part_column - of_tile * a.bk;
        const bool in_block = of_tile < tile.entries && of_tile < left && c < a.bk;
        const int64_t column = in_block ? pattern.col(entry + of_tile) * a.bk + c : 0;
        y_from[n] = in_block && column < a.cols ? column * y.col_stride : -1;
        y_to[n] = in_block ? (entry + of_tile) * a.block_stride + c * a.col_stride : -1;
    }
    Loop::synchronize();

    const Epilogue<Acc> epilogue(problem.arithmetic);
    Loop loop;
    if (epilogue.multiplies()) {
        const int64_t begin = split * tile.split.tokens;
        typename Loop::X from_x(static_cast<const In*>(x.values) + batch * x.batch_stride + begin * x.col_stride,
                                x.col_stride, x_from,
                                // y is never conjugated: x conj(y) = conj(conj(x) y).
                                tile.x, x.type, x.conjugate != y.conjugate);
        typename Loop::Y from_y(static_cast<const In*>(y.values) + batch * y.batch_stride + begin * y.row_stride,
                                y.row_stride, y_from, tile.y, y.type, false);
        loop.run(from_x, from_y, min(x.cols - begin, tile.split.tokens), shared.stage);
    }
    loop.share(shared.sums);

    constexpr int W = per_16_bytes<Acc> < Rows ? per_16_bytes<Acc> : Rows;
    const bool row_major = a.col_stride == 1;
    const bool conjugates = y.conjugate;
    const auto exists = [&](int m, int n) { return x_from[m] >= 0 && y_from[n] >= 0; };
    if (tile.split.partial) {
        Acc* const out = static_cast<Acc*>(tile.split.partial) +
                         (batch * tile.split.splits + split) * a.pattern.capacity * a.block_stride;
        write_tile<threads, W, Rows, columns>(out, shared.sums, x_to, y_to, row_major, tile.wide_out, false, exists,
                                              [&](Acc sum, Acc) { return conjugates ? conjugate(sum) : sum; });
        return;
    }
    with_output_type<In>(a.type, [&](auto tag) {
        using Out = decltype(tag);
        write_tile<threads, W, Rows, columns>(
            static_cast<Out*>(a.values) + batch * a.values_stride, shared.sums, x_to, y_to, row_major, tile.wide_out,
            epilogue.adds(), exists,
            [&](Acc sum, Out old) { return epilogue(conjugates ? conjugate(sum) : sum, old); });
    });
}

template <class In, class Body>
void for_each_sddmm_tile(Body body) {
    body(std::integral_constant<int, 4>{});
    body(std::integral_constant<int, 8>{});
    body(std::integral_constant<int, 16>{});
    body(std::integral_constant<int, 32>{});
    if constexpr (has_tile(sizeof(In), 64)) body(std::integral_constant<int, 64>{});
}

template <class In>
int launch_sddmm_tile(const SddmmProblem& problem, const SddmmTile& tile, int rows, const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    for_each_sddmm_tile<In>([&](auto Rows) {
        if (Rows.value != rows) return;
        result = cover(tile.slots * tile.parts_m * tile.parts_n, tile.split.splits, problem.batch,
                       [&](dim3 blocks, Origin origin) {
                           return cuda::launch(sddmm_tile<In, Rows.value>, blocks, TileLoop<In, Rows.value>::threads, 0,
                                               launch.stream, problem, tile, origin);
                       });
    });
    if (result == cudaSuccess && tile.split.partial) return launch_sddmm_reduce<In>(problem, tile.split, launch);
    return result;
}

template <class In>
int load_sddmm_tile() {
    int result = cudaSuccess;
    for_each_sddmm_tile<In>([&](auto Rows) { result = first_error({result, load(sddmm_tile<In, Rows.value>)}); });
    return result;
}

}  // namespace bsblas::cuda
