// The stable order of a pattern's slots by column: what transposed indices, transposition, sorting and CSR need.
#pragma once

#include "kernels/cuda/generic/pattern_access.cuh"

namespace bsblas::cuda {

// Where the order goes. Entry q says: rows[q] is a block row, slots[q] its slot; offsets[c] is the first entry of
// column c (of group c, below). Rows and offsets count from base, slots from 0.
struct ByColumn {
    IndexWriter offsets, rows, slots;
    int64_t base = 0;
};

// Columns count as c / columns_per_group, so that the order can be coarser than the pattern.
size_t order_by_column_workspace(const Stored& a, int64_t columns_per_group);
void order_by_column(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace);

// A whole order in a workspace, which is also a pattern: that of the transposed matrix.
struct OrderInWorkspace {
    bool wide = false;
    int64_t groups = 0;
    void *offsets = nullptr, *rows = nullptr, *slots = nullptr;

    OrderInWorkspace(Carver& carver, const Stored& a, int64_t columns_per_group);
    ByColumn out() const { return {{offsets, wide}, {rows, wide}, {slots, wide}, 0}; }
    Stored pattern(const Stored& a) const;
};

// The two ways. Counting takes one pass over few columns; radix takes any.
bool counting_takes(int64_t groups, int64_t capacity);
size_t counting_workspace(int64_t groups, int64_t capacity);
void order_by_counting(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace);

size_t radix_workspace(int64_t groups, int64_t capacity);
void order_by_radix(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace);

inline int64_t groups_of(const Stored& a, int64_t columns_per_group) {
    return ceil_div(a.block_cols, columns_per_group);
}

}  // namespace bsblas::cuda
