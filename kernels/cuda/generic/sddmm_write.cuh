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
                                              int64_t entry, int64_t in_block, bool exists, Accumulator<In> sum) {
    const Sparse& a = problem.a;
    if (problem.y.conjugate) sum = conjugate(sum);
    if (split.partial) {
        const int64_t matrix = batch * split.splits + part;
        static_cast<Accumulator<In>*>(
            split.partial)[(matrix * a.pattern.capacity + entry) * a.block_stride + in_block] = sum;
        return;
    }
    with_output_type<In>(a.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const to = static_cast<Out*>(a.values) + batch * a.values_stride + entry * a.block_stride + in_block;
        *to = exists ? epilogue(sum, epilogue.adds() ? *to : zero<Out>()) : zero<Out>();
    });
}

}  // namespace bsblas::cuda
