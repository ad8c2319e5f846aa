// From counts per block row to the offsets of a conversion's output.
#pragma once

#include "kernels/host/pattern_access.h"

#include <cstddef>

namespace bsblas::host {

inline size_t starts_bytes(const Stored& bsr) {
    return sizeof(int64_t) * (bsr.block_rows + 1);
}

// Turns counts[0 .. rows - 1] into where each row starts, with the total behind them; returns the total.
inline int64_t starts_from_counts(int64_t* counts, int64_t rows) {
    int64_t total = 0;
    for (int64_t i = 0; i <= rows; ++i) {
        const int64_t count = i < rows ? counts[i] : 0;
        counts[i] = total;
        total += count;
    }
    return total;
}

// Whether a can hold starts[a.block_rows] blocks; offsets become the starts, or those of an empty matrix.
inline bool store_offsets(const Stored& a, const int64_t* starts) {
    const bool fits = starts[a.block_rows] <= a.room();
    if (!fits || !a.offsets) {
        make_empty(a);
        return fits;
    }
    const IndexWriter offsets{a.offsets, a.offsets_wide};
    for (int64_t i = 0; i <= a.block_rows; ++i) offsets.put(i, starts[i] + a.base);
    return true;
}

}  // namespace bsblas::host
