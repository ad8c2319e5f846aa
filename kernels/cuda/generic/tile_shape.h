// Sizes of the tiles of tile_loop.cuh, by input type; decided on the host and in kernels alike.
#pragma once

namespace bsblas::cuda {

constexpr int tile_columns = 64;

struct TileShape {
    int rows;                   // of a tile
    int own_rows, own_columns;  // of a thread

    constexpr int threads() const { return rows / own_rows * (tile_columns / own_columns); }
};

// A thread's sums fill at most 64 registers. Tiles of few rows have one warp.
constexpr TileShape tile_shape(int element_bytes, int rows) {
    const bool wide = element_bytes == 16;
    switch (rows) {
        case 64:
            return {64, 8, element_bytes <= 4 ? 8 : 4};
        case 32:
            return {32, element_bytes == 8 ? 8 : 4, element_bytes <= 4 ? 8 : 4};
        case 16:
            return {16, 4, element_bytes <= 4 ? 8 : 4};
        case 8:
            return {8, 4, 4};
        default:
            return {4, wide ? 2 : 4, wide ? 4 : 2};
    }
}

// 64 rows of c64 would need 256 threads; 32 rows reuse what they read often enough.
constexpr bool has_tile(int element_bytes, int rows) {
    return rows <= (element_bytes == 16 ? 32 : 64);
}

// Tiles of binary64 run on tensor cores from this height on.
constexpr int least_tensor_rows = 8;

// Tokens of a chunk: 32 bytes of a line at least, and as few registers on the way to shared memory as that permits.
constexpr int tile_chunk(int element_bytes, int rows) {
    return element_bytes == 2 || (element_bytes == 8 && rows == 64) ? 16 : element_bytes == 16 ? 4 : 8;
}

// Blocks that a multiprocessor has registers for: the sums, what one token multiplies, the chunk on its way to shared
// memory, and what the compiler was seen to need besides (ptxas -v: all but a few bytes stay out of local memory).
// Without such a bound it fills 128 in any case, or 255.
constexpr int tile_min_blocks(int element_bytes, int rows) {
    const TileShape shape = tile_shape(element_bytes, rows);
    const int sum_words = element_bytes < 4 ? 1 : element_bytes / 4;
    const int multiplied = (shape.own_rows * shape.own_columns + shape.own_rows + shape.own_columns) * sum_words;
    const int fetched = tile_chunk(element_bytes, rows) * (rows + tile_columns) * element_bytes / 4 / shape.threads();
    const int besides = element_bytes == 4 ? 32 : element_bytes == 2 ? 48 : 40;
    // Each quarter of a multiprocessor has 512 registers for each lane of its warps.
    return 512 / (multiplied + fetched + besides) * 4 * 32 / shape.threads();
}

// How the threads of a tile read an operand. A line is a row of x or a column of y.
enum class TileAccess {
    tokens_wide,  // consecutive tokens of a line are side by side: 16 bytes of them at once
    tokens,       // the same, one at a time: not aligned
    lines_wide,   // consecutive lines have a token side by side: 16 bytes of them at once
    lines,
};

constexpr bool is_wide(TileAccess access) {
    return access == TileAccess::tokens_wide || access == TileAccess::lines_wide;
}

}  // namespace bsblas::cuda
