// out = alpha scales sum + beta out, computed in the accumulator's type and rounded once.
#pragma once

#include "core/problem.h"
#include "kernels/cuda/common/access.cuh"

namespace bsblas::cuda {

template <class Acc>
class Epilogue {
public:
    __device__ __forceinline__ explicit Epilogue(const Arithmetic& a)
        : alpha_(a.alpha.get<Acc>()), beta_(a.beta.get<Acc>()), multiplies_(!is_zero(alpha_)), adds_(!is_zero(beta_)) {
        if constexpr (std::is_same_v<Acc, float>) {
            if (multiplies_ && a.scale_a) alpha_ *= *a.scale_a;
            if (multiplies_ && a.scale_b) alpha_ *= *a.scale_b;
        }
    }

    // alpha != 0: the inputs may be read.
    __device__ __forceinline__ bool multiplies() const { return multiplies_; }
    // beta != 0: the output may be read.
    __device__ __forceinline__ bool adds() const { return adds_; }
    // Nothing is summed here, and an infinite alpha must not make that NaN.
    __device__ __forceinline__ void leave_out_sum() { multiplies_ = false; }

    template <class Out>
    __device__ __forceinline__ Out operator()(Acc sum, Out old) const {
        Acc result = multiplies_ ? product(alpha_, sum) : zero<Acc>();
        if (adds_) multiply_add(result, beta_, Reader<Out>(BSBLAS_R_32F)(old));
        return round_to<Out>(result);
    }

private:
    static __device__ __forceinline__ Acc product(Acc a, Acc b) {
        if constexpr (is_complex<Acc>) {
            Acc result = {0, 0};
            multiply_add(result, a, b);
            return result;
        } else {
            return a * b;
        }
    }

    Acc alpha_, beta_;
    bool multiplies_, adds_;
};

// Integer sums: an int32 output has int32 factors and wraps, an f32 one f32 factors and scales.
template <>
class Epilogue<int32_t> {
public:
    __device__ __forceinline__ explicit Epilogue(const Arithmetic& a) {
        if (a.scalar_type == BSBLAS_R_32I) {
            alpha_i_ = a.alpha.get<int32_t>();
            beta_i_ = a.beta.get<int32_t>();
            multiplies_ = alpha_i_ != 0;
            adds_ = beta_i_ != 0;
        } else {
            alpha_ = a.alpha.get<float>();
            beta_ = a.beta.get<float>();
            multiplies_ = alpha_ != 0;
            adds_ = beta_ != 0;
            if (multiplies_ && a.scale_a) alpha_ *= *a.scale_a;
            if (multiplies_ && a.scale_b) alpha_ *= *a.scale_b;
        }
    }

    __device__ __forceinline__ bool multiplies() const { return multiplies_; }
    __device__ __forceinline__ bool adds() const { return adds_; }
    __device__ __forceinline__ void leave_out_sum() { multiplies_ = false; }

    __device__ __forceinline__ int32_t operator()(int32_t sum, int32_t old) const {
        int32_t result = 0;
        if (multiplies_) multiply_add(result, alpha_i_, sum);
        if (adds_) multiply_add(result, beta_i_, old);
        return result;
    }
    __device__ __forceinline__ float operator()(int32_t sum, float old) const {
        float result = multiplies_ ? alpha_ * static_cast<float>(sum) : 0.0f;
        if (adds_) multiply_add(result, beta_, old);
        return result;
    }

private:
    float alpha_ = 0, beta_ = 0;
    int32_t alpha_i_ = 0, beta_i_ = 0;
    bool multiplies_, adds_;
};

// Finishes N sums whose outputs lie `stride` apart, the first `count` of them. wide: they are side by side and aligned
// as a Pack.
template <int N, class Out, class Acc>
__device__ __forceinline__ void write_run(const Epilogue<Acc>& epilogue, Out* out, int64_t stride, int count, bool wide,
                                          const Acc (&sum)[N]) {
    if (wide && count >= N) {
        using Wide = Pack<Out, N>;
        Wide result = {};
        if (epilogue.adds()) result = *reinterpret_cast<const Wide*>(out);
#pragma unroll
        for (int i = 0; i < N; ++i) result.v[i] = epilogue(sum[i], result.v[i]);
        *reinterpret_cast<Wide*>(out) = result;
        return;
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i >= count) break;
        Out* const to = out + i * stride;
        *to = epilogue(sum[i], epilogue.adds() ? *to : zero<Out>());
    }
}

}  // namespace bsblas::cuda
