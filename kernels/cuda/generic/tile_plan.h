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

// Microseconds for `tiles` tiles of `rows` rows and all `tokens`, each divided among `splits` blocks. line_bytes: what
// the lines of all tiles read of a token through L2.
inline double tile_us(double tiles, int rows, double tokens, double splits, double line_bytes, bsblasDataType_t type,
                      const Device& device) {
    const TileShape shape = tile_shape(element_bytes(type), rows);
    const double sms = std::max(1, device.multiprocessors);
    const double warps = tiles * splits * shape.threads() / 32;
    const int sums = shape.own_rows * shape.own_columns;
    const double efficiency = sums >= 32 ? 0.75 : sums >= 16 ? 0.55 : 0.35;
    const double busy = std::min(1.0, warps / (10 * sms));
    const double multiply = tiles * tokens * rows * tile_columns * multiply_add_slots(type) /
                            (128 * sms * cycles_per_us * efficiency * std::max(busy, 0.05));
    const double waves = std::max(1.0, warps / (16 * sms));
    const double latency = waves * (2 + 0.8 * tokens / splits / tile_chunk(element_bytes(type)));
    return launch_us + overlapped(multiply, l2_us(line_bytes * tokens, device), latency);
}

}  // namespace bsblas::cuda
