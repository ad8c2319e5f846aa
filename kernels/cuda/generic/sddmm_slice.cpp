// Rows of sddmm_slice.h: one for each MR, and whether y is read along the tokens.
#include "kernels/cuda/generic/sddmm_slice.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/types.h"
#include "kernels/cuda/generic/cost.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

SddmmSlice plan(const SddmmProblem& problem, const Device& device, int mr, bool along_k) {
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int size = element_bytes(x.type);
    const int columns = slice_columns_of(size);
    SddmmSlice slice;
    slice.slices = ceil_div(a.bm, mr);

    // Narrow blocks leave lanes for tokens. Along k, groups make up 32 bytes, a sector.
    int lk_log2 = 0;
    while (lk_log2 < 3 && (16 >> lk_log2) * columns >= a.bk) ++lk_log2;
    if (along_k) {
        while ((4 * size << lk_log2) < 32) ++lk_log2;
    } else if (y.row_stride == 1 && y.col_stride != 1) {
        lk_log2 = 3;
    }
    slice.layout.lk_log2 = lk_log2;
    slice.tile_columns = slice.layout.lanes() * columns;
    slice.tiles = ceil_div(a.bk, slice.tile_columns);

    const double tasks = static_cast<double>(a.pattern.capacity) * slice.slices * slice.tiles * problem.batch;
    const double chunks = static_cast<double>(x.cols) / 32;
    int k_warps_log2 = 0;
    while (k_warps_log2 < 2 && tasks * (1 << k_warps_log2) < 12.0 * device.multiprocessors &&
           chunks >= 4 << k_warps_log2) {
        ++k_warps_log2;
    }
    slice.layout.k_warps_log2 = k_warps_log2;
    slice.split = split_sddmm(problem, device, tasks * (1 << k_warps_log2));

    const size_t x_bytes = access_bytes(mr, size);
    slice.wide_x = x.row_stride == 1 && aligned(x.values, size, x.col_stride, x_bytes) &&
                   aligned(nullptr, size, a.bm, x_bytes) && aligned(nullptr, size, x.batch_stride, x_bytes);
    const size_t y_bytes = access_bytes(along_k ? 4 : columns, size);
    slice.wide_y = aligned(y.values, size, along_k ? y.col_stride : y.row_stride, y_bytes) &&
                   aligned(nullptr, size, y.batch_stride, y_bytes) &&
                   (along_k || (y.col_stride == 1 && aligned(nullptr, size, a.bk, y_bytes)));
    return slice;
}

template <int MR, bool AlongK>
std::string refuses(const SddmmProblem& problem, const Device&) {
    if (!has_sddmm_slice(problem.x.type, MR)) return "it is not compiled for this type";
    if (AlongK && problem.y.row_stride != 1) return "Y does not have consecutive k side by side";
    if (problem.a.bm > 1 << 30 || problem.a.bk > 1 << 30) return "a block side above 2^30";
    return "";
}

template <int MR, bool AlongK>
size_t workspace(const SddmmProblem& problem, const Device& device) {
    return sddmm_split_bytes(problem, plan(problem, device, MR, AlongK).split);
}

template <int MR, bool AlongK>
double cost(const SddmmProblem& problem, const Device& device) {
    const SddmmSlice slice = plan(problem, device, MR, AlongK);
    const Sparse& a = problem.a;
    const int size = element_bytes(problem.x.type);
    const int columns = slice_columns_of(size);
    const int lk = 1 << slice.layout.lk_log2;
    const double tasks = static_cast<double>(a.pattern.capacity) * slice.slices * slice.tiles * problem.batch;
    const double warps = tasks * (1 << slice.layout.k_warps_log2) * slice.split.splits;
    const double steps = std::max(warps, tasks * problem.x.cols / (4.0 * lk));
    const int slots = multiply_add_slots(problem.x.type);
    const int pieces = (MR * std::max(size, 4) + 15) / 16;
    const bool wide = slice.wide_y;
    const double step = 4.0 * MR * columns * slots + (wide ? 4 : 16) + 4 * pieces + 4 + 20 + (30.0 + 3 * MR) * lk / 8;
    const double ends = warps * (300 + 12.0 * MR * columns * slots);
    const int lines_y = AlongK ? columns * (32 / lk) : wide ? 16 : 16 * (32 / lk);
    const int lines_x = slice.wide_x ? 32 * MR * size / 16 * lk / 8 : MR * lk / 8;
    const double line_us = steps * (lines_x + lines_y) / (device.multiprocessors * cycles_per_us);
    // Slices of a block find y in L1, entries of a row some of x.
    const double bytes = static_cast<double>(a.pattern.capacity) * problem.batch * problem.x.cols * size *
                         (static_cast<double>(a.bk) + a.bm * slice.tiles);
    const double reduce = slice.split.splits > 1 ? 3 : 0;
    return launch_us + reduce + overlapped(issue_us(steps * step + ends, warps, device), l2_us(bytes, device), line_us);
}

template <int MR, bool AlongK>
int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmSlice slice = plan(problem, launch.device, MR, AlongK);
    if (slice.split.splits > 1) slice.split.partial = launch.workspace;
    switch (problem.x.type) {
        case BSBLAS_R_32F:
            return launch_sddmm_slice<float>(problem, slice, MR, AlongK, launch);
        case BSBLAS_R_64F:
            return launch_sddmm_slice<double>(problem, slice, MR, AlongK, launch);
        case BSBLAS_C_32F:
            return launch_sddmm_slice<Complex<float>>(problem, slice, MR, AlongK, launch);
        case BSBLAS_C_64F:
            return launch_sddmm_slice<Complex<double>>(problem, slice, MR, AlongK, launch);
        case BSBLAS_R_16F:
            return launch_sddmm_slice<__half>(problem, slice, MR, AlongK, launch);
        case BSBLAS_R_16BF:
            return launch_sddmm_slice<__nv_bfloat16>(problem, slice, MR, AlongK, launch);
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

#define BSBLAS_ROW(name, mr, along_k)                                                                        \
    extern const SddmmKernel name = {#name, refuses<mr, along_k>, workspace<mr, along_k>, cost<mr, along_k>, \
                                     enqueue<mr, along_k>};
BSBLAS_ROW(sddmm_bsr_any__generic_slice_8, 8, false)
BSBLAS_ROW(sddmm_bsr_any__generic_slice_16, 16, false)
BSBLAS_ROW(sddmm_bsr_any__generic_slice_along_k_8, 8, true)
BSBLAS_ROW(sddmm_bsr_any__generic_slice_along_k_16, 16, true)
#undef BSBLAS_ROW

}  // namespace bsblas::cuda
