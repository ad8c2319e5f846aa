// The row of sddmm_dot.h.
#include "kernels/cuda/generic/sddmm_dot.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/types.h"
#include "kernels/cuda/generic/cost.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

bool tokens_side_by_side(const SddmmProblem& problem) {
    return problem.x.col_stride == 1 && problem.y.row_stride == 1 && problem.x.cols > 1;
}

SddmmDot plan(const SddmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int size = element_bytes(x.type);
    const bool along_k = tokens_side_by_side(problem);
    const int unit = along_k ? std::max(1, 16 / size) : 1;  // tokens of a lane's step
    SddmmDot dot;
    dot.parts_m = ceil_div(a.bm, dot_side);
    dot.parts_n = ceil_div(a.bk, dot_side);
    dot.lanes_log2 = 0;
    while (dot.lanes_log2 < 5 && unit << dot.lanes_log2 < x.cols) ++dot.lanes_log2;
    const double groups = static_cast<double>(a.pattern.capacity) * dot.parts_m * dot.parts_n * problem.batch;
    dot.split = split_sddmm(problem, device, groups * (1 << dot.lanes_log2) / 32);
    if (along_k) {
        dot.wide_x = aligned(x.values, size, x.row_stride, 16) && aligned(nullptr, size, x.batch_stride, 16);
        dot.wide_y = aligned(y.values, size, y.col_stride, 16) && aligned(nullptr, size, y.batch_stride, 16);
    } else {
        const size_t bytes = access_bytes(dot_side, size);
        dot.wide_x = x.row_stride == 1 && aligned(x.values, size, x.col_stride, bytes) &&
                     aligned(nullptr, size, a.bm, bytes) && aligned(nullptr, size, x.batch_stride, bytes);
        dot.wide_y = y.col_stride == 1 && aligned(y.values, size, y.row_stride, bytes) &&
                     aligned(nullptr, size, a.bk, bytes) && aligned(nullptr, size, y.batch_stride, bytes);
    }
    return dot;
}

std::string refuses(const SddmmProblem&, const Device&) {
    return "";
}

size_t workspace(const SddmmProblem& problem, const Device& device) {
    return sddmm_split_bytes(problem, plan(problem, device).split);
}

double cost(const SddmmProblem& problem, const Device& device) {
    const SddmmDot dot = plan(problem, device);
    constexpr int B = dot_side;
    const Sparse& a = problem.a;
    const int size = element_bytes(problem.x.type);
    const bool along_k = tokens_side_by_side(problem);
    const int unit = along_k ? std::max(1, 16 / size) : 1, lanes = 1 << dot.lanes_log2;
    const double groups = static_cast<double>(a.pattern.capacity) * dot.parts_m * dot.parts_n * problem.batch;
    const double warps = groups * lanes / 32 * dot.split.splits;
    const double steps = std::max(warps, groups / 32 * problem.x.cols / unit);
    const int slots = multiply_add_slots(problem.x.type);
    const bool wide = dot.wide_x && dot.wide_y;
    const double reads = wide && !along_k ? 2.0 * ceil_div(B * size, 16) : wide ? 2 * B : 2 * B * unit;
    const double step = unit * (B * B * slots + (size == 2 ? 2 * B : 0)) + 2 * reads + 16;
    const double ends = warps * (400 + 2.0 * B * B * (1 + dot.lanes_log2) * (size + 3) / 4);
    // Each line of an access takes a cycle of the multiprocessor.
    const double lines = wide && !along_k ? 32 * reads : 4 * reads;
    const double line_us = steps * lines / (device.multiprocessors * cycles_per_us);
    // Entries of a row find x in L1 as a rule.
    const double bytes = static_cast<double>(a.pattern.capacity) * problem.batch * problem.x.cols * size *
                         (a.bk * dot.parts_m + 0.5 * a.bm * dot.parts_n);
    const double reduce = dot.split.splits > 1 ? 3 : 0;
    return launch_us + reduce + overlapped(issue_us(steps * step + ends, warps, device), l2_us(bytes, device), line_us);
}

int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmDot dot = plan(problem, launch.device);
    if (dot.split.splits > 1) dot.split.partial = launch.workspace;
    const bool along_k = tokens_side_by_side(problem);
    switch (problem.x.type) {
        case BSBLAS_R_32F:
            return launch_sddmm_dot<float>(problem, dot, along_k, launch);
        case BSBLAS_R_64F:
            return launch_sddmm_dot<double>(problem, dot, along_k, launch);
        case BSBLAS_C_32F:
            return launch_sddmm_dot<Complex<float>>(problem, dot, along_k, launch);
        case BSBLAS_C_64F:
            return launch_sddmm_dot<Complex<double>>(problem, dot, along_k, launch);
        case BSBLAS_R_16F:
            return launch_sddmm_dot<__half>(problem, dot, along_k, launch);
        case BSBLAS_R_16BF:
            return launch_sddmm_dot<__nv_bfloat16>(problem, dot, along_k, launch);
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

extern const SddmmKernel sddmm_bsr_any__generic_dot_4 = {"sddmm_bsr_any__generic_dot_4", refuses, workspace, cost,
                                                         enqueue};

}  // namespace bsblas::cuda
