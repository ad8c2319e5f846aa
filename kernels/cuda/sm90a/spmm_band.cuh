// The kernel behind spmm_band.h. A block, one on each multiprocessor, computes tiles of C, a band of up to 384 rows by
// 128 columns; each of three warpgroups has 128 of the rows (band_plan.h has the words, and the order of the units).
//
//                  128 columns        a stage:  a panel's rows of b, 128 x 128        32 KB         three stages
//               +---------------+               the band's units there, side by side  512 or        104 KB, a ring
//    group [uu] |               | warpgroup 0   in the workspace (pack_units)         2048 bytes
//    group [uu] |               | warpgroup 1                                         each
//    group [uu] |               | warpgroup 2
//               +---------------+
//
//   The products have b's columns as their 64 rows, and as their columns the 16 or 32 rows of a unit: any unit can be
//   multiplied with what is there of b, into its own part's sums.
//
//   The producer, a warp, takes an item, and walks the band's steps:
//        wait until a stage is empty, and the ring has room for its units | ask for b and for the units | next step ...
//   A warpgroup: wait until a stage is full | for each of its parts, for each unit that is present: products
//        | wait for them | stage is empty
//
// Items are taken as blocks get free: the columns of b that eight tiles share first, so that L2 has them, and of those
// the bands with the most units first. The last tiles, which are fewer than the blocks, are cut into pieces of k.
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tensor_core.cuh"
#include "kernels/cuda/sm90a/bulk_copy.cuh"
#include "kernels/cuda/sm90a/registers.cuh"
#include "kernels/cuda/sm90a/spmm_band.h"
#include "kernels/cuda/sm90a/wgmma.cuh"

#include <cstring>
#include <type_traits>

namespace bsblas::cuda {

// A tile, or a piece of one.
struct BandItem {
    int band;  // -1: there are no more
    int columns, matrix;
    int step, end;        // of the band's steps
    int partial;          // where a piece's sums go, in tiles; -1: to C
    uint32_t first_step;  // of the band, in BandPlan::steps
    uint32_t band_unit;   // its first unit, of its matrix
};

struct BandShared {
    static constexpr int stages = 3;
    static constexpr int b_bytes = panel_columns * band_columns * 2, ring_bytes = 104 << 10;
    static constexpr int threads = band_groups * 128 + 128;
    // 128 of each thread at the launch.
    static constexpr int producer_registers = 32, group_registers = 160;
    static_assert(band_groups * group_registers + producer_registers <= (band_groups + 1) * 128);

    unsigned char b[stages][b_bytes];
    unsigned char out[band_groups][64 * 64 * 2];
    unsigned char ring[ring_bytes];
    BandStep step[stages];
    int ring_at[stages];  // where a stage's units begin; -1: it has none, and nothing else
    bool ends[stages];    // an item
    // In turn. Producers are at most three stages ahead, so that an item's place is not taken before C is written.
    static constexpr int items = 8;
    BandItem item[items];
    uint64_t full[stages], empty[stages];

    static constexpr int alignment = 1024;
};
// A step's units, at most one for each place of a panel, must fit in the ring.
static_assert(band_groups * group_rows * panel_columns * 2 <= BandShared::ring_bytes);
constexpr size_t band_shared_bytes = sizeof(BandShared) + BandShared::alignment;

// A value that all lanes have, in a uniform register: descriptors are made of such.
__device__ __forceinline__ uint32_t uniform(uint32_t x) {
    return __reduce_or_sync(0xffffffffu, x);
}

// Stages in turn, and the parity of their barriers' phases.
class BandTurn {
public:
    __device__ __forceinline__ int stage() const { return s_; }
    __device__ __forceinline__ uint32_t parity() const { return parity_; }
    __device__ __forceinline__ void next() {
        if (++s_ == BandShared::stages) {
            s_ = 0;
            parity_ ^= 1;
        }
    }

private:
    int s_ = 0;
    uint32_t parity_ = 0;
};

// Item number i, in the order of the file's head.
__device__ __forceinline__ BandItem band_item(const SpmmBand& plan, unsigned i) {
    const unsigned whole = plan.whole_tiles, pieces = plan.pieces;
    const unsigned t = i < whole ? i : whole + (i - whole) / pieces;
    if (t >= plan.tiles) return {-1, 0, 0, 0, 0, 0, 0, 0};
    constexpr unsigned group = 8;
    const unsigned bands = plan.shape.bands, of_matrix = bands * plan.tile_columns;
    const unsigned matrix = t / of_matrix, in_matrix = t % of_matrix;
    const unsigned first = in_matrix / (group * bands) * group, in_group = in_matrix - first * bands;
    const unsigned width = min(group, plan.tile_columns - first);
    const int pattern = plan.shape.patterns == 1 ? 0 : static_cast<int>(matrix);
    const Band band = plan.plan.bands[int64_t{pattern} * bands + in_group / width];
    const auto band_unit = static_cast<uint32_t>(band.first_unit);
    BandItem item = {band.number,
                     static_cast<int>(first + in_group % width),
                     static_cast<int>(matrix),
                     0,
                     band.steps,
                     -1,
                     static_cast<uint32_t>(pattern * plan.shape.units) + band_unit,
                     band_unit};
    if (i >= whole) {
        const int number = static_cast<int>((i - whole) % pieces);
        item.step = static_cast<int>(int64_t{band.steps} * number / plan.pieces);
        item.end = static_cast<int>(int64_t{band.steps} * (number + 1) / plan.pieces);
        item.partial = static_cast<int>(i - whole);
    }
    return item;
}

// The ring, from which stages take room in turn and give it back in turn. A stage's units are not cut.
class BandRing {
public:
    // Waits until there is room for a stage's units, and a stage; returns where.
    __device__ __forceinline__ int take(int stage, int bytes, BandShared& shared) {
        int skipped = 0;
        if (at_ + bytes > BandShared::ring_bytes) {
            skipped = BandShared::ring_bytes - at_;
            at_ = 0;
        }
        while (held_ == BandShared::stages || (held_ > 0 && free_ < bytes + skipped)) {
            barrier_wait(&shared.empty[oldest_.stage()], oldest_.parity());
            free_ += __shfl_sync(0xffffffffu, sizes_, oldest_.stage());
            --held_;
            oldest_.next();
        }
        if (held_ == 0) {
            skipped = at_ = 0;
            free_ = BandShared::ring_bytes;
        }
        const int at = at_;
        if (threadIdx.x % 32 == stage) sizes_ = bytes + skipped;
        free_ -= bytes + skipped;
        at_ += bytes;
        ++held_;
        return at;
    }

private:
    int at_ = 0, free_ = BandShared::ring_bytes, held_ = 0;
    int sizes_ = 0;  // lane s: what stage s has
    BandTurn oldest_;
};

template <int Side, bool BAcrossK>
__device__ __forceinline__ void produce_stages(const SpmmBand& plan, bool multiplies, BandShared& shared) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        prefetch_map(&plan.b);
        prefetch_map(&plan.c);
    }
    constexpr int unit_bytes = Side * Side * 2;
    const auto* const packed = static_cast<const unsigned char*>(plan.packed);
    BandTurn turn;
    BandRing ring;
    for (int n = 0; shared.item[n].band >= 0; n = (n + 1) % BandShared::items) {
        const BandItem& item = shared.item[n];
        const int end = multiplies ? item.end : item.step;
        const BandStep* const steps = plan.plan.steps + item.first_step;
        int panels = 0, counts = 0;  // of 32 steps
        // Of the units packed: a matrix of the batch has its own, or shares them.
        uint32_t first = static_cast<uint32_t>(plan.packs == 1 ? 0 : item.matrix * plan.shape.units) + item.band_unit;
        if (item.step < end) first += steps[item.step].first;
        bool ends = false;
#pragma unroll 1
        for (int i = item.step; !ends; ++i, turn.next()) {
            const int in_32 = (i - item.step) % 32;
            if (in_32 == 0 && i + lane < end) {
                panels = steps[i + lane].panel;
                counts = steps[i + lane].units;
            }
            const int panel = __shfl_sync(0xffffffffu, panels, in_32);
            const int units = i < end ? __shfl_sync(0xffffffffu, counts, in_32) : 0;
            ends = i + 1 >= end;
            if (ends) {
                if (lane == 0) {
                    const unsigned next = gridDim.x + atomicAdd(plan.plan.next_item, 1u);
                    shared.item[(n + 1) % BandShared::items] = band_item(plan, next);
                }
                __syncwarp();
            }
            const int s = turn.stage();
            const int ring_at = ring.take(s, units * unit_bytes, shared);
            if (lane == 0) {
                shared.ring_at[s] = units == 0 ? -1 : ring_at;
                shared.ends[s] = ends;
                if (units == 0) {
                    barrier_arrive(&shared.full[s]);
                } else {
                    barrier_expect(&shared.full[s],
                                   static_cast<int>(sizeof(BandStep)) + BandShared::b_bytes + units * unit_bytes);
                    load_bytes(shared.ring + ring_at, packed + static_cast<size_t>(first) * unit_bytes,
                               units * unit_bytes, &shared.full[s]);
                    load_bytes(&shared.step[s], steps + i, sizeof(BandStep), &shared.full[s]);
                    const int matrix = item.matrix * plan.b_matrices, column = item.columns * band_columns;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        static_assert(panel_columns == 128 && band_columns == 128);
                        unsigned char* const to = shared.b[s] + half * (BandShared::b_bytes / 2);
                        const int k = panel * panel_columns;
                        if constexpr (BAcrossK) {
                            load_box(to, &plan.b, column + half * 64, k, matrix, &shared.full[s]);
                        } else {
                            load_box(to, &plan.b, k + half * 64, column, matrix, &shared.full[s]);
                        }
                    }
                }
            }
            first += units;
            __syncwarp();
        }
    }
}

template <class In, int Side, bool AAcrossK, bool BAcrossK>
class BandGroup {
public:
    __device__ __forceinline__ BandGroup(const SpmmProblem& problem, const SpmmBand& plan, BandShared& shared)
        : problem_(problem), plan_(plan), shared_(shared), group_(__shfl_sync(0xffffffffu, threadIdx.x / 128, 0)) {}

    __device__ __forceinline__ void run() {
        for (int n = 0; of_first_lane(&BandItem::band, n) >= 0; n = (n + 1) % BandShared::items) {
#pragma unroll
            for (int h = 0; h < 2; ++h) {
#pragma unroll
                for (int r = 0; r < parts; ++r) {
#pragma unroll
                    for (int e = 0; e < Side / 2; ++e) sum_[h][r][e] = 0;
                }
            }
            uint32_t any[words] = {};
            while (multiply_step(any)) release();
            release();
            if (group_ < groups_of_band(plan_.shape)) {
                BandItem item = {};
                item.band = of_first_lane(&BandItem::band, n);
                item.columns = of_first_lane(&BandItem::columns, n);
                item.matrix = of_first_lane(&BandItem::matrix, n);
                item.partial = of_first_lane(&BandItem::partial, n);
                store(item, any);
            }
        }
        if (leads()) store_wait_all();
    }

private:
    static constexpr int parts = group_rows / Side, panel_units = panel_columns / Side;
    static constexpr int words = parts * panel_units > 32 ? 2 : 1, unit_bytes = Side * Side * 2;

    __device__ __forceinline__ bool leads() const {
        return threadIdx.x % 128 == 0;
    }
    __device__ __forceinline__ void synchronize() const {
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group_) : "memory");
    }
    // What the producer wrote is read by the lane that will say that it was read.
    template <class T>
    __device__ __forceinline__ uint32_t of_first_lane(const T& shared) const {
        return uniform(threadIdx.x % 32 == 0 ? static_cast<uint32_t>(shared) : 0);
    }
    __device__ __forceinline__ int of_first_lane(int BandItem::*member, int n) const {
        return static_cast<int>(of_first_lane(shared_.item[n].*member));
    }
    __device__ __forceinline__ void release() {
        __syncwarp();
        if (threadIdx.x % 32 == 0) barrier_arrive(&shared_.empty[turn_.stage()]);
        turn_.next();
    }

    // Multiplies what a stage has. False: it is the item's last.
    __device__ __forceinline__ bool multiply_step(uint32_t (&any)[words]) {
        const int s = turn_.stage();
        barrier_wait(&shared_.full[s], turn_.parity());
        const BandStep& step = shared_.step[s];
        const int stage_at = static_cast<int>(of_first_lane(shared_.ring_at[s]));
        if (stage_at < 0) return of_first_lane(shared_.ends[s]) == 0;
        uint32_t present[words];
#pragma unroll
        for (int i = 0; i < words; ++i) any[i] |= present[i] = of_first_lane(step.present[group_][i]);
        const uint32_t ring_at = stage_at + of_first_lane(step.groups_at[group_]) * unit_bytes;
        const uint64_t b = operand(shared_.b[0]), a = square_operand<Side>(shared_address(shared_.ring));
        const uint32_t b_low = uniform(static_cast<uint32_t>(b) + (s * BandShared::b_bytes >> 4));
        uint32_t a_low = uniform(static_cast<uint32_t>(a)) + (ring_at >> 4);
        const uint64_t b_high = b >> 32 << 32, a_high = a >> 32 << 32;
        constexpr int half = (BAcrossK ? panel_columns * 128 : 64 * 128) >> 4;  // from 64 columns of b to the others
        product_fence();
#pragma unroll
        for (int r = 0; r < parts; ++r) {
            constexpr uint32_t mask = (1u << panel_units) - 1;
            for (uint32_t left = present[r * panel_units / 32] >> r * panel_units % 32 & mask; left; left &= left - 1) {
                const int unit = __ffs(left) - 1;
#pragma unroll
                for (int k = 0; k < Side / 16; ++k) {
                    const uint32_t row = unit * Side + k * 16;
                    const uint32_t at =
                        b_low + (BAcrossK ? row * 8 : row / 64 * (band_columns * 128 >> 4) + row % 64 / 8);
                    const uint64_t unit_a = a_high | (a_low + (k * (AAcrossK ? 16 * Side * 2 : 32) >> 4));
                    multiply_add_group<In, Side, BAcrossK, AAcrossK>(sum_[0][r], b_high | at, unit_a);
                    multiply_add_group<In, Side, BAcrossK, AAcrossK>(sum_[1][r], b_high | (at + half), unit_a);
                }
                a_low += unit_bytes >> 4;
            }
        }
        product_commit();
        product_wait<0>();
        return of_first_lane(shared_.ends[s]) == 0;
    }

    __device__ __forceinline__ void store(const BandItem& item, const uint32_t (&any)[words]) {
        const int first_row = item.band * plan_.shape.band_parts * Side + group_ * group_rows;
        if (item.partial >= 0) return store_partial(item);
        const Epilogue<float> epilogue(problem_.arithmetic);
        if (plan_.stores_boxes && !epilogue.adds()) {
            store_boxes(epilogue, item, first_row, any);
        } else if (problem_.c.type == BSBLAS_R_32F) {
            store_any<float>(epilogue, item, first_row, any);
        } else {
            store_any<In>(epilogue, item, first_row, any);
        }
    }
    // Of a part: with a sum, or without where nothing was multiplied.
    __device__ __forceinline__ Epilogue<float> of_part(Epilogue<float> epilogue, int r,
                                                       const uint32_t (&any)[words]) const {
        constexpr uint32_t mask = (1u << panel_units) - 1;
        if ((any[r * panel_units / 32] >> r * panel_units % 32 & mask) == 0) epilogue.leave_out_sum();
        return epilogue;
    }

    // Two rows of a column of C, finished, in a register.
    __device__ __forceinline__ uint32_t pair(const Epilogue<float>& epilogue, const float* sum) const {
        const Pack<In, 2> two{epilogue(sum[0], zero<In>()), epilogue(sum[1], zero<In>())};
        uint32_t x;
        memcpy(&x, &two, 4);
        return x;
    }

    // By way of shared memory, 64 rows x 64 columns of C at a time.
    __device__ __forceinline__ void store_boxes(const Epilogue<float>& epilogue, const BandItem& item, int first_row,
                                                const uint32_t (&any)[words]) const {
        const bool by_row = problem_.c.row_stride != 1;
        unsigned char* const out = shared_.out[group_];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
        for (int piece = 0; piece < 4; ++piece) {
            const int rows = piece % 2 * 64, h = piece / 2;
            if (leads()) store_wait_read<0>();
            synchronize();
#pragma unroll
            for (int j = 0; j < 8; j += 2) {
                uint32_t x[4];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int row = rows + (j + i) * 8, r = row / Side;
                    const float* const sum = sum_[h][r] + row % Side / 2;
                    const Epilogue<float> own = of_part(epilogue, r, any);
                    x[2 * i] = pair(own, sum);
                    x[2 * i + 1] = pair(own, sum + 2);
                }
                // Lines of 128 bytes in the box's swizzle: rows of C, or columns.
                const int along = j + (lane >> 4), across = warp * 2 + (lane >> 3 & 1), in = lane & 7;
                const int line = by_row ? along * 8 + in : across * 8 + in, chunk = by_row ? across : along;
                if (by_row) {
                    store_matrices<true>(out + line * 128 + ((chunk ^ in) << 4), x);
                } else {
                    store_matrices<false>(out + line * 128 + ((chunk ^ in) << 4), x);
                }
            }
            bulk_fence();
            synchronize();
            if (leads()) {
                const int row = first_row + rows, column = item.columns * band_columns + h * 64;
                store_box(&plan_.c, by_row ? column : row, by_row ? row : column, item.matrix, out);
                store_commit();
            }
        }
    }

    // C is added to, has another type or lies unfavourably: 32 rows x 64 columns at a time, as sums.
    template <class Out>
    __device__ __forceinline__ void store_any(const Epilogue<float>& epilogue, const BandItem& item, int first_row,
                                              const uint32_t (&any)[words]) const {
        const Dense& c = problem_.c;
        const bool by_row = c.row_stride != 1;
        float* const out = reinterpret_cast<float*>(shared_.out[group_]);
        const auto place = [&](int row, int column) { return out + column * 32 + (row ^ column % 32); };
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, thread = threadIdx.x % 128;
        Out* const values = static_cast<Out*>(c.values) + item.matrix * c.batch_stride;
        if (leads()) store_wait_read<0>();
#pragma unroll
        for (int piece = 0; piece < 8; ++piece) {
            const int rows = piece % 4 * 32, h = piece / 4;
            synchronize();
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                const int row = rows + i / 4 * 8, e = i % 4;
                *place(row % 32 + lane % 4 * 2 + e % 2, warp * 16 + lane / 4 + e / 2 * 8) =
                    sum_[h][row / Side][row % Side / 2 + e];
            }
            synchronize();
            const Epilogue<float> own[2] = {of_part(epilogue, rows / Side, any),
                                            of_part(epilogue, (rows + 16) / Side, any)};
#pragma unroll 1
            for (int i = 0; i < 16; ++i) {
                const int row = by_row ? i * 2 + thread / 64 : lane, column = by_row ? thread % 64 : i * 4 + warp;
                const int64_t m = first_row + rows + row, n = item.columns * int64_t{band_columns} + h * 64 + column;
                if (m >= c.rows || n >= c.cols) continue;
                Out* const to = values + m * c.row_stride + n * c.col_stride;
                const Out old = epilogue.adds() ? *to : zero<Out>();
                *to = row < 16 ? own[0](*place(row, column), old) : own[1](*place(row, column), old);
            }
        }
    }

    // Sums for the second kernel.
    __device__ __forceinline__ void store_partial(const BandItem& item) const {
        const bool by_row = problem_.c.row_stride != 1;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
        float* const out =
            plan_.partial + (int64_t{item.partial} * groups_of_band(plan_.shape) + group_) * partial_group;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int column = h * 64 + warp * 16 + lane / 4;
#pragma unroll
            for (int j = 0; j < group_rows / 8; ++j) {
                const float* const sum = sum_[h][j * 8 / Side] + j * 8 % Side / 2;
                const int row = j * 8 + lane % 4 * 2;
                if (by_row) {
#pragma unroll
                    for (int e = 0; e < 4; ++e) out[(row + e % 2) * band_columns + column + e / 2 * 8] = sum[e];
                } else {
                    *reinterpret_cast<float2*>(out + column * group_rows + row) = {sum[0], sum[1]};
                    *reinterpret_cast<float2*>(out + (column + 8) * group_rows + row) = {sum[2], sum[3]};
                }
            }
        }
    }

    const SpmmProblem& problem_;
    const SpmmBand& plan_;
    BandShared& shared_;
    const int group_;
    BandTurn turn_;
    float sum_[2][parts][Side / 2];  // of the first 64 columns, and the others; of each part: the rows on N
};

template <class In, int Side, bool AAcrossK, bool BAcrossK>
__global__ void __launch_bounds__(BandShared::threads, 1)
    spmm_band(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmBand plan) {
    wait_for_predecessor();
    extern __shared__ unsigned char raw[];
    constexpr unsigned alignment = BandShared::alignment;
    BandShared& shared =
        *reinterpret_cast<BandShared*>(raw + (alignment - shared_address(raw) % alignment) % alignment);
    if (threadIdx.x == 0) {
        for (int s = 0; s < BandShared::stages; ++s) {
            barrier_init(&shared.full[s], 1);
            barrier_init(&shared.empty[s], band_groups * 4);
        }
        barrier_init_fence();
        shared.item[0] = band_item(plan, blockIdx.x);
    }
    __syncthreads();
    if (threadIdx.x >= band_groups * 128) {
        give_registers<BandShared::producer_registers>();
        if (threadIdx.x < band_groups * 128 + 32) {
            produce_stages<Side, BAcrossK>(plan, Epilogue<float>(problem.arithmetic).multiplies(), shared);
        }
        return;
    }
    take_registers<BandShared::group_registers>();
    BandGroup<In, Side, AAcrossK, BAcrossK>(problem, plan, shared).run();
}

// C from the sums of the tiles that were multiplied in pieces, in the order of the pieces. A block has a quarter of a
// group of a tile; a thread finishes four elements side by side, four times.
constexpr int sum_threads = 256, sum_turns = partial_group / 4 / (sum_threads * 4);

template <class In>
__global__ void __launch_bounds__(sum_threads)
    sum_band_pieces(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmBand plan) {
    wait_for_predecessor();
    __shared__ BandItem item;
    const int tile = blockIdx.y * plan.pieces;
    if (threadIdx.x == 0) item = band_item(plan, plan.whole_tiles + tile);
    const int groups = groups_of_band(plan.shape), group = blockIdx.z;
    const int first = (blockIdx.x * sum_turns * sum_threads + threadIdx.x) * 4;
    float sum[sum_turns][4] = {};
#pragma unroll 2
    for (int i = 0; i < plan.pieces; ++i) {
        const float* const from = plan.partial + (int64_t{tile + i} * groups + group) * partial_group + first;
#pragma unroll
        for (int t = 0; t < sum_turns; ++t) {
            const float4 x = *reinterpret_cast<const float4*>(from + t * sum_threads * 4);
            sum[t][0] += x.x, sum[t][1] += x.y, sum[t][2] += x.z, sum[t][3] += x.w;
        }
    }
    const Dense& c = problem.c;
    const bool by_row = c.row_stride != 1;
    const Epilogue<float> whole(problem.arithmetic);
    __syncthreads();
#pragma unroll
    for (int t = 0; t < sum_turns; ++t) {
        const int e = first + t * sum_threads * 4;
        const int in_row = by_row ? e / band_columns : e % group_rows;
        const int in_column = by_row ? e % band_columns : e / group_rows;
        const int64_t row = int64_t{item.band} * plan.shape.band_parts * plan.shape.side + group * group_rows + in_row;
        const int64_t column = int64_t{item.columns} * band_columns + in_column;
        if (row >= c.rows || column >= c.cols) continue;
        Epilogue<float> epilogue = whole;
        // An infinite alpha must not meet the zero of an empty row.
        if (isnan(whole(0.0f, 0.0f))) {
            const Pattern pattern = problem.a.pattern.of_batch(plan.shape.patterns == 1 ? 0 : item.matrix);
            const int64_t block_row = row / (plan.shape.parts_m * plan.shape.side);
            if (pattern.begin(block_row) == pattern.end(block_row)) epilogue.leave_out_sum();
        }
        const int count = static_cast<int>(min(by_row ? c.cols - column : c.rows - row, int64_t{4}));
        const int64_t offset = item.matrix * c.batch_stride + row * c.row_stride + column * c.col_stride;
        if (c.type == BSBLAS_R_32F) {
            write_run<4>(epilogue, static_cast<float*>(c.values) + offset, 1, count, false, sum[t]);
        } else {
            write_run<4>(epilogue, static_cast<In*>(c.values) + offset, 1, count, plan.stores_boxes, sum[t]);
        }
    }
}

// Calls body(kernel) with the kernel for units of `side`, and operands so.
template <class In, class Body>
int with_spmm_band(int side, BandLayout layout, Body body) {
    const auto by_layout = [&](auto of_side) {
        constexpr int Side = decltype(of_side)::value;
        if (layout.a_across_k) {
            return layout.b_across_k ? body(spmm_band<In, Side, true, true>) : body(spmm_band<In, Side, true, false>);
        }
        return layout.b_across_k ? body(spmm_band<In, Side, false, true>) : body(spmm_band<In, Side, false, false>);
    };
    return side == 16 ? by_layout(std::integral_constant<int, 16>{}) : by_layout(std::integral_constant<int, 32>{});
}

template <class In>
int launch_spmm_band(const SpmmProblem& problem, const SpmmBand& plan, BandLayout layout, const Launch& launch) {
    const int cut = plan.tiles - plan.whole_tiles;
    const int blocks = std::min(plan.whole_tiles + cut * plan.pieces, launch.device.multiprocessors);
    const int result = with_spmm_band<In>(plan.shape.side, layout, [&](auto* kernel) {
        return launch_early(kernel, dim3(static_cast<unsigned>(blocks)), BandShared::threads, band_shared_bytes, launch,
                            problem, plan);
    });
    if (result || cut == 0) return result;
    const dim3 quarters(4, static_cast<unsigned>(cut), static_cast<unsigned>(groups_of_band(plan.shape)));
    return launch_early(sum_band_pieces<In>, quarters, sum_threads, 0, launch, problem, plan);
}

template <class In>
int load_spmm_band() {
    for (int i = 0; i < 8; ++i) {
        const auto loads = [](auto* kernel) { return load(kernel, band_shared_bytes); };
        const BandLayout layout{(i & 1) != 0, (i & 2) != 0};
        if (int result = with_spmm_band<In>(i & 4 ? 16 : 32, layout, loads)) return result;
    }
    return load(sum_band_pieces<In>);
}

}  // namespace bsblas::cuda
