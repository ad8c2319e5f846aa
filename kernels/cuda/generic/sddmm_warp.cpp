// The row of sddmm_warp.h.
#include "kernels/cuda/generic/sddmm_warp.h"

#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/sddmm_operands.h"
#include "kernels/cuda/generic/tile_plan.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

using WarpTypes = InputTypes<float, double, __half, __nv_bfloat16>;

// The constants are of an H200: b = 128, d = 0.1 and 0.25, 16 to 8192 tokens.
double product_us(const SddmmProblem& problem, const SddmmTile& tile, const SddmmSplit& split, const Device& device) {
    // By strides: what is planned before there are arrays must hold however they are aligned.
    const bool along_tokens = problem.x.col_stride == 1 || problem.y.row_stride == 1;
    // Cycles of a multiprocessor for a block: to begin and end, and for each token.
    const double begin = 2670;
    const double token = problem.x.type == BSBLAS_R_64F   ? 64
                         : problem.x.type == BSBLAS_R_32F ? (along_tokens ? 43 : 40)
                                                          : (along_tokens ? 6.8 : 5.8);
    const double tokens = static_cast<double>(std::min(split.tokens, problem.x.cols));
    const double blocks = count_tiles(problem, tile) * static_cast<double>(split.splits);
    const double on_each = std::ceil(blocks / std::max(1, device.multiprocessors));
    // Three blocks or fewer wait as long as three would.
    return std::max(on_each, 3.4) * (begin + token * tokens) / cycles_per_us;
}

// Multiprocessors differ by a block in what they have to do: tokens are split where that evens it out.
SddmmTile plan(const SddmmProblem& problem, const Device& device) {
    SddmmTile tile = cut_into_tiles(problem, warp_tile);
    double least = 0;
    for (int64_t splits = 1; splits <= 8; ++splits) {
        const SddmmSplit split = split_into(problem, splits);
        const double us = product_us(problem, tile, split, device) + sddmm_reduce_us(problem, split, device);
        if (splits == 1 || us < least) {
            least = us;
            tile.split = split;
        }
    }
    return tile;
}

std::string refuses(const SddmmProblem& problem, const Device&) {
    if (!WarpTypes::contain(problem.x.type)) return "complex";
    if (problem.a.bm > 1 << 20 || problem.a.bk > 1 << 20) return "a block side above 2^20";
    const SddmmTile tile = cut_into_tiles(problem, warp_tile);
    if (!is_wide(tile.x) || !is_wide(tile.y)) return "x or y cannot be read by 16 bytes";
    return "";
}

size_t workspace(const SddmmProblem& problem, const Device& device) {
    return sddmm_split_bytes(problem, plan(problem, device).split);
}

double cost(const SddmmProblem& problem, const Device& device) {
    const SddmmTile tile = plan(problem, device);
    return launch_us + product_us(problem, tile, tile.split, device) + sddmm_reduce_us(problem, tile.split, device);
}

int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmTile tile = plan(problem, launch.device);
    if (tile.split.splits > 1) tile.split.partial = launch.workspace;
    // Strides are wide, but the arrays may begin anywhere.
    const bool wide = is_wide(tile.x) && is_wide(tile.y);
    return WarpTypes::with(problem.x.type, [&]<class In>() {
        return wide ? launch_sddmm_warp<In>(problem, tile, launch)
                    : launch_sddmm_tile<In>(problem, tile, warp_tile, launch);
    });
}

}  // namespace

extern const SddmmKernel sddmm_bsr_any__generic_warp_64 = {"sddmm_bsr_any__generic_warp_64", refuses, workspace, cost,
                                                           enqueue};

}  // namespace bsblas::cuda
