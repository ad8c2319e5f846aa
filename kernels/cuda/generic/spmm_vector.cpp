// Rows of spmm_vector.h: one for each number of columns at a time.
#include "kernels/cuda/generic/spmm_vector.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

int along_k_of(int size) {
    return std::max(1, 16 / size);
}

// Of sizes and strides alone.
bool reads_along_k(const Sparse& a, int size) {
    return size < 16 && a.col_stride == 1 && a.bk % along_k_of(size) == 0;
}

SpmmVector plan(const SpmmProblem& problem, const Device& device, int columns, bool* along_k) {
    const Sparse& a = problem.a;
    const Dense& b = problem.b;
    const int size = element_bytes(b.type);
    SpmmVector vector;
    vector.slices = ceil_div(a.bm, vector_rows);
    vector.tiles = ceil_div(problem.c.cols, columns);
    *along_k = reads_along_k(a, size) && aligned(a.values, size, a.values_stride, 16);
    if (*along_k) {
        vector.wide_a = true;
    } else {
        const size_t bytes = std::min(16, vector_rows * size);
        vector.wide_a = a.row_stride == 1 && aligned(a.values, size, a.col_stride, bytes) &&
                        aligned(nullptr, size, a.block_stride, bytes) && aligned(nullptr, size, a.values_stride, bytes);
    }
    vector.wide_b = b.row_stride == 1 && aligned(b.values, size, b.batch_stride, 16) &&
                    (b.cols == 1 || aligned(nullptr, size, b.col_stride, 16));
    // As long as each warp has a few rounds.
    const double warps = static_cast<double>(a.pattern.rows) * vector.slices * vector.tiles * problem.batch;
    const double rounds = k_of_row(a) / (32 * (*along_k ? along_k_of(size) : 1));
    vector.k_warps_log2 = 0;
    while (vector.k_warps_log2 < 2 && warps * (1 << vector.k_warps_log2) < 24.0 * device.multiprocessors &&
           rounds > 1 << vector.k_warps_log2) {
        ++vector.k_warps_log2;
    }
    return vector;
}

template <int Columns>
std::string refuses(const SpmmProblem& problem, const Device&) {
    if (!has_spmm_vector(problem.b.type, Columns)) return "it is not compiled for this type";
    return "";
}

template <int Columns>
double cost(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    bool along_k;
    const SpmmVector vector = plan(problem, device, Columns, &along_k);
    const int size = element_bytes(problem.b.type), kv = along_k ? along_k_of(size) : 1;
    const int k_warps = 1 << vector.k_warps_log2;
    const double warps = static_cast<double>(a.pattern.rows) * vector.slices * vector.tiles * problem.batch * k_warps;
    const double row_k = k_of_row(a);
    const double rounds = std::max(1.0, row_k / (32.0 * kv * k_warps)) * warps;
    const int slots = multiply_add_slots(problem.b.type);
    // Products wait for a's and b's reads, with nothing between the two; constants: see the cost of spmm_slice.cpp.
    const double round = 170 + 9.2 * vector_rows * Columns * kv * slots;
    const double ends = warps * 59 * Columns * size;
    const double bytes = static_cast<double>(a.pattern.capacity) * a.bm * a.bk * size * vector.tiles * problem.batch;
    return launch_us + issue_us(rounds * round + ends, warps, device) + l2_us(bytes, device);
}

template <int Columns>
int enqueue(const SpmmProblem& problem, const Launch& launch) {
    bool along_k;
    const SpmmVector vector = plan(problem, launch.device, Columns, &along_k);
    return FloatTypes::with(
        problem.b.type, [&]<class In>() { return launch_spmm_vector<In>(problem, vector, Columns, along_k, launch); });
}

}  // namespace

#define BSBLAS_ROW(name, columns) \
    extern const SpmmKernel name = {#name, refuses<columns>, no_workspace, cost<columns>, enqueue<columns>};
BSBLAS_ROW(spmm_bsr_any__generic_vector_1, 1)
BSBLAS_ROW(spmm_bsr_any__generic_vector_4, 4)
#undef BSBLAS_ROW

}  // namespace bsblas::cuda
