// Sums of elements at the same place: each addition is rounded to the element type, as on the host.
#pragma once

#include <bsblas/types.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace bsblas::cuda {

// A complex number that is aligned as its real part only.
template <class Real>
struct ComplexPair {
    Real re, im;
};

__device__ inline __half sum(__half x, __half y) {
    return __float2half_rn(__half2float(x) + __half2float(y));
}
__device__ inline __nv_bfloat16 sum(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __float2bfloat16_rn(__bfloat162float(x) + __bfloat162float(y));
}
__device__ inline float sum(float x, float y) {
    return x + y;
}
__device__ inline double sum(double x, double y) {
    return x + y;
}
template <class Real>
__device__ ComplexPair<Real> sum(ComplexPair<Real> x, ComplexPair<Real> y) {
    return {x.re + y.re, x.im + y.im};
}

// f(T()) with the T that adds elements of this type.
template <class F>
void with_summand(bsblasDataType_t type, const F& f) {
    switch (type) {
        case BSBLAS_R_16F:
            return f(__half());
        case BSBLAS_R_16BF:
            return f(__nv_bfloat16());
        case BSBLAS_R_32F:
            return f(float());
        case BSBLAS_R_64F:
            return f(double());
        case BSBLAS_C_32F:
            return f(ComplexPair<float>());
        case BSBLAS_C_64F:
            return f(ComplexPair<double>());
        default:
            return;
    }
}

}  // namespace bsblas::cuda
