// Where something lies in shared memory, as instructions name it.
#pragma once

#include <cstdint>

namespace bsblas::cuda {

__device__ __forceinline__ uint32_t shared_address(const void* shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

}  // namespace bsblas::cuda
