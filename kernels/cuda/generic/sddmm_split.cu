// The second kernel of sddmm_split.h.
#include "kernels/cuda/generic/sddmm_split.h"

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_write.cuh"

namespace bsblas::cuda {
namespace {

constexpr int threads = 256;

template <class In>
__global__ void __launch_bounds__(threads)
    sddmm_reduce(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmSplit split,
                 const __grid_constant__ Origin origin) {
    using Acc = Accumulator<In>;
    const Sparse& a = problem.a;
    const int64_t batch = origin.z + blockIdx.z;
    const int64_t element = (origin.x + blockIdx.x) * threads + threadIdx.x;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t entry = element / a.block_stride, in_block = element % a.block_stride;
    if (entry >= live_entries(pattern)) return;

    bool exists = true;
    if (a.rows < pattern.rows * a.bm || a.cols < pattern.cols * a.bk) {
        const int64_t r = a.col_stride == 1 ? in_block / a.bk : in_block % a.bm;
        const int64_t c = a.col_stride == 1 ? in_block % a.bk : in_block / a.bm;
        exists = row_of_from(pattern, entry, 0) * a.bm + r < a.rows && pattern.col(entry) * a.bk + c < a.cols;
    }
    const Epilogue<Acc> epilogue(problem.arithmetic);
    Acc sum = zero<Acc>();
    if (epilogue.multiplies()) {
        const int64_t stride = a.pattern.capacity * a.block_stride;
        const Acc* from = static_cast<const Acc*>(split.partial) + batch * split.splits * stride + element;
        for (int64_t i = 0; i < split.splits; ++i, from += stride) sum = add(sum, *from);
    }
    with_output_type<In>(a.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const to = static_cast<Out*>(a.values) + batch * a.values_stride + element;
        *to = exists ? epilogue(sum, epilogue.adds() ? *to : zero<Out>()) : zero<Out>();
    });
}

}  // namespace

template <class In>
int launch_sddmm_reduce(const SddmmProblem& problem, const SddmmSplit& split, const Launch& launch) {
    const int64_t x = (problem.a.pattern.capacity * problem.a.block_stride + threads - 1) / threads;
    return cover(x, 1, problem.batch, [&](dim3 blocks, Origin origin) {
        return cuda::launch(sddmm_reduce<In>, blocks, threads, 0, launch.stream, problem, split, origin);
    });
}

template int launch_sddmm_reduce<float>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<double>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<Complex<float>>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<Complex<double>>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<__half>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<__nv_bfloat16>(const SddmmProblem&, const SddmmSplit&, const Launch&);

int load_sddmm_reduce() {
    return first_error({load(sddmm_reduce<float>), load(sddmm_reduce<double>), load(sddmm_reduce<Complex<float>>),
                        load(sddmm_reduce<Complex<double>>), load(sddmm_reduce<__half>),
                        load(sddmm_reduce<__nv_bfloat16>)});
}

}  // namespace bsblas::cuda
