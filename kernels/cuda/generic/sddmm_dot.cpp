// The row of sddmm_dot.h.
#include "kernels/cuda/generic/sddmm_dot.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/sddmm_operands.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

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
    // What an access of 32 lanes touches: tokens side by side, or lines that lie apart.
    const double accesses = wide && !along_k ? 2.0 * ceil_div(B * size, 16) : wide ? 2 * B : 2 * B * unit;
    const double filled = std::min(1.0, static_cast<double>(a.bm) / B);
    const double lines = accesses * (along_k ? 4 : 32 * filled);
    // Cycles of a multiprocessor for a step of a warp, and for its beginning and end. Fitted, with the constants of the
    // other rows for few tokens and of binary64's tiles, to 830 times of an H200 (f32, f64, c32 and bf16, 16 to 512
    // tokens, 1024^2 with d = 0.05 and 4096^2 with d = 0.1, all rows for each problem): what is chosen by them is 0.8 %
    // slower than the best.
    const double step = 22 + 0.28 * lines + unit * (1.4 * B * B * slots + (size == 2 ? 11 : 0));
    const double elements = static_cast<double>(a.bm * a.bk) / (dot.parts_m * dot.parts_n * B * B);  // of a part
    const double ends = 163 + 2.0 * dot.lanes_log2 * std::max(size, 4) / 4 + 10.5 * size * elements;
    // However few warps there are, each waits for what it reads; about 16 do so together.
    const double sms = std::max(1, device.multiprocessors), waits = 4400 * std::ceil(warps / sms / 16);
    const double cycles = std::max((steps * step + warps * ends) / sms, waits);
    const double line_bytes = along_k ? a.bk * size : std::max<double>(32, B * size);
    return launch_us + sddmm_reduce_us(problem, dot.split, device) + cycles / cycles_per_us +
           missed_us(problem, groups * line_bytes, device);
}

int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmDot dot = plan(problem, launch.device);
    if (dot.split.splits > 1) dot.split.partial = launch.workspace;
    const bool along_k = tokens_side_by_side(problem);
    return FloatTypes::with(problem.x.type,
                            [&]<class In>() { return launch_sddmm_dot<In>(problem, dot, along_k, launch); });
}

}  // namespace

extern const SddmmKernel sddmm_bsr_any__generic_dot_4 = {"sddmm_bsr_any__generic_dot_4", refuses, workspace, cost,
                                                         enqueue};

}  // namespace bsblas::cuda
