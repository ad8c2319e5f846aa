// Which block row holds a given entry of a pattern.
#pragma once

#include "core/problem.h"

namespace bsblas::cuda {

// The last row for which starts_by(row) holds, by a whole warp that asks for the same; it holds for row 0, and for none
// after the first for which it does not. Each round asks for 32 rows at once and leaves a thirty-third of them.
template <class StartsBy>
__device__ __forceinline__ int64_t last_row(int64_t rows, int lane, StartsBy starts_by) {
    int64_t low = 0, high = rows;
    while (high - low > 1) {
        const int64_t step = (high - low + 32) / 33;
        const int64_t probe = low + (lane + 1) * step;
        const int count = __popc(__ballot_sync(0xffffffffu, probe < high && starts_by(probe)));
        const int64_t next = low + (count + 1) * step;
        low += count * step;
        if (next < high) high = next;
    }
    return low;
}

// The row with begin(row) <= p < end(row), for p below the live count.
__device__ __forceinline__ int64_t row_of(const Pattern& pattern, int64_t p, int lane) {
    return last_row(pattern.rows, lane, [&](int64_t row) { return pattern.begin(row) <= p; });
}

// The same for one thread that knows a row which does not come after it.
__device__ __forceinline__ int64_t row_of_from(const Pattern& pattern, int64_t p, int64_t low) {
    const auto starts_by = [&](int64_t row) { return row < pattern.rows && pattern.begin(row) <= p; };
    int64_t step = 1;
    for (; starts_by(low + step); step *= 2) low += step;
    for (step /= 2; step > 0; step /= 2) {
        if (starts_by(low + step)) low += step;
    }
    return low;
}

}  // namespace bsblas::cuda
