// How the pattern operations' kernels are launched, read patterns, write index arrays and move elements.
#pragma once

#include "core/pattern_problem.h"
#include "kernels/cuda/common/carver.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace bsblas::cuda {

constexpr int kThreads = 256;  // of every block of these kernels

// ---- Host side ---------------------------------------------------------------------------------------------------

inline int64_t ceil_div(int64_t x, int64_t y) {
    return x / y + (x % y != 0);
}

// Enqueues on one stream and keeps the first error; after an error nothing more is enqueued.
class Queue {
public:
    explicit Queue(void* stream) : stream_(static_cast<cudaStream_t>(stream)) {}

    // All kernels step through their work by the size of the grid, so a large one need not be complete.
    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), int64_t blocks, Arguments... arguments) {
        constexpr int64_t most = 1 << 17;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most));
        config.blockDim = dim3(kThreads);
        config.stream = stream_;
        add([&](cudaStream_t) { return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...); });
    }
    // enqueue(stream) returns a cudaError_t.
    template <class Enqueue>
    void add(const Enqueue& enqueue) {
        if (status_ == cudaSuccess) status_ = enqueue(stream_);
    }
    int status() const { return status_; }

private:
    cudaStream_t stream_;
    cudaError_t status_ = cudaSuccess;
};

// ---- Index arrays ------------------------------------------------------------------------------------------------

struct IndexWriter {
    void* data;
    bool wide;

    __device__ void put(int64_t i, int64_t value) const {
        if (wide)
            static_cast<int64_t*>(data)[i] = value;
        else
            static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
    }
};

// A pattern to read. Offsets are clamped to the capacity.
struct PatternReader {
    Indices offsets, indices;
    int64_t base, live;

    __device__ explicit PatternReader(const Stored& a)
        : offsets(a.offset_array()), indices(a.index_array()), base(a.base), live(a.capacity) {
        live = begin(a.block_rows);
    }
    __device__ int64_t begin(int64_t row) const {
        const int64_t number = offsets.data ? offsets[row] : base;
        return number <= base ? 0 : number - base < live ? number - base : live;
    }
    __device__ int64_t end(int64_t row) const { return begin(row + 1); }
    __device__ int64_t col(int64_t p) const { return indices[p] - base; }
};

// The row, from low and below high, that slot p is in: the last one that begins at or before it.
__device__ inline int64_t row_of(const Stored& a, int64_t p, int64_t low, int64_t high) {
    const Indices offsets = a.offset_array();
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (offsets[middle] - a.base <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}
__device__ inline int64_t row_of(const Stored& a, int64_t p) {
    return row_of(a, p, 0, a.block_rows);
}

__device__ inline int64_t rows_in(const Stored& a, int64_t row) {
    const int64_t left = a.rows - row * a.bm;
    return left < a.bm ? left : a.bm;
}
__device__ inline int64_t cols_in(const Stored& a, int64_t col) {
    const int64_t left = a.cols - col * a.bk;
    return left < a.bk ? left : a.bk;
}

// ---- Work --------------------------------------------------------------------------------------------------------

__device__ inline int64_t global_thread() {
    return int64_t(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ inline int64_t all_threads() {
    return int64_t(gridDim.x) * kThreads;
}

// x / y and the rest, in 32 bits where they suffice, which is many times faster.
struct Split {
    int64_t quotient, rest;
};
__device__ inline Split split(int64_t x, int64_t y) {
    if ((x | y) >> 32 == 0) {
        const uint32_t quotient = uint32_t(x) / uint32_t(y);
        return {quotient, uint32_t(x) - quotient * uint32_t(y)};
    }
    return {x / y, x % y};
}

// One row of a pattern is walked by Group threads, 32 or kThreads, that go through it side by side.
template <int Group>
struct RowGroup {
    static constexpr int per_block = kThreads / Group;

    // What `flag` counts to before this thread, and in the whole group. All threads of the group must call it.
    __device__ static int rank(bool flag, int* total) {
        const unsigned votes = __ballot_sync(~0u, flag), lane = threadIdx.x % 32;
        int before = __popc(votes & ((1u << lane) - 1));
        *total = __popc(votes);
        if constexpr (Group > 32) {
            __shared__ int of_warp[kThreads / 32];
            __syncthreads();
            if (lane == 0) of_warp[threadIdx.x / 32] = *total;
            __syncthreads();
            *total = 0;
            for (unsigned warp = 0; warp < kThreads / 32; ++warp) {
                if (warp < threadIdx.x / 32) before += of_warp[warp];
                *total += of_warp[warp];
            }
        }
        return before;
    }
    // The sum of `count` over the group.
    __device__ static int64_t sum(int64_t count) {
        for (int distance = 16; distance > 0; distance /= 2) count += __shfl_xor_sync(~0u, count, distance);
        if constexpr (Group > 32) {
            __shared__ int64_t of_warp[kThreads / 32];
            __syncthreads();
            if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = count;
            __syncthreads();
            count = 0;
            for (int warp = 0; warp < kThreads / 32; ++warp) count += of_warp[warp];
        }
        return count;
    }
    // The group's first row and how far it steps.
    __device__ static int64_t first_row() { return int64_t(blockIdx.x) * per_block + threadIdx.x / Group; }
    __device__ static int64_t row_step() { return int64_t(gridDim.x) * per_block; }
    __device__ static int member() { return threadIdx.x % Group; }
};

// launch(kernel of 32 threads a row or of kThreads): the one that keeps its threads busy.
template <class Short, class Long, class... Arguments>
void launch_by_rows(Queue& queue, Short* short_rows, Long* long_rows, int64_t rows, int64_t entries,
                    const Arguments&... arguments) {
    if (entries / 64 <= rows)
        queue.launch(short_rows, ceil_div(rows, RowGroup<32>::per_block), arguments...);
    else
        queue.launch(long_rows, rows, arguments...);
}

// ---- Elements ----------------------------------------------------------------------------------------------------

// A complex element that is aligned as its real part only.
template <class Part>
struct Pair {
    Part re, im;
};

// f(T()) with the T that moves elements of this type.
template <class F>
void with_element(bsblasDataType_t type, const F& f) {
    switch (type) {
        case BSBLAS_R_8I:
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return f(uint8_t());
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return f(uint16_t());
        case BSBLAS_R_32F:
        case BSBLAS_R_32I:
            return f(uint32_t());
        case BSBLAS_R_64F:
            return f(uint64_t());
        case BSBLAS_C_32F:
            return f(Pair<uint32_t>());
        case BSBLAS_C_64F:
            return f(Pair<uint64_t>());
        default:
            return;
    }
}

inline int64_t size_of(bsblasDataType_t type) {
    int64_t size = 0;
    with_element(type, [&](auto element) { size = sizeof element; });
    return size;
}

inline bool is_complex(bsblasDataType_t type) {
    return type == BSBLAS_C_32F || type == BSBLAS_C_64F;
}

}  // namespace bsblas::cuda
