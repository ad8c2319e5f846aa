// Launching kernels, and loading them beforehand.
#pragma once

#include "core/kernel.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bsblas::cuda {

// Where a launch starts in a grid that is larger than one launch may be.
struct Origin {
    int64_t x = 0, y = 0, z = 0;
};

// Calls enqueue(blocks, origin) until x y z blocks are covered, and returns the first error.
template <class Enqueue>
int cover(int64_t x, int64_t y, int64_t z, Enqueue enqueue) {
    constexpr int64_t most_x = 0x7fffffff, most_yz = 0xffff;
    for (Origin at; at.z < z; at.z += most_yz) {
        for (at.y = 0; at.y < y; at.y += most_yz) {
            for (at.x = 0; at.x < x; at.x += most_x) {
                const dim3 blocks(static_cast<unsigned>(std::min(x - at.x, most_x)),
                                  static_cast<unsigned>(std::min(y - at.y, most_yz)),
                                  static_cast<unsigned>(std::min(z - at.z, most_yz)));
                if (int result = enqueue(blocks, at)) return result;
            }
        }
    }
    return cudaSuccess;
}

inline cudaLaunchConfig_t launch_config(dim3 blocks, int threads, size_t shared_bytes, void* stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<cudaStream_t>(stream);
    return config;
}

// Enqueues kernel(arguments...) and returns a cudaError_t.
template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 blocks, int threads, size_t shared_bytes, void* stream,
           Arguments&&... arguments) {
    const cudaLaunchConfig_t config = launch_config(blocks, threads, shared_bytes, stream);
    return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

// The same for a kernel that begins with wait_for_predecessor(). Where the device can, it is made ready while the
// kernel before it in the stream ends (programmatic dependent launch; H200: 1.4 us less for a product, in the median).
// Predecessors do not let it in earlier than that: then its blocks are placed unevenly, and products took 2 to 7 %
// longer.
template <class... Parameters, class... Arguments>
int launch_early(void (*kernel)(Parameters...), dim3 blocks, int threads, size_t shared_bytes, const Launch& where,
                 Arguments&&... arguments) {
    cudaLaunchConfig_t config = launch_config(blocks, threads, shared_bytes, where.stream);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &early;
    config.numAttrs = where.device.launches_early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

// Until all that came before this kernel in its stream is done: the first statement of a kernel that is launched early.
__device__ __forceinline__ void wait_for_predecessor() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Modules are loaded lazily, and loading inside a stream capture can fail: backends load all kernels when they are
// made. shared_bytes: what a launch may ask for; more than 48 KiB need permission.
template <class... Parameters>
int load(void (*kernel)(Parameters...), size_t shared_bytes = 0) {
    if (shared_bytes > 48 << 10) {
        const auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
        if (int result = cudaFuncSetAttribute(kernel, limit, static_cast<int>(shared_bytes))) return result;
    }
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel);
}

// The first of several results that is an error.
inline int first_error(std::initializer_list<int> results) {
    for (int result : results) {
        if (result != cudaSuccess) return result;
    }
    return cudaSuccess;
}

}  // namespace bsblas::cuda
