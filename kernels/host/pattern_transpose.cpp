// Transposition on the host: a stable counting sort by column, then blocks in parallel.
#include "kernels/host/pattern.h"
#include "kernels/host/pattern_access.h"

#include <cstring>
#include <type_traits>

namespace bsblas::host {

namespace {

// Where a transposed pattern goes: offsets and rows count from base, slots from 0.
struct TransposedPattern {
    IndexWriter offsets, rows, slots;
    int64_t base;
};

void transpose_pattern(const Stored& a, const TransposedPattern& out) {
    const PatternReader pattern(a);
    // offsets[c] is in turn: the count of column c - 1, where column c starts, and, once filled, where it ends.
    for (int64_t c = 0; c <= a.block_cols; ++c) out.offsets.put(c, 0);
    for (int64_t p = 0; p < pattern.live; ++p) {
        const int64_t next = pattern.col(p) + 1;
        out.offsets.put(next, out.offsets.get(next) + 1);
    }
    for (int64_t c = 0; c < a.block_cols; ++c) out.offsets.put(c + 1, out.offsets.get(c + 1) + out.offsets.get(c));
    for (int64_t row = 0; row < a.block_rows; ++row)
        for (int64_t p = pattern.begin(row); p < pattern.end(row); ++p) {
            const int64_t c = pattern.col(p), to = out.offsets.get(c);
            out.rows.put(to, row + out.base);
            out.slots.put(to, p);
            out.offsets.put(c, to + 1);
        }
    for (int64_t c = a.block_cols; c > 0; --c) out.offsets.put(c, out.offsets.get(c - 1) + out.base);
    out.offsets.put(0, out.base);
}

// to[c ldt + r] = from[r ldf + c]
template <class T>
void transpose_block(const T* from, T* to, int64_t rows, int64_t cols) {
    constexpr int64_t tile = 16;  // rows and columns that stay in the first cache, whatever T is
    for (int64_t r0 = 0; r0 < rows; r0 += tile)
        for (int64_t c0 = 0; c0 < cols; c0 += tile)
            for (int64_t c = c0; c < std::min(c0 + tile, cols); ++c)
                for (int64_t r = r0; r < std::min(r0 + tile, rows); ++r) to[c * rows + r] = from[r * cols + c];
}

template <class T>
void conjugate_block(T* block, int64_t count) {
    if constexpr (std::is_same_v<T, Pair32> || std::is_same_v<T, Pair64>)
        for (int64_t e = 0; e < count; ++e) block[e].im ^= decltype(block->im)(1) << (8 * sizeof(block->im) - 1);
}

bool is_complex(bsblasDataType_t type) {
    return type == BSBLAS_C_32F || type == BSBLAS_C_64F;
}

}  // namespace

size_t transposed_index_workspace(const Stored&) {
    return 0;
}

void transposed_index(const Stored& a, const TransposedIndex& out, Parallel&, int, void*) {
    transpose_pattern(a, {{out.offsets, out.wide}, {out.rows, out.wide}, {out.slots, out.wide}, 0});
}

// The map, for callers that want none.
size_t transpose_workspace(const Stored& a, const Stored& at) {
    return a.capacity * (at.offsets_wide ? 8 : 4);
}

void transpose(const Stored& a, const Stored& at, bool conjugate, void* map, Parallel& parallel, int threads,
               void* workspace) {
    if (!at.offsets) return;  // both are empty for good
    if (!map) map = workspace;
    transpose_pattern(a,
                      {{at.offsets, at.offsets_wide}, {at.indices, at.indices_wide}, {map, at.offsets_wide}, at.base});
    transpose_values(a, at, conjugate, map, parallel, threads);
}

void transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map, Parallel& parallel,
                      int threads) {
    const PatternReader pattern(at);
    const Indices slots{map, at.offsets_wide};
    const int64_t block = a.bm * a.bk;
    // A transposed block in the other order is the block itself.
    const bool same_bytes = a.row_major_blocks != at.row_major_blocks;
    const int64_t slow = a.row_major_blocks ? a.bm : a.bk, fast = a.row_major_blocks ? a.bk : a.bm;
    const int64_t last_row = at.block_rows > 0 ? pattern.begin(at.block_rows - 1) : 0;
    conjugate = conjugate && is_complex(a.type);

    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        for_each(parallel, threads, pattern.live, [&](int64_t p) {
            const T* from = static_cast<const T*>(a.values) + slots[p] * block;
            T* to = static_cast<T*>(at.values) + p * block;
            if (same_bytes)
                std::memcpy(to, from, block * sizeof(T));
            else
                transpose_block(from, to, slow, fast);
            if (conjugate) conjugate_block(to, block);
            clear_padding(at, to, rows_in(at, p < last_row ? 0 : at.block_rows - 1), cols_in(at, pattern.col(p)));
        });
    });
}

}  // namespace bsblas::host
