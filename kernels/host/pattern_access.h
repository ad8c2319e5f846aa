// How the host's pattern operations read patterns, write index arrays, move elements and share work.
#pragma once

#include "core/kernel.h"
#include "core/pattern_problem.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bsblas::host {

// A pattern to read. Offsets are clamped to the capacity.
struct PatternReader {
    Indices offsets, indices;
    int64_t base, live;

    explicit PatternReader(const Stored& a)
        : offsets(a.offset_array()), indices(a.index_array()), base(a.base), live(a.capacity) {
        live = begin(a.block_rows);
    }
    int64_t begin(int64_t row) const { return offsets ? std::clamp<int64_t>(offsets[row] - base, 0, live) : 0; }
    int64_t end(int64_t row) const { return begin(row + 1); }
    int64_t col(int64_t p) const { return indices[p] - base; }
};

// An index array to write.
struct IndexWriter {
    void* data;
    bool wide;

    void put(int64_t i, int64_t value) const {
        if (wide)
            static_cast<int64_t*>(data)[i] = value;
        else
            static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
    }
    int64_t get(int64_t i) const { return Indices{data, wide}[i]; }
};

inline void make_empty(const Stored& a) {
    if (!a.offsets) return;
    const IndexWriter offsets{a.offsets, a.offsets_wide};
    for (int64_t i = 0; i <= a.block_rows; ++i) offsets.put(i, a.base);
}

// body(i) for i = 0 .. count - 1, in contiguous shares, several a thread so that uneven ones balance.
template <class Body>
void for_each(Parallel& parallel, int threads, int64_t count, const Body& body) {
    struct Context {
        const Body& body;
        int64_t count, shares;
    } context{body, count, std::min<int64_t>(count, threads > 1 ? 8 * threads : 1)};
    if (context.shares == 0) return;
    parallel.run(
        context.shares,
        [](void* opaque, int64_t share, int) {
            const Context& c = *static_cast<Context*>(opaque);
            const int64_t each = c.count / c.shares, extra = c.count % c.shares;
            const int64_t first = share * each + std::min(share, extra);
            const int64_t last = first + each + (share < extra);
            for (int64_t i = first; i < last; ++i) c.body(i);
        },
        &context);
}

// What moves an element: its size, with the alignment of its real part.
struct Pair32 {
    uint32_t re, im;
};
struct Pair64 {
    uint64_t re, im;
};

// f(T()) with the T that moves elements of this type.
template <class F>
void with_element(bsblasDataType_t type, F&& f) {
    switch (type) {
        case BSBLAS_R_8I:
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return f(uint8_t());
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return f(uint16_t());
        case BSBLAS_R_32F:
        case BSBLAS_R_32I:
            return f(uint32_t());
        case BSBLAS_R_64F:
            return f(uint64_t());
        case BSBLAS_C_32F:
            return f(Pair32());
        case BSBLAS_C_64F:
            return f(Pair64());
        default:
            return;
    }
}

// Where the logical matrix ends inside block row i and block column c: full block sizes but at the edges.
inline int64_t rows_in(const Stored& a, int64_t i) {
    return std::min(a.bm, a.rows - i * a.bm);
}
inline int64_t cols_in(const Stored& a, int64_t c) {
    return std::min(a.bk, a.cols - c * a.bk);
}

// A block's padding becomes zero; height and width are what is inside the logical matrix.
template <class T>
void clear_padding(const Stored& a, T* block, int64_t height, int64_t width) {
    if (height == a.bm && width == a.bk) return;
    for (int64_t i = 0; i < a.bm; ++i)
        for (int64_t j = i < height ? width : 0; j < a.bk; ++j) block[i * a.row_stride() + j * a.col_stride()] = T();
}

}  // namespace bsblas::host
