// The kernel behind sddmm_slice.h. A block of four warps takes four slices of one or of neighbouring entries, which
// share rows of y or of x in L1, or one slice whose tokens the warps split. The grid's second dimension splits tokens
// further.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_slice.h"
#include "kernels/cuda/generic/sddmm_write.cuh"
#include "kernels/cuda/generic/slice_loop.cuh"

namespace bsblas::cuda {

// Lists tokens: x's columns and y's rows. Each lane follows every 32nd.
template <class In, int MR>
class TokenFeed {
public:
    using Acc = Accumulator<In>;

    // From this lane's first token on, `count` of them.
    __device__ __forceinline__ TokenFeed(const SddmmProblem& problem, const In* x, int64_t token, int count, int rows,
                                         bool wide)
        : problem_(problem),
          x_(x + token * problem.x.col_stride),
          y_offset_(token * problem.y.row_stride),
          left_(count),
          rows_(rows),
          wide_(wide) {}

    __device__ __forceinline__ void fetch() {
        exists_ = left_ > 0;
        if (exists_) load_slice(values_, x_, problem_.x.row_stride, rows_, wide_);
        left_ -= slice_chunk;
        x_ += slice_chunk * problem_.x.col_stride;
    }

    __device__ __forceinline__ void put(typename SliceRow<Acc, MR>::Storage& to, int64_t& offset) {
        const Reader<In> read(problem_.x.type);
        // y is never conjugated: x conj(y) = conj(conj(x) y).
        const bool conjugates = problem_.x.conjugate != problem_.y.conjugate;
        Acc values[MR];
#pragma unroll
        for (int m = 0; m < MR; ++m) {
            values[m] = exists_ ? read(values_[m]) : zero<Acc>();
            if (conjugates) values[m] = conjugate(values[m]);
        }
        store_slice<MR>(to, values);
        offset = exists_ ? y_offset_ : -1;
        y_offset_ += slice_chunk * problem_.y.row_stride;
    }

private:
    const SddmmProblem& problem_;
    const In* x_;
    int64_t y_offset_;
    int left_, rows_;
    bool wide_, exists_ = false;
    In values_[MR];
};

template <class In, int MR, bool AlongK>
__global__ void __launch_bounds__(slice_threads, (slice_min_blocks<Accumulator<In>, MR>()))
    sddmm_slice(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmSlice slice,
                const __grid_constant__ Origin origin) {
    using Loop = SliceLoop<In, MR, AlongK>;
    extern __shared__ __align__(16) unsigned char shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int k_warps_log2 = slice.layout.k_warps_log2;
    const int part = warp & ((1 << k_warps_log2) - 1);

    const Sparse& a = problem.a;
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t index = (origin.x + blockIdx.x) * (slice_warps >> k_warps_log2) + (warp >> k_warps_log2);
    const int64_t of_block = slice.slices * slice.tiles;
    const int64_t entry = index / of_block;
    const int in_block = static_cast<int>(index - entry * of_block);
    const int64_t tile = in_block / slice.slices;
    const int64_t m0 = (in_block - tile * slice.slices) * MR, column = tile * slice.tile_columns;
    const bool live = entry < live_entries(pattern);

    const Epilogue<Accumulator<In>> epilogue(problem.arithmetic);
    const int64_t block_row = live ? row_of(pattern, entry, lane) : 0;
    const int64_t row = block_row * a.bm + m0;
    const int64_t y_column = live ? pattern.col(entry) * a.bk + column : 0;
    // What exists: the rest of the tile is padding, or belongs to no block.
    const int rows = live ? static_cast<int>(max(min(min(a.bm - m0, a.rows - row), int64_t{MR}), int64_t{0})) : 0;
    const int64_t columns = max(min(a.bk - column, a.cols - y_column), int64_t{0});

    Loop loop(
        static_cast<const In*>(problem.y.values) + batch * problem.y.batch_stride + y_column * problem.y.col_stride,
        problem.y.col_stride, min(columns, static_cast<int64_t>(slice.tile_columns)), slice.wide_y, problem.y.type,
        slice.layout.lk_log2, lane, reinterpret_cast<typename Loop::Stage*>(shared) + 2 * warp);
    if (rows > 0 && epilogue.multiplies()) {
        const int64_t begin = split * slice.split.tokens;
        const int64_t count = min(problem.x.cols - begin, slice.split.tokens);
        const int64_t chunks = (count + slice_chunk - 1) / slice_chunk;
        const int64_t part_chunks = (chunks + (1 << k_warps_log2) - 1) >> k_warps_log2;
        const int64_t end = min(count, (part + 1) * part_chunks * slice_chunk);
        const In* const x =
            static_cast<const In*>(problem.x.values) + batch * problem.x.batch_stride + row * problem.x.row_stride;
        constexpr int most = 1 << 30;  // counts within a run are 32-bit
        for (int64_t k = part * part_chunks * slice_chunk; k < end; k += most) {
            const int run = static_cast<int>(min(end - k, static_cast<int64_t>(most)));
            TokenFeed<In, MR> feed(problem, x, begin + k + lane, run - lane, rows, slice.wide_x);
            loop.run(feed, run, lane);
        }
        loop.add_groups();
    }
    add_k_warps(loop, k_warps_log2, warp, shared);
    if (!live || part > 0) return;
#pragma unroll
    for (int m = 0; m < MR; ++m) {
        if (m0 + m >= a.bm || (m & ((1 << loop.lk_log2) - 1)) != loop.group) continue;
#pragma unroll
        for (int v = 0; v < Loop::V; ++v) {
            const int64_t c = column + loop.first_column + v * loop.column_step;
            if (c >= a.bk) break;
            write_sampled<In>(problem, slice.split, epilogue, batch, split,
                              entry * a.block_stride + (m0 + m) * a.row_stride + c * a.col_stride,
                              m < rows && v < loop.columns, loop.sum[m][v]);
        }
    }
}

template <class In, bsblasDataType_t Type, class Body>
void for_each_sddmm_slice(Body body) {
    body(std::integral_constant<int, 8>{}, std::false_type{});
    body(std::integral_constant<int, 8>{}, std::true_type{});
    if constexpr (has_sddmm_slice(Type, 16)) {
        body(std::integral_constant<int, 16>{}, std::false_type{});
        body(std::integral_constant<int, 16>{}, std::true_type{});
    }
}

template <class In, bsblasDataType_t Type>
int launch_sddmm_slice_of(const SddmmProblem& problem, const SddmmSlice& slice, int mr, bool along_k,
                          const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    const int64_t teams = slice_warps >> slice.layout.k_warps_log2;
    const int64_t x = (problem.a.pattern.capacity * slice.slices * slice.tiles + teams - 1) / teams;
    for_each_sddmm_slice<In, Type>([&](auto MR, auto AlongK) {
        if (MR.value != mr || AlongK.value != along_k) return;
        result = cover(x, slice.split.splits, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch(sddmm_slice<In, MR.value, AlongK.value>, blocks, slice_threads,
                                slice_shared_bytes<In, MR.value>(slice.layout), launch.stream, problem, slice, origin);
        });
    });
    if (result == cudaSuccess && slice.split.partial) return launch_sddmm_reduce<In>(problem, slice.split, launch);
    return result;
}

template <class In, bsblasDataType_t Type>
int load_sddmm_slice_of() {
    int result = cudaSuccess;
    for_each_sddmm_slice<In, Type>([&](auto MR, auto AlongK) {
        result = first_error({result, load(sddmm_slice<In, MR.value, AlongK.value>)});
    });
    return result;
}

// Defines what sddmm_slice.h declares for one input type.
#define BSBLAS_SDDMM_SLICE(In, Type)                                                                       \
    template <>                                                                                            \
    int launch_sddmm_slice<In>(const SddmmProblem& problem, const SddmmSlice& slice, int mr, bool along_k, \
                               const Launch& launch) {                                                     \
        return launch_sddmm_slice_of<In, Type>(problem, slice, mr, along_k, launch);                       \
    }                                                                                                      \
    template <>                                                                                            \
    int load_sddmm_slice<In>() {                                                                           \
        return load_sddmm_slice_of<In, Type>();                                                            \
    }

}  // namespace bsblas::cuda
