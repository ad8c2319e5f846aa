// SDDMM, plainly: one thread for each stored element. Complete; what the other kernels are checked against.
#include "kernels/cuda/generic/sddmm_reference.h"

#include "core/kernel.h"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/reference.cuh"
#include "kernels/cuda/generic/sddmm_operands.h"
#include "kernels/cuda/generic/sddmm_write.cuh"

namespace bsblas::cuda {
namespace {

template <class Acc>
__global__ void __launch_bounds__(reference_threads)
    sddmm_reference(const __grid_constant__ SddmmProblem problem, const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int64_t batch = origin.z + blockIdx.z;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t element = (origin.x + blockIdx.x) * reference_threads + threadIdx.x;
    const int64_t entry = element / a.block_stride, in_block = element % a.block_stride;
    if (entry >= live_entries(pattern)) return;

    const int64_t r = a.col_stride == 1 ? in_block / a.bk : in_block % a.bm;
    const int64_t c = a.col_stride == 1 ? in_block % a.bk : in_block / a.bm;
    const int64_t row = row_of_from(pattern, entry, 0) * a.bm + r;
    const int64_t column = pattern.col(entry) * a.bk + c;
    const bool exists = row < a.rows && column < a.cols;

    // Padding is zero whatever it was.
    Arithmetic arithmetic = problem.arithmetic;
    if (!exists) arithmetic.alpha = arithmetic.beta = Scalar{};
    const Epilogue<Acc> epilogue(arithmetic);
    Acc sum = zero<Acc>();
    if (epilogue.multiplies()) {
        const int64_t from_x = batch * x.batch_stride + row * x.row_stride;
        const int64_t from_y = batch * y.batch_stride + column * y.col_stride;
        for (int64_t k = 0; k < x.cols; ++k) {
            multiply_add(sum, read_element<Acc>(x.values, x.type, from_x + k * x.col_stride, x.conjugate),
                         read_element<Acc>(y.values, y.type, from_y + k * y.row_stride, y.conjugate));
        }
    }
    finish_element(a.values, a.type, batch * a.values_stride + element, epilogue, sum);
}

template <class Acc>
int launch_of(const SddmmProblem& problem, const Launch& launch) {
    const int64_t x = ceil_div(problem.a.pattern.capacity * problem.a.block_stride, reference_threads);
    return cover(x, 1, problem.batch, [&](dim3 blocks, Origin origin) {
        return cuda::launch_early(sddmm_reference<Acc>, blocks, reference_threads, 0, launch, problem, origin);
    });
}

int enqueue(const SddmmProblem& problem, const Launch& launch) {
    switch (problem.x.type) {
        case BSBLAS_R_64F:
            return launch_of<double>(problem, launch);
        case BSBLAS_C_32F:
            return launch_of<Complex<float>>(problem, launch);
        case BSBLAS_C_64F:
            return launch_of<Complex<double>>(problem, launch);
        default:
            return launch_of<float>(problem, launch);
    }
}

std::string refuses(const SddmmProblem&, const Device&) {
    return "";
}

// Cycles of a multiprocessor (H200): 9 to find an element's row and to write it, and for each product 0.5, or 1.1 where
// tokens are side by side and neighbours read lines that lie apart. A token takes 0.1 us at least.
double cost(const SddmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const double elements = static_cast<double>(a.pattern.capacity) * a.bm * a.bk * problem.batch;
    const double tokens = static_cast<double>(problem.x.cols);
    const double cycles = elements * (9 + tokens * (tokens_side_by_side(problem) ? 1.1 : 0.5));
    return launch_us + 0.1 * tokens + cycles / (std::max(1, device.multiprocessors) * cycles_per_us);
}

}  // namespace

int load_sddmm_reference() {
    return first_error({load(sddmm_reference<float>), load(sddmm_reference<double>),
                        load(sddmm_reference<Complex<float>>), load(sddmm_reference<Complex<double>>)});
}

extern const SddmmKernel sddmm_bsr_any__generic_reference = {"sddmm_bsr_any__generic_reference", refuses, no_workspace,
                                                             cost, enqueue};

}  // namespace bsblas::cuda
