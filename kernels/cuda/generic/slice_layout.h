// How lanes and warps share the work of a slice; decided on the host.
#pragma once

namespace bsblas::cuda {

constexpr int slice_warps = 4;  // of a block
constexpr int slice_threads = 32 * slice_warps;

// Columns of a lane: 16 bytes, or 4 elements of small types (their sums are as large as those of f32).
constexpr int slice_columns_of(int element_bytes) {
    return element_bytes <= 4 ? 4 : 16 / element_bytes;
}

// Blocks on a multiprocessor: as many as leave registers for the sums, two fragments of b, and a's slice twice.
// row_bytes: of a slice's sums of one column.
constexpr int slice_blocks_of_multiprocessor(int row_bytes) {
    return row_bytes <= 32 ? 4 : row_bytes <= 64 ? 3 : 2;
}

struct SliceLayout {
    int lk_log2 = 0;       // groups of lanes that split k: 2^0 .. 2^3
    int k_warps_log2 = 0;  // warps of a block that split k: 2^0 .. 2^2

    constexpr int lanes() const { return 32 >> lk_log2; }  // along the columns
};

}  // namespace bsblas::cuda
