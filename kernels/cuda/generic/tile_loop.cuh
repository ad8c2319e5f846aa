// A tile of a product of x and y: every thread of a block keeps a few of its rows x columns in registers,
//
//                                         n ->
//                           +-------------------------------+
//      stage.y (shared)   k |  KC tokens x 64 columns       |     sum[m][n] += x[k][m] y[k][n]
//                           +-------------------------------+
//        stage.x            +-------+-------+-------+-------+
//       +----------+        | tx 0  | tx 1  |  ...          |     thread (ty, tx) owns RM x RN sums: pieces of 16
//     m | KC       |  ty 0  | RM RN |       |       |       |     bytes along each side, TX or TY pieces apart, so
//       | tokens x |        +-------+-------+-------+-------+     that neighbours read neighbouring banks
//       | TM rows  |  ty 1  |       |       |       |       |
//       +----------+        +-------+-------+-------+-------+
//
// Rows of x and columns of y ("lines") lie anywhere: two tables in shared memory say where each begins. Chunk c + 1
// travels from global memory to registers while chunk c is multiplied; on its way to shared memory it is converted to
// the type of the sums, and turned where tokens are side by side. Rows of a stage are 16 bytes longer than the tile:
// a turned store then has two-way bank conflicts at most.
//
// binary64 runs on tensor cores where the tile has 8 rows or more: a warp has up to 32 rows by 32 or 64 columns, and
// its lanes the sums that matrix instructions leave with them (tensor_core.cuh).
#pragma once

#include "core/problem.h"
#include "kernels/cuda/common/access.cuh"
#include "kernels/cuda/common/tensor_core.cuh"
#include "kernels/cuda/generic/tile_shape.h"

namespace bsblas::cuda {

// T lines, Chunk tokens, of one operand on their way from global memory to a stage.
template <class In, int T, int Chunk, int Threads>
class TileOperand {
public:
    using Acc = Accumulator<In>;
    static constexpr int chunk = Chunk;
    static constexpr int pad = per_16_bytes<Acc>;
    using Stage = Acc[chunk][T + pad];

    // offsets: of each line in elements, -1 where there is none.
    __device__ __forceinline__ TileOperand(const In* values, int64_t token_stride, const int64_t* offsets,
                                           TileAccess access, bsblasDataType_t type, bool conjugates)
        : values_(values),
          token_stride_(token_stride),
          offsets_(offsets),
          access_(access),
          read_(type),
          conjugates_(conjugates) {}

    // Reads the next chunk; the first `left` tokens of it exist.
    __device__ __forceinline__ void fetch(int left) {
        switch (access_) {
            case TileAccess::tokens_wide:
                fetch_as<wide_tokens, 1, true, true>(left);
                break;
            case TileAccess::tokens:
                fetch_as<1, 1, true, false>(left);
                break;
            case TileAccess::lines_wide:
                fetch_as<1, wide_lines, false, true>(left);
                break;
            default:
                fetch_as<1, 1, false, false>(left);
        }
        values_ += chunk * token_stride_;
    }

    // Leaves what was fetched last.
    __device__ __forceinline__ void put(Stage& stage) const {
        switch (access_) {
            case TileAccess::tokens_wide:
                put_as<wide_tokens, 1, true>(stage);
                break;
            case TileAccess::tokens:
                put_as<1, 1, true>(stage);
                break;
            case TileAccess::lines_wide:
                put_as<1, wide_lines, false>(stage);
                break;
            default:
                put_as<1, 1, false>(stage);
        }
    }

private:
    static constexpr int wide_tokens = per_16_bytes<In>;
    static constexpr int wide_lines = per_16_bytes<In> < T ? per_16_bytes<In> : T;
    static_assert(chunk % wide_tokens == 0 && T % wide_lines == 0);

    // A thread's pieces of K tokens x N lines. Neighbouring threads have neighbouring tokens of a line, or neighbouring
    // lines of a token: the piece's line is first_line + line_step j, its token first_token + token_step i.
    template <int K, int N, bool AlongTokens>
    struct Pieces {
        static constexpr int along_k = chunk / K, along_n = T / N;
        static constexpr int inner = AlongTokens ? along_k : along_n, outer = AlongTokens ? along_n : along_k;
        static constexpr int inner_count = inner > Threads ? inner / Threads : 1;
        static constexpr int outer_step = inner > Threads ? 1 : Threads / inner;
        static constexpr int outer_count = (outer + outer_step - 1) / outer_step;
        static constexpr int tokens = AlongTokens ? inner_count : outer_count;
        static constexpr int lines = AlongTokens ? outer_count : inner_count;
        static constexpr int token_step = (AlongTokens ? Threads : outer_step) * K;
        static constexpr int line_step = (AlongTokens ? outer_step : Threads) * N;
        static constexpr int elements = tokens * lines * K * N;

        __device__ __forceinline__ static int first_token() {
            const int t = threadIdx.x;
            return (AlongTokens ? t % inner : t / inner) * K;
        }
        __device__ __forceinline__ static int first_line() {
            const int t = threadIdx.x;
            return (AlongTokens ? t / inner : t % inner) * N;
        }
        // Fewer pieces than threads.
        static constexpr bool some_idle = outer < outer_step;
        __device__ __forceinline__ static bool idle() {
            return some_idle && static_cast<int>(threadIdx.x) / inner >= outer;
        }
    };

    template <int K, int N, bool AlongTokens, bool Wide>
    __device__ __forceinline__ void fetch_as(int left) {
        using P = Pieces<K, N, AlongTokens>;
        constexpr int size = K * N;
        if (P::idle()) return;
        const int first_token = P::first_token();
        const In* const base = values_ + (AlongTokens ? first_token : first_token * token_stride_);
        const int64_t step = P::token_step * (AlongTokens ? 1 : token_stride_);
#pragma unroll
        for (int j = 0; j < P::lines; ++j) {
            const int line = P::first_line() + j * P::line_step;
            const int64_t offset = offsets_[line];
            const bool exists = offset >= 0, all_exist = exists && (N == 1 || offsets_[line + N - 1] >= 0);
            const In* from = base + offset;
#pragma unroll
            for (int i = 0; i < P::tokens; ++i, from += step) {
                const int token = first_token + i * P::token_step;
                Pack<In, size> piece = {};
                if (token + K <= left && all_exist) {
                    if constexpr (Wide) {
                        piece = load_pack<size>(from);
                    } else {
                        piece.v[0] = load(from);
                    }
                } else if constexpr (K > 1) {
#pragma unroll
                    for (int k = 0; k < K; ++k) {
                        if (token + k < left && exists) piece.v[k] = load(from + k);
                    }
                } else if constexpr (N > 1) {
#pragma unroll
                    for (int n = 0; n < N; ++n) {
                        if (token < left && offsets_[line + n] >= 0) piece.v[n] = load(from + n);
                    }
                }
#pragma unroll
                for (int e = 0; e < size; ++e) fetched_[(j * P::tokens + i) * size + e] = piece.v[e];
            }
        }
    }

    template <int K, int N, bool AlongTokens>
    __device__ __forceinline__ void put_as(Stage& stage) const {
        using P = Pieces<K, N, AlongTokens>;
        constexpr int size = K * N, V = pack_of<Acc, N>;
        if (P::idle()) return;
        Acc* const to = &stage[P::first_token()][P::first_line()];
#pragma unroll
        for (int j = 0; j < P::lines; ++j) {
#pragma unroll
            for (int i = 0; i < P::tokens; ++i) {
#pragma unroll
                for (int e = 0; e < size; e += V) {
                    Pack<Acc, V> piece;
#pragma unroll
                    for (int v = 0; v < V; ++v) {
                        piece.v[v] = read_(fetched_[(j * P::tokens + i) * size + e + v]);
                        if (conjugates_) piece.v[v] = conjugate(piece.v[v]);
                    }
                    const int token = i * P::token_step + e / N, line = j * P::line_step + e % N;
                    *reinterpret_cast<Pack<Acc, V>*>(to + token * (T + pad) + line) = piece;
                }
            }
        }
    }

    template <int A, int B>
    static constexpr int larger = A > B ? A : B;

    const In* values_;
    int64_t token_stride_;
    const int64_t* offsets_;
    TileAccess access_;
    Reader<In> read_;
    bool conjugates_;
    In fetched_[larger<larger<Pieces<wide_tokens, 1, true>::elements, Pieces<1, 1, true>::elements>,
                       larger<Pieces<1, wide_lines, false>::elements, Pieces<1, 1, false>::elements>>];
};

template <class In, int Rows>
struct TileLoop {
    static constexpr TileShape shape = tile_shape(sizeof(In), Rows);
    static constexpr int rows = Rows, columns = tile_columns, threads = shape.threads();
    static constexpr bool on_tensor_cores = std::is_same_v<In, double> && Rows >= least_tensor_rows;
    // Of a warp, on tensor cores.
    static constexpr int warp_rows = Rows < 32 ? Rows : 32, warp_columns = columns * Rows * 32 / warp_rows / threads;
    static constexpr int RM = on_tensor_cores ? warp_rows / 8 : shape.own_rows;
    static constexpr int RN = on_tensor_cores ? warp_columns / 4 : shape.own_columns;
    static constexpr int TX = columns / RN, TY = Rows / RM;
    using Acc = Accumulator<In>;
    static constexpr int chunk = tile_chunk(sizeof(In), Rows);
    using X = TileOperand<In, Rows, chunk, threads>;
    using Y = TileOperand<In, columns, chunk, threads>;
    static constexpr int pad = X::pad;

    struct Stage {
        alignas(16) typename X::Stage x;
        alignas(16) typename Y::Stage y;
    };
    using Sums = Acc[Rows][columns + pad];
    union Shared {
        Stage stage;
        alignas(16) Sums sums;
    };

    Acc sum[RM][RN];

    __device__ __forceinline__ TileLoop() {
#pragma unroll
        for (int m = 0; m < RM; ++m) {
#pragma unroll
            for (int n = 0; n < RN; ++n) sum[m][n] = zero<Acc>();
        }
    }

    // Adds `tokens` products. The tables of x and y are complete, and visible to all threads.
    __device__ __forceinline__ void run(X& x, Y& y, int64_t tokens, Stage& stage) {
        const auto in_chunk = [](int64_t left) { return static_cast<int>(left < chunk ? left : chunk); };
        x.fetch(in_chunk(tokens));
        y.fetch(in_chunk(tokens));
        for (int64_t left = tokens; left > 0; left -= chunk) {
            synchronize();
            x.put(stage.x);
            y.put(stage.y);
            synchronize();
            if (left > chunk) {
                x.fetch(in_chunk(left - chunk));
                y.fetch(in_chunk(left - chunk));
            }
            multiply(stage, in_chunk(left));
        }
    }

    // Leaves the sums where all threads see them.
    __device__ __forceinline__ void share(Sums& sums) const {
        synchronize();
#pragma unroll
        for (int m = 0; m < RM; ++m) {
#pragma unroll
            for (int n = 0; n < RN; n += WN) {
                Pack<Acc, WN> piece;
#pragma unroll
                for (int v = 0; v < WN; ++v) piece.v[v] = sum[m][n + v];
                *reinterpret_cast<Pack<Acc, WN>*>(&sums[row(m)][column(n)]) = piece;
            }
        }
        synchronize();
    }

    __device__ __forceinline__ static void synchronize() {
        if constexpr (threads == 32) {
            __syncwarp();
        } else {
            __syncthreads();
        }
    }

private:
    static constexpr int WM = pack_of<Acc, RM>, WN = pack_of<Acc, RN>;

    // The first row and column of this warp, on tensor cores.
    __device__ __forceinline__ static int first_row() {
        return static_cast<int>(threadIdx.x) / 32 % (Rows / warp_rows) * warp_rows;
    }
    __device__ __forceinline__ static int first_column() {
        return static_cast<int>(threadIdx.x) / 32 / (Rows / warp_rows) * warp_columns;
    }

    __device__ __forceinline__ static int row(int m) {
        if constexpr (on_tensor_cores) {
            return first_row() + m * 8 + static_cast<int>(threadIdx.x) % 32 / 4;
        } else {
            return (m / WM * TY + static_cast<int>(threadIdx.x) / TX) * WM + m % WM;
        }
    }
    __device__ __forceinline__ static int column(int n) {
        if constexpr (on_tensor_cores) {
            return first_column() + n / 2 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + n % 2;
        } else {
            return (n / WN * TX + static_cast<int>(threadIdx.x) % TX) * WN + n % WN;
        }
    }

    __device__ __forceinline__ void multiply(const Stage& stage, int tokens) {
        constexpr int unroll = 4;  // tokens beyond the last are zero up to the end of the chunk
        static_assert(chunk % unroll == 0);
        for (int first = 0; first < tokens; first += unroll) {
            if constexpr (on_tensor_cores) {
                const int lane = threadIdx.x % 32, token = first + lane % 4;
                double x[RM], y[RN / 2];
#pragma unroll
                for (int m = 0; m < RM; ++m) x[m] = stage.x[token][row(m)];
#pragma unroll
                for (int n = 0; n < RN / 2; ++n) y[n] = stage.y[token][first_column() + n * 8 + lane / 4];
#pragma unroll
                for (int m = 0; m < RM; ++m) {
#pragma unroll
                    for (int n = 0; n < RN / 2; ++n) multiply_matrices(sum[m][2 * n], sum[m][2 * n + 1], x[m], y[n]);
                }
                continue;
            }
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                Acc x[RM], y[RN];
#pragma unroll
                for (int m = 0; m < RM; m += WM) {
                    const auto piece = *reinterpret_cast<const Pack<Acc, WM>*>(&stage.x[first + u][row(m)]);
#pragma unroll
                    for (int v = 0; v < WM; ++v) x[m + v] = piece.v[v];
                }
#pragma unroll
                for (int n = 0; n < RN; n += WN) {
                    const auto piece = *reinterpret_cast<const Pack<Acc, WN>*>(&stage.y[first + u][column(n)]);
#pragma unroll
                    for (int v = 0; v < WN; ++v) y[n + v] = piece.v[v];
                }
#pragma unroll
                for (int m = 0; m < RM; ++m) {
#pragma unroll
                    for (int n = 0; n < RN; ++n) multiply_add(sum[m][n], x[m], y[n]);
                }
            }
        }
    }
};

}  // namespace bsblas::cuda
