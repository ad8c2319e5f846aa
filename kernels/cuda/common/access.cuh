// Memory accesses as wide as alignment permits.
#pragma once

#include "kernels/cuda/common/element.cuh"

#include <cstring>

namespace bsblas::cuda {

// N elements that are read and written at once where they are aligned as a whole.
template <class T, int N>
struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Pack {
    T v[N];
};

// N elements aligned as one: those of complex types as their real part.
template <class T, int N>
struct Elements {
    T v[N];
};

template <class T>
constexpr int per_16_bytes = sizeof(T) < 16 ? 16 / sizeof(T) : 1;

// An input's element, through the read-only path; aligned as a real number.
template <class T>
__device__ __forceinline__ T load(const T* p) {
    if constexpr (is_complex<T>) {
        return {__ldg(&p->re), __ldg(&p->im)};
    } else if constexpr (std::is_same_v<T, Fp8>) {
        return {__ldg(&p->bits)};
    } else if constexpr (std::is_same_v<T, int8_t>) {
        return static_cast<int8_t>(__ldg(reinterpret_cast<const signed char*>(p)));
    } else {
        return __ldg(p);
    }
}

// N of them, side by side and aligned as a Pack.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* p) {
    constexpr size_t bytes = sizeof(T) * N;
    Pack<T, N> out;
    if constexpr (bytes % 16 == 0) {
        uint4 words[bytes / 16];
#pragma unroll
        for (size_t i = 0; i < bytes / 16; ++i) words[i] = __ldg(reinterpret_cast<const uint4*>(p) + i);
        memcpy(&out, words, bytes);
    } else if constexpr (bytes == 8) {
        const uint2 word = __ldg(reinterpret_cast<const uint2*>(p));
        memcpy(&out, &word, bytes);
    } else if constexpr (bytes == 4) {
        const unsigned word = __ldg(reinterpret_cast<const unsigned*>(p));
        memcpy(&out, &word, bytes);
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) out.v[i] = load(p + i);
    }
    return out;
}

// The largest Pack that divides N elements evenly.
template <class T, int N, int Pack = 1>
constexpr int pack_of = [] {
    if constexpr (2 * Pack * sizeof(T) <= 16 && N % (2 * Pack) == 0) {
        return pack_of<T, N, 2 * Pack>;
    } else {
        return Pack;
    }
}();

}  // namespace bsblas::cuda
