// Host side: from the type that a problem names to the C++ type of a kernel's inputs.
#pragma once

#include "kernels/cuda/common/types.h"

#include <bsblas/types.h>
#include <cuda_runtime.h>

#include <type_traits>

namespace bsblas::cuda {

template <class In>
constexpr bsblasDataType_t type_of = BSBLAS_DATA_TYPE_MAX;
template <>
inline constexpr bsblasDataType_t type_of<float> = BSBLAS_R_32F;
template <>
inline constexpr bsblasDataType_t type_of<double> = BSBLAS_R_64F;
template <>
inline constexpr bsblasDataType_t type_of<Complex<float>> = BSBLAS_C_32F;
template <>
inline constexpr bsblasDataType_t type_of<Complex<double>> = BSBLAS_C_64F;
template <>
inline constexpr bsblasDataType_t type_of<__half> = BSBLAS_R_16F;
template <>
inline constexpr bsblasDataType_t type_of<__nv_bfloat16> = BSBLAS_R_16BF;
template <>
inline constexpr bsblasDataType_t type_of<int8_t> = BSBLAS_R_8I;

template <class In>
constexpr bool is_type(bsblasDataType_t type) {
    if constexpr (std::is_same_v<In, Fp8>) {
        return type == BSBLAS_R_8F_E4M3 || type == BSBLAS_R_8F_E5M2;
    } else {
        return type == type_of<In>;
    }
}

template <class... In>
struct InputTypes {
    static constexpr bool contain(bsblasDataType_t type) { return (is_type<In>(type) || ...); }

    // Calls body<In>() for the one that `type` names, and returns its cudaError_t.
    template <class Body>
    static int with(bsblasDataType_t type, Body body) {
        int result = cudaErrorInvalidValue;
        static_cast<void>(((is_type<In>(type) && (result = body.template operator()<In>(), true)) || ...));
        return result;
    }
};

using HalfTypes = InputTypes<__half, __nv_bfloat16>;
using FloatTypes = InputTypes<float, double, Complex<float>, Complex<double>, __half, __nv_bfloat16>;

}  // namespace bsblas::cuda
