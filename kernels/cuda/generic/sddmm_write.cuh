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

// Writes the tile that threads 0 .. Threads - 1 of a block have in shared memory: element (m, n) to out[rows_at[m] +
// columns_at[n]], unless either of the two is negative. Aligned: W at once, which along the block's contiguous side are
// neighbours, all of one block, and aligned as a Pack; otherwise W is 1. exists(m, n): the element lies in A's logical
// size, as all do where `whole`.
template <int Threads, int W, bool Aligned, int Rows, int Columns, class Out, class Sums, class Exists, class Finish>
__device__ __forceinline__ void write_tile(Out* out, const Sums& sums, const int64_t* rows_at,
                                           const int64_t* columns_at, bool row_major, bool reads, bool whole,
                                           Exists exists, Finish finish) {
    static_assert(Aligned || W == 1);
    using Wide = std::conditional_t<Aligned, Pack<Out, W>, Elements<Out, W>>;
    using Acc = std::remove_cv_t<std::remove_reference_t<decltype(sums[0][0])>>;
    constexpr int pieces = Rows * Columns / W;
    // Their reads of shared memory wait together (H200, sddmm_warp, f32, b = 128, 16 tokens: 23.1 us to 19.0).
    constexpr int together = pieces >= 4 * Threads ? 4 : 1;
    static_assert(together == 1 || pieces % (together * Threads) == 0);
    for (int first = threadIdx.x; first < pieces; first += together * Threads) {
        int m[together], n[together];
        int64_t at[together];
        Pack<Acc, W> sum[together];
        Wide value[together] = {};
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int piece = first + i * Threads;
            m[i] = row_major ? piece / (Columns / W) : piece % (Rows / W) * W;
            n[i] = row_major ? piece % (Columns / W) * W : piece / (Rows / W);
            const int64_t row = rows_at[m[i]], column = columns_at[n[i]];
            at[i] = row < 0 || column < 0 ? -1 : row + column;
        }
        if (row_major) {
#pragma unroll
            for (int i = 0; i < together; ++i) sum[i] = pack_of_row<W>(sums[m[i]], n[i]);
        } else {
#pragma unroll
            for (int i = 0; i < together * W; ++i) sum[i / W].v[i % W] = sums[m[i / W] + i % W][n[i / W]];
        }
        if (reads) {
#pragma unroll
            for (int i = 0; i < together; ++i) {
                if (at[i] >= 0) value[i] = *reinterpret_cast<const Wide*>(out + at[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < together; ++i) {
            if (at[i] < 0) continue;
#pragma unroll
            for (int j = 0; j < W; ++j) value[i].v[j] = finish(sum[i].v[j], value[i].v[j]);
            if (!whole) {
#pragma unroll
                for (int j = 0; j < W; ++j) {
                    if (!exists(m[i] + (row_major ? 0 : j), n[i] + (row_major ? j : 0))) value[i].v[j] = zero<Out>();
                }
            }
            *reinterpret_cast<Wide*>(out + at[i]) = value[i];
        }
    }
}

}  // namespace bsblas::cuda
