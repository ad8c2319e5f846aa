// Chooses how to order by column; the transposed index is that order itself.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_by_column.cuh"

namespace bsblas::cuda {

size_t order_by_column_workspace(const Stored& a, int64_t columns_per_group) {
    const int64_t groups = groups_of(a, columns_per_group);
    return counting_takes(groups, a.capacity) ? counting_workspace(groups, a.capacity)
                                              : radix_workspace(groups, a.capacity);
}

void order_by_column(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace) {
    if (counting_takes(groups_of(a, columns_per_group), a.capacity))
        order_by_counting(queue, a, columns_per_group, out, workspace);
    else
        order_by_radix(queue, a, columns_per_group, out, workspace);
}

OrderInWorkspace::OrderInWorkspace(Carver& carver, const Stored& a, int64_t columns_per_group)
    : wide(a.block_rows > INT32_MAX || a.block_cols > INT32_MAX || a.capacity > INT32_MAX),
      groups(groups_of(a, columns_per_group)) {
    const int64_t number = wide ? 8 : 4;
    offsets = carver.take<char>((groups + 1) * number);
    rows = carver.take<char>(a.capacity * number);
    slots = carver.take<char>(a.capacity * number);
}

Stored OrderInWorkspace::pattern(const Stored& a) const {
    Stored transposed;
    transposed.block_rows = transposed.rows = groups;
    transposed.block_cols = transposed.cols = a.block_rows;
    transposed.capacity = a.capacity;
    transposed.offsets = offsets;
    transposed.indices = rows;
    transposed.offsets_wide = transposed.indices_wide = wide;
    return transposed;
}

size_t transposed_index_workspace(const Stored& a) {
    return order_by_column_workspace(a, 1);
}

int transposed_index(const Stored& a, const TransposedIndex& out, void* stream, void* workspace) {
    Queue queue(stream);
    order_by_column(queue, a, 1, {{out.offsets, out.wide}, {out.rows, out.wide}, {out.slots, out.wide}, 0}, workspace);
    return queue.status();
}

}  // namespace bsblas::cuda
