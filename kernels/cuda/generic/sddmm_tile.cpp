// Rows of sddmm_tile.h: one for each height of the tile.
#include "kernels/cuda/generic/sddmm_tile.h"

#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/sddmm_operands.h"
#include "kernels/cuda/generic/tile_plan.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
SddmmTile cut_into_tiles(const SddmmProblem& problem, int rows) {
    const Sparse& a = problem.a;
    const Dense &x = problem.x, &y = problem.y;
    SddmmTile tile;
    if (a.bk <= tile_columns) tile.entries = tile_columns / static_cast<int>(a.bk);
    while (2 << tile.entries_log2 <= tile.entries) ++tile.entries_log2;
    const int64_t capacity = a.pattern.capacity;
    tile.slots = tile.entries == 1 || capacity == 0 ? capacity : (capacity >> tile.entries_log2) + a.pattern.rows;
    tile.parts_m = ceil_div(a.bm, rows);
    tile.parts_n = ceil_div(a.bk, tile_columns);
    tile.x = tile_access(x, x.row_stride, x.col_stride, x.cols, a.bm, rows);
    tile.y = tile_access(y, y.col_stride, y.row_stride, x.cols, a.bk, tile_columns);

    // Outputs that are written at once: as many as are 16 bytes of sums, or two.
    const int size = element_bytes(a.type), sums = std::max(1, 16 / std::max(element_bytes(x.type), 4));
    const auto at_once = [&](int width) {
        return (a.col_stride == 1 ? a.bk : a.bm) % width == 0 &&
               aligned(a.values, size, a.values_stride, static_cast<size_t>(width * size));
    };
    tile.out_width = at_once(sums) ? sums : sums > 2 && at_once(2) ? 2 : 0;
    return tile;
}

double count_tiles(const SddmmProblem& problem, const SddmmTile& tile) {
    const Pattern& pattern = problem.a.pattern;
    const double capacity = static_cast<double>(pattern.capacity), rows = static_cast<double>(pattern.rows);
    const double in_row = std::ceil(capacity / std::max(rows, 1.0) / tile.entries);
    const double of_entries = tile.entries == 1 ? capacity : std::min(capacity, rows * in_row);
    return of_entries * static_cast<double>(tile.parts_m * tile.parts_n) * static_cast<double>(problem.batch);
}

namespace {

SddmmTile plan(const SddmmProblem& problem, const Device& device, int rows) {
    SddmmTile tile = cut_into_tiles(problem, rows);
    const int warps = tile_shape(element_bytes(problem.x.type), rows).threads() / 32;
    tile.split = split_sddmm(problem, device, count_tiles(problem, tile) * warps);
    return tile;
}

template <int Rows>
std::string refuses(const SddmmProblem& problem, const Device&) {
    if (!has_tile(element_bytes(problem.x.type), Rows)) return "it is not compiled for this type";
    if (problem.a.bm > 1 << 20 || problem.a.bk > 1 << 20) return "a block side above 2^20";
    return "";
}

template <int Rows>
size_t workspace(const SddmmProblem& problem, const Device& device) {
    return sddmm_split_bytes(problem, plan(problem, device, Rows).split);
}

template <int Rows>
double cost(const SddmmProblem& problem, const Device& device) {
    const SddmmTile tile = plan(problem, device, Rows);
    const Sparse& a = problem.a;
    const int size = element_bytes(problem.x.type);
    // Tokens of lines that lie apart are read by sectors of 32 bytes.
    const auto bytes = [&](TileAccess access, int64_t lines) {
        const bool along_tokens = access == TileAccess::tokens_wide || access == TileAccess::tokens;
        return along_tokens ? static_cast<double>(lines * size) : std::max(32.0, static_cast<double>(lines * size));
    };
    const double tiles = count_tiles(problem, tile), parts = static_cast<double>(tile.parts_m * tile.parts_n);
    const double entries = static_cast<double>(a.pattern.capacity) * static_cast<double>(problem.batch) * parts;
    const double of_y = entries * bytes(tile.y, std::min<int64_t>(a.bk, tile_columns));
    const double of_x = tiles * bytes(tile.x, std::min<int64_t>(a.bm, Rows));
    // Where tokens are side by side, tiles read whole lines of memory and go through them together.
    const double missed = tokens_side_by_side(problem) ? 0 : missed_us(problem, of_x + of_y, device);
    return sddmm_reduce_us(problem, tile.split, device) + missed +
           tile_us(tiles, Rows, static_cast<double>(problem.x.cols), static_cast<double>(tile.split.splits),
                   tokens_side_by_side(problem), problem.x.type, device);
}

template <int Rows>
int enqueue(const SddmmProblem& problem, const Launch& launch) {
    SddmmTile tile = plan(problem, launch.device, Rows);
    if (tile.split.splits > 1) tile.split.partial = launch.workspace;
    return FloatTypes::with(problem.x.type,
                            [&]<class In>() { return launch_sddmm_tile<In>(problem, tile, Rows, launch); });
}

}  // namespace

#define BSBLAS_ROW(name, rows) \
    extern const SddmmKernel name = {#name, refuses<rows>, workspace<rows>, cost<rows>, enqueue<rows>};
BSBLAS_ROW(sddmm_bsr_any__generic_tile_64, 64)
BSBLAS_ROW(sddmm_bsr_any__generic_tile_32, 32)
BSBLAS_ROW(sddmm_bsr_any__generic_tile_16, 16)
BSBLAS_ROW(sddmm_bsr_any__generic_tile_8, 8)
BSBLAS_ROW(sddmm_bsr_any__generic_tile_4, 4)
#undef BSBLAS_ROW

}  // namespace bsblas::cuda
