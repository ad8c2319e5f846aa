// Copies from global to shared memory that run while the thread goes on (cp.async).
#pragma once

#include "kernels/cuda/common/shared_address.cuh"

namespace bsblas::cuda {

// Bytes = 4, 8 or 16, and aligned so; what lies past the first `valid` bytes is not read and becomes zero.
template <int Bytes>
__device__ __forceinline__ void async_copy(void* shared, const void* global, int valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(shared_address(shared)), "l"(global),
                 "n"(Bytes), "r"(valid)
                 : "memory");
}

// The same where all of it is there, in fewer instructions.
template <int Bytes>
__device__ __forceinline__ void async_copy(void* shared, const void* global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(shared_address(shared)), "l"(global), "n"(Bytes)
                 : "memory");
}

// Ends a group of the thread's copies.
__device__ __forceinline__ void async_commit() {
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

// Waits until all of the thread's groups but the latest `Pending` are done.
template <int Pending>
__device__ __forceinline__ void async_wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

}  // namespace bsblas::cuda
