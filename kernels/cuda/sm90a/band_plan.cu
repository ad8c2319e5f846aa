#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/sm90a/band_plan.h"
#include "kernels/cuda/sm90a/wgmma.cuh"

#include <cub/warp/warp_scan.cuh>

namespace bsblas::cuda {
namespace {

constexpr int most_parts = band_groups * group_rows / 16, most_panel_units = panel_columns / 16;
constexpr int warps = most_parts, threads = warps * 32;
constexpr int window = 256;  // panels at a time: what shared memory has room for
constexpr unsigned all = 0xffffffffu;

// Of one panel, in shared memory.
struct PanelTable {
    // How often each part has each unit: fewer than 65536 times.
    alignas(16) uint16_t count[most_parts][most_panel_units];
    uint16_t placed[most_parts][most_panel_units];  // of those, to how many a place was given
    uint8_t before[most_parts];                     // units of the parts before, each once
    uint8_t present[most_parts];                    // of each part, a bit for each unit
    int rounds, units;                              // steps; units of all
    int first_step, first_unit;                     // those of the panels before
};

struct Shared {
    cub::WarpScan<uint64_t>::TempStorage scan;
    int64_t starts[most_parts + 1];
    int rank, steps, units;  // steps and units: of the windows before
    PanelTable panels[window];
};

// A warp walks the units of blocks [begin, end) whose panels are in the window that begins at `first`, 32 blocks at a
// time. body(entry, place in the block, panel in the window, unit in the panel, how many of the 32 before it are the
// same, how many there are in all); panel is -1 for lanes without one. (Little in this file is unrolled: a kernel that
// runs this briefly waits for its instructions.)
template <class Body>
__device__ __forceinline__ void walk_part(const Pattern& pattern, const BandShape& shape, int64_t begin, int64_t end,
                                          int first, Body body) {
    const int lane = threadIdx.x % 32, panel_shift = shape.side == 16 ? 3 : 2;
#pragma unroll 1
    for (int64_t base = begin; base < end; base += 32) {
        const int64_t entry = base + lane;
        const int64_t column = entry < end ? pattern.col(entry) : -1;
        const bool there = column >= 0 && column < pattern.cols;
        // Most often columns are sorted, and all different. (To match lanes takes hundreds of cycles.)
        const int64_t left = __shfl_up_sync(all, column, 1);
        const bool differ = __all_sync(all, lane == 0 || !there || column > left);
#pragma unroll 1
        for (int k = 0; k < shape.parts_k; ++k) {
            const int unit = there ? static_cast<int>(column) * shape.parts_k + k : 0;
            const int panel = there ? (unit >> panel_shift) - first : -1;
            const bool inside = panel >= 0 && panel < window;
            unsigned same = 1u << lane;
            if (!differ) same = __match_any_sync(all, inside ? unit : -1);
            body(entry, k, inside ? panel : -1, unit & ((1 << panel_shift) - 1), __popc(same & ((1u << lane) - 1)),
                 __popc(same));
            __syncwarp();
        }
    }
}

// A warp tells a panel's steps from its counts; a lane has a part.
__device__ __forceinline__ void sum_panel(PanelTable& panel) {
    const int lane = threadIdx.x % 32;
    uint32_t most = 0, units = 0, present = 0;
    if (lane < most_parts) {
        uint16_t count[most_panel_units];
        memcpy(count, __builtin_assume_aligned(panel.count[lane], 16), sizeof count);
        for (int i = 0; i < most_panel_units; ++i) {
            most = max(most, uint32_t{count[i]});
            units += count[i];
            present |= (count[i] != 0) << i;
        }
        panel.present[lane] = static_cast<uint8_t>(present);
    }
    int before = __popc(present);
#pragma unroll 1
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(all, before, d);
        if (lane >= d) before += other;
    }
    if (lane < most_parts) panel.before[lane] = static_cast<uint8_t>(before - __popc(present));
    most = __reduce_max_sync(all, most);
    units = __reduce_add_sync(all, units);
    if (lane == 0) {
        panel.rounds = static_cast<int>(most);
        panel.units = static_cast<int>(units);
    }
}

// A warp writes a panel's steps: round r has the units that are there more than r times.
__device__ __forceinline__ void write_steps(const PanelTable& table, const BandShape& shape, int panel, int first_unit,
                                            BandStep* out) {
    const int lane = threadIdx.x % 32, bits = shape.panel_units, group_parts = group_rows / shape.side;
#pragma unroll 1
    for (int round = 0; round < table.rounds; ++round) {
        uint32_t present = lane < most_parts ? table.present[lane] : 0;
        if (round > 0) {
#pragma unroll 1
            for (int i = 0; i < bits && lane < most_parts; ++i) {
                if (table.count[lane][i] <= round) present &= ~(1u << i);
            }
        }
        const int units = static_cast<int>(__reduce_add_sync(all, static_cast<unsigned>(__popc(present))));
        const int group = lane / group_parts, bit = lane % group_parts * bits;
        int at = 0;
#pragma unroll 1
        for (int g = 0; g < band_groups; ++g) {
            const unsigned mine = group == g ? present << bit % 32 : 0;
            const unsigned low = __reduce_or_sync(all, bit < 32 ? mine : 0);
            const unsigned high = __reduce_or_sync(all, bit < 32 ? 0 : mine);
            if (lane == 0) {
                out[round].groups_at[g] = at;
                out[round].present[g][0] = low;
                out[round].present[g][1] = high;
            }
            at += __popc(low) + __popc(high);
        }
        if (lane == 0) {
            out[round].panel = panel;
            out[round].first = first_unit;
            out[round].units = units;
        }
        first_unit += units;
    }
}

// Where a unit stands among its panel's: `round` of the same come before it.
__device__ __forceinline__ int place_in_panel(const PanelTable& table, const BandShape& shape, int part, int unit,
                                              int round) {
    if (round == 0) return table.before[part] + __popc(table.present[part] & ((1u << unit) - 1));
    int place = 0;
#pragma unroll 1
    for (int i = 0; i < most_parts * shape.panel_units; ++i) {
        const int p = i / shape.panel_units, u = i % shape.panel_units;
        const int n = table.count[p][u];
        place += min(n, round);
        if (n > round && (p < part || (p == part && u < unit))) ++place;
    }
    return place;
}

__global__ void __launch_bounds__(threads)
    plan_bands(const __grid_constant__ Pattern patterns, const __grid_constant__ BandShape shape, BandPlan plans) {
    wait_for_predecessor();
    extern __shared__ unsigned char raw[];
    Shared& shared = *reinterpret_cast<Shared*>(raw);
    const int band = blockIdx.x, matrix = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Pattern pattern = patterns.of_batch(matrix);
    const BandPlan plan = plans.of_pattern(shape, matrix);
    const int first_part = band * shape.band_parts, number = first_part + warp;
    // All that is read of the offsets, at once. Where parts begin among the units; the bands that have more units come
    // before this one.
    const auto first = [&](int i) { return first_unit(pattern, shape, i); };
    int64_t start = 0, begin = 0;
    if (threadIdx.x <= shape.band_parts) start = first(first_part + threadIdx.x);
    if (warp < shape.band_parts && number < shape.parts) begin = pattern.begin(number / shape.parts_m);
    const int64_t units_of_band = first(first_part + shape.band_parts) - first(first_part);
    int before = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < shape.bands; i += threads) {
        const int64_t other = first((i + 1) * shape.band_parts) - first(i * shape.band_parts);
        before += other > units_of_band || (other == units_of_band && i < band);
    }
    if (threadIdx.x == 0) {
        shared.rank = shared.steps = shared.units = 0;
        if (band == 0 && matrix == 0) *plans.next_item = 0;
    }
    if (threadIdx.x <= shape.band_parts) shared.starts[threadIdx.x] = start;
#pragma unroll 1
    for (int window_at = 0; window_at < shape.panels; window_at += window) {
        const int panels = min(window, shape.panels - window_at);
        constexpr int table_16 = (sizeof(PanelTable::count) + sizeof(PanelTable::placed)) / 16;
#pragma unroll 1
        for (int i = threadIdx.x; i < panels * table_16; i += threads) {
            reinterpret_cast<uint4*>(&shared.panels[i / table_16])[i % table_16] = {};  // both tables
        }
        __syncthreads();
        const int64_t end =
            begin + (warp < shape.band_parts ? (shared.starts[warp + 1] - shared.starts[warp]) / shape.parts_k : 0);
        const auto walk = [&](auto body) { walk_part(pattern, shape, begin, end, window_at, body); };
        walk([&](int64_t, int, int panel, int unit, int earlier, int together) {
            if (panel >= 0 && earlier == 0) shared.panels[panel].count[warp][unit] += static_cast<uint16_t>(together);
        });
        __syncthreads();
#pragma unroll 1
        for (int i = warp; i < panels; i += warps) sum_panel(shared.panels[i]);
        __syncthreads();
        if (warp == 0) {
            // Steps in the upper half, units in the lower.
            uint64_t sum = static_cast<uint64_t>(shared.steps) << 32 | static_cast<uint32_t>(shared.units);
#pragma unroll 1
            for (int base = 0; base < panels; base += 32) {
                const int i = min(base + lane, window - 1);
                uint64_t mine = 0, earlier, total;
                if (base + lane < panels) {
                    mine = static_cast<uint64_t>(shared.panels[i].rounds) << 32 | shared.panels[i].units;
                }
                cub::WarpScan<uint64_t>(shared.scan).ExclusiveSum(mine, earlier, total);
                __syncwarp();
                if (base + lane < panels) {
                    shared.panels[i].first_step = static_cast<int>((sum + earlier) >> 32);
                    shared.panels[i].first_unit = static_cast<int>(sum + earlier);
                }
                sum += total;
            }
            if (lane == 0) {
                shared.steps = static_cast<int>(sum >> 32);
                shared.units = static_cast<int>(sum);
            }
        }
        __syncthreads();
#pragma unroll 1
        for (int i = warp; i < panels; i += warps) {
            const PanelTable& table = shared.panels[i];
            write_steps(table, shape, window_at + i, table.first_unit,
                        plan.steps + shared.starts[0] + table.first_step);
        }
        __syncthreads();
        const int64_t part_offset = static_cast<int64_t>(number % shape.parts_m) * shape.part_step;
        walk([&](int64_t entry, int k, int panel, int unit, int same_before, int together) {
            const int64_t slot = panel < 0 ? 0 : pattern.slot(entry);
            PanelTable& table = shared.panels[max(panel, 0)];
            const int round = table.placed[warp][unit] + same_before;
            __syncwarp();
            if (panel < 0) return;
            if (same_before == 0) table.placed[warp][unit] += static_cast<uint16_t>(together);
            const int64_t values = slot * shape.block_step + part_offset + k * shape.unit_step;
            plan.units[shared.starts[0] + table.first_unit + place_in_panel(table, shape, warp, unit, round)] =
                static_cast<uint32_t>(values);
        });
        __syncthreads();
    }
    if (before) atomicAdd(&shared.rank, before);
    __syncthreads();
    if (threadIdx.x == 0) plan.bands[shared.rank] = {band, shared.steps, shared.starts[0]};
}

// A warp copies a unit, 16 bytes a lane and turn.
constexpr int pack_threads = 256, units_of_warp = 4;

template <int Side>
__global__ void __launch_bounds__(pack_threads)
    pack(const __grid_constant__ Sparse a, const __grid_constant__ BandShape shape, BandPlan plans, uint4* packed) {
    wait_for_predecessor();
    constexpr int chunks = Side / 8, turns = Side * Side / 256;
    const int matrix = blockIdx.y, pattern_number = shape.patterns == 1 ? 0 : matrix, lane = threadIdx.x % 32;
    const Pattern pattern = a.pattern.of_batch(pattern_number);
    const uint32_t* const units = plans.of_pattern(shape, pattern_number).units;
    const auto* const values = static_cast<const uint4*>(a.values) + matrix * a.values_stride / 8;
    const int64_t count = first_unit(pattern, shape, shape.parts);
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * (pack_threads / 32) + threadIdx.x / 32) * units_of_warp;
    const int line = lane / chunks, chunk = lane % chunks;
    uint4 x[units_of_warp][turns];
#pragma unroll
    for (int i = 0; i < units_of_warp; ++i) {
        if (first + i >= count) break;
#pragma unroll
        for (int t = 0; t < turns; ++t) {
            x[i][t] =
                values[static_cast<size_t>(units[first + i]) + (line + t * (32 / chunks)) * shape.line_step + chunk];
        }
    }
    uint4* const to =
        packed + (matrix * shape.units + first) * (turns * 32) + line * chunks + line_chunk<Side>(line, chunk);
#pragma unroll
    for (int i = 0; i < units_of_warp; ++i) {
        if (first + i >= count) break;
#pragma unroll
        for (int t = 0; t < turns; ++t) to[(i * turns + t) * 32] = x[i][t];
    }
}

// Up to how many panels there are, when they are fewer than a window.
size_t shared_bytes(int panels) {
    const size_t absent = panels < window ? static_cast<size_t>(window - panels) * sizeof(PanelTable) : 0;
    return sizeof(Shared) - absent;
}

}  // namespace

BandPlan carve_band_plan(const BandShape& shape, Carver& carver) {
    const int64_t units = shape.patterns * shape.units;
    return {carver.take<uint32_t>(units), carver.take<BandStep>(units),
            carver.take<Band>(int64_t{shape.patterns} * shape.bands), carver.take<unsigned>(1)};
}

int make_band_plan(const Pattern& pattern, const BandShape& shape, const BandPlan& plan, const Launch& launch) {
    const dim3 blocks(static_cast<unsigned>(shape.bands), static_cast<unsigned>(shape.patterns));
    return launch_early(plan_bands, blocks, threads, shared_bytes(shape.panels), launch, pattern, shape, plan);
}

int pack_units(const Sparse& a, const BandShape& shape, const BandPlan& plan, int packs, void* packed,
               const Launch& launch) {
    constexpr int64_t units_of_block = pack_threads / 32 * units_of_warp;
    const dim3 blocks(static_cast<unsigned>((shape.units + units_of_block - 1) / units_of_block),
                      static_cast<unsigned>(packs));
    return launch_early(shape.side == 16 ? pack<16> : pack<32>, blocks, pack_threads, 0, launch, a, shape, plan,
                        static_cast<uint4*>(packed));
}

int load_band_plan() {
    if (int result = load(pack<16>)) return result;
    if (int result = load(pack<32>)) return result;
    return load(plan_bands, sizeof(Shared));
}

}  // namespace bsblas::cuda
