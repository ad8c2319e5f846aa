// Where SDDMM's kernels leave their sums.
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/generic/sddmm_split.h"

namespace bsblas::cuda {

// How many entries of a pattern are live.
__device__ __forceinline__ int64_t live_entries(const Pattern& pattern) {
    return pattern.rows > 0 ? min(pattern.end(pattern.rows - 1), pattern.capacity) : 0;
}

// Finishes or, when tokens are split, keeps one sum. exists: it lies in A's logical size; what does not is padding, and
// zero.
template <class In>
__device__ __forceinline__ void write_sampled(const SddmmProblem& problem, const SddmmSplit& split,
                                              const Epilogue<Accumulator<In>>& epilogue, int64_t batch, int64_t part,
                                              int64_t at, bool exists, Accumulator<In> sum) {
    const Sparse& a = problem.a;
    if (problem.y.conjugate) sum = conjugate(sum);
    if (split.partial) {
        const int64_t matrix = batch * split.splits + part;
        static_cast<Accumulator<In>*>(split.partial)[matrix * a.pattern.capacity * a.block_stride + at] = sum;
        return;
    }
    with_output_type<In>(a.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const to = static_cast<Out*>(a.values) + batch * a.values_stride + at;
        *to = exists ? epilogue(sum, epilogue.adds() ? *to : zero<Out>()) : zero<Out>();
    });
}

// W sums of a row, from column n on, a multiple of W.
template <int W, class Acc>
__device__ __forceinline__ Pack<Acc, W> pack_of_row(const Acc* row, int n) {
    return *reinterpret_cast<const Pack<Acc, W>*>(row + n);
}

template <int Power>
constexpr int log2_of = 1 + log2_of<Power / 2>;
template <>
constexpr int log2_of<1> = 0;

// Writes the tile that threads 0 .. Threads - 1 of a block have in shared memory: element (m, n) to out[rows_at[m] +
// columns_at[n]], unless either of the two is negative. W at once where `wide`: along the block's contiguous side they
// are neighbours, all of one block, and aligned. exists(m, n): the element lies in A's logical size.
template <int Threads, int W, int Rows, int Columns, class Out, class Sums, class Exists, class Finish>
__device__ __forceinline__ void write_tile(Out* out, const Sums& sums, const int64_t* rows_at,
                                           const int64_t* columns_at, bool row_major, bool wide, bool reads,
                                           Exists exists, Finish finish) {
    constexpr int rows_log2 = log2_of<Rows>, columns_log2 = log2_of<Columns>, width_log2 = log2_of<W>;
    const int inner_log2 = (row_major ? columns_log2 : rows_log2) - (wide ? width_log2 : 0);
    const int pieces = Rows * Columns >> (wide ? width_log2 : 0);
    for (int piece = threadIdx.x; piece < pieces; piece += Threads) {
        const int outer = piece >> inner_log2, inner = (piece & ((1 << inner_log2) - 1)) << (wide ? width_log2 : 0);
        const int m = row_major ? outer : inner, n = row_major ? inner : outer;
        if (rows_at[m] < 0 || columns_at[n] < 0) continue;
        Out* const to = out + rows_at[m] + columns_at[n];
        if (wide) {
            using Wide = Pack<Out, W>;
            Wide result = {};
            if (reads) result = *reinterpret_cast<const Wide*>(to);
            if (row_major) {
                const auto pack = pack_of_row<W>(sums[m], n);
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    result.v[i] = exists(m, n + i) ? finish(pack.v[i], result.v[i]) : zero<Out>();
                }
            } else {
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    result.v[i] = exists(m + i, n) ? finish(sums[m + i][n], result.v[i]) : zero<Out>();
                }
            }
            *reinterpret_cast<Wide*>(to) = result;
        } else {
            *to = exists(m, n) ? finish(sums[m][n], reads ? *to : zero<Out>()) : zero<Out>();
        }
    }
}

}  // namespace bsblas::cuda
