// The row of spmm_wgmma.h.
#include "kernels/cuda/sm90a/spmm_wgmma.h"

#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/spmm_slice.h"
#include "kernels/cuda/sm90a/tensor_map.h"

#include <climits>
#include <cmath>

namespace bsblas::cuda {
namespace {

WgmmaLayout layout_of(const SpmmProblem& problem) {
    return {problem.a.row_stride == 1, problem.b.row_stride != 1, problem.c.row_stride != 1};
}

std::string refuses(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    if (device.sm != 90) return "the device is not of compute capability 9.0";
    if (!HalfTypes::contain(b.type)) return "its inputs are f16 or bf16";
    if (a.bm % 64 != 0 || a.bk % wgmma_k != 0) return "a block side is no multiple of 64";
    if (a.cols != a.pattern.cols * a.bk) return "the last block column is ragged";
    if (!has_box_strides(b, problem.batch) ||
        !has_box_strides(a.bm, a.values_stride == 0 ? 1 : problem.batch, a.values_stride)) {
        return "bulk copies need strides that are multiples of 16 bytes";
    }
    const double matrices = static_cast<double>(problem.batch);
    const double blocks = static_cast<double>(a.pattern.capacity) * static_cast<double>(std::max(a.bm, a.bk));
    const double rows = static_cast<double>(a.pattern.rows) * static_cast<double>(a.bm);
    if (std::max({blocks, rows, static_cast<double>(std::max(a.cols, c.cols)), matrices}) > INT_MAX / 2) {
        return "a size of 2^30 or more";
    }
    return "";
}

SpmmWgmma plan(const SpmmProblem& problem) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    SpmmWgmma plan = {};
    plan.a_matrices = a.values_stride != 0;
    plan.b_matrices = b.batch_stride != 0;
    plan.parts_m = static_cast<int>(a.bm / 64);
    plan.parts_k = static_cast<int>(a.bk / wgmma_k);
    plan.parts = static_cast<int>(a.pattern.rows) * plan.parts_m;
    plan.tile_rows = static_cast<int>(ceil_div(plan.parts, wgmma_rows / 64));
    plan.tile_columns = static_cast<int>(ceil_div(c.cols, wgmma_columns));
    plan.tiles = int64_t{plan.tile_rows} * plan.tile_columns * problem.batch;
    return plan;
}

bool encode_maps(const SpmmProblem& problem, SpmmWgmma& plan) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    const WgmmaLayout layout = layout_of(problem);
    const auto matrices = [&](int64_t stride) { return stride == 0 ? 1 : problem.batch; };
    const int64_t length = layout.a_across_k ? a.bm : a.bk, height = layout.a_across_k ? a.bk : a.bm;
    const Boxes blocks{
        a.values, length, a.pattern.capacity * height, length, matrices(a.values_stride), a.values_stride, 64, 64};
    plan.stores_boxes = encode_output(problem, &plan.c);
    return encode(blocks, a.type, &plan.a) &&
           encode(boxes_of(b, problem.batch, layout.b_across_k ? wgmma_k : wgmma_columns), b.type, &plan.b);
}

double cost(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const SpmmWgmma p = plan(problem);
    const double cols = static_cast<double>(std::max<int64_t>(a.pattern.cols, 1));
    const double of_row =
        static_cast<double>(a.pattern.capacity) / static_cast<double>(std::max<int64_t>(a.pattern.rows, 1));
    const double density = std::min(1.0, of_row / cols);
    // Columns that a tile walks, and blocks that it multiplies.
    const double walked = p.parts_m == 1 ? cols * density * (2 - density) : of_row;
    // Cycles of a multiprocessor: of L2, and of the tensor cores.
    const double bytes = (walked * wgmma_columns + 2 * of_row * 64) * wgmma_k * 2 * p.parts_k;
    const double products = 2 * of_row * p.parts_k * 512;
    const double tile = std::max(bytes / 44, products) + 3000;
    const double rounds =
        std::ceil(static_cast<double>(p.tiles) / static_cast<double>(std::max(1, device.multiprocessors)));
    return launch_us + rounds * tile / 1550;
}

int enqueue(const SpmmProblem& problem, const Launch& launch) {
    SpmmWgmma p = plan(problem);
    if (!has_bulk_operands(problem) || !encode_maps(problem, p)) return run_spmm_slice(problem, launch);
    const WgmmaLayout layout = layout_of(problem);
    return HalfTypes::with(problem.b.type,
                           [&]<class In>() { return launch_spmm_wgmma<In>(problem, p, layout, launch); });
}

}  // namespace

extern const SpmmKernel spmm_bsr64n_16bit__sm90a_wgmma_128x256x64_s4 = {"spmm_bsr64n_16bit__sm90a_wgmma_128x256x64_s4",
                                                                        refuses, no_workspace, cost, enqueue};

}  // namespace bsblas::cuda
