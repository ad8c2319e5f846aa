// Between dense matrices and BSR on the host, block row by block row.
#include "kernels/host/pattern.h"
#include "kernels/host/pattern_access.h"
#include "kernels/host/pattern_counts.h"
#include "kernels/host/pattern_sort_keys.h"
#include "kernels/host/pattern_sum.h"

namespace bsblas::host {

namespace {

// Zero for zeros: floating-point numbers are zero when all bits but the sign are.
template <class T>
T magnitude(T x) {
    return static_cast<T>(x << 1);
}
uint32_t magnitude(Pair32 x) {
    return magnitude(x.re | x.im);
}
uint64_t magnitude(Pair64 x) {
    return magnitude(x.re | x.im);
}

// The part of d that block (row, c) of a covers.
template <class T>
struct Window {
    T* at;
    int64_t height, width, row_stride, col_stride;

    Window(const Dense& d, const Stored& a, int64_t row, int64_t c)
        : at(static_cast<T*>(d.values) + row * a.bm * d.row_stride + c * a.bk * d.col_stride),
          height(rows_in(a, row)),
          width(cols_in(a, c)),
          row_stride(d.row_stride),
          col_stride(d.col_stride) {}

    T& operator()(int64_t i, int64_t j) const { return at[i * row_stride + j * col_stride]; }

    bool has_non_zero() const {
        const bool by_rows = col_stride == 1;
        const int64_t lines = by_rows ? height : width, length = by_rows ? width : height;
        const int64_t stride = by_rows ? row_stride : col_stride;
        for (int64_t l = 0; l < lines; ++l) {
            decltype(magnitude(*at)) any = 0;
            for (int64_t e = 0; e < length; ++e) any |= magnitude(at[l * stride + e]);
            if (any) return true;
        }
        return false;
    }
};

template <class T>
int64_t dense_to_bsr_of(const Dense& d, const Stored& a, bool count_only, Parallel& parallel, int threads,
                        void* workspace) {
    int64_t* const starts = static_cast<int64_t*>(workspace);
    bool* const stored = reinterpret_cast<bool*>(starts + a.block_rows + 1);  // block_rows x block_cols
    for_each(parallel, threads, a.block_rows, [&](int64_t row) {
        int64_t count = 0;
        for (int64_t c = 0; c < a.block_cols; ++c)
            count += stored[row * a.block_cols + c] = Window<T>(d, a, row, c).has_non_zero();
        starts[row] = count;
    });
    const int64_t needed = starts_from_counts(starts, a.block_rows);
    if (count_only || !store_offsets(a, starts)) return needed;

    const IndexWriter indices{a.indices, a.indices_wide};
    for_each(parallel, threads, a.block_rows, [&](int64_t row) {
        int64_t p = starts[row];
        for (int64_t c = 0; c < a.block_cols; ++c) {
            if (!stored[row * a.block_cols + c]) continue;
            const Window<T> window(d, a, row, c);
            indices.put(p, c + a.base);
            T* const block = static_cast<T*>(a.values) + p * a.bm * a.bk;
            for (int64_t i = 0; i < window.height; ++i)
                for (int64_t j = 0; j < window.width; ++j)
                    block[i * a.row_stride() + j * a.col_stride()] = window(i, j);
            clear_padding(a, block, window.height, window.width);
            ++p;
        }
    });
    return needed;
}

}  // namespace

size_t dense_to_bsr_workspace(const Dense&, const Stored& a) {
    return starts_bytes(a) + a.block_rows * a.block_cols;
}

int64_t dense_to_bsr(const Dense& d, const Stored& a, bool count_only, Parallel& parallel, int threads,
                     void* workspace) {
    int64_t needed = 0;
    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        if constexpr (sizeof(T) > 1) needed = dense_to_bsr_of<T>(d, a, count_only, parallel, threads, workspace);
    });
    return needed;
}

// Twice the capacity: entries and the sort's scratch.
size_t bsr_to_dense_workspace(const Stored& a, const Dense&) {
    return 2 * sizeof(Keyed) * a.capacity;
}

void bsr_to_dense(const Stored& a, const Dense& d, Parallel& parallel, int threads, void* workspace) {
    const PatternReader pattern(a);
    Keyed* const entries = static_cast<Keyed*>(workspace);
    Keyed* const scratch = entries + a.capacity;

    with_summand(a.type, [&](auto summand) {
        using T = decltype(summand);
        for_each(parallel, threads, a.block_rows, [&](int64_t row) {
            const int64_t height = rows_in(a, row);
            T* const top = static_cast<T*>(d.values) + row * a.bm * d.row_stride;
            if (d.col_stride == 1)
                for (int64_t i = 0; i < height; ++i) std::fill_n(top + i * d.row_stride, d.cols, T());
            else
                for (int64_t j = 0; j < d.cols; ++j) std::fill_n(top + j * d.col_stride, height, T());

            // Sorted, because the first block at a place is copied and the others add.
            const int64_t begin = pattern.begin(row), end = pattern.end(row);
            if (begin >= end) return;
            for (int64_t p = begin; p < end; ++p) entries[p] = {pattern.col(p), p};
            stable_sort(entries + begin, scratch + begin, end - begin);
            for (int64_t q = begin; q < end; ++q) {
                const auto [c, p] = entries[q];
                const bool adds = q > begin && entries[q - 1].key == c;
                const Window<T> window(d, a, row, c);
                const T* block = static_cast<const T*>(a.values) + p * a.bm * a.bk;
                for (int64_t i = 0; i < window.height; ++i)
                    for (int64_t j = 0; j < window.width; ++j) {
                        const T value = block[i * a.row_stride() + j * a.col_stride()];
                        window(i, j) = adds ? sum(window(i, j), value) : value;
                    }
            }
        });
    });
}

}  // namespace bsblas::host
