// Host side: what the plans and cost models of tile kernels share.
#pragma once

#include "core/problem.h"
#include "kernels/cuda/common/alignment.h"
#include "kernels/cuda/generic/cost.h"
#include "kernels/cuda/generic/tile_shape.h"

namespace bsblas::cuda {

// How a tile of `tile_lines` lines reads an operand. Its first line is a multiple of `multiple`.
inline TileAccess tile_access(const Dense& operand, int64_t line_stride, int64_t token_stride, int64_t tokens,
                              int64_t multiple, int tile_lines) {
    const int size = element_bytes(operand.type);
    const auto is_aligned = [&](int64_t stride, size_t bytes) {
        return aligned(operand.values, size, stride, bytes) && aligned(nullptr, size, operand.batch_stride, bytes);
    };
    if (token_stride == 1 && (line_stride != 1 || tokens > 1)) {
        return is_aligned(line_stride, 16) ? TileAccess::tokens_wide : TileAccess::tokens;
    }
    const int lines = std::min(std::max(1, 16 / size), tile_lines);
    return multiple % lines == 0 && is_aligned(token_stride, static_cast<size_t>(lines * size)) ? TileAccess::lines_wide
                                                                                                : TileAccess::lines;
}

// Microseconds for `tiles` tiles of `rows` rows and all `tokens`, each divided among `splits` blocks. The
// constants fit 2610 measured times of sddmm_tile on an H200 (every type, b = 2 to 128, N = 1 to 8192) within 10 %
// (root mean square).
inline double tile_us(double tiles, int rows, double tokens, double splits, bool side_by_side, bsblasDataType_t type,
                      const Device& device) {
    const int size = element_bytes(type), chunk = tile_chunk(size, rows);
    const int slots = multiply_add_slots(type);
    const TileShape shape = tile_shape(size, rows);
    const double sms = std::max(1, device.multiprocessors), on_each = tiles * splits / sms;
    const int at_once = tile_min_blocks(size, rows);
    const double tokens_of_block = tokens / splits;
    if (type == BSBLAS_R_64F && rows >= least_tensor_rows) {
        // On tensor cores, where the sums are shared out otherwise; each chunk's reads take at least as long as memory.
        const double tile = 118 + 44.0 * rows + (20 + 0.96 * rows) * tokens_of_block;
        const double alone = 2100 + 233 * shape.own_rows * shape.own_columns + 930 * std::ceil(tokens_of_block / chunk);
        return launch_us + std::max(on_each * tile, alone) / cycles_per_us;
    }

    // Cycles of a multiprocessor for a token of a tile: to bring it to shared memory, and to multiply it.
    const double token = ((size <= 4 ? 12 : size == 8 ? 14 : 45) + rows * slots / 6.0) * (side_by_side ? 1 : 1.2);
    const double work = (on_each < at_once ? std::ceil(on_each) : on_each) * (135 + token * tokens_of_block);
    // Cycles from the beginning of a block to its end, however few there are.
    const int sums = shape.own_rows * shape.own_columns;
    const double wait = 5000 + 50.0 * sums * std::max(size, 4) / 4 +
                        (400 + 2.7 * chunk * sums * slots) * std::ceil(tokens_of_block / chunk);
    return launch_us + (work + std::ceil(on_each / at_once) * wait) / cycles_per_us;
}

}  // namespace bsblas::cuda
