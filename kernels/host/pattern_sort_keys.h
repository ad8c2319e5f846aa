// A stable sort without allocation, for the entries of one row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bsblas::host {

struct Keyed {
    int64_t key;  // >= 0
    int64_t item;
};

// Sorts by key, equal keys keep their order. scratch: n of them. Linear: a radix sort, but for short and sorted input.
inline void stable_sort(Keyed* entries, Keyed* scratch, int64_t n) {
    const auto by_key = [](const Keyed& x, const Keyed& y) { return x.key < y.key; };
    if (std::is_sorted(entries, entries + n, by_key)) return;
    if (n <= 48) {
        for (Keyed* next = entries + 1; next < entries + n; ++next)
            std::rotate(std::upper_bound(entries, next, *next, by_key), next, next + 1);
        return;
    }
    const int64_t largest = std::max_element(entries, entries + n, by_key)->key;
    Keyed *from = entries, *to = scratch;
    for (int shift = 0; shift < 63 && largest >> shift; shift += 8) {
        int64_t start[257] = {};
        for (int64_t i = 0; i < n; ++i) ++start[(from[i].key >> shift & 255) + 1];
        for (int digit = 0; digit < 255; ++digit) start[digit + 1] += start[digit];
        for (int64_t i = 0; i < n; ++i) to[start[from[i].key >> shift & 255]++] = from[i];
        std::swap(from, to);
    }
    if (from != entries) std::copy(from, from + n, entries);
}

}  // namespace bsblas::host
