// BSR to CSR: every element row of a block row has as many entries as the blocks are wide together, so one count a
// block row gives all offsets, and each element knows its place.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_counts.cuh"
#include "kernels/cuda/generic/pattern_flat.cuh"

namespace bsblas::cuda {

namespace {

// columns_before[p]: how far from the start of its row of entries block p's columns are. It is counted only where the
// last block column is narrower than the others; else it is null, as the block's place in its row tells.
template <int Group>
__global__ void count(Stored a, int64_t* counts, int64_t* columns_before) {
    const PatternReader pattern(a);
    const int64_t missing = a.bk - cols_in(a, a.block_cols - 1);  // of the last block column
    for (int64_t row = RowGroup<Group>::first_row(); row < a.block_rows; row += RowGroup<Group>::row_step()) {
        const int64_t begin = pattern.begin(row), end = pattern.end(row);
        int64_t width = begin < end ? (end - begin) * a.bk : 0;
        if (columns_before) {
            int64_t narrow = 0;
            for (int64_t p0 = begin; p0 < end; p0 += Group) {
                const int64_t p = p0 + RowGroup<Group>::member();
                int total;
                const int before = RowGroup<Group>::rank(p < end && pattern.col(p) == a.block_cols - 1, &total);
                if (p < end) columns_before[p] = (p - begin) * a.bk - (narrow + before) * missing;
                narrow += total;
            }
            width -= narrow * missing;
        }
        if (RowGroup<Group>::member() == 0) counts[row] = rows_in(a, row) * width;
    }
}

__device__ int64_t width_of_row(const Stored& a, const int64_t* starts, int64_t row) {
    return split(starts[row + 1] - starts[row], rows_in(a, row)).quotient;
}

__global__ void store_row_offsets(Stored a, Stored s, const int64_t* starts, int64_t* device_count) {
    const int64_t total = starts[a.block_rows];
    const bool fits = total <= s.room();
    const IndexWriter offsets{s.offsets, s.offsets_wide};
    if (offsets.data)
        for (int64_t r = global_thread(); r <= s.block_rows; r += all_threads()) {
            int64_t offset = fits ? total : 0;
            if (fits && r < s.block_rows) {
                const Split place = split(r, a.bm);
                offset = starts[place.quotient] + place.rest * width_of_row(a, starts, place.quotient);
            }
            offsets.put(r, offset + s.base);
        }
    if (device_count && global_thread() == 0) *device_count = total;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    store_entries(Stored a, Stored s, const int64_t* starts, const int64_t* columns_before) {
    if (starts[a.block_rows] > s.room()) return;
    struct About {
        int64_t first;     // entry of the block's element (0, 0)
        int64_t row_step;  // to the entry of the element below
        int64_t first_col;
        int32_t narrow, last;  // whether it is cut at the right, below
    };
    const PatternReader pattern(a);
    const IndexWriter indices{s.indices, s.indices_wide};
    const int64_t width = cols_in(a, a.block_cols - 1), height = rows_in(a, a.block_rows - 1);
    for_each_element<About>(
        a, pattern.live,
        [&](int64_t p) -> About {
            const int64_t row = row_of(a, p), c = pattern.col(p);
            const int64_t before = columns_before ? columns_before[p] : (p - pattern.begin(row)) * a.bk;
            return {starts[row] + before, width_of_row(a, starts, row), c * a.bk, c == a.block_cols - 1,
                    row == a.block_rows - 1};
        },
        [&](const About& about, int64_t element, int64_t i, int64_t j) {
            if ((about.narrow && j >= width) || (about.last && i >= height)) return;
            const int64_t e = about.first + i * about.row_step + j;
            indices.put(e, about.first_col + j + s.base);
            static_cast<T*>(s.values)[e] = static_cast<const T*>(a.values)[element];
        });
}

struct Workspace {
    RowStarts rows;
    int64_t* columns_before;

    Workspace(Carver& carver, const Stored& a)
        : rows(carver, a.block_rows),
          columns_before(a.cols == a.block_cols * a.bk ? nullptr : carver.take<int64_t>(a.capacity)) {}
};

}  // namespace

size_t bsr_to_csr_workspace(const Stored& a, const Stored&) {
    Carver carver(nullptr);
    Workspace(carver, a);
    return carver.used();
}

int bsr_to_csr(const Stored& a, const Stored& s, bool count_only, int64_t* device_count, void* stream,
               void* workspace) {
    Carver carver(workspace);
    const Workspace parts(carver, a);
    const int64_t* const starts = parts.rows.starts;
    Queue queue(stream);
    launch_by_rows(queue, count<32>, count<kThreads>, a.block_rows, a.capacity, a, parts.rows.starts,
                   parts.columns_before);
    parts.rows.sum_counts(queue);
    Stored target = s;
    if (count_only) target.offsets = nullptr;
    queue.launch(store_row_offsets, ceil_div(s.block_rows + 1, kThreads), a, target, starts, device_count);
    if (count_only || s.capacity == 0 || a.capacity == 0) return queue.status();
    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        if constexpr (sizeof(T) > 1)
            queue.launch(store_entries<T>, flat_grid(a.capacity, a.bm * a.bk), a, s, starts, parts.columns_before);
    });
    return queue.status();
}

}  // namespace bsblas::cuda
