// The kernel behind spmm_vector.h.
//
//    lane 0   lane 1    ..    lane 31    lane 0 ..       a warp: 4 rows of a block row, all its k
//   +--------+--------+------+---------+---------+
//   | 4 x KV |        |      |         | next    |   a    KV: 16 bytes of k where blocks are stored by rows, else 1
//   +--------+--------+------+---------+---------+
//   | KV x NV|        |      |         |         |   b    NV columns
//   +--------+--------+------+---------+---------+        sums: 4 x NV in each lane, added up over lanes at the end
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/slice_loop.cuh"
#include "kernels/cuda/generic/spmm_vector.h"

namespace bsblas::cuda {

constexpr int vector_warps = 4;

template <class In, int NV, bool AlongK>
__global__ void __launch_bounds__(32 * vector_warps)
    spmm_vector(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmVector vector,
                const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Acc = Accumulator<In>;
    constexpr int MR = vector_rows, KV = AlongK ? per_16_bytes<In> : 1;
    __shared__ Acc partial[vector_warps][MR][NV];

    const Sparse& a = problem.a;
    const Dense& b = problem.b;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int k_warps = 1 << vector.k_warps_log2;
    const int part = warp & (k_warps - 1);
    const int64_t batch = origin.z + blockIdx.z;
    const int64_t column = (origin.y + blockIdx.y) * NV;
    const int64_t index =
        (origin.x + blockIdx.x) * (vector_warps >> vector.k_warps_log2) + (warp >> vector.k_warps_log2);
    const int64_t block_row = vector.slices == 1 ? index : index / vector.slices;
    const int64_t m0 = (index - block_row * vector.slices) * MR;
    const int64_t row = block_row * a.bm + m0;
    const int rows =
        block_row < a.pattern.rows ? static_cast<int>(min(min(a.bm - m0, a.rows - row), static_cast<int64_t>(MR))) : 0;
    const int columns = static_cast<int>(min(problem.c.cols - column, static_cast<int64_t>(NV)));

    Epilogue<Acc> epilogue(problem.arithmetic);
    Acc sum[MR][NV];
#pragma unroll
    for (int m = 0; m < MR; ++m) {
#pragma unroll
        for (int n = 0; n < NV; ++n) sum[m][n] = zero<Acc>();
    }
    if (rows > 0 && epilogue.multiplies()) {
        const Reader<In> read_a(a.type), read_b(b.type);
        const Pattern pattern = a.pattern.of_batch(batch);
        const In* const values = static_cast<const In*>(a.values) + batch * a.values_stride + m0 * a.row_stride;
        const In* const from_b = static_cast<const In*>(b.values) + batch * b.batch_stride + column * b.col_stride;
        const int64_t begin = pattern.begin(block_row);
        // In units of KV k, which never straddle blocks.
        const int64_t units = a.bk / KV;
        const int64_t count = (pattern.end(block_row) - begin) * units;
        if (count == 0) epilogue.leave_out_sum();
        const int64_t stride = 32 * k_warps;
        const int64_t first = part * 32 + lane;
        int64_t entry = begin + (first < units ? 0 : first / units);
        int64_t unit = first < units ? first : first % units;
        const int64_t entries_a_stride = stride < units ? 0 : stride / units;
        const int64_t units_a_stride = stride < units ? stride : stride % units;
#pragma unroll 2
        for (int64_t i = first; i < count; i += stride) {
            const int64_t k = unit * KV;
            const In* const block = values + pattern.slot(entry) * a.block_stride + k * a.col_stride;
            const int64_t b_row = pattern.col(entry) * a.bk + k;
            const int exist = static_cast<int>(min(a.cols - b_row, static_cast<int64_t>(KV)));
            Pack<In, KV> a_values[MR];
            if constexpr (AlongK) {
#pragma unroll
                for (int m = 0; m < MR; ++m) {
                    a_values[m] = m < rows ? load_pack<KV>(block + m * a.row_stride) : Pack<In, KV>{};
                }
            } else {
                In slice[MR];
                load_slice(slice, block, a.row_stride, rows, vector.wide_a);
#pragma unroll
                for (int m = 0; m < MR; ++m) a_values[m].v[0] = slice[m];
            }
            Pack<In, KV> b_values[NV];
            const bool wide = AlongK && vector.wide_b && exist == KV;
#pragma unroll
            for (int n = 0; n < NV; ++n) {
                const In* const from = from_b + b_row * b.row_stride + n * b.col_stride;
                b_values[n] = {};
                if (n >= columns) continue;
                if (wide) {
                    b_values[n] = load_pack<KV>(from);
                } else {
#pragma unroll
                    for (int j = 0; j < KV; ++j) {
                        if (j < exist) b_values[n].v[j] = load(from + j * b.row_stride);
                    }
                }
            }
#pragma unroll
            for (int j = 0; j < KV; ++j) {
                Acc x[MR];
#pragma unroll
                for (int m = 0; m < MR; ++m) {
                    // What lies past a ragged edge is padding.
                    x[m] = j < exist ? read_a(a_values[m].v[j]) : zero<Acc>();
                    if (a.conjugate != b.conjugate) x[m] = conjugate(x[m]);
                }
#pragma unroll
                for (int n = 0; n < NV; ++n) {
                    const Acc y = read_b(b_values[n].v[j]);
#pragma unroll
                    for (int m = 0; m < MR; ++m) multiply_add(sum[m][n], x[m], y);
                }
            }
            entry += entries_a_stride;
            unit += units_a_stride;
            if (unit >= units) {
                unit -= units;
                ++entry;
            }
        }
#pragma unroll
        for (int mask = 1; mask < 32; mask *= 2) {
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int n = 0; n < NV; ++n) sum[m][n] = add(sum[m][n], shuffle_xor(sum[m][n], mask));
            }
        }
    }
    if (k_warps > 1) {
        if (lane == 0) {
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int n = 0; n < NV; ++n) partial[warp][m][n] = sum[m][n];
            }
        }
        __syncthreads();
        if (part > 0) return;
        for (int p = 1; p < k_warps; ++p) {
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int n = 0; n < NV; ++n) sum[m][n] = add(sum[m][n], partial[warp + p][m][n]);
            }
        }
    }
    const Dense& c = problem.c;
    with_output_type<In>(c.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const out =
            static_cast<Out*>(c.values) + batch * c.batch_stride + row * c.row_stride + column * c.col_stride;
#pragma unroll
        for (int m = 0; m < MR; ++m) {
#pragma unroll
            for (int n = 0; n < NV; ++n) {
                if (m >= rows || n >= columns || m * NV + n != lane) continue;
                Out* const to = out + m * c.row_stride + n * c.col_stride;
                const Acc x = b.conjugate ? conjugate(sum[m][n]) : sum[m][n];
                *to = epilogue(x, epilogue.adds() ? *to : zero<Out>());
            }
        }
    });
}

template <class In, class Body>
void for_each_spmm_vector(Body body) {
    const auto try_columns = [&](auto columns) {
        if constexpr (has_spmm_vector(type_of<In>, columns.value)) {
            body(columns, std::false_type{});
            body(columns, std::true_type{});
        }
    };
    try_columns(std::integral_constant<int, 1>{});
    try_columns(std::integral_constant<int, 4>{});
}

template <class In>
int launch_spmm_vector(const SpmmProblem& problem, const SpmmVector& vector, int columns, bool along_k,
                       const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    const int64_t teams = vector_warps >> vector.k_warps_log2;
    const int64_t x = (problem.a.pattern.rows * vector.slices + teams - 1) / teams;
    for_each_spmm_vector<In>([&](auto NV, auto AlongK) {
        if (NV.value != columns || AlongK.value != along_k) return;
        result = cover(x, vector.tiles, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch_early(spmm_vector<In, NV.value, AlongK.value>, blocks, 32 * vector_warps, 0, launch,
                                      problem, vector, origin);
        });
    });
    return result;
}

template <class In>
int load_spmm_vector() {
    int result = cudaSuccess;
    for_each_spmm_vector<In>([&](auto NV, auto AlongK) {
        result = first_error({result, load(spmm_vector<In, NV.value, AlongK.value>)});
    });
    return result;
}

}  // namespace bsblas::cuda
