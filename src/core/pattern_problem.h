// What pattern operations are asked to do: plain structs, one matrix (not a batch) at a time.
#pragma once

#include "core/problem.h"

namespace bsblas {

// A stored sparse matrix: BSR, or CSR as BSR with 1 x 1 blocks. Null arrays are possible where the caller may leave
// them.
struct Stored {
    int64_t block_rows = 0, block_cols = 0, capacity = 0;
    int64_t bm = 1, bk = 1;
    int64_t rows = 0, cols = 0;  // logical, in elements
    void* offsets = nullptr;
    void* indices = nullptr;
    void* values = nullptr;
    bool offsets_wide = false, indices_wide = false;
    int64_t base = 0;
    bool row_major_blocks = true;
    bsblasDataType_t type = BSBLAS_R_32F;

    BSBLAS_HD Indices offset_array() const { return {offsets, offsets_wide}; }
    BSBLAS_HD Indices index_array() const { return {indices, indices_wide}; }
    // What it can hold: the capacity, as far as its offsets can count.
    BSBLAS_HD int64_t room() const {
        const int64_t countable = offsets_wide ? INT64_MAX - base : INT32_MAX - base;
        return capacity < countable ? capacity : countable;
    }
    BSBLAS_HD int64_t row_stride() const { return row_major_blocks ? bk : 1; }
    BSBLAS_HD int64_t col_stride() const { return row_major_blocks ? 1 : bm; }
};

struct Defect {
    bsblasDefect_t kind = BSBLAS_DEFECT_NONE;
    int64_t row = -1, slot = -1;
    int64_t value = 0;  // the number found: an offset or a column, base included
};

}  // namespace bsblas
