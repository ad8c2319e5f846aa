// SpMM, plainly: one thread for each element of C. Complete; what the other kernels are checked against.
#include "core/kernel.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/reference.cuh"
#include "kernels/cuda/generic/spmm_reference.h"

namespace bsblas::cuda {
namespace {

template <class Acc>
__global__ void __launch_bounds__(reference_threads)
    spmm_reference(const __grid_constant__ SpmmProblem problem, const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    const int64_t element = (origin.x + blockIdx.x) * reference_threads + threadIdx.x;
    if (element >= c.rows * c.cols) return;
    const int64_t batch = origin.z + blockIdx.z;
    // Neighbouring threads write side by side.
    const int64_t row = c.row_stride == 1 ? element % c.rows : element / c.cols;
    const int64_t column = c.row_stride == 1 ? element / c.rows : element % c.cols;

    Epilogue<Acc> epilogue(problem.arithmetic);
    Acc sum = zero<Acc>();
    if (epilogue.multiplies()) {
        const Pattern pattern = a.pattern.of_batch(batch);
        const int64_t block_row = row / a.bm, in_block = row % a.bm;
        const int64_t begin = pattern.begin(block_row), end = pattern.end(block_row);
        if (begin == end) epilogue.leave_out_sum();
        for (int64_t p = begin; p < end; ++p) {
            const int64_t k0 = pattern.col(p) * a.bk;
            const int64_t count = min(a.bk, a.cols - k0);
            const int64_t from_a = batch * a.values_stride + pattern.slot(p) * a.block_stride + in_block * a.row_stride;
            const int64_t from_b = batch * b.batch_stride + k0 * b.row_stride + column * b.col_stride;
            for (int64_t k = 0; k < count; ++k) {
                multiply_add(sum, read_element<Acc>(a.values, a.type, from_a + k * a.col_stride, a.conjugate),
                             read_element<Acc>(b.values, b.type, from_b + k * b.row_stride, b.conjugate));
            }
        }
    }
    finish_element(c.values, c.type, batch * c.batch_stride + row * c.row_stride + column * c.col_stride, epilogue,
                   sum);
}

template <class Acc>
int launch_of(const SpmmProblem& problem, const Launch& launch) {
    const int64_t x = ceil_div(problem.c.rows * problem.c.cols, reference_threads);
    return cover(x, 1, problem.batch, [&](dim3 blocks, Origin origin) {
        return cuda::launch_early(spmm_reference<Acc>, blocks, reference_threads, 0, launch, problem, origin);
    });
}

int enqueue(const SpmmProblem& problem, const Launch& launch) {
    switch (problem.b.type) {
        case BSBLAS_R_64F:
            return launch_of<double>(problem, launch);
        case BSBLAS_C_32F:
            return launch_of<Complex<float>>(problem, launch);
        case BSBLAS_C_64F:
            return launch_of<Complex<double>>(problem, launch);
        case BSBLAS_R_8I:
            return launch_of<int32_t>(problem, launch);
        default:
            return launch_of<float>(problem, launch);
    }
}

std::string refuses(const SpmmProblem&, const Device&) {
    return "";
}

// Instructions for each product: two reads, the arithmetic, and what finds the next block of the row, shared by the bk
// products in it (H200, 4096^2, N = 8192, d = 0.1, c64: b = 2 64.9 ms, b = 4 40.2 ms). Waits of about 600 cycles for
// memory: three that lead to the first value, and one for each product.
double cost(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const double products = static_cast<double>(a.pattern.capacity) * a.bm * a.bk * problem.c.cols * problem.batch;
    const double serial = k_of_row(a);
    const double slots = 30 + 180.0 / static_cast<double>(a.bk) + multiply_add_slots(problem.b.type);
    return launch_us + issue_us(products / 32 * slots, 1e9, device) + 600 * (3 + serial) / cycles_per_us;
}

}  // namespace

int load_spmm_reference() {
    return first_error({load(spmm_reference<float>), load(spmm_reference<double>), load(spmm_reference<Complex<float>>),
                        load(spmm_reference<Complex<double>>), load(spmm_reference<int32_t>)});
}

int spmm_reference_compiled_for() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, spmm_reference<float>) == cudaSuccess ? attributes.ptxVersion : 0;
}

extern const SpmmKernel spmm_bsr_any__generic_reference = {"spmm_bsr_any__generic_reference", refuses, no_workspace,
                                                           cost, enqueue};

}  // namespace bsblas::cuda
