// Rows of spmm_slice.h: one for each MR, and whether b is read along k.
#include "kernels/cuda/generic/spmm_slice.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

using SliceTypes = InputTypes<float, double, Complex<float>, Complex<double>, __half, __nv_bfloat16, int8_t, Fp8>;

constexpr int most_block = 1 << 30;  // positions inside a block are 32-bit

bool reads_along_k(const SpmmProblem& problem, int size) {
    const size_t bytes = access_bytes(4, size);
    return problem.b.row_stride == 1 && problem.a.bk % 4 == 0 && aligned(nullptr, size, problem.b.col_stride, bytes) &&
           aligned(nullptr, size, problem.b.batch_stride, bytes);
}

SpmmSlice plan(const SpmmProblem& problem, const Device& device, int mr, bool along_k) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    const int size = element_bytes(b.type), c_size = element_bytes(c.type);
    const int columns = slice_columns_of(size);
    SpmmSlice slice;
    slice.slices = ceil_div(a.bm, mr);
    slice.blocks_per_chunk = static_cast<int>(32 / a.bk);
    slice.rest_per_chunk = static_cast<int>(32 % a.bk);

    // Few columns leave lanes for k. Along k, groups make up 32 bytes, a sector.
    int lk_log2 = 0;
    while (lk_log2 < 3 && (16 >> lk_log2) * columns >= c.cols) ++lk_log2;
    if (along_k) {
        while ((4 * size << lk_log2) < 32) ++lk_log2;
    } else if (b.row_stride == 1 && b.col_stride != 1) {
        lk_log2 = 3;
    }
    // So do rows that are few and long: fewer columns for a warp, more warps, and fewer steps one after the other.
    const double row_k = k_of_row(a);
    const auto tiles = [&] { return ceil_div(c.cols, (32 >> lk_log2) * columns); };
    const auto warps = [&] { return static_cast<double>(a.pattern.rows * slice.slices * tiles() * problem.batch); };
    while (lk_log2 < 3 && warps() < 8.0 * device.multiprocessors && row_k > 4 << lk_log2) ++lk_log2;
    slice.layout.lk_log2 = lk_log2;
    slice.tile_columns = slice.layout.lanes() * columns;
    slice.tiles = tiles();

    // Rows too few to fill the device are split among warps, as long as each gets two chunks.
    const double chunks = row_k / 32;
    int k_warps_log2 = 0;
    while (k_warps_log2 < 2 && warps() * (1 << k_warps_log2) < 16.0 * device.multiprocessors &&
           chunks >= 4 << k_warps_log2) {
        ++k_warps_log2;
    }
    slice.layout.k_warps_log2 = k_warps_log2;

    const size_t a_bytes = access_bytes(mr, size);
    slice.wide_a = a.row_stride == 1 && aligned(a.values, size, a.col_stride, a_bytes) &&
                   aligned(nullptr, size, a.block_stride, a_bytes) && aligned(nullptr, size, a.values_stride, a_bytes);
    if (along_k) {
        slice.wide_b = aligned(b.values, 1, 0, access_bytes(4, size));
    } else {
        const size_t bytes = access_bytes(columns, size);
        slice.wide_b = b.col_stride == 1 && aligned(b.values, size, b.row_stride, bytes) &&
                       aligned(nullptr, size, b.batch_stride, bytes);
    }
    if (c.row_stride == 1) {
        const size_t bytes = access_bytes(mr, c_size);
        slice.wide_c = aligned(c.values, c_size, c.col_stride, bytes) && aligned(nullptr, c_size, a.bm, bytes) &&
                       aligned(nullptr, c_size, c.batch_stride, bytes);
    } else {
        const size_t bytes = access_bytes(columns, c_size);
        slice.wide_c = c.col_stride == 1 && aligned(c.values, c_size, c.row_stride, bytes) &&
                       aligned(nullptr, c_size, c.batch_stride, bytes);
    }
    return slice;
}

template <int MR, bool AlongK>
std::string refuses(const SpmmProblem& problem, const Device&) {
    if (!has_spmm_slice(problem.b.type, MR, AlongK)) return "it is not compiled for this type";
    if (problem.a.bm > most_block || problem.a.bk > most_block) return "a block side above 2^30";
    if (AlongK && problem.b.row_stride != 1) return "B does not have consecutive k side by side";
    if (AlongK && !reads_along_k(problem, element_bytes(problem.b.type))) {
        return "it reads B by four aligned k: the block columns or B's leading dimension are no multiple of that";
    }
    return "";
}

// Cycles of a scheduler for a lane's multiply-add, with the reads of a from shared memory that it waits for.
constexpr double multiply_add_cycles(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_32F:
            return 1.94;
        case BSBLAS_R_64F:
            return 6.6;
        case BSBLAS_C_32F:
            return 6.1;
        case BSBLAS_C_64F:
            return 24;
        case BSBLAS_R_8I:
            return 1.1;
        default:
            return 2.45;
    }
}

// The products of a step (4 k of each lane), and the wait for its reads, which the warps of a multiprocessor share.
// Constants of all SpMM rows: fitted to 2084 times of an H200, all rows for each of 153 problems with 16 to 256 columns
// (1024^2, 4096^2 and 16384^2 with d = 0.05, 0.1 and 0.01; f32, f64, c32, c64, bf16), where what is chosen by them
// is 1.4 % slower than the best on average and 20 % at worst, and the row chosen before for larger ones, which stays.
// Those of int8: to 88 times of 31 problems, 16 to 1024 columns, where what is chosen is 1.7 % slower and 14 % at
// worst.
template <int MR, bool AlongK>
double cost(const SpmmProblem& problem, const Device& device) {
    const SpmmSlice slice = plan(problem, device, MR, AlongK);
    const Sparse& a = problem.a;
    const int size = element_bytes(problem.b.type);
    const int columns = slice_columns_of(size);
    const int groups = 1 << slice.layout.lk_log2, k_warps = 1 << slice.layout.k_warps_log2;
    const double warps = static_cast<double>(a.pattern.rows) * slice.slices * slice.tiles * problem.batch * k_warps;
    const double row_k = k_of_row(a);
    const double steps = std::max(1.0, row_k / (4 * groups * k_warps));
    const double warps_of_sm = std::max(1.0, warps) / std::max(1, device.multiprocessors);
    const int resident = slice_warps * slice_blocks_of_multiprocessor(MR * std::max(size, 4));
    const int reads = AlongK ? columns : slice.wide_b ? 4 : 4 * columns;
    const double sums = MR * columns;
    const double issue = 4 * sums * multiply_add_cycles(problem.b.type) + 3.5 * reads + 107;
    const double wait = 25 + 143 * groups;
    const double step = issue / std::min(warps_of_sm, 4.0) + wait / std::min<double>(warps_of_sm, resident);
    const double end = 14 * size * sums / 4, last_end = 43 * sums;
    return launch_us + (warps_of_sm * (steps * step + end) + last_end) / cycles_per_us;
}

template <int MR, bool AlongK>
int enqueue(const SpmmProblem& problem, const Launch& launch) {
    const SpmmSlice slice = plan(problem, launch.device, MR, AlongK);
    return SliceTypes::with(problem.b.type,
                            [&]<class In>() { return launch_spmm_slice<In>(problem, slice, MR, AlongK, launch); });
}

template <int MR, bool AlongK>
constexpr SpmmKernel row(const char* name) {
    return {name, refuses<MR, AlongK>, no_workspace, cost<MR, AlongK>, enqueue<MR, AlongK>};
}

}  // namespace

int run_spmm_slice(const SpmmProblem& problem, const Launch& launch) {
    return enqueue<8, false>(problem, launch);
}

#define BSBLAS_ROW(name, mr, along_k) extern const SpmmKernel name = row<mr, along_k>(#name);
BSBLAS_ROW(spmm_bsr_any__generic_slice_2, 2, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_3, 3, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_4, 4, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_5, 5, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_8, 8, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_16, 16, false)
BSBLAS_ROW(spmm_bsr_any__generic_slice_along_k_4, 4, true)
BSBLAS_ROW(spmm_bsr_any__generic_slice_along_k_8, 8, true)
BSBLAS_ROW(spmm_bsr_any__generic_slice_along_k_16, 16, true)
#undef BSBLAS_ROW

}  // namespace bsblas::cuda
