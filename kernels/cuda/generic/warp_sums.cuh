// What the lanes of a warp add up in sddmm_warp.cuh, 128 registers each, and which elements of the tile that is.
//
// multiply(x, y, warp, lane, copy_piece) adds the products of a chunk's tokens, or of the warp's share of them. Element
// i of `sum` belongs to row(i) and column(i); `adjacent` of them are neighbours in a row. Where copies_between,
// copy_piece() is called warp_copies times among the products: copies in one go keep a warp from them (H200, b = 128, a
// quarter of the blocks, 512 tokens, row-major and column-major: f32 117.7 us and 108.7 in one go, 114.2 and 104.7
// between; f64 162 and 163, 156 and 156). Matrix instructions of 16 bits end too soon for that (8192 tokens: bf16 247
// us in one go, 296 between).
#pragma once

#include "kernels/cuda/common/tensor_core.cuh"
#include "kernels/cuda/generic/warp_stage.cuh"

namespace bsblas::cuda {

// 16-bit types, by matrix instructions: all of the tile, for the warp's share of the tokens.
template <class In, bool XAlongTokens, bool YAlongTokens>
struct WarpSums {
    using Stages = WarpStages<In, XAlongTokens, YAlongTokens>;
    using X = typename Stages::X;
    using Y = typename Stages::Y;
    static constexpr int count = 128, adjacent = 2;
    static constexpr bool shares_tokens = true;
    static constexpr bool copies_between = false;
    float sum[count] = {};

    static __device__ __forceinline__ int row(int i, int, int lane) { return i / 32 * 16 + i % 4 / 2 * 8 + lane / 4; }
    static __device__ __forceinline__ int column(int i, int, int lane) { return i / 4 % 8 * 8 + lane % 4 * 2 + i % 2; }

    template <class Copy>
    __device__ __forceinline__ void multiply(const unsigned char* x, const unsigned char* y, int warp, int lane, Copy) {
        constexpr int share = 64 / sizeof(In);
        const int first = warp % Stages::sharing * share;
        // The four matrices of a ldmatrix, by number: rows (lines of x) or columns (lines of y) 0 to 7 or 8 to 15 of
        // tokens 0 to 7 or 8 to 15.
        const int in_matrix = lane % 8, odd = lane / 8 % 2, high = lane / 16;
#pragma unroll
        for (int token = first; token < first + share; token += 16) {
            uint32_t a[4][4], b[4][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int line = i * 16 + odd * 8, k = token + high * 8;
                load_matrices<!XAlongTokens>(
                    a[i], x + (XAlongTokens ? X::at(line + in_matrix, k) : X::at(line, k + in_matrix)));
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int line = j * 16 + high * 8, k = token + odd * 8;
                load_matrices<!YAlongTokens>(
                    b[j], y + (YAlongTokens ? Y::at(line + in_matrix, k) : Y::at(line, k + in_matrix)));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    multiply_matrices<In>(sum + (i * 8 + j) * 4, a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }
};

// binary32: 16 x 8 in a lane, so that each element read from shared memory serves 8 or 16 products; with 8 x 8 the
// reads take as long as the products. All of the tile, for the warp's share of the tokens.
template <bool XAlongTokens, bool YAlongTokens>
struct WarpSums<float, XAlongTokens, YAlongTokens> {
    using Stages = WarpStages<float, XAlongTokens, YAlongTokens>;
    using X = typename Stages::X;
    using Y = typename Stages::Y;
    static constexpr int count = 128, adjacent = YAlongTokens ? 1 : 4;
    static constexpr bool shares_tokens = true;
    static constexpr bool copies_between = true;
    float sum[count] = {};

    // Four lanes along the rows, eight along the columns.
    static __device__ __forceinline__ int row(int i, int, int lane) {
        const int m = i / 8;
        return XAlongTokens ? m * 4 + lane / 8 : m / 4 * 16 + lane / 8 * 4 + m % 4;
    }
    static __device__ __forceinline__ int column(int i, int, int lane) {
        const int n = i % 8;
        return YAlongTokens ? n * 8 + lane % 8 : n / 4 * 32 + lane % 8 * 4 + n % 4;
    }

    template <class Copy>
    __device__ __forceinline__ void multiply(const unsigned char* x, const unsigned char* y, int warp, int lane,
                                             Copy copy_piece) {
        constexpr int share = 64 / sizeof(float);
        constexpr int T = XAlongTokens ? 4 : 1;                       // tokens of a step: those of a wide read
        constexpr int YL = YAlongTokens ? 1 : 4;                      // columns of a read of y
        constexpr int unroll = XAlongTokens || YAlongTokens ? 2 : 8;  // more was slower, less too
        const int first = warp % Stages::sharing * share;
#pragma unroll unroll
        for (int token = first; token < first + share; token += T) {
            float b[T][8];
#pragma unroll
            for (int t = 0; t < T; ++t) {
#pragma unroll
                for (int j = 0; j < 8; j += YL) {
                    const auto pack =
                        *reinterpret_cast<const Pack<float, YL>*>(y + Y::at(column(j, 0, lane), token + t));
#pragma unroll
                    for (int v = 0; v < YL; ++v) b[t][j + v] = pack.v[v];
                }
            }
#pragma unroll
            for (int i = 0; i < 16; i += 4) {
                float a[T][4];
#pragma unroll
                for (int m = 0; m < 4; m += XAlongTokens ? 1 : 4) {
                    const auto pack =
                        *reinterpret_cast<const Pack<float, 4>*>(x + X::at(row((i + m) * 8, 0, lane), token));
#pragma unroll
                    for (int v = 0; v < 4; ++v) a[XAlongTokens ? v : 0][XAlongTokens ? m : v] = pack.v[v];
                }
#pragma unroll
                for (int t = 0; t < T; ++t) {
#pragma unroll
                    for (int u = 0; u < 32; ++u) multiply_add(sum[i * 8 + u], a[t][u / 8], b[t][u % 8]);
                }
                // At other places f32 takes up to 119 us for 114.
                if (T == 4 ? i % 8 == 0 : i == 0 && (token - first) % 2 == 1) copy_piece();
            }
        }
    }
};

// binary64, by matrix instructions: half of the tile's columns, for all tokens.
template <bool XAlongTokens, bool YAlongTokens>
struct WarpSums<double, XAlongTokens, YAlongTokens> {
    using Stages = WarpStages<double, XAlongTokens, YAlongTokens>;
    using X = typename Stages::X;
    using Y = typename Stages::Y;
    static constexpr int count = 64, adjacent = 2;
    static constexpr bool shares_tokens = false;
    static constexpr bool copies_between = true;
    double sum[count] = {};

    static __device__ __forceinline__ int row(int i, int, int lane) { return i / 8 * 8 + lane / 4; }
    static __device__ __forceinline__ int column(int i, int warp, int lane) {
        return warp * 32 + i % 8 / 2 * 8 + lane % 4 * 2 + i % 2;
    }

    template <class Copy>
    __device__ __forceinline__ void multiply(const unsigned char* x, const unsigned char* y, int warp, int lane,
                                             Copy copy_piece) {
#pragma unroll
        for (int token = 0; token < X::tokens; token += 4) {
            const int k = token + lane % 4;
            double a[8], b[4];
#pragma unroll
            for (int i = 0; i < 8; ++i) a[i] = *reinterpret_cast<const double*>(x + X::at(i * 8 + lane / 4, k));
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                b[j] = *reinterpret_cast<const double*>(y + Y::at(warp * 32 + j * 8 + lane / 4, k));
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply_matrices(sum[i * 8 + j * 2], sum[i * 8 + j * 2 + 1], a[i], b[j]);
                if (token < X::tokens / 2 && i % 2 == 1) copy_piece();
            }
        }
    }
};

}  // namespace bsblas::cuda
