// Matrix products of a warpgroup, four warps (wgmma): they run on while the warps go on.
//
//   sum (64 x N) = [sum +] a (64 x 16) b (16 x N)          of lane 4 g + t of warp w, sum[4 j + 2 h + e] is element
//                                                          (16 w + g + 8 h, 8 j + 2 t + e)
//
// Operands lie in shared memory and are named by descriptors. The instruction names each register of the sums, so its
// text is put together from lists: of operands, and of their numbers.
#pragma once

#include "kernels/cuda/sm90a/mbarrier.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

namespace bsblas::cuda {

// An operand in lines of 128 bytes, as boxes of 128-byte swizzle leave them, at a multiple of 1024 bytes.
//   Lines along k: line i has 64 k of m (or n) i. Groups of eight lines are 1024 bytes apart. 16 k further: 32 bytes.
//   Lines across k: line k has 64 m (or n). Groups of eight k are 1024 bytes apart, each further 64 m (or n) `panel`
//   bytes. 16 k further: 2048 bytes.
__device__ __forceinline__ uint64_t operand(const void* at, int panel = 16) {
    constexpr uint64_t swizzle_128 = uint64_t{1} << 62, group = uint64_t{1024 >> 4} << 32;
    return static_cast<uint64_t>((shared_address(at) & 0x3ffff) >> 4) | static_cast<uint64_t>(panel >> 4) << 16 |
           group | swizzle_128;
}

// A square of Side x Side values in lines of as many, 32 or 64 bytes, swizzled as line_chunk() says: along k, line i
// has the k of m (or n) i; across k, line i has m (or n) of k i. 16 k further: 32 bytes, or 16 lines.
template <int Side>
__device__ __forceinline__ uint64_t square_operand(uint32_t shared) {
    static_assert(Side == 16 || Side == 32);
    constexpr uint64_t swizzle = uint64_t{Side == 32 ? 2 : 3} << 62, group = uint64_t{8 * Side * 2 >> 4} << 32;
    return static_cast<uint64_t>((shared & 0x3ffff) >> 4) | uint64_t{1} << 16 | group | swizzle;
}
// In which 16 bytes of its line a chunk of eight values lies.
template <int Side>
__device__ __forceinline__ int line_chunk(int line, int chunk) {
    return chunk ^ line / (64 / Side) % (Side / 8);
}

// What a descriptor grows by when its operand moves on by so many bytes.
__device__ constexpr uint64_t operand_step(int bytes) {
    return static_cast<uint64_t>(bytes >> 4);
}

// Before the first product of a group: the registers of the sums, and shared memory that threads wrote, are ready.
__device__ __forceinline__ void product_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// Ends a group of products.
__device__ __forceinline__ void product_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until all groups but the latest `Pending` are done.
template <int Pending>
__device__ __forceinline__ void product_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

#define BSBLAS_SUMS_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define BSBLAS_SUMS_16(i) BSBLAS_SUMS_4(i), BSBLAS_SUMS_4(i + 4), BSBLAS_SUMS_4(i + 8), BSBLAS_SUMS_4(i + 12)
#define BSBLAS_SUMS_64(i) BSBLAS_SUMS_16(i), BSBLAS_SUMS_16(i + 16), BSBLAS_SUMS_16(i + 32), BSBLAS_SUMS_16(i + 48)
#define BSBLAS_TEN(t) \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define BSBLAS_NAMES_128 \
    BSBLAS_TEN() BSBLAS_TEN(1) BSBLAS_TEN(2) BSBLAS_TEN(3) BSBLAS_TEN(4) BSBLAS_TEN(5) BSBLAS_TEN(6)           \
    BSBLAS_TEN(7) BSBLAS_TEN(8) BSBLAS_TEN(9) BSBLAS_TEN(10) BSBLAS_TEN(11) "%120, %121, %122, %123, %124, %125, " \
    "%126, %127"
#define BSBLAS_PRODUCT_256(type)                                                           \
    asm volatile(                                                                          \
        "{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\n"                                \
        "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" BSBLAS_NAMES_128 \
        "}, %128, %129, adds, 1, 1, "                                                      \
        "%131, %132;\n}\n"                                                                 \
        : BSBLAS_SUMS_64(0), BSBLAS_SUMS_64(64)                                            \
        : "l"(a), "l"(b), "r"(static_cast<int>(adds)), "n"(AAcrossK ? 1 : 0), "n"(BAcrossK ? 1 : 0))

// One product with N = 256, of 16-bit types.
template <class In, bool AAcrossK, bool BAcrossK>
__device__ __forceinline__ void multiply_256(float (&sum)[128], uint64_t a, uint64_t b, bool adds) {
    if constexpr (std::is_same_v<In, __half>) {
        BSBLAS_PRODUCT_256("f16");
    } else {
        BSBLAS_PRODUCT_256("bf16");
    }
}

#define BSBLAS_SUMS_8(i) BSBLAS_SUMS_4(i), BSBLAS_SUMS_4(i + 4)
#define BSBLAS_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define BSBLAS_NAMES_16 BSBLAS_TEN() "%10, %11, %12, %13, %14, %15"
#define BSBLAS_PRODUCT(n, count, type, o0, o1, o2, o3)                                                     \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" BSBLAS_NAMES_##count \
                 "}, %" #o0 ", %" #o1 ", 1, 1, 1, %" #o2 ", %" #o3 ";\n"                                   \
                 : BSBLAS_SUMS_##count(0)                                                                  \
                 : "l"(a), "l"(b), "n"(AAcrossK ? 1 : 0), "n"(BAcrossK ? 1 : 0))

// sum += a b, for N = 16 or 32.
template <class In, int N, bool AAcrossK, bool BAcrossK>
__device__ __forceinline__ void multiply_add_group(float (&sum)[N / 2], uint64_t a, uint64_t b) {
    static_assert(N == 16 || N == 32);
    if constexpr (N == 16 && std::is_same_v<In, __half>) {
        BSBLAS_PRODUCT(16, 8, "f16", 8, 9, 10, 11);
    } else if constexpr (N == 16) {
        BSBLAS_PRODUCT(16, 8, "bf16", 8, 9, 10, 11);
    } else if constexpr (std::is_same_v<In, __half>) {
        BSBLAS_PRODUCT(32, 16, "f16", 16, 17, 18, 19);
    } else {
        BSBLAS_PRODUCT(32, 16, "bf16", 16, 17, 18, 19);
    }
}

#undef BSBLAS_PRODUCT
#undef BSBLAS_NAMES_16
#undef BSBLAS_NAMES_8
#undef BSBLAS_SUMS_8
#undef BSBLAS_PRODUCT_256
#undef BSBLAS_NAMES_128
#undef BSBLAS_TEN
#undef BSBLAS_SUMS_64
#undef BSBLAS_SUMS_16
#undef BSBLAS_SUMS_4

}  // namespace bsblas::cuda
