// The kernel behind sddmm_dot.h.
//
//                tokens ->   lane 0  lane 1 ... | lane 0 ...          a group of 1 to 32 lanes: one part of an entry
//   x: B rows    +---------+-------+-----------+-------+
//                | B x U   |       |           |       |             y likewise: B columns. Each lane: B x B
//                +---------+-------+-----------+-------+             sums over its tokens
//
// At the end the group's lanes add up their sums and share them out: in each step two lanes exchange halves of what
// they have, until each has its own (of 16 lanes, one of 4 x 4), which it writes.
//
// AlongK: x and y have consecutive tokens side by side, U = 16 bytes of them are read at once. Otherwise U = 1, and a
// lane reads B values of each at once where they are side by side. Neighbouring entries are of one block row mostly:
// their rows of x hit L1.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/row_search.cuh"
#include "kernels/cuda/generic/sddmm_dot.h"
#include "kernels/cuda/generic/sddmm_write.cuh"
#include "kernels/cuda/generic/slice_loop.cuh"

namespace bsblas::cuda {

constexpr int dot_warps = 4;

template <class In>
constexpr int tokens_ahead = dot_ahead(sizeof(In));

// One token of a part: B values, `stride` apart.
template <class In>
__device__ __forceinline__ void read_part(Pack<In, 1> (&to)[dot_side], const In* from, int64_t stride, int count,
                                          bool wide) {
    In slice[dot_side];
    load_slice(slice, from, stride, count, wide);
#pragma unroll
    for (int i = 0; i < dot_side; ++i) to[i].v[0] = slice[i];
}

template <class In, bool AlongK>
__global__ void __launch_bounds__(32 * dot_warps)
    sddmm_dot(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmDot dot,
              const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Acc = Accumulator<In>;
    constexpr int B = dot_side, U = AlongK ? per_16_bytes<In> : 1;
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    const int lane = threadIdx.x % 32;
    const int lanes = 1 << dot.lanes_log2, in_group = lane & (lanes - 1);
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t parts = dot.parts_m * dot.parts_n;
    const int64_t first_group = ((origin.x + blockIdx.x) * dot_warps + threadIdx.x / 32) << (5 - dot.lanes_log2);
    const int64_t group = first_group + (lane >> dot.lanes_log2);
    const int64_t first_entry = first_group / parts, entry = group / parts;
    // The column before anything waits, even if the entry turns out to be none.
    const int64_t block_column = entry < a.pattern.capacity ? pattern.col(entry) : 0;
    const int64_t live = live_entries(pattern), some_row = row_of(pattern, first_entry, lane);
    if (first_entry >= live) return;

    const int64_t part = group - entry * parts;
    const int64_t m0 = part / dot.parts_n * B, n0 = part % dot.parts_n * B;
    const bool is_live = entry < live;
    const int64_t block_row = entry == first_entry || !is_live ? some_row : row_of_from(pattern, entry, some_row);
    const int64_t row = block_row * a.bm + m0, column = block_column * a.bk + n0;
    // What exists: the rest is padding, or belongs to no block.
    const int rows = is_live ? static_cast<int>(max(min(min(a.bm - m0, a.rows - row), int64_t{B}), int64_t{0})) : 0;
    const int columns =
        is_live ? static_cast<int>(max(min(min(a.bk - n0, a.cols - column), int64_t{B}), int64_t{0})) : 0;

    const Epilogue<Acc> epilogue(problem.arithmetic);
    // sums[0], sums[1], ... are of elements first, first + 1, ... of the part, row by row.
    Acc sums[B * B];
    int first = 0;
#pragma unroll
    for (int i = 0; i < B * B; ++i) sums[i] = zero<Acc>();
    if (epilogue.multiplies() && rows > 0 && columns > 0) {
        const Reader<In> read_x(x.type), read_y(y.type);
        const bool conjugates = x.conjugate != y.conjugate;
        const auto multiply = [&](const Pack<In, U>(&xs)[B], const Pack<In, U>(&ys)[B]) {
#pragma unroll
            for (int u = 0; u < U; ++u) {
                Acc from_x[B];
#pragma unroll
                for (int m = 0; m < B; ++m) {
                    from_x[m] = read_x(xs[m].v[u]);
                    if (conjugates) from_x[m] = conjugate(from_x[m]);
                }
#pragma unroll
                for (int n = 0; n < B; ++n) {
                    const Acc from_y = read_y(ys[n].v[u]);
#pragma unroll
                    for (int m = 0; m < B; ++m) multiply_add(sums[m * B + n], from_x[m], from_y);
                }
            }
        };
        int64_t token = split * dot.split.tokens + in_group * U;
        const int64_t end = min(x.cols, (split + 1) * dot.split.tokens);
        const int stride = lanes * U;
        const In* from_x =
            static_cast<const In*>(x.values) + batch * x.batch_stride + row * x.row_stride + token * x.col_stride;
        const In* from_y =
            static_cast<const In*>(y.values) + batch * y.batch_stride + column * y.col_stride + token * y.row_stride;
        Pack<In, U> xs[B], ys[B];
        if constexpr (AlongK) {
            // Lines that do not exist are read as the last that does: nobody writes their sums, and without conditions
            // all reads of a step are under way at once.
            const In *x_line[B], *y_line[B];
#pragma unroll
            for (int i = 0; i < B; ++i) {
                x_line[i] = from_x + min(i, rows - 1) * x.row_stride;
                y_line[i] = from_y + min(i, columns - 1) * y.col_stride;
            }
            const auto read_step = [&](auto read) {
#pragma unroll
                for (int i = 0; i < B; ++i) {
                    xs[i] = read(x_line[i]);
                    ys[i] = read(y_line[i]);
                    x_line[i] += stride;
                    y_line[i] += stride;
                }
            };
            if (dot.wide_x && dot.wide_y) {
                for (; token + U <= end; token += stride) {
                    read_step([](const In* from) { return load_pack<U>(from); });
                    multiply(xs, ys);
                }
            }
            for (; token < end; token += stride) {
                const int count = static_cast<int>(min(end - token, int64_t{U}));
                read_step([&](const In* from) {
                    Pack<In, U> pack;
#pragma unroll
                    for (int u = 0; u < U; ++u) pack.v[u] = u < count ? load(from + u) : zero<In>();
                    return pack;
                });
                multiply(xs, ys);
            }
        } else {
            // Whole parts read several tokens ahead of their products.
            constexpr int ahead = tokens_ahead<In>;
            if (dot.wide_x && dot.wide_y && rows == B && columns == B) {
                for (; token + (ahead - 1) * stride < end; token += ahead * stride) {
                    Pack<In, U> xs_ahead[ahead][B], ys_ahead[ahead][B];
#pragma unroll
                    for (int i = 0; i < ahead; ++i) {
                        read_part(xs_ahead[i], from_x + i * stride * x.col_stride, x.row_stride, B, true);
                        read_part(ys_ahead[i], from_y + i * stride * y.row_stride, y.col_stride, B, true);
                    }
#pragma unroll
                    for (int i = 0; i < ahead; ++i) multiply(xs_ahead[i], ys_ahead[i]);
                    from_x += ahead * stride * x.col_stride;
                    from_y += ahead * stride * y.row_stride;
                }
            }
            for (; token < end; token += stride) {
                read_part(xs, from_x, x.row_stride, rows, dot.wide_x);
                read_part(ys, from_y, y.col_stride, columns, dot.wide_y);
                multiply(xs, ys);
                from_x += stride * x.col_stride;
                from_y += stride * y.row_stride;
            }
        }
    }
    __syncwarp();
    const auto exchange = [&](auto count, int step) {
        constexpr int half = count.value / 2;
        if (step >= dot.lanes_log2) return;
        const bool upper = lane >> step & 1;
        if constexpr (half == 0) sums[0] = add(sums[0], shuffle_xor(sums[0], 1 << step));
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const Acc given = shuffle_xor(upper ? sums[i] : sums[i + half], 1 << step);
            sums[i] = add(upper ? sums[i + half] : sums[i], given);
        }
        first += upper ? half : 0;
    };
    static_assert(B * B == 16);
    exchange(std::integral_constant<int, 16>{}, 0);
    exchange(std::integral_constant<int, 8>{}, 1);
    exchange(std::integral_constant<int, 4>{}, 2);
    exchange(std::integral_constant<int, 2>{}, 3);
    exchange(std::integral_constant<int, 1>{}, 4);
    const int mine = max(B * B >> dot.lanes_log2, 1);
    if (!is_live || in_group >= B * B) return;
#pragma unroll
    for (int i = 0; i < B * B; ++i) {
        if (i >= mine) break;
        const int m = (first + i) / B, n = (first + i) % B;
        if (m0 + m >= a.bm || n0 + n >= a.bk) continue;
        write_sampled<In>(problem, dot.split, epilogue, batch, split,
                          entry * a.block_stride + (m0 + m) * a.row_stride + (n0 + n) * a.col_stride,
                          m < rows && n < columns, sums[i]);
    }
}

template <class In>
int launch_sddmm_dot(const SddmmProblem& problem, const SddmmDot& dot, bool along_k, const Launch& launch) {
    const int64_t groups = int64_t{dot_warps} << (5 - dot.lanes_log2);  // of a block
    const int64_t x = (problem.a.pattern.capacity * dot.parts_m * dot.parts_n + groups - 1) / groups;
    const int result = cover(x, dot.split.splits, problem.batch, [&](dim3 blocks, Origin origin) {
        const auto kernel = along_k ? sddmm_dot<In, true> : sddmm_dot<In, false>;
        return cuda::launch_early(kernel, blocks, 32 * dot_warps, 0, launch, problem, dot, origin);
    });
    if (result == cudaSuccess && dot.split.partial) return launch_sddmm_reduce<In>(problem, dot.split, launch);
    return result;
}

template <class In>
int load_sddmm_dot() {
    return first_error({load(sddmm_dot<In, false>), load(sddmm_dot<In, true>)});
}

}  // namespace bsblas::cuda
