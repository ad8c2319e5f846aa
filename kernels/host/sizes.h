// Arithmetic of sizes, none of them negative.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsblas::host {

inline int64_t ceil_div(int64_t x, int64_t y) {
    return (x + y - 1) / y;
}

inline int64_t round_up(int64_t x, int64_t y) {
    return ceil_div(x, y) * y;
}

// Room for an array, so that the next begins as well aligned as a buffer does.
inline size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

}  // namespace bsblas::host
