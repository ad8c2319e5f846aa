// The kernel behind sddmm_warp.h. A block has a tile of sddmm_place.cuh, and brings it to shared memory by chunks of
// tokens (warp_stage.cuh), one while it multiplies the one before (warp_sums.cuh):
//
//      each warp has its own chunks       both share a chunk,             both share a chunk,
//      (lines side by side)               and halve its tokens            and halve the columns
//                                         (tokens side by side)           (binary64)
//      +----+----+----+----+- tokens      +---------+---------+-          +---------+---------+-
//      |    |    |    |    |              |    .    |    .    |         x |         |         |
//      | w0 | w1 | w0 | w1 | 64 lines     | w0 . w1 | w0 . w1 |           +---------+---------+-
//      |    |    |    |    |              |    .    |    .    |         y |   w0    |   w0    |
//      +----+----+----+----+-             +---------+---------+-          |   w1    |   w1    |
//
//      wait for chunk i | multiply it, copy chunk i + 1 | wait for chunk i + 1 | ...
//
// Where warps have shares of the tokens, the two sums of each element are added at the end. Four such blocks on a
// multiprocessor hide each other's beginnings and ends, which rule when tokens are few (H200, f32, b = 128, 16 tokens,
// a quarter of the blocks: 23 us; two blocks of four warps: 35).
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/sddmm_place.cuh"
#include "kernels/cuda/generic/sddmm_warp.h"
#include "kernels/cuda/generic/warp_stage.cuh"
#include "kernels/cuda/generic/warp_sums.cuh"

namespace bsblas::cuda {

// The tile's sums in shared memory, Terms of them for each element, to be added.
template <class Acc, int Terms>
struct AddedSums {
    static constexpr int pitch = warp_tile + 8, size = warp_tile * pitch;  // of one term
    static constexpr size_t bytes = Terms * size * sizeof(Acc);
    struct Row {
        const Acc* sums;
        __device__ __forceinline__ Acc operator[](int n) const { return pack_of_row<1>(*this, n).v[0]; }

        template <int W>
        friend __device__ __forceinline__ Pack<Acc, W> pack_of_row(const Row& row, int n) {
            Pack<Acc, W> added = bsblas::cuda::pack_of_row<W>(row.sums, n);
#pragma unroll
            for (int term = 1; term < Terms; ++term) {
                const auto more = bsblas::cuda::pack_of_row<W>(row.sums + term * size, n);
#pragma unroll
                for (int i = 0; i < W; ++i) added.v[i] += more.v[i];
            }
            return added;
        }
    };
    const Acc* sums;
    __device__ __forceinline__ Row operator[](int m) const {
        return {sums + m * pitch};
    }
};

template <class In, bool XAlongTokens, bool YAlongTokens>
struct SddmmWarp {
    using Acc = Accumulator<In>;
    using Sums = WarpSums<In, XAlongTokens, YAlongTokens>;
    using X = typename Sums::X;
    using Y = typename Sums::Y;
    static constexpr int groups = warp_count / Sums::Stages::sharing;  // of warps that share chunks
    static constexpr int stage_bytes = X::bytes + Y::bytes;
    using Added = AddedSums<Acc, Sums::shares_tokens ? warp_count : 1>;
    static constexpr size_t shared_bytes =
        2 * groups * stage_bytes > Added::bytes ? 2 * groups* stage_bytes : Added::bytes;
};

template <class In, bool XAlongTokens, bool YAlongTokens>
__global__ void __launch_bounds__(warp_count * 32, warp_blocks)
    sddmm_warp(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmTile tile,
               const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Kernel = SddmmWarp<In, XAlongTokens, YAlongTokens>;
    using Acc = typename Kernel::Acc;
    using Sums = typename Kernel::Sums;
    using X = typename Kernel::X;
    constexpr int sharing = Sums::Stages::sharing;
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ SddmmPlace<warp_tile, warp_tile, warp_count * 32> place;

    const Dense &x = problem.x, &y = problem.y;
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    if (!place.find(problem, tile, batch, origin.x + blockIdx.x)) return;
    __syncthreads();

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = warp / sharing;
    Sums sums;
    if (Epilogue<Acc>(problem.arithmetic).multiplies()) {
        const int64_t begin = split * tile.split.tokens;
        WarpCopy<In, XAlongTokens, sharing> copy_x(
            static_cast<const In*>(x.values) + batch * x.batch_stride + begin * x.col_stride, x.row_stride,
            x.col_stride, place.x_from, true, group);
        WarpCopy<In, YAlongTokens, sharing> copy_y(
            static_cast<const In*>(y.values) + batch * y.batch_stride + begin * y.row_stride, y.col_stride,
            y.row_stride, place.y_from, tile.entries == 1, group);
        unsigned char* const stages = shared + group * 2 * Kernel::stage_bytes;
        const auto copy = [&](int64_t left, int stage) {
            if (left > 0) {
                unsigned char* const to = stages + stage * Kernel::stage_bytes;
                const int in_chunk = static_cast<int>(min(left, int64_t{X::tokens}));
                copy_x.copy(to, in_chunk);
                copy_y.copy(to + X::bytes, in_chunk);
            }
        };
        constexpr int step = Kernel::groups * X::tokens;
        int64_t left = min(x.cols - begin, tile.split.tokens) - group * X::tokens;  // from the current chunk on
        copy(left, 0);
        async_commit();
        for (int stage = 0; left > 0; stage ^= 1, left -= step) {
            const unsigned char* const from = stages + stage * Kernel::stage_bytes;
            // One barrier a chunk: those who copy know that all have multiplied the chunk before. The copies begin
            // later for it, which costs less than a second barrier (f64, b = 128, 8192 tokens: 2530 us, 2731).
            async_wait<0>();
            if constexpr (sharing == 1) {
                __syncwarp();
            } else {
                static_assert(sharing == warp_count);
                __syncthreads();
            }
            const bool in_pieces = Sums::copies_between && copy_x.is_whole(left - step) && copy_y.is_whole(left - step);
            if (in_pieces) {
                unsigned char* const to = stages + (stage ^ 1) * Kernel::stage_bytes;
                copy_x.begin(to);
                copy_y.begin(to + X::bytes);
            } else {
                copy(left - step, stage ^ 1);
            }
            sums.multiply(from, from + X::bytes, warp, lane, [&] {
                if (in_pieces) {
                    copy_x.copy_piece();
                    copy_y.copy_piece();
                }
            });
            async_commit();
        }
    }
    __syncthreads();
    Acc* const all = reinterpret_cast<Acc*>(shared) + (Sums::shares_tokens ? warp * Kernel::Added::size : 0);
#pragma unroll
    for (int i = 0; i < Sums::count; i += Sums::adjacent) {
        Pack<Acc, Sums::adjacent> pack;
#pragma unroll
        for (int j = 0; j < Sums::adjacent; ++j) pack.v[j] = sums.sum[i + j];
        const int at = Sums::row(i, warp, lane) * Kernel::Added::pitch + Sums::column(i, warp, lane);
        *reinterpret_cast<Pack<Acc, Sums::adjacent>*>(all + at) = pack;
    }
    __syncthreads();
    place.template write<In>(problem, tile, batch, split, typename Kernel::Added{reinterpret_cast<const Acc*>(shared)});
}

template <class Body>
void for_each_sddmm_warp(Body body) {
    body(std::true_type{}, std::true_type{});
    body(std::true_type{}, std::false_type{});
    body(std::false_type{}, std::true_type{});
    body(std::false_type{}, std::false_type{});
}

template <class In>
int launch_sddmm_warp(const SddmmProblem& problem, const SddmmTile& tile, const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    for_each_sddmm_warp([&](auto X, auto Y) {
        if (X.value != (tile.x == TileAccess::tokens_wide) || Y.value != (tile.y == TileAccess::tokens_wide)) return;
        result = cover(tile.slots * tile.parts_m * tile.parts_n, tile.split.splits, problem.batch,
                       [&](dim3 blocks, Origin origin) {
                           return cuda::launch_early(sddmm_warp<In, X.value, Y.value>, blocks, warp_count * 32,
                                                     SddmmWarp<In, X.value, Y.value>::shared_bytes, launch, problem,
                                                     tile, origin);
                       });
    });
    if (result == cudaSuccess && tile.split.partial) return launch_sddmm_reduce<In>(problem, tile.split, launch);
    return result;
}

template <class In>
int load_sddmm_warp() {
    int result = cudaSuccess;
    for_each_sddmm_warp([&](auto X, auto Y) {
        result = first_error(
            {result, load(sddmm_warp<In, X.value, Y.value>, SddmmWarp<In, X.value, Y.value>::shared_bytes)});
    });
    return result;
}

}  // namespace bsblas::cuda
