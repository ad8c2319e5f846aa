// The kernel behind spmm_tile.h.
//
//                        b: WC columns of warp 0      warp 1     ...       c: warp 0
//     a: shared by       +----------------------+ +---------+            +--------------+   lane (r, c) has rows r RM,
//     the team's warps   | TK k of the block    | |         |            | RM x RN sums |   r RM + 1, ... and columns
//     +---------+        | row's blocks, one    | |         |     +=     | in each of   |   c, c + LC, ..., or pieces
//     | Rows x  |   x    | after the other      | |         |            | LR x LC      |   of NV columns
//     |      TK |        +----------------------+ +---------+            | lanes        |
//     +---------+                                                        +--------------+
//
// k runs over the blocks of one block row, one after the other, in chunks of TK that cp.async brings to shared memory
// while the chunk before is multiplied. The room of a third stage is worth more as room for blocks (H200, 4096^2,
// d = 0.1, N = 64: c64, 16 rows, 77 us with three stages, 73 with two; all others 0.93 to 1.13 times as fast with two):
//
//     iteration i:   wait for chunk i | copy chunk i + 1 | note where chunk i + 2 lies | multiply chunk i
//
// Columns that are few leave warps without any: then teams of warps take every other (or fourth) chunk each, and their
// sums are added at the end, in order. a is kept with k side by side. b is kept as it lies in global memory: columns
// side by side, or k (AlongK); elements of 16 bytes make no difference. 16 bytes after each row of b, and after the
// rows of each lane of a, keep the lanes off each other's banks.
#pragma once

#include "kernels/cuda/common/async_copy.cuh"
#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/spmm_tile.h"

namespace bsblas::cuda {

template <class In, int Rows, bool AlongK>
struct SpmmTileLayout {
    static constexpr SpmmTileShape shape = spmm_tile_shape(sizeof(In), Rows);
    static constexpr int k = shape.k(sizeof(In));
    static constexpr int per_piece = 16 / sizeof(In);
    static constexpr int a_pitch = shape.k_bytes;
    static constexpr int a_bytes = Rows * a_pitch + shape.row_lanes * 16;
    static constexpr int b_pitch = AlongK ? shape.k_bytes + 16 : shape.columns * static_cast<int>(sizeof(In)) + 16;
    static constexpr int b_bytes = (AlongK ? shape.columns : k) * b_pitch;

    // Where row m of a starts.
    static constexpr __device__ __forceinline__ int a_row(int m) { return m * a_pitch + m / shape.lane_rows * 16; }

    // Where the k of a chunk lie; two of them for each team.
    struct Table {
        int64_t a[k], b[k];  // offsets in elements
        int exist[k];        // how many k of a piece that starts here exist
    };

    // Two stages of copies and their tables; later, in the same place, the sums of teams.
    static constexpr size_t shared_bytes(int teams) {
        const size_t copies =
            2 * (tile_warps * b_bytes + teams * a_bytes) + 2 * static_cast<size_t>(teams) * sizeof(Table);
        const size_t sums = static_cast<size_t>(tile_warps / teams * (teams - 1)) * 32 * shape.lane_rows *
                            shape.lane_columns * sizeof(Accumulator<In>);
        return copies > sums ? copies : sums;
    }
};

// Notes where a team's chunks lie; a lane for each k of a chunk.
template <class In, class Table>
class TileFeed {
public:
    // From k number `first` of the block row that starts at entry `begin`; the row has `count`.
    __device__ __forceinline__ TileFeed(const SpmmProblem& problem, const SpmmTile& tile, const Pattern& pattern,
                                        int64_t begin, int64_t first, int64_t count, int step)
        : problem_(problem),
          tile_(tile),
          pattern_(pattern),
          left_(count - first),
          entry_(begin + first / problem.a.bk),
          in_block_(static_cast<int>(first % problem.a.bk)),
          step_(step) {
        fetch();
    }

    __device__ __forceinline__ void put(Table& table, int k) {
        const Sparse& a = problem_.a;
        constexpr int most = 16 / sizeof(In);
        const int64_t row = column_ * a.bk + in_block_;
        const int64_t exist = left_ > 0 ? a.cols - row : 0;
        table.a[k] = slot_ * a.block_stride + in_block_ * a.col_stride;
        table.b[k] = row * problem_.b.row_stride;
        table.exist[k] = exist <= 0 ? 0 : exist < most ? static_cast<int>(exist) : most;
        left_ -= step_;
        entry_ += tile_.blocks_per_step;
        in_block_ += tile_.rest_per_step;
        if (in_block_ >= a.bk) {
            in_block_ -= static_cast<int>(a.bk);
            ++entry_;
        }
        fetch();
    }

private:
    __device__ __forceinline__ void fetch() {
        if (left_ <= 0) return;
        column_ = pattern_.col(entry_);
        slot_ = pattern_.slot(entry_);
    }

    const SpmmProblem& problem_;
    const SpmmTile& tile_;
    const Pattern& pattern_;
    int64_t left_, entry_, column_ = 0, slot_ = 0;
    int in_block_, step_;
};

template <class In, int Rows, bool AlongK>
__global__ void __launch_bounds__(tile_threads, (spmm_tile_blocks(sizeof(In), Rows)))
    spmm_tile(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmTile tile,
              const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Acc = Accumulator<In>;
    using Layout = SpmmTileLayout<In, Rows, AlongK>;
    using Table = typename Layout::Table;
    constexpr SpmmTileShape shape = Layout::shape;
    constexpr int TK = Layout::k, KV = Layout::per_piece, size = sizeof(In);
    constexpr int RM = shape.lane_rows, RN = shape.lane_columns, LC = shape.column_lanes;
    constexpr int WC = shape.columns;
    constexpr int NV = AlongK ? 1 : KV < RN ? KV : RN;  // columns of a lane that are side by side
    constexpr int FV = KV < 4 ? KV : 4;                 // k of a fragment: more would spill
    extern __shared__ __align__(16) unsigned char shared[];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int team = warp >> tile.column_warps_log2, teams = 1 << tile.teams_log2;
    const int team_threads = 32 << tile.column_warps_log2;
    const int team_thread = threadIdx.x & (team_threads - 1);
    const int row_lane = lane / LC, column_lane = lane % LC;
    unsigned char* const b_stages = shared + warp * 2 * Layout::b_bytes;
    unsigned char* const a_stages = shared + 2 * (tile_warps * Layout::b_bytes + team * Layout::a_bytes);
    Table* const tables =
        reinterpret_cast<Table*>(shared + 2 * (tile_warps * Layout::b_bytes + teams * Layout::a_bytes)) + 2 * team;

    const Sparse& a = problem.a;
    const Dense& b = problem.b;
    const int64_t batch = origin.z + blockIdx.z;
    const int64_t column =
        (origin.y + blockIdx.y) * tile.tile_columns + (warp & ((1 << tile.column_warps_log2) - 1)) * WC;
    const int64_t index = origin.x + blockIdx.x;
    const int64_t block_row = tile.slices == 1 ? index : index / tile.slices;
    const int64_t m0 = (index - block_row * tile.slices) * Rows;
    const int64_t row = block_row * a.bm + m0;
    const int rows = static_cast<int>(min(min(a.bm - m0, a.rows - row), static_cast<int64_t>(Rows)));
    const int columns = static_cast<int>(min(problem.c.cols - column, static_cast<int64_t>(WC)));  // may be negative
    if (rows <= 0) return;

    Epilogue<Acc> epilogue(problem.arithmetic);
    Acc sum[RM][RN];
#pragma unroll
    for (int i = 0; i < RM; ++i) {
#pragma unroll
        for (int j = 0; j < RN; ++j) sum[i][j] = zero<Acc>();
    }
    if (epilogue.multiplies()) {
        const Pattern pattern = a.pattern.of_batch(batch);
        const In* const a_values = static_cast<const In*>(a.values) + batch * a.values_stride + m0 * a.row_stride;
        const In* const b_values = static_cast<const In*>(b.values) + batch * b.batch_stride + column * b.col_stride;
        const bool conjugates = a.conjugate != b.conjugate;  // b never is: a conj(b) = conj(conj(a) b)
        const int64_t begin = pattern.begin(block_row);
        const int64_t count = (pattern.end(block_row) - begin) * a.bk;
        if (count == 0) epilogue.leave_out_sum();
        const int step = TK << tile.teams_log2;
        const int64_t chunks = (count + step - 1) / step;

        const auto copy_a = [&](unsigned char* to, const Table& table) {
            if (size < 16 && tile.wide_a) {
                constexpr int pieces = TK / KV;
                for (int i = team_thread; i < Rows * pieces; i += team_threads) {
                    const int m = i / pieces, k = i % pieces * KV;
                    async_copy<16>(to + Layout::a_row(m) + k * size, a_values + table.a[k] + m * a.row_stride,
                                   m < rows ? table.exist[k] * size : 0);
                }
                return;
            }
            if constexpr (size >= 4) {
                for (int i = team_thread; i < Rows * TK; i += team_threads) {
                    const int m = a.row_stride == 1 ? i % Rows : i / TK, k = a.row_stride == 1 ? i / Rows : i % TK;
                    async_copy<size>(to + Layout::a_row(m) + k * size, a_values + table.a[k] + m * a.row_stride,
                                     m < rows && table.exist[k] > 0 ? size : 0);
                }
            }
        };
        const auto copy_b = [&](unsigned char* to, const Table& table) {
            if constexpr (AlongK) {
                const auto copy = [&](auto count_of) {  // k of a copy
                    constexpr int N = count_of.value, pieces = TK / N;
                    const int k = lane % pieces * N, valid = min(table.exist[k], N) * size;
                    const In* const from = b_values + table.b[k];
#pragma unroll
                    for (int i = 0; i < WC * pieces / 32; ++i) {
                        const int n = lane / pieces + i * (32 / pieces);
                        async_copy<N * size>(to + n * Layout::b_pitch + k * size, from + n * b.col_stride,
                                             n < columns ? valid : 0);
                    }
                };
                if (size < 4 || tile.wide_b) {
                    copy(std::integral_constant<int, KV>{});
                } else {
                    if constexpr (size >= 4) copy(std::integral_constant<int, 1>{});
                }
            } else {
                const auto copy = [&](auto count_of) {  // columns of a copy
                    constexpr int N = count_of.value, pieces = WC / N;
                    const bool down = size == 16 && b.col_stride != 1;  // neighbouring lanes read along k
#pragma unroll
                    for (int i = 0; i < TK * pieces / 32; ++i) {
                        const int u = lane + 32 * i;
                        const int n = (down ? u / TK : u % pieces) * N, k = down ? u % TK : u / pieces;
                        const int valid = table.exist[k] > 0 ? max(min(columns - n, N), 0) : 0;
                        async_copy<N * size>(to + k * Layout::b_pitch + n * size,
                                             b_values + table.b[k] + n * b.col_stride, valid * size);
                    }
                };
                if (size < 4 || tile.wide_b) {
                    copy(std::integral_constant<int, KV>{});
                } else {
                    if constexpr (size >= 4) copy(std::integral_constant<int, 1>{});
                }
            }
        };
        const auto multiply = [&](const unsigned char* from_a, const unsigned char* from_b) {
            const Reader<In> read(a.type);
            from_a += Layout::a_row(row_lane * RM);
            from_b += column_lane * (AlongK ? Layout::b_pitch : NV * size);
#pragma unroll(RM* RN < 64 ? 2 : 1)  // more would spill
            for (int k = 0; k < TK / FV; ++k) {
                Pack<In, FV> x[RM];
#pragma unroll
                for (int i = 0; i < RM; ++i) {
                    x[i] = *reinterpret_cast<const Pack<In, FV>*>(from_a + i * Layout::a_pitch + k * FV * size);
                    if constexpr (is_complex<In>) {
                        if (conjugates) {
#pragma unroll
                            for (int u = 0; u < FV; ++u) x[i].v[u] = conjugate(x[i].v[u]);
                        }
                    }
                }
                Pack<In, AlongK ? FV : NV> y[AlongK ? RN : FV * RN / NV];
                using Y = std::remove_reference_t<decltype(y[0])>;
                if constexpr (AlongK) {
#pragma unroll
                    for (int j = 0; j < RN; ++j) {
                        y[j] = *reinterpret_cast<const Y*>(from_b + j * LC * Layout::b_pitch + k * FV * size);
                    }
                }
#pragma unroll
                for (int u = 0; u < FV; ++u) {
                    if constexpr (!AlongK) {
#pragma unroll
                        for (int j = 0; j < RN / NV; ++j) {
                            y[u * RN / NV + j] = *reinterpret_cast<const Y*>(from_b + (k * FV + u) * Layout::b_pitch +
                                                                             j * LC * NV * size);
                        }
                    }
#pragma unroll
                    for (int j = 0; j < RN; ++j) {
                        const Acc value = read(AlongK ? y[AlongK ? j : 0].v[AlongK ? u : 0]
                                                      : y[AlongK ? 0 : (u * RN + j) / NV].v[AlongK ? 0 : j % NV]);
#pragma unroll
                        for (int i = 0; i < RM; ++i) multiply_add(sum[i][j], read(x[i].v[u]), value);
                    }
                }
            }
        };

        TileFeed<In, Table> feed(problem, tile, pattern, begin, team * TK + team_thread, count, step);
        const auto note = [&](int64_t chunk) {
            if (team_thread < TK) feed.put(tables[chunk & 1], team_thread);
        };
        const auto copy = [&](int64_t chunk) {
            if (chunk < chunks) {
                const int stage = static_cast<int>(chunk & 1);
                copy_a(a_stages + stage * Layout::a_bytes, tables[stage]);
                copy_b(b_stages + stage * Layout::b_bytes, tables[stage]);
            }
            async_commit();
        };
        static_assert(TK <= 32);
        note(0);
        __syncthreads();
        copy(0);
        note(1);
        for (int64_t i = 0; i < chunks; ++i) {
            async_wait<0>();
            __syncthreads();
            copy(i + 1);
            note(i + 2);
            const int stage = static_cast<int>(i & 1);
            if (columns > 0) multiply(a_stages + stage * Layout::a_bytes, b_stages + stage * Layout::b_bytes);
        }
        if (teams > 1) {
            Acc* const sums = reinterpret_cast<Acc*>(shared);
            const auto at = [&](int from, int i, int j) -> Acc& {
                const int part = ((from - 1) << tile.column_warps_log2) + (warp & ((1 << tile.column_warps_log2) - 1));
                return sums[((part * RM + i) * RN + j) * 32 + lane];
            };
            __syncthreads();
            if (team > 0) {
#pragma unroll
                for (int i = 0; i < RM; ++i) {
#pragma unroll
                    for (int j = 0; j < RN; ++j) at(team, i, j) = sum[i][j];
                }
            }
            __syncthreads();
            if (team == 0) {
                for (int from = 1; from < teams; ++from) {
#pragma unroll
                    for (int i = 0; i < RM; ++i) {
#pragma unroll
                        for (int j = 0; j < RN; ++j) sum[i][j] = add(sum[i][j], at(from, i, j));
                    }
                }
            }
        }
    }
    if (team > 0) return;

    const Dense& c = problem.c;
    const int64_t offset = batch * c.batch_stride + row * c.row_stride + column * c.col_stride;
    const auto finished = [&](Acc x) { return b.conjugate ? conjugate(x) : x; };
    with_output_type<In>(c.type, [&](auto tag) {
        using Out = decltype(tag);
        Out* const out = static_cast<Out*>(c.values) + offset;
        const int m0 = row_lane * RM;
        if (c.row_stride == 1) {
            constexpr int N = pack_of<Out, RM>;
#pragma unroll
            for (int j = 0; j < RN; ++j) {
                const int n = (column_lane + j / NV * LC) * NV + j % NV;
                if (n >= columns) break;
#pragma unroll
                for (int i = 0; i < RM; i += N) {
                    Acc run[N];
#pragma unroll
                    for (int v = 0; v < N; ++v) run[v] = finished(sum[i + v][j]);
                    write_run<N>(epilogue, out + m0 + i + n * c.col_stride, 1, rows - m0 - i, tile.wide_c, run);
                }
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < RM; ++i) {
            if (m0 + i >= rows) break;
#pragma unroll
            for (int j = 0; j < RN; j += NV) {
                const int n = (column_lane + j / NV * LC) * NV;
                Acc run[NV];
#pragma unroll
                for (int v = 0; v < NV; ++v) run[v] = finished(sum[i][j + v]);
                write_run<NV>(epilogue, out + (m0 + i) * c.row_stride + n * c.col_stride, c.col_stride, columns - n,
                              tile.wide_c, run);
            }
        }
    });
}

// Calls body(std::integral_constant<int, rows>, std::bool_constant<along_k>) for each compiled variant.
template <class In, class Body>
void for_each_spmm_tile(Body body) {
    const auto with_rows = [&](auto rows) {
        body(rows, std::false_type{});
        if constexpr (sizeof(In) < 16) body(rows, std::true_type{});
    };
    with_rows(std::integral_constant<int, 8>{});
    with_rows(std::integral_constant<int, 16>{});
    with_rows(std::integral_constant<int, 32>{});
}

template <class In>
int launch_spmm_tile(const SpmmProblem& problem, const SpmmTile& tile, int rows, bool along_k, const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    for_each_spmm_tile<In>([&](auto Rows, auto AlongK) {
        if (Rows.value != rows || AlongK.value != along_k) return;
        const int64_t x = problem.a.pattern.rows * tile.slices;
        const size_t bytes = SpmmTileLayout<In, Rows.value, AlongK.value>::shared_bytes(1 << tile.teams_log2);
        result = cover(x, tile.tiles, problem.batch, [&](dim3 blocks, Origin origin) {
            return cuda::launch_early(spmm_tile<In, Rows.value, AlongK.value>, blocks, tile_threads, bytes, launch,
                                      problem, tile, origin);
        });
    });
    return result;
}

template <class In>
int load_spmm_tile() {
    int result = cudaSuccess;
    for_each_spmm_tile<In>([&](auto Rows, auto AlongK) {
        constexpr size_t bytes = SpmmTileLayout<In, Rows.value, AlongK.value>::shared_bytes(1 << most_teams_log2);
        static_assert(bytes <= 99 * 1024, "the least that devices from sm_80 on have");
        result = first_error({result, load(spmm_tile<In, Rows.value, AlongK.value>, bytes)});
    });
    return result;
}

}  // namespace bsblas::cuda
