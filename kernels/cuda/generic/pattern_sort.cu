// Sorting rows by column: ordering by column and then, stably, by row is transposing the pattern twice.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_blocks.cuh"
#include "kernels/cuda/generic/pattern_by_column.cuh"

namespace bsblas::cuda {

namespace {

struct Workspace {
    OrderInWorkspace by_column, by_row;
    void* ordering;  // of either, one after the other
    void* values;

    Workspace(Carver& carver, const Stored& a)
        : by_column(carver, a, 1), by_row(carver, by_column.pattern(a), 1), ordering(nullptr), values(nullptr) {
        const size_t first = order_by_column_workspace(a, 1);
        const size_t second = order_by_column_workspace(by_column.pattern(a), 1);
        ordering = carver.take<char>(first > second ? first : second);
        values = carver.take<char>(a.capacity * a.bm * a.bk * size_of(a.type));
    }
};

// by_row's slots, which are entries of by_column, become slots of a; columns and map are written.
__global__ void compose(Stored a, Indices entry_slots, Indices columns, IndexWriter by_row_slots, Indices by_row,
                        IndexWriter map) {
    const PatternReader pattern(a);
    const IndexWriter indices{a.indices, a.indices_wide};
    for (int64_t p = global_thread(); p < pattern.live; p += all_threads()) {
        const int64_t slot = entry_slots[by_row[p]];
        by_row_slots.put(p, slot);
        indices.put(p, columns[p] + a.base);
        if (map.data) map.put(p, slot);
    }
}

}  // namespace

size_t sort_workspace(const Stored& a) {
    Carver carver(nullptr);
    Workspace(carver, a);
    return carver.used();
}

int sort(const Stored& a, void* map, void* stream, void* workspace) {
    if (a.capacity == 0) return cudaSuccess;
    Carver carver(workspace);
    const Workspace parts(carver, a);
    const OrderInWorkspace &by_column = parts.by_column, &by_row = parts.by_row;
    Queue queue(stream);
    order_by_column(queue, a, 1, by_column.out(), parts.ordering);
    order_by_column(queue, by_column.pattern(a), 1, by_row.out(), parts.ordering);
    const Indices order{by_row.slots, by_row.wide};
    queue.launch(compose, ceil_div(a.capacity, kThreads), a, Indices{by_column.slots, by_column.wide},
                 Indices{by_row.rows, by_row.wide}, by_row.out().slots, order, IndexWriter{map, a.offsets_wide});
    copy_blocks(queue, a, a.values, parts.values, order);
    copy_blocks(queue, a, parts.values, a.values, Indices());
    return queue.status();
}

}  // namespace bsblas::cuda
