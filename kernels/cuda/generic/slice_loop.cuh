// The main loop that SpMM and SDDMM share: one warp multiplies a slice of MR rows by columns that lie in global memory,
//
//     sum[m][n] = sum over k of  a[k][m] b[k][n]         m < MR;  k runs over a list that a feed makes
//
//      a: shared memory              b: global memory
//                              n ->  lane 0   lane 1   ..  lane LN-1
//          +----+                  +--------+--------+----+--------+
//     k    | MR |             k    | V cols | V cols |    | V cols |   <- lanes of group 0 take one k each,
//     k'   | MR |             k'   | V cols | V cols |    | V cols |   <- lanes of group 1 the next, ...
//          | .. |  32 k            |   ..   |   ..   |    |   ..   |      LK groups of LN lanes, LN LK = 32
//          +----+                  +--------+--------+----+--------+
//
// b's row k is where the feed says (offset[k]), so that blocks which follow each other in a row make one long k. Each
// lane keeps MR x V sums in registers, from one broadcast read of MR values of a and one read of V values of b, 16
// bytes where they are aligned.
//
// Nothing but the warp itself is synchronised. Three stages overlap: chunk c + 2 of a travels to registers, chunk c + 1
// lies in the second half of the warp's shared memory, and b's fragment (U = 4 k of each lane) is read one step ahead
// of the products. Groups are added up at the end by shuffles, in a fixed order. b is read once by each slice; slices
// of the same block row are neighbours in a block, so that all but the first hit L1.
//
// AlongK: b has consecutive k side by side; fragments are read along k and a lane's V columns are LN apart.
//
// Of 8-bit integers the U = 4 k of a lane's step are a word, in a's slice as in b's fragment, whose products are one
// instruction (dp4a).
#pragma once

#include "kernels/cuda/common/access.cuh"
#include "kernels/cuda/common/turn.cuh"
#include "kernels/cuda/generic/slice_layout.h"

namespace bsblas::cuda {

constexpr int slice_chunk = 32;  // k that a warp stages at a time: one a lane
constexpr int slice_unroll = 4;  // k of a lane's fragment

template <class In>
constexpr int slice_columns = slice_columns_of(sizeof(In));

// a's slice in shared memory: each k has MR values, read in pieces of at most 16 bytes. An odd number of pieces from
// one k to the next keeps eight groups off each other's banks.
template <class Acc, int MR>
struct SliceRow {
    static constexpr int bytes = MR * sizeof(Acc);
    static constexpr int piece_bytes = bytes > 8 ? 16 : bytes > 4 ? 8 : 4;
    static constexpr int pieces = (bytes + piece_bytes - 1) / piece_bytes;
    static constexpr int per_piece = piece_bytes / sizeof(Acc);
    struct Storage {
        Pack<Acc, per_piece> piece[pieces | 1];
    };
};

template <class Acc, int MR>
constexpr int slice_min_blocks() {
    return slice_blocks_of_multiprocessor(MR * static_cast<int>(sizeof(Acc)));
}

// MR values of a, `stride` apart, the first `rows` of them; the others are zero. wide: side by side and aligned.
template <int MR, class In>
__device__ __forceinline__ void load_slice(In (&a)[MR], const In* from, int64_t stride, int rows, bool wide) {
    if (wide && rows >= MR) {
        constexpr int N = pack_of<In, MR>;
#pragma unroll
        for (int i = 0; i < MR; i += N) {
            const Pack<In, N> pack = load_pack<N>(from + i);
#pragma unroll
            for (int j = 0; j < N; ++j) a[i + j] = pack.v[j];
        }
    } else {
#pragma unroll
        for (int i = 0; i < MR; ++i) a[i] = i < rows ? load(from + i * stride) : zero<In>();
    }
}

// A feed's values on their way to shared memory.
template <int MR, class Acc>
__device__ __forceinline__ void store_slice(typename SliceRow<Acc, MR>::Storage& to, const Acc (&a)[MR]) {
    using Row = SliceRow<Acc, MR>;
#pragma unroll
    for (int i = 0; i < Row::pieces; ++i) {
        Pack<Acc, Row::per_piece> piece;
#pragma unroll
        for (int j = 0; j < Row::per_piece; ++j) {
            const int m = i * Row::per_piece + j;
            piece.v[j] = m < MR ? a[m < MR ? m : 0] : zero<Acc>();
        }
        to.piece[i] = piece;
    }
}

// The k of step s, lane group g and place u in its fragment stands at (s U + u) LK + g.
template <class In, int MR>
struct alignas(16) SliceStage {
    using Values = Accumulator<In>[MR];  // of a, for one k

    typename SliceRow<Accumulator<In>, MR>::Storage a[slice_chunk];
    int64_t offset[slice_chunk];  // of b's row k, in elements; -1: k does not exist

    __device__ __forceinline__ void keep(int place, int, const Values& values) { store_slice<MR>(a[place], values); }
};

template <int MR>
struct alignas(16) SliceStage<int8_t, MR> {
    using Values = int32_t[MR];

    typename SliceRow<int32_t, MR>::Storage a[slice_chunk / slice_unroll];  // words of four k
    int64_t offset[slice_chunk];

    __device__ __forceinline__ void keep(int place, int lk_log2, const Values& values) {
        const int group = place & ((1 << lk_log2) - 1), u = place >> lk_log2 & (slice_unroll - 1);
        auto* const bytes = reinterpret_cast<int8_t*>(&a[word(place - (u << lk_log2), group)]) + u;
#pragma unroll
        for (int m = 0; m < MR; ++m) bytes[m * slice_unroll] = static_cast<int8_t>(values[m]);
    }
    // The word of the four k of which `first` is where the first stands.
    static __device__ __forceinline__ int word(int first, int group) {
        return (first - group) / slice_unroll + group;
    }
};

template <class In, int MR, bool AlongK>
struct SliceLoop {
    using Acc = Accumulator<In>;
    using Stage = SliceStage<In, MR>;
    using Row = SliceRow<Acc, MR>;
    static constexpr int V = slice_columns<In>, U = slice_unroll;
    using Vector = Pack<In, AlongK ? U : V>;
    static constexpr int vectors = AlongK ? V : U;

    Acc sum[MR][V];

    const In* b;                    // this lane's first column
    int64_t b_stride;               // from one of its columns to the next
    int first_column, column_step;  // its columns in the tile
    int columns;                    // how many of the V exist
    bool wide;                      // whole Vectors may be read
    Reader<In> read;
    int lk_log2, group, column_lane;
    Stage* stages;  // two of this warp

    // b: the tile's first column, of `tile_columns`. wide: Vectors of it are aligned.
    __device__ __forceinline__ SliceLoop(const In* b, int64_t col_stride, int64_t tile_columns, bool wide,
                                         bsblasDataType_t type, int lk_log2, int lane, Stage* stages)
        : read(type), lk_log2(lk_log2), stages(stages) {
        const int ln_log2 = 5 - lk_log2;
        // Neighbouring lanes read neighbouring memory.
        group = AlongK ? lane & ((1 << lk_log2) - 1) : lane >> ln_log2;
        column_lane = AlongK ? lane >> lk_log2 : lane & ((1 << ln_log2) - 1);
        const bool side_by_side = !AlongK && wide;
        first_column = side_by_side ? column_lane * V : column_lane;
        column_step = side_by_side ? 1 : 1 << ln_log2;
        this->b = b + first_column * col_stride;
        b_stride = column_step * col_stride;
        const int64_t left = tile_columns - first_column + column_step - 1;
        columns = left < column_step ? 0 : left >= V * column_step ? V : static_cast<int>(left) / column_step;
        this->wide = wide && (AlongK || columns == V);
#pragma unroll
        for (int m = 0; m < MR; ++m) {
#pragma unroll
            for (int v = 0; v < V; ++v) sum[m][v] = zero<Acc>();
        }
    }

    // Where the k of lane `lane` in a chunk is kept, so that lanes always read consecutive places.
    __device__ __forceinline__ int place(int lane) const {
        if constexpr (!AlongK) return lane;
        const int step = U << lk_log2;
        const int in_step = lane & (step - 1);
        return (lane - in_step) + ((in_step % U) << lk_log2) + in_step / U;
    }

    // Adds the feed's next `count` k.
    template <class Feed>
    __device__ __forceinline__ void run(Feed& feed, int count, int lane) {
        const int steps_log2 = 3 - lk_log2;  // in a chunk
        static_assert(slice_chunk / U == 1 << 3);
        const int steps = (count + (U << lk_log2) - 1) >> (2 + lk_log2);
        const int my_place = place(lane);
        const auto stage_of = [&](int step) -> Stage& { return stages[(step >> steps_log2) & 1]; };
        const auto first_of = [&](int step) { return ((step & ((1 << steps_log2) - 1)) << (2 + lk_log2)) + group; };
        const auto fetch = [&](Vector(&f)[vectors], int step) {
            if (step >= steps) return;
            Stage& stage = stage_of(step);
            if ((step & ((1 << steps_log2) - 1)) == 0) {
                __syncwarp();
                feed.put(stage, my_place, lk_log2);
                __syncwarp();
                feed.fetch();
            }
            fetch_b(f, stage, first_of(step));
        };
        Vector even[vectors], odd[vectors];
        feed.fetch();
        fetch(even, 0);
        for (int step = 0; step < steps; step += 2) {
            fetch(odd, step + 1);
            multiply_step(even, stage_of(step), first_of(step));
            if (step + 1 >= steps) break;
            fetch(even, step + 2);
            multiply_step(odd, stage_of(step + 1), first_of(step + 1));
        }
    }

    // Every lane of a column ends with the sum over the groups.
    __device__ __forceinline__ void add_groups() {
        const int first = AlongK ? 1 : 32 >> lk_log2;
        for (int i = 0; i < lk_log2; ++i) {
            const int mask = first << i;
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int v = 0; v < V; ++v) sum[m][v] = add(sum[m][v], shuffle_xor(sum[m][v], mask));
            }
        }
    }

private:
    __device__ __forceinline__ void fetch_b(Vector (&f)[vectors], const Stage& stage, int first) const {
        if constexpr (AlongK) {
            const int64_t offset = stage.offset[first];
            // Four k are side by side in one block, unless a ragged edge or the end of the list cuts them.
            if (wide && stage.offset[first + ((U - 1) << lk_log2)] >= 0) {
#pragma unroll
                for (int v = 0; v < V; ++v) {
                    f[v] = v < columns ? load_pack<U>(b + v * b_stride + offset) : Vector{};
                }
                return;
            }
        } else if (wide) {
#pragma unroll
            for (int u = 0; u < U; ++u) {
                const int64_t offset = stage.offset[first + (u << lk_log2)];
                f[u] = offset >= 0 ? load_pack<V>(b + offset) : Vector{};
            }
            return;
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
            const int64_t offset = stage.offset[first + (u << lk_log2)];
#pragma unroll
            for (int v = 0; v < V; ++v) {
                const In x = offset >= 0 && v < columns ? load(b + v * b_stride + offset) : zero<In>();
                if constexpr (AlongK) {
                    f[v].v[u] = x;
                } else {
                    f[u].v[v] = x;
                }
            }
        }
    }

    __device__ __forceinline__ void multiply_step(const Vector (&f)[vectors], const Stage& stage, int first) {
        if constexpr (std::is_same_v<In, int8_t>) return multiply_words(f, stage.a[Stage::word(first, group)]);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            const auto& row = stage.a[first + (u << lk_log2)];
            Pack<Acc, Row::per_piece> a[Row::pieces];
#pragma unroll
            for (int i = 0; i < Row::pieces; ++i) a[i] = row.piece[i];
            Acc x[V];
#pragma unroll
            for (int v = 0; v < V; ++v)
                x[v] = read(AlongK ? f[AlongK ? v : 0].v[AlongK ? u : 0] : f[AlongK ? 0 : u].v[AlongK ? 0 : v]);
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int v = 0; v < V; ++v) multiply_add(sum[m][v], a[m / Row::per_piece].v[m % Row::per_piece], x[v]);
            }
        }
    }

    __device__ __forceinline__ void multiply_words(const Vector (&f)[vectors], const typename Row::Storage& row) {
        static_assert(U == 4 && V == 4);
        int x[V];
#pragma unroll
        for (int v = 0; v < V; ++v) memcpy(&x[v], &f[v], sizeof x[v]);
        if constexpr (!AlongK) turn(x);  // x[u] has four columns of one k
        Pack<Acc, Row::per_piece> a[Row::pieces];
#pragma unroll
        for (int i = 0; i < Row::pieces; ++i) a[i] = row.piece[i];
#pragma unroll
        for (int m = 0; m < MR; ++m) {
#pragma unroll
            for (int v = 0; v < V; ++v)
                sum[m][v] = __dp4a(a[m / Row::per_piece].v[m % Row::per_piece], x[v], sum[m][v]);
        }
    }
};

// The k_warps of a block that worked on the same sums leave them, added in order, in the first of them. Called by all
// threads of the block; shared is the block's shared memory.
template <class In, int MR, bool AlongK>
__device__ __forceinline__ void add_k_warps(SliceLoop<In, MR, AlongK>& loop, int k_warps_log2, int warp,
                                            unsigned char* shared) {
    using Acc = Accumulator<In>;
    constexpr int V = SliceLoop<In, MR, AlongK>::V;
    if (k_warps_log2 == 0) return;
    const int lanes_log2 = 5 - loop.lk_log2;
    const int k_warps = 1 << k_warps_log2;
    const int part = warp & (k_warps - 1), team = warp >> k_warps_log2;
    Acc* const sums =
        reinterpret_cast<Acc*>(shared) + static_cast<size_t>((team * (k_warps - 1)) * MR * V << lanes_log2);
    const auto at = [&](int p, int m, int v) -> Acc& {
        return sums[((p * MR + m) * V + v << lanes_log2) + loop.column_lane];
    };
    __syncthreads();
    if (part > 0 && loop.group == 0) {
#pragma unroll
        for (int m = 0; m < MR; ++m) {
#pragma unroll
            for (int v = 0; v < V; ++v) at(part - 1, m, v) = loop.sum[m][v];
        }
    }
    __syncthreads();
    if (part == 0) {
        for (int p = 0; p + 1 < k_warps; ++p) {
#pragma unroll
            for (int m = 0; m < MR; ++m) {
#pragma unroll
                for (int v = 0; v < V; ++v) loop.sum[m][v] = add(loop.sum[m][v], at(p, m, v));
            }
        }
    }
    __syncthreads();
}

// Shared memory of a block.
template <class In, int MR>
constexpr size_t slice_shared_bytes(SliceLayout layout) {
    const size_t stages = 2 * slice_warps * sizeof(SliceStage<In, MR>);
    const size_t k_warps = size_t{1} << layout.k_warps_log2;
    const size_t sums = slice_warps / k_warps * (k_warps - 1) * MR * slice_columns<In> * (32 >> layout.lk_log2) *
                        sizeof(Accumulator<In>);
    return stages > sums ? stages : sums;
}

}  // namespace bsblas::cuda
