// Rows of spmm_tile.h: one for each number of rows.
#include "kernels/cuda/generic/spmm_tile.h"

#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/common/input_types.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/spmm_slice.h"

#include <cuda_runtime.h>

#include <cmath>

namespace bsblas::cuda {
namespace {

constexpr int most_block = 1 << 30;  // positions inside a block are 32-bit

bool reads_along_k(const Dense& b) {
    return b.row_stride == 1 && b.col_stride != 1;
}

double chunks_of_row(const Sparse& a, int k) {
    return k_of_row(a) / k;
}

SpmmTile plan(const SpmmProblem& problem, const Device& device, int rows) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    const int size = element_bytes(b.type), per_piece = 16 / size;
    const SpmmTileShape shape = spmm_tile_shape(size, rows);
    SpmmTile tile;
    tile.slices = ceil_div(a.bm, rows);

    // Warps without columns, or blocks too few for six on each multiprocessor, split k, as long as each gets four
    // chunks.
    const double row_tiles = static_cast<double>(a.pattern.rows) * tile.slices * problem.batch;
    const auto few = [&](int column_warps_log2) {
        const int64_t columns = shape.columns << column_warps_log2;
        return columns / 2 >= c.cols || row_tiles * ceil_div(c.cols, columns) < 6 * device.multiprocessors;
    };
    tile.column_warps_log2 = 2;
    tile.teams_log2 = 0;
    while (tile.teams_log2 < most_teams_log2 && few(tile.column_warps_log2) &&
           chunks_of_row(a, shape.k(size)) >= 8 << tile.teams_log2) {
        --tile.column_warps_log2;
        ++tile.teams_log2;
    }
    tile.tile_columns = shape.columns << tile.column_warps_log2;
    tile.tiles = ceil_div(c.cols, tile.tile_columns);
    const int step = shape.k(size) << tile.teams_log2;
    tile.blocks_per_step = static_cast<int>(step / a.bk);
    tile.rest_per_step = static_cast<int>(step % a.bk);

    tile.wide_a = a.col_stride == 1 && a.bk % per_piece == 0 && aligned(a.values, size, a.row_stride, 16) &&
                  aligned(nullptr, size, a.block_stride, 16) && aligned(nullptr, size, a.values_stride, 16);
    const bool along_k = reads_along_k(b);
    tile.wide_b = (along_k ? a.bk % per_piece == 0 : b.col_stride == 1) &&
                  aligned(b.values, size, along_k ? b.col_stride : b.row_stride, 16) &&
                  aligned(nullptr, size, b.batch_stride, 16);
    const int c_size = element_bytes(c.type);
    if (c.row_stride == 1) {
        const size_t bytes = access_bytes(shape.lane_rows, c_size);
        tile.wide_c = aligned(c.values, c_size, c.col_stride, bytes) && aligned(nullptr, c_size, a.bm, bytes) &&
                      aligned(nullptr, c_size, c.batch_stride, bytes);
    } else {
        const size_t bytes = access_bytes(std::min(per_piece, shape.lane_columns), c_size);
        tile.wide_c = !along_k && aligned(c.values, c_size, c.row_stride, bytes) &&
                      aligned(nullptr, c_size, c.batch_stride, bytes);
    }
    return tile;
}

template <int Rows>
std::string refuses(const SpmmProblem& problem, const Device& device) {
    const int size = element_bytes(problem.b.type);
    if (size == 1) return "it is not compiled for this type";
    if (problem.a.bm > most_block || problem.a.bk > most_block) return "a block side above 2^30";
    if (size == 2) {
        SpmmProblem aligned = problem;
        aligned.a.values = aligned.b.values = nullptr;
        const SpmmTile tile = plan(aligned, device, Rows);
        if (!tile.wide_a || !tile.wide_b) return "it reads 16-bit types by 16 aligned bytes along A's rows";
    }
    return "";
}

// Cycles of a scheduler for a lane's multiply-add: fitted together with those of a copy, so no count of instructions.
constexpr double multiply_add_cycles(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_32F:
            return 1.16;
        case BSBLAS_R_64F:
            return 1.59;
        case BSBLAS_C_32F:
            return 4.4;
        case BSBLAS_C_64F:
            return 8.5;
        default:
            return 1.64;
    }
}

// The blocks of the multiprocessor that has most, in rounds of those that it holds at once: as long as their
// instructions or, if that is longer, as one of them with its waits. Bytes that pass L2 are hidden in part. The
// constants fit 256 times measured on an H200 (every type, 8 to 32 rows, b = 8 to 64, N = 16 to 8192) within 8 % in the
// mean square.
template <int Rows>
double cost(const SpmmProblem& problem, const Device& device) {
    const SpmmTile tile = plan(problem, device, Rows);
    const Sparse& a = problem.a;
    const int size = element_bytes(problem.b.type), teams = 1 << tile.teams_log2;
    const SpmmTileShape shape = spmm_tile_shape(size, Rows);
    const int k = shape.k(size), sums = shape.lane_rows * shape.lane_columns;
    const double sms = std::max(1, device.multiprocessors);
    const double blocks = static_cast<double>(a.pattern.rows) * tile.slices * tile.tiles * problem.batch;
    const double chunks = std::max(1.0, chunks_of_row(a, k) / teams);
    // Of a warp: a is shared by its team.
    const double a_copies = k * Rows * teams / (32.0 * tile_warps * (tile.wide_a ? 16 / size : 1));
    const double b_copies = k * shape.columns / (32.0 * (tile.wide_b ? 16 / size : 1));
    const double issue = k * sums * multiply_add_cycles(problem.b.type) + 22 * (a_copies + b_copies);

    static_assert(tile_warps == 4, "a block gives each scheduler one warp");
    const double alone = chunks * (1030 + 1.1 * issue);
    // Of a block's warps; the others have no columns.
    const double busy =
        std::min(1.0, static_cast<double>(ceil_div(problem.c.cols, shape.columns)) / (1 << tile.column_warps_log2));
    const auto round = [&](double together) {
        return together > 0 ? std::max(busy * together * chunks * issue, alone) : 0;
    };
    const double most = std::ceil(blocks / sms), resident = spmm_tile_blocks(size, Rows);
    const double rounds = std::floor(most / resident);
    const double cycles = rounds * round(resident) + round(most - rounds * resident);
    const double nonzeros = static_cast<double>(a.pattern.capacity) * a.bk * problem.batch;
    const double l2_cycles =
        nonzeros * size * (static_cast<double>(problem.c.cols) * tile.slices + static_cast<double>(a.bm) * tile.tiles) /
        (43 * sms);
    const double ends = 22 * blocks / sms * sums * size;
    return launch_us + (0.24 * std::max(cycles, l2_cycles) + 0.76 * (cycles + l2_cycles) + ends) / cycles_per_us;
}

template <int Rows>
int enqueue(const SpmmProblem& problem, const Launch& launch) {
    const SpmmTile tile = plan(problem, launch.device, Rows);
    // Copies take whole elements, and of 16-bit types 16 bytes: pointers may ask for another kernel.
    const size_t size = static_cast<size_t>(element_bytes(problem.b.type));
    if (!aligned(problem.a.values, size, 0, size) || !aligned(problem.b.values, size, 0, size) ||
        (size == 2 && !(tile.wide_a && tile.wide_b))) {
        return run_spmm_slice(problem, launch);
    }
    const bool along_k = reads_along_k(problem.b) && size < 16;
    return FloatTypes::with(problem.b.type,
                            [&]<class In>() { return launch_spmm_tile<In>(problem, tile, Rows, along_k, launch); });
}

}  // namespace

#define BSBLAS_ROW(name, rows) \
    extern const SpmmKernel name = {#name, refuses<rows>, no_workspace, cost<rows>, enqueue<rows>};
BSBLAS_ROW(spmm_bsr_any__generic_tile_8, 8)
BSBLAS_ROW(spmm_bsr_any__generic_tile_16, 16)
BSBLAS_ROW(spmm_bsr_any__generic_tile_32, 32)
#undef BSBLAS_ROW

}  // namespace bsblas::cuda
