// The second kernel of sddmm_split.h.
#include "kernels/cuda/generic/sddmm_split.h"

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_write.cuh"

namespace bsblas::cuda {
namespace {

constexpr int threads = 256;

// V elements, of one block, by each thread.
template <class In, int V>
__global__ void __launch_bounds__(threads)
    sddmm_reduce(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmSplit split,
                 const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Acc = Accumulator<In>;
    const Sparse& a = problem.a;
    const int64_t batch = origin.z + blockIdx.z;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t first = ((origin.x + blockIdx.x) * threads + threadIdx.x) * V;
    if (first >= live_entries(pattern) * a.block_stride) return;

    using Sums = Pack<Acc, V>;
    const Epilogue<Acc> epilogue(problem.arithmetic);
    Sums sums = {};
    if (epilogue.multiplies()) {
        const int64_t stride = a.pattern.capacity * a.block_stride;
        const Acc* from = static_cast<const Acc*>(split.partial) + batch * split.splits * stride + first;
#pragma unroll 4
        for (int64_t i = 0; i < split.splits; ++i, from += stride) {
            const Sums more = *reinterpret_cast<const Sums*>(from);
#pragma unroll
            for (int v = 0; v < V; ++v) sums.v[v] = add(sums.v[v], more.v[v]);
        }
    }
    const bool ragged = a.rows < pattern.rows * a.bm || a.cols < pattern.cols * a.bk;
    const auto exists = [&](int64_t element) {
        const int64_t entry = element / a.block_stride, in_block = element % a.block_stride;
        const int64_t r = a.col_stride == 1 ? in_block / a.bk : in_block % a.bm;
        const int64_t c = a.col_stride == 1 ? in_block % a.bk : in_block / a.bm;
        return row_of_from(pattern, entry, 0) * a.bm + r < a.rows && pattern.col(entry) * a.bk + c < a.cols;
    };
    with_output_type<In>(a.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const to = static_cast<Out*>(a.values) + batch * a.values_stride + first;
#pragma unroll
        for (int v = 0; v < V; ++v) {
            to[v] =
                !ragged || exists(first + v) ? epilogue(sums.v[v], epilogue.adds() ? to[v] : zero<Out>()) : zero<Out>();
        }
    });
}

}  // namespace

template <class In>
int launch_sddmm_reduce(const SddmmProblem& problem, const SddmmSplit& split, const Launch& launch) {
    constexpr int wide = per_16_bytes<Accumulator<In>>;
    const auto reduce = [&](auto width) {
        constexpr int V = width.value;
        const int64_t packs = problem.a.pattern.capacity * problem.a.block_stride / V;
        return cover((packs + threads - 1) / threads, 1, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch_early(sddmm_reduce<In, V>, blocks, threads, 0, launch, problem, split, origin);
        });
    };
    return problem.a.block_stride % wide == 0 ? reduce(std::integral_constant<int, wide>{})
                                              : reduce(std::integral_constant<int, 1>{});
}

template int launch_sddmm_reduce<float>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<double>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<Complex<float>>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<Complex<double>>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<__half>(const SddmmProblem&, const SddmmSplit&, const Launch&);
template int launch_sddmm_reduce<__nv_bfloat16>(const SddmmProblem&, const SddmmSplit&, const Launch&);

template <class In>
int load_sddmm_reduce_of() {
    return first_error({load(sddmm_reduce<In, 1>), load(sddmm_reduce<In, per_16_bytes<Accumulator<In>>>)});
}

int load_sddmm_reduce() {
    return first_error({load_sddmm_reduce_of<float>(), load_sddmm_reduce_of<double>(),
                        load_sddmm_reduce_of<Complex<float>>(), load_sddmm_reduce_of<Complex<double>>(),
                        load_sddmm_reduce_of<__half>(), load_sddmm_reduce_of<__nv_bfloat16>()});
}

}  // namespace bsblas::cuda
