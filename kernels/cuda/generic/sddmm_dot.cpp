// The row of sddmm_dot.h.
#include "kernels/cuda/generic/sddmm_dot.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/sddmm_operands.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

double count_groups(const SddmmProblem& problem, const SddmmDot& dot) {
    return static_cast<double>(problem.a.pattern.capacity) * dot.parts_m * dot.parts_n * problem.batch;
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
    const double groups = count_groups(problem, dot);
    const auto warps = [&] { return groups * (1 << dot.lanes_log2) / 32; };
    // No more than fill the device: they have sums to add up. Eight read a line of memory along k. Across it, the fewer
    // there are, the more parts side by side a warp reads, all the more of small elements; what a lane reads at once
    // needs no others. But not more than 32 steps one after the other. H200, 1024^2, d = 0.05, by column, 4, 8 and 16
    // lanes, us: 16 tokens of f64 4.6, 4.7, 4.9; 64 tokens, b = 64: bf16 5.4, 5.0, 6.0, f32 5.9, 5.7, 6.1, f64 10.2,
    // 8.6, 8.4; 128 tokens of f32 10.6, 8.8, 8.3. 2048^2, d = 0.1, 64 tokens, b = 16, 2, 4 and 8 lanes: bf16 12.5, 9.8,
    // 15.3, f64 19.7, 30.4, 41.2.
    const int least_log2 = along_k ? 3 : size <= 4 ? 2 : 1;
    const auto fewer_serve = [&] {
        const int64_t steps = ceil_div(x.cols, int64_t{unit} << (dot.lanes_log2 - 1));
        if (!along_k && steps <= dot_ahead(size)) return true;
        const double busy = along_k || size > 4 ? 16 : size <= 2 ? 8 : steps <= 8 ? 12 : 16;  // warps a multiprocessor
        return steps <= 32 && warps() > busy * device.multiprocessors;
    };
    while (dot.lanes_log2 > least_log2 && fewer_serve()) --dot.lanes_log2;
    dot.split = split_sddmm(problem, device, warps());
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
    const double groups = count_groups(problem, dot);
    const double warps = groups * lanes / 32 * dot.split.splits;
    const double steps = std::max(warps, groups / 32 * problem.x.cols / unit);
    const int slots = multiply_add_slots(problem.x.type);
    const bool wide = dot.wide_x && dot.wide_y;
    // What an access of 32 lanes touches: tokens side by side, or for each token x's part and y's, of parts side by
    // side.
    const double accesses = wide && !along_k ? 2.0 * ceil_div(B * size, 16) : wide ? 2 * B : 2 * B * unit;
    const double filled = std::min(1.0, static_cast<double>(a.bm) / B);
    const double across = filled * lanes * (1 + std::ceil(32.0 / lanes * B * size / 128)) / 2;
    const double lines = accesses * (along_k ? 4 : across);
    // Cycles of a multiprocessor for a step of a warp, and for its beginning and end. Fitted, as are the constants of
    // the other rows for few tokens, to 830 times of an H200 (f32, f64, c32 and bf16, 16 to 512 tokens, 1024^2 with d =
    // 0.05 and 4096^2 with d = 0.1, all rows for each problem): what is chosen by them is 0.9 % slower than the best.
    const double step = 24 + 0.9 * lines + unit * 1.3 * B * B * slots, ends = 285;
    // However few warps there are, each waits for what it reads; about 16 do so together.
    const double sms = std::max(1, device.multiprocessors), rounds = std::ceil(warps / sms / 16);
    const double waits = rounds * (960 + 660 * std::ceil(steps / std::max(warps, 1.0)));
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
