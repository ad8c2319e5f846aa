#include "kernels/cuda/generic/sddmm_split.h"

#include "kernels/cuda/generic/cost.h"

namespace bsblas::cuda {

SddmmSplit split_into(const SddmmProblem& problem, int64_t splits) {
    constexpr int64_t grain = 128;  // tokens a step of a whole warp may take; keeps wide accesses aligned
    const int64_t tokens = problem.x.cols;
    SddmmSplit split;
    split.splits = std::clamp<int64_t>(splits, 1, std::max<int64_t>(tokens / grain, 1));
    split.tokens = ceil_div(ceil_div(tokens, split.splits), grain) * grain;
    split.splits = std::max<int64_t>(ceil_div(tokens, std::max<int64_t>(split.tokens, 1)), 1);
    return split;
}

SddmmSplit split_sddmm(const SddmmProblem& problem, const Device& device, double warps) {
    return split_into(problem, static_cast<int64_t>(16.0 * device.multiprocessors / std::max(warps, 1.0)));
}

size_t sddmm_split_bytes(const SddmmProblem& problem, const SddmmSplit& split) {
    if (split.splits == 1) return 0;
    const int size = std::max(element_bytes(problem.x.type), 4);  // of a sum
    return static_cast<size_t>(problem.batch) * split.splits * problem.a.pattern.capacity * problem.a.block_stride *
           size;
}

double sddmm_reduce_us(const SddmmProblem& problem, const SddmmSplit& split, const Device& device) {
    if (split.splits == 1) return 0;
    const double partial = static_cast<double>(sddmm_split_bytes(problem, split));
    // H200, 7 to 17 MB of sums in 2 to 6 parts.
    return 3 + (2 + 1.0 / static_cast<double>(split.splits)) * partial / (1.74e4 * std::max(1, device.multiprocessors));
}

}  // namespace bsblas::cuda
