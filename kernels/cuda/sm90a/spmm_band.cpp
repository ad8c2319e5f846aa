// The row of spmm_band.h.
#include "kernels/cuda/sm90a/spmm_band.h"

#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/spmm_slice.h"
#include "kernels/cuda/sm90a/tensor_map.h"

#include <climits>
#include <cmath>

namespace bsblas::cuda {
namespace {

bool has_own_patterns(const SpmmProblem& problem) {
    const Pattern& p = problem.a.pattern;
    return problem.batch > 1 && (p.offsets_stride != 0 || p.indices_stride != 0 || p.slots_stride != 0);
}

std::string refuses(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    if (device.sm != 90) return "the device is not of compute capability 9.0";
    if (!HalfTypes::contain(b.type)) return "its inputs are f16 or bf16";
    if (a.bm % 16 != 0 || a.bk % 16 != 0) return "a block side is no multiple of 16";
    if (a.cols != a.pattern.cols * a.bk) return "the last block column is ragged";
    if (!has_box_strides(b, problem.batch) || a.values_stride % 8 != 0) {
        return "bulk copies need strides that are multiples of 16 bytes";
    }
    if (problem.batch > 0xffff) return "a batch of more than 65535";
    const double elements = static_cast<double>(a.pattern.capacity) * static_cast<double>(a.block_stride);
    if (elements / 256 * static_cast<double>(problem.batch) > INT_MAX) return "2^31 units of 16 x 16 or more";
    if (elements / 8 > UINT_MAX) return "A has 64 GiB of values or more";
    const double rows = static_cast<double>(a.pattern.rows) * static_cast<double>(a.bm);
    if (std::max(rows, static_cast<double>(c.cols)) > INT_MAX / 4) return "a size of 2^29 or more";
    const double tiles = static_cast<double>(ceil_div(a.pattern.rows * a.bm, group_rows)) *
                         static_cast<double>(ceil_div(c.cols, band_columns)) * static_cast<double>(problem.batch);
    if (tiles > INT_MAX / 8) return "more than 2^28 tiles";
    return "";
}

BandLayout layout_of(const SpmmProblem& problem) {
    return {problem.a.row_stride == 1, problem.b.row_stride != 1};
}

SpmmBand plan_for(const SpmmProblem& problem, int groups) {
    const Sparse& a = problem.a;
    SpmmBand plan = {};
    BandShape& shape = plan.shape;
    const int side = shape.side = a.bm % 32 == 0 && a.bk % 32 == 0 ? 32 : 16;
    shape.parts_m = static_cast<int>(a.bm / side);
    shape.parts_k = static_cast<int>(a.bk / side);
    shape.parts = static_cast<int>(a.pattern.rows) * shape.parts_m;
    shape.band_parts = groups * (group_rows / side);
    shape.bands = static_cast<int>(ceil_div(shape.parts, shape.band_parts));
    shape.panels = static_cast<int>(ceil_div(a.cols, panel_columns));
    shape.panel_units = panel_columns / side;
    shape.patterns = has_own_patterns(problem) ? static_cast<int>(problem.batch) : 1;
    shape.units = a.pattern.capacity * shape.parts_m * shape.parts_k;
    const bool across = layout_of(problem).a_across_k;
    shape.line_step = static_cast<int>((across ? a.bm : a.bk) / 8);
    shape.block_step = static_cast<int>(a.block_stride / 8);
    shape.part_step = across ? side / 8 : side * shape.line_step;
    shape.unit_step = across ? side * shape.line_step : side / 8;
    plan.b_matrices = problem.b.batch_stride != 0;
    plan.tile_columns = static_cast<int>(ceil_div(problem.c.cols, band_columns));
    plan.packs = a.values_stride == 0 ? 1 : static_cast<int>(problem.batch);
    plan.tiles = plan.whole_tiles = shape.bands * plan.tile_columns * static_cast<int>(problem.batch);
    plan.pieces = 1;
    return plan;
}

// Microseconds of a product, with the tiles that do not fill the device once more cut into `pieces`. Measured on an
// H200, 4096 x 4096 x 8192, d = 0.1 and 0.25: a step of three groups takes 640 to 800 cycles, and 38 or 83 more for
// each unit; the plan 8 us, packing at 3 TB/s, the sum of pieces 8 us.
double predict(SpmmBand& plan, int pieces, const Device& device) {
    const BandShape& shape = plan.shape;
    const double of_band = static_cast<double>(shape.units) / std::max(shape.parts, 1) * shape.band_parts;
    const double steps = std::min<double>(shape.panels, of_band);
    const double unit = (shape.side == 16 ? 38 : 83) * 3.0 / groups_of_band(shape);
    const double tile = steps * 700 + of_band * unit + 4000;
    const int blocks = std::max(1, device.multiprocessors), cut = plan.tiles % blocks;
    double rounds = plan.tiles / blocks, sum_us = 0;
    if (pieces == 1 || cut == 0) {
        plan.whole_tiles = plan.tiles;
        plan.pieces = 1;
        if (cut != 0) rounds += rounds == 0 ? 1 : 0.5 + 0.5 * cut / blocks;
    } else {
        plan.whole_tiles = plan.tiles - cut;
        plan.pieces = pieces;
        rounds += static_cast<double>(ceil_div(int64_t{cut} * pieces, blocks)) / pieces;
        sum_us = 8;
    }
    const double packed = static_cast<double>(shape.units) * shape.side * shape.side * 2 * plan.packs;
    return launch_us + 8 + packed * 2 / 3e6 + rounds * tile / 1750 + sum_us;
}

// The sums of a piece take 200 KB: 39 MB at most with an H200's multiprocessors.
bool is_room_for(const SpmmBand& plan, int pieces, const Device& device) {
    const int blocks = std::max(1, device.multiprocessors);
    return pieces * 2 <= plan.shape.panels && plan.tiles % blocks * pieces * 2 <= 3 * blocks;
}

// Bands as high, and tiles cut as fine, as keeps the device busy.
SpmmBand plan(const SpmmProblem& problem, const Device& device, double* predicted = nullptr) {
    SpmmBand best;
    double least = -1;
    for (int groups = band_groups; groups > 0; --groups) {
        SpmmBand plan = plan_for(problem, groups);
        for (int pieces : {1, 2, 3, 4, 6, 8}) {
            if (pieces > 1 && !is_room_for(plan, pieces, device)) continue;
            const double time = predict(plan, pieces, device);
            if (least >= 0 && time >= least) continue;
            least = time;
            best = plan;
        }
    }
    if (predicted) *predicted = least;
    return best;
}

double cost(const SpmmProblem& problem, const Device& device) {
    double predicted;
    plan(problem, device, &predicted);
    return predicted;
}

void lay_out(SpmmBand& plan, Carver& carver) {
    const BandShape& shape = plan.shape;
    plan.plan = carve_band_plan(shape, carver);
    plan.packed = carver.take<uint16_t>(plan.packs * shape.units * shape.side * shape.side);
    plan.partial = carver.take<float>(int64_t{plan.tiles - plan.whole_tiles} * plan.pieces * groups_of_band(shape) *
                                      partial_group);
}

// Whether the batch shares a pattern is known only at the launch.
size_t workspace(const SpmmProblem& problem, const Device& device) {
    SpmmBand p = plan(problem, device);
    p.shape.patterns = static_cast<int>(problem.batch);
    Carver carver(nullptr);
    lay_out(p, carver);
    return carver.used();
}

int enqueue(const SpmmProblem& problem, const Launch& launch) {
    SpmmBand p = plan(problem, launch.device);
    const BandLayout layout = layout_of(problem);
    const Dense& b = problem.b;
    // Units are packed once for each pattern.
    if (!has_bulk_operands(problem) || (p.shape.patterns > 1 && p.packs == 1) ||
        !encode(boxes_of(b, problem.batch, layout.b_across_k ? panel_columns : band_columns), b.type, &p.b)) {
        return run_spmm_slice(problem, launch);
    }
    p.stores_boxes = encode_output(problem, &p.c);
    Carver carver(launch.workspace);
    lay_out(p, carver);
    if (int result = make_band_plan(problem.a.pattern, p.shape, p.plan, launch)) return result;
    if (int result = pack_units(problem.a, p.shape, p.plan, p.packs, p.packed, launch)) return result;
    return HalfTypes::with(b.type, [&]<class In>() { return launch_spmm_band<In>(problem, p, layout, launch); });
}

}  // namespace

extern const SpmmKernel spmm_bsr16n_16bit__sm90a_wgmma_384x128x128_s3 = {
    "spmm_bsr16n_16bit__sm90a_wgmma_384x128x128_s3", refuses, workspace, cost, enqueue};

}  // namespace bsblas::cuda
