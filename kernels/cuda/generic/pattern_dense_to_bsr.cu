// Dense to BSR: D is read once for a flag per block, flags are counted by block row, and the blocks flagged are copied.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_counts.cuh"
#include "kernels/cuda/generic/pattern_flat.cuh"

namespace bsblas::cuda {

namespace {

// Floating-point numbers are zero when all bits but the sign are.
template <class T>
__device__ bool is_zero(T x) {
    return static_cast<T>(x << 1) == 0;
}
template <class Part>
__device__ bool is_zero(Pair<Part> x) {
    return is_zero(x.re) && is_zero(x.im);
}

// D by its own memory: lines that follow each other at `stride`, each of `length` neighbours.
struct Lines {
    const void* values;
    int64_t lines, length, stride;
    int64_t block_lines, block_length;  // of a block
    int64_t flag_line, flag_length;     // steps in the flags from one block to the next
    int64_t depth, bands;               // a thread reads `depth` lines, so each block's lines make `bands` bands

    Lines(const Dense& d, const Stored& a) : values(d.values) {
        const bool by_rows = d.col_stride == 1;
        lines = by_rows ? d.rows : d.cols;
        length = by_rows ? d.cols : d.rows;
        stride = by_rows ? d.row_stride : d.col_stride;
        block_lines = by_rows ? a.bm : a.bk;
        block_length = by_rows ? a.bk : a.bm;
        flag_line = by_rows ? a.block_cols : 1;
        flag_length = by_rows ? 1 : a.block_cols;
        depth = block_lines < 32 ? block_lines : 32;
        bands = ceil_div(block_lines, depth);
    }
    BSBLAS_HD int64_t threads() const { return (lines / block_lines + (lines % block_lines != 0)) * bands * length; }
};

template <class T>
__global__ void mark(Lines d, uint8_t* flags) {
    const int64_t all = d.threads(), step = all_threads();
    for (int64_t item = global_thread(); item < all; item += step) {
        const Split band = split(item, d.length), block = split(band.quotient, d.bands);
        const int64_t top = block.quotient * d.block_lines, first = top + block.rest * d.depth;
        int64_t last = first + d.depth < top + d.block_lines ? first + d.depth : top + d.block_lines;
        if (last > d.lines) last = d.lines;
        const T* const values = static_cast<const T*>(d.values) + band.rest;
        bool any = false;
#pragma unroll 8
        for (int64_t line = first; line < last; ++line) any |= !is_zero(values[line * d.stride]);
        if (any) flags[block.quotient * d.flag_line + split(band.rest, d.block_length).quotient * d.flag_length] = 1;
    }
}

template <int Group>
__global__ void count(Stored a, const uint8_t* flags, int64_t* counts) {
    for (int64_t row = RowGroup<Group>::first_row(); row < a.block_rows; row += RowGroup<Group>::row_step()) {
        int64_t own = 0;
        for (int64_t c = RowGroup<Group>::member(); c < a.block_cols; c += Group) own += flags[row * a.block_cols + c];
        own = RowGroup<Group>::sum(own);
        if (RowGroup<Group>::member() == 0) counts[row] = own;
    }
}

template <int Group>
__global__ void store_columns(Stored a, const uint8_t* flags, const int64_t* starts) {
    if (starts[a.block_rows] > a.room()) return;
    const IndexWriter indices{a.indices, a.indices_wide};
    for (int64_t row = RowGroup<Group>::first_row(); row < a.block_rows; row += RowGroup<Group>::row_step()) {
        int64_t next = starts[row];
        for (int64_t c0 = 0; c0 < a.block_cols; c0 += Group) {
            const int64_t c = c0 + RowGroup<Group>::member();
            const bool stored = c < a.block_cols && flags[row * a.block_cols + c];
            int total;
            const int before = RowGroup<Group>::rank(stored, &total);
            if (stored) indices.put(next + before, c + a.base);
            next += total;
        }
    }
}

template <class T>
__global__ void __launch_bounds__(kThreads) store_values(Dense d, Stored a) {
    struct About {
        int64_t origin;
        int64_t height, width;
    };
    const PatternReader pattern(a);
    T* const to = static_cast<T*>(a.values);
    const T* const from = static_cast<const T*>(d.values);
    for_each_element<About>(
        a, pattern.live,
        [&](int64_t p) -> About {
            const int64_t row = row_of(a, p), c = pattern.col(p);
            return {row * a.bm * d.row_stride + c * a.bk * d.col_stride, rows_in(a, row), cols_in(a, c)};
        },
        [&](const About& about, int64_t element, int64_t i, int64_t j) {
            to[element] =
                i < about.height && j < about.width ? from[about.origin + i * d.row_stride + j * d.col_stride] : T{};
        });
}

struct Workspace {
    uint8_t* flags;
    RowStarts rows;

    Workspace(Carver& carver, const Stored& a)
        : flags(carver.take<uint8_t>(a.block_rows * a.block_cols)), rows(carver, a.block_rows) {}
};

}  // namespace

size_t dense_to_bsr_workspace(const Dense&, const Stored& a) {
    Carver carver(nullptr);
    Workspace(carver, a);
    return carver.used();
}

int dense_to_bsr(const Dense& d, const Stored& a, bool count_only, int64_t* device_count, void* stream,
                 void* workspace) {
    Carver carver(workspace);
    const Workspace parts(carver, a);
    uint8_t* const flags = parts.flags;
    const int64_t places = a.block_rows * a.block_cols;
    Queue queue(stream);
    if (places > 0) {
        queue.add([&](cudaStream_t s) { return cudaMemsetAsync(flags, 0, places, s); });
        const Lines lines(d, a);
        with_element(a.type, [&](auto element) {
            using T = decltype(element);
            if constexpr (sizeof(T) > 1) queue.launch(mark<T>, ceil_div(lines.threads(), kThreads), lines, flags);
        });
    }
    launch_by_rows(queue, count<32>, count<kThreads>, a.block_rows, places, a, flags, parts.rows.starts);
    parts.rows.sum_counts(queue);
    store_offsets(queue, a, parts.rows, count_only, device_count);
    if (count_only || a.capacity == 0) return queue.status();
    launch_by_rows(queue, store_columns<32>, store_columns<kThreads>, a.block_rows, places, a, flags,
                   parts.rows.starts);
    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        if constexpr (sizeof(T) > 1) queue.launch(store_values<T>, flat_grid(a.capacity, a.bm * a.bk), d, a);
    });
    return queue.status();
}

}  // namespace bsblas::cuda
