// The row of sddmm_dense.h.
#include "kernels/cuda/generic/sddmm_dense.h"

#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/sddmm_operands.h"
#include "kernels/cuda/generic/tile_plan.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

SddmmDense plan(const SddmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int rows = dense_rows(element_bytes(x.type));
    SddmmDense dense;
    dense.block_rows = rows / static_cast<int>(a.bm);
    dense.block_columns = tile_columns / static_cast<int>(a.bk);
    dense.tiles_m = ceil_div(a.pattern.rows, dense.block_rows);
    dense.tiles_n = ceil_div(a.pattern.cols, dense.block_columns);
    dense.x = tile_access(x, x.row_stride, x.col_stride, x.cols, dense.block_rows * a.bm, rows);
    dense.y = tile_access(y, y.col_stride, y.row_stride, x.cols, dense.block_columns * a.bk, tile_columns);
    const double tiles = static_cast<double>(dense.tiles_m) * static_cast<double>(dense.tiles_n * problem.batch);
    dense.split = split_sddmm(problem, device, tiles * tile_shape(element_bytes(x.type), rows).threads() / 32);
    return dense;
}

std::string refuses(const SddmmProblem& problem, const Device&) {
    if (problem.a.bm > dense_rows(element_bytes(problem.x.type)) || problem.a.bk > tile_columns) {
        return "a block larger than the tile";
    }
    return "";
}

size_t workspace(const SddmmProblem& problem, const Device& device) {
    return sddmm_split_bytes(problem, plan(problem, device).split);
}

double cost(const SddmmProblem& problem, const Device& device) {
    const SddmmDense dense = plan(problem, device);
    const int size = element_bytes(problem.x.type), rows = dense_rows(size);
    const double tiles = static_cast<double>(dense.tiles_m) * static_cast<double>(dense.tiles_n * problem.batch);
    // Every tile looks at all entries of its block rows: a round of 32 takes some 180 instructions, and more for what
    // it finds.
    const double rounds = static_cast<double>(problem.a.pattern.capacity) * static_cast<double>(dense.tiles_n) *
                          static_cast<double>(problem.batch) / 32;
    const double search = issue_us(rounds * 180, tiles * 2, device);
    const double reduce = sddmm_reduce_us(problem, dense.split, device);
    return reduce + search +
           tile_us(tiles, rows, static_cast<double>(problem.x.cols), static_cast<double>(dense.split.splits),
                   tokens_side_by_side(problem), problem.x.type, device);
}

int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmDense dense = plan(problem, launch.device);
    if (dense.split.splits > 1) dense.split.partial = launch.workspace;
    return FloatTypes::with(problem.x.type, [&]<class In>() { return launch_sddmm_dense<In>(problem, dense, launch); });
}

}  // namespace

extern const SddmmKernel sddmm_bsr_any__generic_dense = {"sddmm_bsr_any__generic_dense", refuses, workspace, cost,
                                                         enqueue};

}  // namespace bsblas::cuda
