// Host side: what the plans and cost models of SDDMM ask about x and y.
#pragma once

#include "core/problem.h"
#include "kernels/cuda/generic/cost.h"

namespace bsblas::cuda {

inline bool tokens_side_by_side(const SddmmProblem& problem) {
    return problem.x.col_stride == 1 && problem.y.row_stride == 1 && problem.x.cols > 1;
}

// What the misses in L2 take of reads of `line_bytes` a token here and there in x and y. Readers that are close in time
// make L2 worth 2.2 of its size; memory then gives 26 kB a microsecond for each multiprocessor (3.4 TB/s, H200: fits
// b = 2 to 4, N = 8192 by columns).
inline double missed_us(const SddmmProblem& problem, double line_bytes, const Device& device) {
    const double tokens = static_cast<double>(problem.x.cols);
    const double lines = static_cast<double>(problem.x.rows + problem.y.cols) * static_cast<double>(problem.batch);
    const double all = lines * tokens * element_bytes(problem.x.type);
    const double kept = 2.2 * static_cast<double>(device.l2_bytes);
    return all > kept ? (1 - kept / all) * line_bytes * tokens / (2.6e4 * std::max(1, device.multiprocessors)) : 0;
}

}  // namespace bsblas::cuda
