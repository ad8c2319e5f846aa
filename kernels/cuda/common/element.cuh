// Element types as device code sees them: how an input becomes the type that sums are kept in, and how a result becomes
// an output with one rounding.
#pragma once

#include "kernels/cuda/common/types.h"

#include <bsblas/types.h>

#include <type_traits>

namespace bsblas::cuda {

template <class T>
constexpr bool is_complex = false;
template <class Real>
constexpr bool is_complex<Complex<Real>> = true;

template <class In>
struct AccumulatorOf {
    using type = In;
};
template <>
struct AccumulatorOf<__half> {
    using type = float;
};
template <>
struct AccumulatorOf<__nv_bfloat16> {
    using type = float;
};
template <>
struct AccumulatorOf<Fp8> {
    using type = float;
};
template <>
struct AccumulatorOf<int8_t> {
    using type = int32_t;
};
template <class In>
using Accumulator = typename AccumulatorOf<In>::type;

// Reads an input; made from the operand's type for the sake of Fp8.
template <class In>
struct Reader {
    __device__ __forceinline__ explicit Reader(bsblasDataType_t) {}
    __device__ __forceinline__ Accumulator<In> operator()(In x) const {
        if constexpr (std::is_same_v<In, __half>) {
            return __half2float(x);
        } else if constexpr (std::is_same_v<In, __nv_bfloat16>) {
            return __bfloat162float(x);
        } else {
            return x;
        }
    }
};

template <>
struct Reader<Fp8> {
    bool e5m2;
    __device__ __forceinline__ explicit Reader(bsblasDataType_t type) : e5m2(type == BSBLAS_R_8F_E5M2) {}
    __device__ __forceinline__ float operator()(Fp8 x) const {
        const unsigned sign = (x.bits & 0x80u) << 8, rest = x.bits & 0x7fu;
        // e5m2 is the upper byte of a binary16. e4m3 has its fields one place lower, and a bias of 7 instead of 15.
        if (e5m2) return __half2float(__ushort_as_half(static_cast<unsigned short>(sign | rest << 8)));
        if (rest == 0x7f) return __int_as_float(0x7fffffff);
        return 256.0f * __half2float(__ushort_as_half(static_cast<unsigned short>(sign | rest << 7)));
    }
};

template <class T>
__device__ __forceinline__ T zero() {
    if constexpr (is_complex<T>) {
        return {0, 0};
    } else if constexpr (std::is_same_v<T, __half>) {
        return __ushort_as_half(0);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
        return __ushort_as_bfloat16(0);
    } else if constexpr (std::is_same_v<T, Fp8>) {
        return {0};
    } else {
        return 0;
    }
}

template <class T>
__device__ __forceinline__ T conjugate(T x) {
    if constexpr (is_complex<T>) x.im = -x.im;
    return x;
}

template <class T>
__device__ __forceinline__ bool is_zero(T x) {
    if constexpr (is_complex<T>) {
        return x.re == 0 && x.im == 0;
    } else {
        return x == 0;
    }
}

// sum += a b
__device__ __forceinline__ void multiply_add(float& sum, float a, float b) {
    sum = fmaf(a, b, sum);
}
__device__ __forceinline__ void multiply_add(double& sum, double a, double b) {
    sum = fma(a, b, sum);
}
// Wraps modulo 2^32.
__device__ __forceinline__ void multiply_add(int32_t& sum, int32_t a, int32_t b) {
    sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
template <class Real>
__device__ __forceinline__ void multiply_add(Complex<Real>& sum, Complex<Real> a, Complex<Real> b) {
    multiply_add(sum.re, a.re, b.re);
    multiply_add(sum.im, a.re, b.im);
    multiply_add(sum.re, -a.im, b.im);
    multiply_add(sum.im, a.im, b.re);
}

template <class T>
__device__ __forceinline__ T add(T a, T b) {
    if constexpr (is_complex<T>) {
        return {a.re + b.re, a.im + b.im};
    } else if constexpr (std::is_same_v<T, int32_t>) {
        return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    } else {
        return a + b;
    }
}

template <class Out, class T>
__device__ __forceinline__ Out round_to(T x) {
    if constexpr (std::is_same_v<Out, __half>) {
        return __float2half_rn(x);
    } else if constexpr (std::is_same_v<Out, __nv_bfloat16>) {
        return __float2bfloat16_rn(x);
    } else {
        return x;
    }
}

// The value in lane ^ mask.
template <class T>
__device__ __forceinline__ T shuffle_xor(T x, int mask) {
    if constexpr (is_complex<T>) {
        return {__shfl_xor_sync(0xffffffffu, x.re, mask), __shfl_xor_sync(0xffffffffu, x.im, mask)};
    } else {
        return __shfl_xor_sync(0xffffffffu, x, mask);
    }
}

// Calls body with an object of the output's type, one of those that inputs of type In may give.
template <class In, class Body>
__device__ __forceinline__ void with_output_type(bsblasDataType_t type, Body body) {
    if constexpr (std::is_same_v<In, __half>) {
        type == BSBLAS_R_32F ? body(float{}) : body(__half{});
    } else if constexpr (std::is_same_v<In, __nv_bfloat16>) {
        type == BSBLAS_R_32F ? body(float{}) : body(__nv_bfloat16{});
    } else if constexpr (std::is_same_v<In, Fp8>) {
        type == BSBLAS_R_32F ? body(float{}) : type == BSBLAS_R_16F ? body(__half{}) : body(__nv_bfloat16{});
    } else if constexpr (std::is_same_v<In, int8_t>) {
        type == BSBLAS_R_32F ? body(float{}) : body(int32_t{});
    } else {
        body(In{});
    }
}

}  // namespace bsblas::cuda
