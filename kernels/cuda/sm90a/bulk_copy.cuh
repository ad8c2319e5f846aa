// Copies between global and shared memory (TMA): one thread asks, others may go on. Boxes of a matrix and their layout
// in shared memory are those of a tensor map (tensor_map.h); what a box has beyond the matrix is read as zero and not
// written.
#pragma once

#include "kernels/cuda/sm90a/mbarrier.cuh"

#include <cuda.h>

namespace bsblas::cuda {

__device__ __forceinline__ void prefetch_map(const CUtensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// The box at (x, y) of matrix z; its bytes count on the barrier.
__device__ __forceinline__ void load_box(void* to, const CUtensorMap* map, int x, int y, int z, uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
        : "memory");
}

// Bytes that lie side by side: a multiple of 16, and aligned so.
__device__ __forceinline__ void load_bytes(void* to, const void* from, int bytes, uint64_t* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void store_box(const CUtensorMap* map, int x, int y, int z, const void* from) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(x),
                 "r"(y), "r"(z), "r"(shared_address(from))
                 : "memory");
}

// Ends a group of the thread's stores.
__device__ __forceinline__ void store_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the latest `Pending` groups of the thread's stores have read their shared memory.
template <int Pending>
__device__ __forceinline__ void store_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// Until all of the thread's stores are done.
__device__ __forceinline__ void store_wait_all() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// What this thread wrote to shared memory becomes visible to bulk copies and wgmma.
__device__ __forceinline__ void bulk_fence() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace bsblas::cuda
