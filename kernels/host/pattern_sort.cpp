// Sorting rows by column on the host: each row's order is found first, then blocks move along the cycles of that
// permutation, so values need no copy.
#include "kernels/host/pattern.h"
#include "kernels/host/pattern_access.h"
#include "kernels/host/pattern_sort_keys.h"

namespace bsblas::host {

// Twice the capacity: entries and the sort's scratch.
size_t sort_workspace(const Stored& a) {
    return 2 * sizeof(Keyed) * a.capacity;
}

void sort(const Stored& a, void* map, Parallel& parallel, int threads, void* workspace) {
    const PatternReader pattern(a);
    const IndexWriter indices{a.indices, a.indices_wide}, map_out{map, a.offsets_wide};
    const int64_t block = a.bm * a.bk;
    Keyed* const entries = static_cast<Keyed*>(workspace);
    Keyed* const scratch = entries + a.capacity;

    with_element(a.type, [&](auto element) {
        using T = decltype(element);
        T* const values = static_cast<T*>(a.values);
        for_each(parallel, threads, a.block_rows, [&](int64_t row) {
            const int64_t begin = pattern.begin(row), end = pattern.end(row);
            if (begin >= end) return;
            for (int64_t p = begin; p < end; ++p) entries[p] = {pattern.col(p), p};
            stable_sort(entries + begin, scratch + begin, end - begin);
            for (int64_t p = begin; p < end; ++p) {
                if (map) map_out.put(p, entries[p].item);
                if (entries[p].item != p) indices.put(p, entries[p].key + a.base);
            }
            for (int64_t first = begin; first < end; ++first) {
                int64_t to = first;
                while (entries[to].item != first) {
                    const int64_t from = entries[to].item;
                    std::swap_ranges(values + to * block, values + (to + 1) * block, values + from * block);
                    entries[to].item = to;
                    to = from;
                }
                entries[to].item = to;
            }
        });
    });
}

}  // namespace bsblas::host
