// CSR to BSR: entries are ordered by column and then, stably, by block row. So the entries of a block follow each
// other, and those at the same place are neighbours, in the order in which S has them.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_by_column.cuh"
#include "kernels/cuda/generic/pattern_counts.cuh"
#include "kernels/cuda/generic/pattern_sum.cuh"

namespace bsblas::cuda {

namespace {

// S's entries as ordered.
struct Ordered {
    Indices block_row_offsets, cols, by_column_entries;  // of the order by block row
    Indices rows, entries;                               // of the order by column
    int64_t bk;

    __device__ int64_t col(int64_t q) const { return cols[q]; }
    __device__ int64_t row(int64_t q) const { return rows[by_column_entries[q]]; }
    __device__ int64_t entry(int64_t q) const { return entries[by_column_entries[q]]; }
    __device__ bool starts_block(int64_t q, int64_t begin) const {
        return q == begin || split(col(q), bk).quotient != split(col(q - 1), bk).quotient;
    }
    __device__ bool same_place(int64_t q, int64_t other) const { return col(q) == col(other) && row(q) == row(other); }
};

template <int Group>
__global__ void count(Ordered s, int64_t block_rows, int64_t* counts) {
    for (int64_t row = RowGroup<Group>::first_row(); row < block_rows; row += RowGroup<Group>::row_step()) {
        const int64_t begin = s.block_row_offsets[row], end = s.block_row_offsets[row + 1];
        int64_t own = 0;
        for (int64_t q = begin + RowGroup<Group>::member(); q < end; q += Group) own += s.starts_block(q, begin);
        own = RowGroup<Group>::sum(own);
        if (RowGroup<Group>::member() == 0) counts[row] = own;
    }
}

template <class T>
__global__ void clear(Stored a) {
    const int64_t all = PatternReader(a).live * a.bm * a.bk;
    for (int64_t e = global_thread(); e < all; e += all_threads()) static_cast<T*>(a.values)[e] = T{};
}

template <class T, int Group>
__global__ void store_entries(Ordered s, const void* values, Stored a, const int64_t* starts) {
    if (starts[a.block_rows] > a.room()) return;
    const IndexWriter indices{a.indices, a.indices_wide};
    const T* const from = static_cast<const T*>(values);
    T* const to = static_cast<T*>(a.values);
    for (int64_t row = RowGroup<Group>::first_row(); row < a.block_rows; row += RowGroup<Group>::row_step()) {
        const int64_t begin = s.block_row_offsets[row], end = s.block_row_offsets[row + 1];
        int64_t next = starts[row];
        for (int64_t q0 = begin; q0 < end; q0 += Group) {
            const int64_t q = q0 + RowGroup<Group>::member();
            const bool starts_block = q < end && s.starts_block(q, begin);
            int total;
            const int before = RowGroup<Group>::rank(starts_block, &total);
            const int64_t p = next + before + starts_block - 1;
            next += total;
            if (q >= end) continue;
            const Split col = split(s.col(q), a.bk);
            if (starts_block) indices.put(p, col.quotient + a.base);
            if (q > begin && s.same_place(q, q - 1)) continue;  // the first entry at a place acts for all
            T value = from[s.entry(q)];
            for (int64_t other = q + 1; other < end && s.same_place(q, other); ++other)
                value = sum(value, from[s.entry(other)]);
            to[p * a.bm * a.bk + (s.row(q) - row * a.bm) * a.row_stride() + col.rest * a.col_stride()] = value;
        }
    }
}

struct Workspace {
    OrderInWorkspace by_column, by_block_row;
    void* ordering;  // of either, one after the other
    RowStarts rows;

    Workspace(Carver& carver, const Stored& s, const Stored& a)
        : by_column(carver, s, 1),
          by_block_row(carver, by_column.pattern(s), a.bm),
          ordering(nullptr),
          rows(carver, a.block_rows) {
        const size_t first = order_by_column_workspace(s, 1);
        const size_t second = order_by_column_workspace(by_column.pattern(s), a.bm);
        ordering = carver.take<char>(first > second ? first : second);
    }
    Ordered ordered(const Stored& a) const {
        const OrderInWorkspace &c = by_column, &r = by_block_row;
        return {{r.offsets, r.wide}, {r.rows, r.wide}, {r.slots, r.wide}, {c.rows, c.wide}, {c.slots, c.wide}, a.bk};
    }
};

}  // namespace

size_t csr_to_bsr_workspace(const Stored& s, const Stored& a) {
    Carver carver(nullptr);
    Workspace(carver, s, a);
    return carver.used();
}

int csr_to_bsr(const Stored& s, const Stored& a, bool count_only, int64_t* device_count, void* stream,
               void* workspace) {
    Carver carver(workspace);
    const Workspace parts(carver, s, a);
    const Ordered ordered = parts.ordered(a);
    Queue queue(stream);
    order_by_column(queue, s, 1, parts.by_column.out(), parts.ordering);
    order_by_column(queue, parts.by_column.pattern(s), a.bm, parts.by_block_row.out(), parts.ordering);
    launch_by_rows(queue, count<32>, count<kThreads>, a.block_rows, s.capacity, ordered, a.block_rows,
                   parts.rows.starts);
    parts.rows.sum_counts(queue);
    store_offsets(queue, a, parts.rows, count_only, device_count);
    if (count_only || a.capacity == 0) return queue.status();
    with_summand(a.type, [&](auto summand) {
        using T = decltype(summand);
        queue.launch(clear<T>, ceil_div(a.capacity * a.bm * a.bk, kThreads), a);
        launch_by_rows(queue, store_entries<T, 32>, store_entries<T, kThreads>, a.block_rows, s.capacity, ordered,
                       s.values, a, parts.rows.starts);
    });
    return queue.status();
}

}  // namespace bsblas::cuda
