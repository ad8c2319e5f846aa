// The kernel behind sddmm_dot.h.
//
//                tokens ->   lane 0  lane 1 ... | lane 0 ...          a group of 1 to 32 lanes: one part of an entry
//   x: B rows    +---------+-------+-----------+-------+
//                | B x U   |       |           |       |             y likewise: B columns. Each lane: B x B
//                +---------+-------+-----------+-------+             sums over its tokens, added up at the end
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

template <class In, bool AlongK>
__global__ void __launch_bounds__(32 * dot_warps)
    sddmm_dot(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmDot dot,
              const __grid_constant__ Origin origin) {
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
    const int64_t live = live_entries(pattern);
    if (first_entry >= live) return;

    const int64_t part = group - entry * parts;
    const int64_t m0 = part / dot.parts_n * B, n0 = part % dot.parts_n * B;
    const int64_t some_row = row_of(pattern, first_entry, lane);
    const bool is_live = entry < live;
    const int64_t row = (is_live ? row_of_from(pattern, entry, some_row) : 0) * a.bm + m0;
    const int64_t column = (is_live ? pattern.col(entry) : 0) * a.bk + n0;
    // What exists: the rest is padding, or belongs to no block.
    const int rows = is_live ? static_cast<int>(max(min(min(a.bm - m0, a.rows - row), int64_t{B}), int64_t{0})) : 0;
    const int columns =
        is_live ? static_cast<int>(max(min(min(a.bk - n0, a.cols - column), int64_t{B}), int64_t{0})) : 0;

    const Epilogue<Acc> epilogue(problem.arithmetic);
    Acc sum[B][B];
#pragma unroll
    for (int m = 0; m < B; ++m) {
#pragma unroll
        for (int n = 0; n < B; ++n) sum[m][n] = zero<Acc>();
    }
    if (epilogue.multiplies() && rows > 0 && columns > 0) {
        const Reader<In> read_x(x.type), read_y(y.type);
        const bool conjugates = x.conjugate != y.conjugate;
        const int64_t begin = split * dot.split.tokens + in_group * U;
        const int64_t end = min(x.cols, (split + 1) * dot.split.tokens);
        const In* from_x =
            static_cast<const In*>(x.values) + batch * x.batch_stride + row * x.row_stride + begin * x.col_stride;
        const In* from_y =
            static_cast<const In*>(y.values) + batch * y.batch_stride + column * y.col_stride + begin * y.row_stride;
        const int stride = lanes * U;
        for (int64_t token = begin; token < end; token += stride) {
            Pack<In, U> xs[B], ys[B];
            if constexpr (AlongK) {
                const int count = static_cast<int>(min(end - token, int64_t{U}));
                const auto fetch = [&](Pack<In, U>& to, const In* from, bool wide) {
                    if (wide && count == U) {
                        to = load_pack<U>(from);
                    } else {
#pragma unroll
                        for (int u = 0; u < U; ++u) to.v[u] = u < count ? load(from + u) : zero<In>();
                    }
                };
#pragma unroll
                for (int m = 0; m < B; ++m) {
                    xs[m] = {};
                    if (m < rows) fetch(xs[m], from_x + m * x.row_stride, dot.wide_x);
                }
#pragma unroll
                for (int n = 0; n < B; ++n) {
                    ys[n] = {};
                    if (n < columns) fetch(ys[n], from_y + n * y.col_stride, dot.wide_y);
                }
            } else {
                In slice[B];
                load_slice(slice, from_x, x.row_stride, rows, dot.wide_x);
#pragma unroll
                for (int m = 0; m < B; ++m) xs[m].v[0] = slice[m];
                load_slice(slice, from_y, y.col_stride, columns, dot.wide_y);
#pragma unroll
                for (int n = 0; n < B; ++n) ys[n].v[0] = slice[n];
            }
#pragma unroll
            for (int u = 0; u < U; ++u) {
                Acc from_x_u[B];
#pragma unroll
                for (int m = 0; m < B; ++m) {
                    from_x_u[m] = read_x(xs[m].v[u]);
                    if (conjugates) from_x_u[m] = conjugate(from_x_u[m]);
                }
#pragma unroll
                for (int n = 0; n < B; ++n) {
                    const Acc from_y_u = read_y(ys[n].v[u]);
#pragma unroll
                    for (int m = 0; m < B; ++m) multiply_add(sum[m][n], from_x_u[m], from_y_u);
                }
            }
            from_x += stride * x.col_stride;
            from_y += stride * y.row_stride;
        }
    }
    __syncwarp();
    for (int mask = 1; mask < lanes; mask *= 2) {
#pragma unroll
        for (int m = 0; m < B; ++m) {
#pragma unroll
            for (int n = 0; n < B; ++n) sum[m][n] = add(sum[m][n], shuffle_xor(sum[m][n], mask));
        }
    }
    if (!is_live) return;
#pragma unroll
    for (int m = 0; m < B; ++m) {
#pragma unroll
        for (int n = 0; n < B; ++n) {
            if (((m * B + n) & (lanes - 1)) != in_group || m0 + m >= a.bm || n0 + n >= a.bk) continue;
            write_sampled<In>(problem, dot.split, epilogue, batch, split,
                              entry * a.block_stride + (m0 + m) * a.row_stride + (n0 + n) * a.col_stride,
                              m < rows && n < columns, sum[m][n]);
        }
    }
}

template <class In>
int launch_sddmm_dot(const SddmmProblem& problem, const SddmmDot& dot, bool along_k, const Launch& launch) {
    const int64_t groups = int64_t{dot_warps} << (5 - dot.lanes_log2);  // of a block
    const int64_t x = (problem.a.pattern.capacity * dot.parts_m * dot.parts_n + groups - 1) / groups;
    const int result = cover(x, dot.split.splits, problem.batch, [&](dim3 blocks, Origin origin) {
        const auto kernel = along_k ? sddmm_dot<In, true> : sddmm_dot<In, false>;
        return cuda::launch(kernel, blocks, 32 * dot_warps, 0, launch.stream, problem, dot, origin);
    });
    if (result == cudaSuccess && dot.split.partial) return launch_sddmm_reduce<In>(problem, dot.split, launch);
    return result;
}

template <class In>
int load_sddmm_dot() {
    return first_error({load(sddmm_dot<In, false>), load(sddmm_dot<In, true>)});
}

}  // namespace bsblas::cuda
