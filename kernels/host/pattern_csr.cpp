// Between CSR and BSR on the host, block row by block row.
#include "kernels/host/pattern.h"
#include "kernels/host/pattern_access.h"
#include "kernels/host/pattern_counts.h"
#include "kernels/host/pattern_sort_keys.h"
#include "kernels/host/pattern_sum.h"

namespace bsblas::host {

namespace {

// The CSR matrix's rows that make up a block row of the BSR one.
struct RowRange {
    int64_t first, last;

    RowRange(const Stored& bsr, int64_t block_row) : first(block_row * bsr.bm), last(first + rows_in(bsr, block_row)) {}

    // The row, from 0, that entry e is in.
    int64_t holding(int64_t e, const PatternReader& csr) const {
        int64_t low = first, high = last;
        while (high - low > 1) {
            const int64_t middle = low + (high - low) / 2;
            (csr.begin(middle) <= e ? low : high) = middle;
        }
        return low - first;
    }
};

}  // namespace

size_t csr_to_bsr_workspace(const Stored& s, const Stored& a) {
    return 2 * sizeof(Keyed) * s.capacity + starts_bytes(a);
}

int64_t csr_to_bsr(const Stored& s, const Stored& a, bool count_only, Parallel& parallel, int threads,
                   void* workspace) {
    const PatternReader pattern(s);
    Keyed* const entries = static_cast<Keyed*>(workspace);
    Keyed* const scratch = entries + s.capacity;
    int64_t* const starts = reinterpret_cast<int64_t*>(scratch + s.capacity);

    // Sorted by column, a block row's entries are grouped by block, and those at the same place are neighbours.
    for_each(parallel, threads, a.block_rows, [&](int64_t block_row) {
        const RowRange rows(a, block_row);
        const int64_t begin = pattern.begin(rows.first), end = pattern.begin(rows.last);
        int64_t blocks = 0;
        for (int64_t e = begin; e < end; ++e) entries[e] = {pattern.col(e), e};
        if (begin < end) stable_sort(entries + begin, scratch + begin, end - begin);
        for (int64_t q = begin, block_end = 0; q < end; ++q)
            if (entries[q].key >= block_end) {
                block_end = (entries[q].key / a.bk + 1) * a.bk;
                ++blocks;
            }
        starts[block_row] = blocks;
    });
    const int64_t needed = starts_from_counts(starts, a.block_rows);
    if (count_only || !store_offsets(a, starts)) return needed;

    const IndexWriter indices{a.indices, a.indices_wide};
    with_summand(a.type, [&](auto summand) {
        using T = decltype(summand);
        const T* const from = static_cast<const T*>(s.values);
        T* const to = static_cast<T*>(a.values);
        for_each(parallel, threads, a.block_rows, [&](int64_t block_row) {
            const RowRange rows(a, block_row);
            const int64_t begin = pattern.begin(rows.first), end = pattern.begin(rows.last);
            int64_t p = starts[block_row] - 1, first_col = 0, block_end = 0;
            T* before = nullptr;  // where the entry before went
            for (int64_t q = begin; q < end; ++q) {
                const auto [col, e] = entries[q];
                if (col >= block_end) {
                    first_col = col / a.bk * a.bk;
                    block_end = first_col + a.bk;
                    indices.put(++p, col / a.bk + a.base);
                    std::fill_n(to + p * a.bm * a.bk, a.bm * a.bk, T());
                }
                T* const at = to + p * a.bm * a.bk + rows.holding(e, pattern) * a.row_stride() +
                              (col - first_col) * a.col_stride();
                *at = at == before ? sum(*at, from[e]) : from[e];
                before = at;
            }
        });
    });
    return needed;
}

size_t bsr_to_csr_workspace(const Stored& a, const Stored&) {
    return starts_bytes(a);
}

int64_t bsr_to_csr(const Stored& a, const Stored& s, bool count_only, Parallel& parallel, int threads,
                   void* workspace) {
    const PatternReader pattern(a);
    int64_t* const starts = static_cast<int64_t*>(workspace);

    for_each(parallel, threads, a.block_rows, [&](int64_t block_row) {
        int64_t width = 0;
        for (int64_t p = pattern.begin(block_row); p < pattern.end(block_row); ++p) width += cols_in(a, pattern.col(p));
        starts[block_row] = rows_in(a, block_row) * width;
    });
    const int64_t needed = starts_from_counts(starts, a.block_rows);
    if (count_only) return needed;
    if (needed > s.room() || !s.offsets) {
        make_empty(s);
        return needed;
    }

    const IndexWriter offsets{s.offsets, s.offsets_wide}, indices{s.indices, s.indices_wide};
    offsets.put(s.block_rows, needed + s.base);
    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        const T* const from = static_cast<const T*>(a.values);
        T* const to = static_cast<T*>(s.values);
        for_each(parallel, threads, a.block_rows, [&](int64_t block_row) {
            int64_t e = starts[block_row];
            for (int64_t i = 0; i < rows_in(a, block_row); ++i) {
                offsets.put(block_row * a.bm + i, e + s.base);
                for (int64_t p = pattern.begin(block_row); p < pattern.end(block_row); ++p) {
                    const int64_t c = pattern.col(p);
                    const T* const line = from + p * a.bm * a.bk + i * a.row_stride();
                    for (int64_t j = 0; j < cols_in(a, c); ++j, ++e) {
                        indices.put(e, c * a.bk + j + s.base);
                        to[e] = line[j * a.col_stride()];
                    }
                }
            }
        });
    });
    return needed;
}

}  // namespace bsblas::host
