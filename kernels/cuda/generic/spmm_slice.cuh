// The kernel behind spmm_slice.h. A block of four warps takes four slices (of one or of neighbouring block rows), or
// one slice whose k the warps split; column tiles are the outer dimension of the grid, so that the blocks that run
// together read the same columns of b, which stay in L2.
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/slice_loop.cuh"
#include "kernels/cuda/generic/spmm_slice.h"

namespace bsblas::cuda {

// Lists the k of a block row: the columns of its blocks, one after the other. Each lane follows every 32nd.
template <class In, int MR>
class BlockRowFeed {
public:
    using Acc = Accumulator<In>;

    // From column k of the blocks that start at entry `entry` on, k < bk; `count` of them from this lane's first on.
    __device__ __forceinline__ BlockRowFeed(const SpmmProblem& problem, const SpmmSlice& slice, const Pattern& pattern,
                                            const In* values, int64_t entry, int64_t k, int count, int rows)
        : problem_(problem),
          slice_(slice),
          columns_(pattern.indices.from(entry)),
          slots_(pattern.slots),
          values_(values),
          left_(count),
          rows_(rows) {
        if (slots_.data) {
            slots_ = slots_.from(entry);
        } else {
            values_ += entry * problem.a.block_stride;
        }
        p_ = static_cast<int>(k / problem.a.bk);
        in_block_ = static_cast<int>(k % problem.a.bk);
        if (left_ > 0) slot_ = slot();
    }

    __device__ __forceinline__ void fetch() {
        const Sparse& a = problem_.a;
        column_ = -1;
        if (left_ > 0) {
            column_ = columns_[p_] - a.pattern.base;
            fetched_in_block_ = in_block_;
            load_slice(a_values_, values_ + slot_ * a.block_stride + in_block_ * a.col_stride, a.row_stride, rows_,
                       slice_.wide_a);
        }
        left_ -= slice_chunk;
        p_ += slice_.blocks_per_chunk;
        in_block_ += slice_.rest_per_chunk;
        if (in_block_ >= a.bk) {
            in_block_ -= static_cast<int>(a.bk);
            ++p_;
        }
        if (left_ > 0) slot_ = slot();
    }

    __device__ __forceinline__ void put(SliceStage<In, MR>& to, int place, int lk_log2) {
        const Sparse& a = problem_.a;
        const Reader<In> read(a.type);
        // b is never conjugated: a conj(b) = conj(conj(a) b).
        const bool conjugates = a.conjugate != problem_.b.conjugate;
        const int64_t row = column_ * a.bk + fetched_in_block_;
        const bool exists = column_ >= 0 && row < a.cols;
        Acc values[MR];
#pragma unroll
        for (int m = 0; m < MR; ++m) {
            values[m] = exists ? read(a_values_[m]) : zero<Acc>();
            if (conjugates) values[m] = conjugate(values[m]);
        }
        to.keep(place, lk_log2, values);
        to.offset[place] = exists ? row * problem_.b.row_stride : -1;
    }

private:
    __device__ __forceinline__ int64_t slot() const {
        return slots_.data ? slots_[p_] : p_;
    }

    const SpmmProblem& problem_;
    const SpmmSlice& slice_;
    Indices columns_, slots_;  // from the first entry on, and so is p_
    const In* values_;         // of the slice's first row
    int left_, rows_;
    int p_, in_block_;
    int64_t slot_ = 0;
    In a_values_[MR];
    int64_t column_ = -1;
    int fetched_in_block_ = 0;
};

template <class In, int MR, bool AlongK>
__device__ __forceinline__ void write_slice(const SliceLoop<In, MR, AlongK>& loop,
                                            const Epilogue<Accumulator<In>>& epilogue, const Dense& c, int64_t batch,
                                            int64_t row, int64_t column, int rows, bool wide) {
    constexpr int V = SliceLoop<In, MR, AlongK>::V;
    const int groups = 1 << loop.lk_log2;
    const int64_t offset = batch * c.batch_stride + row * c.row_stride + (column + loop.first_column) * c.col_stride;
    with_output_type<In>(c.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const out = static_cast<Out*>(c.values) + offset;
        // All groups hold the sums: each writes its share.
        if (c.row_stride == 1) {
            constexpr int N = pack_of<Out, MR>;
#pragma unroll
            for (int v = 0; v < V; ++v) {
                if (v >= loop.columns) break;
#pragma unroll
                for (int m = 0; m < MR; m += N) {
                    if ((m / N & (groups - 1)) != loop.group) continue;
                    Accumulator<In> run[N];
#pragma unroll
                    for (int i = 0; i < N; ++i) run[i] = loop.sum[m + i][v];
                    write_run<N>(epilogue, out + m + v * loop.column_step * c.col_stride, 1, rows - m, wide, run);
                }
            }
        } else {
#pragma unroll
            for (int m = 0; m < MR; ++m) {
                if (m >= rows || (m & (groups - 1)) != loop.group) continue;
                write_run<V>(epilogue, out + m * c.row_stride, loop.column_step * c.col_stride, loop.columns,
                             wide && loop.column_step == 1, loop.sum[m]);
            }
        }
    });
}

template <class In, int MR, bool AlongK>
__global__ void __launch_bounds__(slice_threads, (slice_min_blocks<Accumulator<In>, MR>()))
    spmm_slice(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmSlice slice,
               const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Loop = SliceLoop<In, MR, AlongK>;
    extern __shared__ __align__(16) unsigned char shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int k_warps_log2 = slice.layout.k_warps_log2;
    const int part = warp & ((1 << k_warps_log2) - 1);

    const Sparse& a = problem.a;
    const int64_t batch = origin.z + blockIdx.z;
    const int64_t column = (origin.y + blockIdx.y) * slice.tile_columns;
    const int64_t index = (origin.x + blockIdx.x) * (slice_warps >> k_warps_log2) + (warp >> k_warps_log2);
    const int64_t block_row = slice.slices == 1 ? index : index / slice.slices;
    const int64_t m0 = (index - block_row * slice.slices) * MR;
    const int64_t row = block_row * a.bm + m0;
    const int rows =
        block_row < a.pattern.rows ? static_cast<int>(min(min(a.bm - m0, a.rows - row), static_cast<int64_t>(MR))) : 0;

    Epilogue<Accumulator<In>> epilogue(problem.arithmetic);
    Loop loop(static_cast<const In*>(problem.b.values) + batch * problem.b.batch_stride + column * problem.b.col_stride,
              problem.b.col_stride, min(problem.c.cols - column, static_cast<int64_t>(slice.tile_columns)),
              slice.wide_b, problem.b.type, slice.layout.lk_log2, lane,
              reinterpret_cast<typename Loop::Stage*>(shared) + 2 * warp);
    if (rows > 0 && epilogue.multiplies()) {
        const Pattern pattern = a.pattern.of_batch(batch);
        const In* const values = static_cast<const In*>(a.values) + batch * a.values_stride + m0 * a.row_stride;
        const int64_t begin = pattern.begin(block_row);
        const int64_t count = (pattern.end(block_row) - begin) * a.bk;
        if (count == 0) epilogue.leave_out_sum();
        // Each warp's part is a number of whole chunks.
        const int64_t chunks = (count + slice_chunk - 1) / slice_chunk;
        const int64_t part_chunks = (chunks + (1 << k_warps_log2) - 1) >> k_warps_log2;
        const int64_t end = min(count, (part + 1) * part_chunks * slice_chunk);
        constexpr int most = 1 << 30;  // counts within a run are 32-bit
        for (int64_t k = part * part_chunks * slice_chunk; k < end; k += most) {
            const int run = static_cast<int>(min(end - k, static_cast<int64_t>(most)));
            const int64_t entry = k < a.bk ? 0 : k / a.bk;
            BlockRowFeed<In, MR> feed(problem, slice, pattern, values, begin + entry, k - entry * a.bk + lane,
                                      run - lane, rows);
            loop.run(feed, run, lane);
        }
        loop.add_groups();
    }
    add_k_warps(loop, k_warps_log2, warp, shared);
    if (rows <= 0 || part > 0) return;
    if (problem.b.conjugate) {
#pragma unroll
        for (int m = 0; m < MR; ++m) {
#pragma unroll
            for (int v = 0; v < Loop::V; ++v) loop.sum[m][v] = conjugate(loop.sum[m][v]);
        }
    }
    write_slice(loop, epilogue, problem.c, batch, row, column, rows, slice.wide_c);
}

// Calls body(std::integral_constant<int, mr>, std::bool_constant<along_k>) for each compiled variant.
template <class In, class Body>
void for_each_spmm_slice(Body body) {
    const auto try_mr = [&](auto mr) {
        if constexpr (has_spmm_slice(type_of<In>, mr.value, false)) body(mr, std::false_type{});
        if constexpr (has_spmm_slice(type_of<In>, mr.value, true)) body(mr, std::true_type{});
    };
    try_mr(std::integral_constant<int, 2>{});
    try_mr(std::integral_constant<int, 3>{});
    try_mr(std::integral_constant<int, 4>{});
    try_mr(std::integral_constant<int, 5>{});
    try_mr(std::integral_constant<int, 8>{});
    try_mr(std::integral_constant<int, 16>{});
}

template <class In>
int launch_spmm_slice(const SpmmProblem& problem, const SpmmSlice& slice, int mr, bool along_k, const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    const int64_t teams = slice_warps >> slice.layout.k_warps_log2;
    const int64_t x = (problem.a.pattern.rows * slice.slices + teams - 1) / teams;
    for_each_spmm_slice<In>([&](auto MR, auto AlongK) {
        if (MR.value != mr || AlongK.value != along_k) return;
        result = cover(x, slice.tiles, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch_early(spmm_slice<In, MR.value, AlongK.value>, blocks, slice_threads,
                                      slice_shared_bytes<In, MR.value>(slice.layout), launch, problem, slice, origin);
        });
    });
    return result;
}

template <class In>
int load_spmm_slice() {
    int result = cudaSuccess;
    for_each_spmm_slice<In>([&](auto MR, auto AlongK) {
        result = first_error({result, load(spmm_slice<In, MR.value, AlongK.value>)});
    });
    return result;
}

}  // namespace bsblas::cuda
