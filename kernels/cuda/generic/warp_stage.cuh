// Chunks of x and y on their way to shared memory, for sddmm_warp.cuh: 64 lines of an operand, and of each the tokens
// that fill 64 bytes for every warp that shares the chunk.
#pragma once

#include "kernels/cuda/common/access.cuh"
#include "kernels/cuda/common/async_copy.cuh"
#include "kernels/cuda/generic/sddmm_warp.h"

namespace bsblas::cuda {

// One operand's chunk in shared memory. AlongTokens: tokens are side by side there.
template <class In, bool AlongTokens, int Sharing>
struct WarpStage {
    static constexpr int size = sizeof(In), tokens = Sharing * 64 / size;
    static constexpr int rows = AlongTokens ? warp_tile : tokens;
    static constexpr int row_bytes = (AlongTokens ? tokens : warp_tile) * size;
    // What is read together keeps off each other's banks.
    static constexpr int pitch = row_bytes + (size == 8 ? 32 : 16);
    static constexpr int bytes = rows * pitch;

    // Where an element lies, the first of its row's neighbours that are read with it.
    static __device__ __forceinline__ int at(int line, int token) {
        return AlongTokens ? line * pitch + token * size : token * pitch + line * size;
    }
};

// The chunks of both operands.
template <class In, bool XAlongTokens, bool YAlongTokens>
struct WarpStages {
    // How many warps share a chunk. Where tokens are side by side, two warps together make requests of 128 bytes of a
    // line (H200, b = 128, 8192 tokens, a quarter of the blocks: bf16 254 us; 321 with a chunk for each warp; f32, 512
    // tokens: 117 us, 120). Where lines are, each warp has its own and waits for no other (bf16 227 us; shared: 248).
    // binary64 has too many sums for one warp.
    static constexpr int sharing = std::is_same_v<In, double> || XAlongTokens || YAlongTokens ? warp_count : 1;
    using X = WarpStage<In, XAlongTokens, sharing>;
    using Y = WarpStage<In, YAlongTokens, sharing>;
};

constexpr int warp_copies = 8;  // of a thread for an operand's chunk

// How one thread of those that share a stage copies an operand's chunks: asynchronously, a piece of 16 bytes in each of
// some rows, as they lie in global memory.
template <class In, bool AlongTokens, int Sharing>
class WarpCopy {
public:
    using Stage = WarpStage<In, AlongTokens, Sharing>;

    // from: of each line, its beginning, -1 where there is none. equidistant: those that exist are line_stride apart.
    // first: the first chunk.
    __device__ __forceinline__ WarpCopy(const In* values, int64_t line_stride, int64_t token_stride,
                                        const int64_t* from, bool equidistant, int first)
        : values_(values + first * Stage::tokens * token_stride),
          from_(from + row()),
          line_stride_(line_stride),
          token_stride_(token_stride) {
        if constexpr (AlongTokens) {
            values_ += in_row();
#pragma unroll
            for (int i = 0; i < copies; ++i) exist_ |= (from_[i * rows_at_once] >= 0) << i;
            whole_ = equidistant && exist_ == (1 << copies) - 1;
        } else {
            while (exist_ < per_piece && from[in_row() + exist_] >= 0) ++exist_;
            whole_ = exist_ == per_piece;
            values_ += row() * token_stride + (exist_ > 0 ? from[in_row()] : 0);
        }
    }

    // Whether all of the next chunk exists if `left` tokens do.
    __device__ __forceinline__ bool is_whole(int64_t left) const {
        return whole_ && left >= Stage::tokens;
    }

    // Begins to copy the next chunk, which is whole; copy_piece() is to be called warp_copies times.
    __device__ __forceinline__ void begin(unsigned char* stage) {
        to_ = stage + row() * Stage::pitch + in_row() * Stage::size;
        at_ = values_ + (AlongTokens ? from_[0] : 0);
        advance();
    }
    __device__ __forceinline__ void copy_piece() {
        async_copy<16>(to_, at_);
        to_ += rows_at_once * Stage::pitch;
        at_ += rows_at_once * (AlongTokens ? line_stride_ : token_stride_);
    }

    // Copies the next chunk, of which `left` tokens exist.
    __device__ __forceinline__ void copy(unsigned char* stage, int left) {
        unsigned char* const to = stage + row() * Stage::pitch + in_row() * Stage::size;
        constexpr int step = rows_at_once * Stage::pitch;
        if (is_whole(left)) {
            // All addresses first: one register pair for all would have each wait for the copy before (H200, b = 128,
            // row-major, 8192 tokens, a quarter of the blocks: f32 1814 us to 1677, bf16 340 to 254).
            const In* from[copies];
            from[0] = values_ + (AlongTokens ? from_[0] : 0);
#pragma unroll
            for (int i = 1; i < copies; ++i) {
                from[i] = from[0] + i * rows_at_once * (AlongTokens ? line_stride_ : token_stride_);
            }
#pragma unroll
            for (int i = 0; i < copies; ++i) async_copy<16>(to + i * step, from[i]);
        } else if constexpr (AlongTokens) {
            const int valid = min(max(left - in_row(), 0), per_piece) * Stage::size;
#pragma unroll
            for (int i = 0; i < copies; ++i) {
                const bool exists = exist_ >> i & 1;
                async_copy<16>(to + i * step, values_ + (exists ? from_[i * rows_at_once] : 0), exists ? valid : 0);
            }
        } else {
#pragma unroll
            for (int i = 0; i < copies; ++i) {
                const bool exists = row() + i * rows_at_once < left;
                async_copy<16>(to + i * step, values_ + (exists ? i * rows_at_once * token_stride_ : 0),
                               exists ? exist_ * Stage::size : 0);
            }
        }
        advance();
    }

private:
    static constexpr int threads = Sharing * 32;
    static constexpr int per_piece = per_16_bytes<In>, pieces = Stage::row_bytes / 16;  // of a row
    static constexpr int rows_at_once = threads / pieces, copies = Stage::rows / rows_at_once;
    static_assert(copies == warp_copies);

    __device__ __forceinline__ void advance() {
        values_ += warp_count / Sharing * Stage::tokens * token_stride_;
    }

    static __device__ __forceinline__ int row() {
        return static_cast<int>(threadIdx.x) % threads / pieces;
    }
    static __device__ __forceinline__ int in_row() {
        return static_cast<int>(threadIdx.x) % pieces * per_piece;
    }

    const In* values_;
    const int64_t* from_;
    int64_t line_stride_, token_stride_;
    bool whole_;
    int exist_ = 0;  // along tokens: a bit for each row; else how many of the piece's lines
    // The next piece.
    unsigned char* to_;
    const In* at_;
};

}  // namespace bsblas::cuda
