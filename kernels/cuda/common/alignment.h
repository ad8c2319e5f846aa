// Host side: may a kernel use wide accesses?
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsblas::cuda {

// Whether everything at pointer + i stride (elements of `size` bytes) is aligned to `bytes`.
inline bool aligned(const void* pointer, size_t size, int64_t stride, size_t bytes) {
    return reinterpret_cast<uintptr_t>(pointer) % bytes == 0 && static_cast<size_t>(stride) % bytes * size % bytes == 0;
}

// Bytes of the widest access, at most 16, that divides `count` elements of `size` bytes evenly: those of a Pack.
inline size_t access_bytes(int count, int size) {
    size_t bytes = static_cast<size_t>(size);
    while (2 * bytes <= 16 && static_cast<size_t>(count * size) % (2 * bytes) == 0) bytes *= 2;
    return bytes;
}

}  // namespace bsblas::cuda
