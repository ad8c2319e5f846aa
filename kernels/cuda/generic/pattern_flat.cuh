// Work on all elements of consecutive blocks, in the order in which they lie in memory.
#pragma once

#include "kernels/cuda/generic/pattern_access.cuh"

namespace bsblas::cuda {

constexpr int kElementsAThread = 4;
constexpr int kFlatChunk = kThreads * kElementsAThread;

inline int64_t flat_grid(int64_t blocks, int64_t block_elements) {
    return ceil_div(blocks * block_elements, kFlatChunk);
}

// For each element of `blocks` blocks of a: visit(about, element's number, i, j), where `about` is what describe(p)
// said of its block. Descriptions are made once a block by one thread each, since they have to search.
template <class About, class Describe, class Visit>
__device__ void for_each_element(const Stored& a, int64_t blocks, const Describe& describe, const Visit& visit) {
    __shared__ About abouts[kFlatChunk];  // a chunk of 1 x 1 blocks has the most
    const int64_t block = a.bm * a.bk, all = blocks * block;
    for (int64_t first = int64_t(blockIdx.x) * kFlatChunk; first < all; first += int64_t(gridDim.x) * kFlatChunk) {
        const int64_t end = first + kFlatChunk < all ? first + kFlatChunk : all;
        const Split start = split(first, block);
        const int64_t touched = split(start.rest + (end - 1 - first), block).quotient + 1;
        for (int64_t b = threadIdx.x; b < touched; b += kThreads) abouts[b] = describe(start.quotient + b);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kElementsAThread; ++k) {
            const int64_t ahead = threadIdx.x + k * kThreads;
            if (first + ahead >= end) break;
            const Split at = split(start.rest + ahead, block);
            const Split place = split(at.rest, a.row_major_blocks ? a.bk : a.bm);
            const int64_t i = a.row_major_blocks ? place.quotient : place.rest;
            const int64_t j = a.row_major_blocks ? place.rest : place.quotient;
            visit(abouts[at.quotient], first + ahead, i, j);
        }
        __syncthreads();
    }
}

}  // namespace bsblas::cuda
