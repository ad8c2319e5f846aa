// Where the lines of a tile of sddmm_tile.h lie.
//
//              entry      entry + 1    entry + 2
//            +----------+----------+----------+-----+
//   row i    | bm x bk  |          |          |  -  |      what the entries do not fill idles
//            +----------+----------+----------+-----+
//
// Tiles never span block rows. Row i's begin at slot begin(i) / 2^entries_log2 + i, so that no row needs a slot of the
// next, and a slot's row is found by search; slots left over do nothing.
#pragma once

#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_tile.h"
#include "kernels/cuda/generic/sddmm_write.cuh"

namespace bsblas::cuda {

// In shared memory. Of each line of the tile: its beginning in x or y, -1 where A's logical size has none; its place in
// the output, -1 where no block has it.
template <int Rows, int Columns, int Threads>
struct SddmmPlace {
    int64_t x_from[Rows], x_to[Rows], y_from[Columns], y_to[Columns];

    // Fills the tables for tile `index`, by all threads; they are visible after the next barrier. False: the tile has
    // nothing to do.
    __device__ __forceinline__ bool find(const SddmmProblem& problem, const SddmmTile& tile, int64_t batch,
                                         int64_t index) {
        const Sparse& a = problem.a;
        const Pattern pattern = a.pattern.of_batch(batch);
        const int64_t parts = tile.parts_m * tile.parts_n;
        const int64_t slot = parts == 1 ? index : index / parts;
        const int part = static_cast<int>(index - slot * parts);
        const int part_m = part / static_cast<int>(tile.parts_n);
        const int part_n = part - part_m * static_cast<int>(tile.parts_n);

        const auto first_slot = [&](int64_t row) {
            const int64_t begin = pattern.begin(row);
            return tile.entries == 1 ? begin : (begin >> tile.entries_log2) + row;
        };
        const int64_t block_row =
            last_row(pattern.rows, threadIdx.x % 32, [&](int64_t row) { return first_slot(row) <= slot; });
        const int64_t entry = pattern.begin(block_row) + (slot - first_slot(block_row)) * tile.entries;
        const int64_t left = min(pattern.end(block_row), a.pattern.capacity) - entry;
        if (left <= 0) return false;

        for (int m = threadIdx.x; m < Rows; m += Threads) {
            const int64_t r = int64_t{part_m} * Rows + m, row = block_row * a.bm + r;
            x_from[m] = r < a.bm && row < a.rows ? row * problem.x.row_stride : -1;
            x_to[m] = r < a.bm ? r * a.row_stride : -1;
        }
        for (int n = threadIdx.x; n < Columns; n += Threads) {
            const int64_t part_column = int64_t{part_n} * Columns + n;
            const int of_tile = tile.entries == 1 ? 0 : n / static_cast<int>(a.bk);
            const int64_t c = part_column - of_tile * a.bk;
            const bool in_block = of_tile < tile.entries && of_tile < left && c < a.bk;
            const int64_t column = in_block ? pattern.col(entry + of_tile) * a.bk + c : 0;
            y_from[n] = in_block && column < a.cols ? column * problem.y.col_stride : -1;
            y_to[n] = in_block ? (entry + of_tile) * a.block_stride + c * a.col_stride : -1;
        }
        return true;
    }

    // Finishes or, when tokens are split, keeps sums[m][n], which all threads see.
    template <class In, class Sums>
    __device__ __forceinline__ void write(const SddmmProblem& problem, const SddmmTile& tile, int64_t batch,
                                          int64_t split, const Sums& sums) const {
        using Acc = Accumulator<In>;
        constexpr int W = per_16_bytes<Acc> < Rows ? per_16_bytes<Acc> : Rows;
        if (tile.out_width == W) return write_packs<In, W, true>(problem, tile, batch, split, sums);
        if constexpr (W > 2) {
            if (tile.out_width == 2) return write_packs<In, 2, true>(problem, tile, batch, split, sums);
        }
        write_packs<In, 1, false>(problem, tile, batch, split, sums);
    }

private:
    template <class In, int W, bool Aligned, class Sums>
    __device__ __forceinline__ void write_packs(const SddmmProblem& problem, const SddmmTile& tile, int64_t batch,
                                                int64_t split, const Sums& sums) const {
        using Acc = Accumulator<In>;
        const Sparse& a = problem.a;
        const bool row_major = a.col_stride == 1;
        const bool conjugates = problem.y.conjugate;  // y itself never was: x conj(y) = conj(conj(x) y)
        const bool whole = a.rows == a.pattern.rows * a.bm && a.cols == a.pattern.cols * a.bk;
        const auto exists = [&](int m, int n) { return x_from[m] >= 0 && y_from[n] >= 0; };
        const auto write_to = [&](auto* out, bool reads, auto finish) {
            write_tile<Threads, W, Aligned, Rows, Columns>(out, sums, x_to, y_to, row_major, reads, whole, exists,
                                                           finish);
        };
        if (tile.split.partial) {
            write_to(static_cast<Acc*>(tile.split.partial) +
                         (batch * tile.split.splits + split) * a.pattern.capacity * a.block_stride,
                     false, [&](Acc sum, Acc) { return conjugates ? conjugate(sum) : sum; });
            return;
        }
        // Made only here: kept since before the products, it made them spill.
        const Epilogue<Acc> epilogue(problem.arithmetic);
        with_output_type<In>(a.type, [&](auto tag) {
            using Out = decltype(tag);
            write_to(static_cast<Out*>(a.values) + batch * a.values_stride, epilogue.adds(),
                     [&](Acc sum, Out old) { return epilogue(conjugates ? conjugate(sum) : sum, old); });
        });
    }
};

}  // namespace bsblas::cuda
