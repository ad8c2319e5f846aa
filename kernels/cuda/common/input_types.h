// Host side: from the type that a problem names to the C++ type of a kernel's inputs.
#pragma once

#include "kernels/cuda/common/types.h"

#include <bsblas/types.h>
#include <cuda_runtime.h>

namespace bsblas::cuda {

template <class In>
constexpr bool is_type(bsblasDataType_t type);
template <>
constexpr bool is_type<float>(bsblasDataType_t type) {
    return type == BSBLAS_R_32F;
}
template <>
constexpr bool is_type<double>(bsblasDataType_t type) {
    return type == BSBLAS_R_64F;
}
template <>
constexpr bool is_type<Complex<float>>(bsblasDataType_t type) {
    return type == BSBLAS_C_32F;
}
template <>
constexpr bool is_type<Complex<double>>(bsblasDataType_t type) {
    return type == BSBLAS_C_64F;
}
template <>
constexpr bool is_type<__half>(bsblasDataType_t type) {
    return type == BSBLAS_R_16F;
}
template <>
constexpr bool is_type<__nv_bfloat16>(bsblasDataType_t type) {
    return type == BSBLAS_R_16BF;
}
template <>
constexpr bool is_type<int8_t>(bsblasDataType_t type) {
    return type == BSBLAS_R_8I;
}
template <>
constexpr bool is_type<Fp8>(bsblasDataType_t type) {
    return type == BSBLAS_R_8F_E4M3 || type == BSBLAS_R_8F_E5M2;
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

using FloatTypes = InputTypes<float, double, Complex<float>, Complex<double>, __half, __nv_bfloat16>;

}  // namespace bsblas::cuda
