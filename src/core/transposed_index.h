// The transposed index of a pattern, as it lies in a buffer: offsets (cols + 1), rows (capacity) and slots (capacity)
// of one matrix, each 256-byte aligned, 32-bit unless a count needs more. Entry p of column c says: block row rows[p],
// stored in slot slots[p]; within a column, rows ascend and equal rows keep the order of their slots. All count from 0.
#pragma once

#include "core/problem.h"

#include <cstddef>

namespace bsblas {

struct TransposedIndex {
    int64_t columns = 0;  // of the pattern: rows of this index
    int64_t capacity = 0;
    bool wide = false;
    void* offsets = nullptr;
    void* rows = nullptr;
    void* slots = nullptr;

    // Where it would lie in `buffer` (may be null), and how many bytes it takes there.
    static TransposedIndex in(void* buffer, int64_t block_rows, int64_t block_cols, int64_t capacity);
    static size_t bytes(int64_t block_rows, int64_t block_cols, int64_t capacity);
};

}  // namespace bsblas
