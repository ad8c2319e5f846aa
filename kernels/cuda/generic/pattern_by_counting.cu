// A stable counting sort by column in two launches, for patterns of few columns.
//
//   slots    |--- chunk 0 ---|--- chunk 1 ---| ...            one thread block each
//                  | count           | count
//   table    [ 2 0 1 3 .. ]   [ 0 4 1 1 .. ]   ...            chunk x column
//                  |                 |
//   place    first entry of column c for chunk g = entries of columns before c + of column c in chunks before g
//            |w0|w1|..|w7|    each warp takes an eighth of the chunk, counts it and then places its slots in order
//
// Every block of `place` adds up the whole table itself: it is small, lies in L2, and a launch between would cost more.
#include "kernels/cuda/generic/pattern_by_column.cuh"

namespace bsblas::cuda {

namespace {

constexpr int kWarps = kThreads / 32;
// place keeps 20 bytes a column in the 48 KiB of shared memory that need no opting in.
constexpr int kMostColumns = 2048;
constexpr int kColumnsAThread = kMostColumns / kThreads;
constexpr int kMostChunks = 64;
// A warp's counts are 16 bits wide.
constexpr int64_t kLongestChunk = 65535;
constexpr int64_t kShortestChunk = 1024;

int64_t chunks_of(int64_t capacity) {
    const int64_t chunks = ceil_div(capacity, kShortestChunk);
    return chunks < 1 ? 1 : chunks < kMostChunks ? chunks : kMostChunks;
}

struct Chunk {
    int64_t begin, end;
    __device__ Chunk(int64_t length, int64_t live) : begin(blockIdx.x * length), end(begin + length) {
        if (begin > live) begin = live;
        if (end > live) end = live;
    }
};

__global__ void __launch_bounds__(kThreads)
    count(Stored a, int64_t columns_per_group, int columns, int64_t length, uint32_t* table) {
    __shared__ uint32_t counts[kMostColumns];
    const PatternReader pattern(a);
    const Chunk chunk(length, pattern.live);
    for (int c = threadIdx.x; c < columns; c += kThreads) counts[c] = 0;
    __syncthreads();
    for (int64_t p = chunk.begin + threadIdx.x; p < chunk.end; p += kThreads)
        atomicAdd(&counts[split(pattern.col(p), columns_per_group).quotient], 1u);
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += kThreads) table[blockIdx.x * columns + c] = counts[c];
}

// Each thread's value becomes the sum of those of the threads before it; returns the sum of all.
__device__ uint32_t exclusive_sum(uint32_t* value) {
    __shared__ uint32_t of_warp[kWarps];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t upto = *value;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, upto, distance);
        if (lane >= distance) upto += other;
    }
    if (lane == 31) of_warp[warp] = upto;
    __syncthreads();
    uint32_t before = upto - *value, total = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
        if (w < warp) before += of_warp[w];
        total += of_warp[w];
    }
    *value = before;
    return total;
}

__global__ void __launch_bounds__(kThreads)
    place(Stored a, int64_t columns_per_group, int columns, int64_t length, const uint32_t* table, ByColumn out) {
    __shared__ uint32_t first[kMostColumns];  // entry of this chunk's first slot in column c
    alignas(uint32_t) __shared__ uint16_t of_warp[kWarps][kMostColumns];
    const PatternReader pattern(a);
    const Chunk chunk(length, pattern.live);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    // Totals lie where warps count later, until they are summed.
    uint32_t* const totals = reinterpret_cast<uint32_t*>(&of_warp[0][0]);
    for (int c = threadIdx.x; c < columns; c += kThreads) {
        uint32_t before = 0, total = 0;
#pragma unroll 8
        for (unsigned g = 0; g < gridDim.x; ++g) {
            const uint32_t n = table[g * columns + c];
            if (g < blockIdx.x) before += n;
            total += n;
        }
        first[c] = before;
        totals[c] = total;
    }
    __syncthreads();
    uint32_t mine[kColumnsAThread], start = 0;
    for (int i = 0; i < kColumnsAThread; ++i) {
        const int c = threadIdx.x * kColumnsAThread + i;
        mine[i] = c < columns ? totals[c] : 0;
        start += mine[i];
    }
    const uint32_t all = exclusive_sum(&start);
    for (int i = 0; i < kColumnsAThread; ++i) {
        const int c = threadIdx.x * kColumnsAThread + i;
        if (c < columns) {
            first[c] += start;
            if (blockIdx.x == 0) out.offsets.put(c, start + out.base);
        }
        start += mine[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) out.offsets.put(columns, all + out.base);
    __syncthreads();

    for (unsigned w = 0; w < kWarps; ++w)
        for (int c = threadIdx.x; c < columns; c += kThreads) of_warp[w][c] = 0;
    __syncthreads();

    // A warp goes through its slots 32 at a time; lanes with the same column find each other, and the first acts for
    // all.
    const int64_t share = (chunk.end - chunk.begin + kThreads - 1) / kThreads * 32;
    const int64_t begin = chunk.begin + warp * share;
    const int64_t end = begin + share < chunk.end ? begin + share : chunk.end;
    const auto each_round = [&](const auto& visit) {
        for (int64_t round = begin; round < end; round += 32) {
            const int64_t p = round + lane;
            const int c = p < end ? static_cast<int>(split(pattern.col(p), columns_per_group).quotient) : -1;
            const unsigned peers = __match_any_sync(~0u, c);
            const int before = __popc(peers & ((1u << lane) - 1));
            if (c >= 0) visit(p, c, before);
            __syncwarp();
            if (c >= 0 && before == 0) of_warp[warp][c] += static_cast<uint16_t>(__popc(peers));
            __syncwarp();
        }
    };
    each_round([](int64_t, int, int) {});
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += kThreads) {
        uint16_t before = 0;
        for (unsigned w = 0; w < kWarps; ++w) {
            const uint16_t n = of_warp[w][c];
            of_warp[w][c] = before;
            before += n;
        }
    }
    __syncthreads();
    // Slots are searched between the rows of the warp's first and last, which takes few steps.
    const int64_t edge = begin < end ? row_of(a, lane == 0 ? begin : end - 1) : 0;
    const int64_t low = __shfl_sync(~0u, edge, 0), high = __shfl_sync(~0u, edge, 1) + 1;
    each_round([&](int64_t p, int c, int before) {
        const int64_t q = int64_t(first[c]) + of_warp[warp][c] + before;
        out.rows.put(q, row_of(a, p, low, high) + out.base);
        out.slots.put(q, p);
    });
}

}  // namespace

bool counting_takes(int64_t groups, int64_t capacity) {
    return groups <= kMostColumns && capacity <= kMostChunks * kLongestChunk;
}

size_t counting_workspace(int64_t groups, int64_t capacity) {
    return sizeof(uint32_t) * groups * chunks_of(capacity);
}

void order_by_counting(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace) {
    uint32_t* const table = static_cast<uint32_t*>(workspace);
    const int columns = static_cast<int>(groups_of(a, columns_per_group));
    const int64_t chunks = chunks_of(a.capacity), length = ceil_div(a.capacity, chunks);
    queue.launch(count, chunks, a, columns_per_group, columns, length, table);
    queue.launch(place, chunks, a, columns_per_group, columns, length, table, out);
}

}  // namespace bsblas::cuda
