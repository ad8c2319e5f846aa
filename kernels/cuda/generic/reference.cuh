// What the reference kernels share: elements whose type is known at run time, so that one kernel for each type of sum
// is complete.
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/launch.cuh"

namespace bsblas::cuda {

constexpr int reference_threads = 256;

template <class Acc>
__device__ Acc read_element(const void* values, bsblasDataType_t type, int64_t i, bool conjugates) {
    if constexpr (std::is_same_v<Acc, float>) {
        switch (type) {
            case BSBLAS_R_16F:
                return __half2float(static_cast<const __half*>(values)[i]);
            case BSBLAS_R_16BF:
                return __bfloat162float(static_cast<const __nv_bfloat16*>(values)[i]);
            case BSBLAS_R_8F_E4M3:
            case BSBLAS_R_8F_E5M2:
                return Reader<Fp8>(type)(static_cast<const Fp8*>(values)[i]);
            default:
                return static_cast<const float*>(values)[i];
        }
    } else if constexpr (std::is_same_v<Acc, int32_t>) {
        return static_cast<const int8_t*>(values)[i];
    } else {
        const Acc x = static_cast<const Acc*>(values)[i];
        return conjugates ? conjugate(x) : x;
    }
}

template <class Out, class Acc>
__device__ void finish_as(void* values, int64_t i, const Epilogue<Acc>& epilogue, Acc sum) {
    Out* const out = static_cast<Out*>(values) + i;
    *out = epilogue(sum, epilogue.adds() ? *out : zero<Out>());
}

template <class Acc>
__device__ void finish_element(void* values, bsblasDataType_t type, int64_t i, const Epilogue<Acc>& epilogue, Acc sum) {
    if constexpr (std::is_same_v<Acc, float>) {
        switch (type) {
            case BSBLAS_R_16F:
                return finish_as<__half>(values, i, epilogue, sum);
            case BSBLAS_R_16BF:
                return finish_as<__nv_bfloat16>(values, i, epilogue, sum);
            default:
                return finish_as<float>(values, i, epilogue, sum);
        }
    } else if constexpr (std::is_same_v<Acc, int32_t>) {
        if (type == BSBLAS_R_32F) return finish_as<float>(values, i, epilogue, sum);
        finish_as<int32_t>(values, i, epilogue, sum);
    } else {
        finish_as<Acc>(values, i, epilogue, sum);
    }
}

}  // namespace bsblas::cuda
