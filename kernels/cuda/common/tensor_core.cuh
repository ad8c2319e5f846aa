// Matrix instructions of a whole warp: what each lane holds is written beside them (g = lane / 4, t = lane % 4).
#pragma once

#include "kernels/cuda/common/shared_address.cuh"
#include "kernels/cuda/common/types.h"

#include <cstdint>

namespace bsblas::cuda {

// Four 8 x 8 matrices of 16-bit elements from shared memory: lane i names row i % 8 of matrix i / 8, 16 aligned bytes.
// The lane gets elements (g, 2t), (g, 2t + 1) of each; transposed: (2t, g), (2t + 1, g).
template <bool Transposed>
__device__ __forceinline__ void load_matrices(uint32_t (&out)[4], const void* row) {
    const uint32_t from = shared_address(row);
    if constexpr (Transposed) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                     : "r"(from)
                     : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                     : "r"(from)
                     : "memory");
    }
}

// The way back (Hopper and later): of matrix i / 8 lane i names row i % 8, and gives its own elements of each.
template <bool Transposed>
__device__ __forceinline__ void store_matrices(void* row, const uint32_t* x) {
    const uint32_t to = shared_address(row);
    if constexpr (Transposed) {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x[0]),
                     "r"(x[1]), "r"(x[2]), "r"(x[3])
                     : "memory");
    } else {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x[0]), "r"(x[1]),
                     "r"(x[2]), "r"(x[3])
                     : "memory");
    }
}

// sum (16 x 8) += a (16 x 16) b (16 x 8). sum: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). a: the pairs (g,
// 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8), each with its right neighbour. b: the pairs (2t, g), (2t + 8, g),
// each with its lower neighbour.
template <class In>
__device__ __forceinline__ void multiply_matrices(float* sum, const uint32_t (&a)[4], uint32_t b0, uint32_t b1);

template <>
__device__ __forceinline__ void multiply_matrices<__half>(float* sum, const uint32_t (&a)[4], uint32_t b0,
                                                          uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
__device__ __forceinline__ void multiply_matrices<__nv_bfloat16>(float* sum, const uint32_t (&a)[4], uint32_t b0,
                                                                 uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// sum (8 x 8) += a (8 x 4) b (4 x 8), in binary64. sum: (g, 2t), (g, 2t + 1). a: (g, t). b: (t, g).
__device__ __forceinline__ void multiply_matrices(double& sum0, double& sum1, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum0), "+d"(sum1)
        : "d"(a), "d"(b));
}

}  // namespace bsblas::cuda
