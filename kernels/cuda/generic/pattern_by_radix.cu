// The order by column for any number of columns: CUB's radix sort of (column, slot). The host does not know the live
// count, so all of the capacity is sorted; slots behind the live ones get a column of their own, the last.
#include "kernels/cuda/generic/pattern_by_column.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace bsblas::cuda {

namespace {

template <class Number>
struct Sorter {
    int64_t capacity;
    int key_bits = 0;
    size_t temporary_bytes = 0;
    Number *columns[2], *slots[2];
    void* temporary;

    Sorter(Carver& carver, int64_t groups, int64_t capacity) : capacity(capacity) {
        for (Number*& array : columns) array = carver.take<Number>(capacity);
        for (Number*& array : slots) array = carver.take<Number>(capacity);
        while (groups >> key_bits) ++key_bits;
        sort(nullptr, nullptr, nullptr);
        temporary = carver.take<char>(temporary_bytes);
    }

    // Sorts, or without temporary memory finds how much of it that takes. Leaves in the two pointers where the result
    // is.
    cudaError_t sort(cudaStream_t stream, const Number** sorted_columns, const Number** sorted_slots) {
        cub::DoubleBuffer<Number> keys(columns[0], columns[1]), values(slots[0], slots[1]);
        void* const memory = sorted_columns ? temporary : nullptr;
        const cudaError_t status = cub::DeviceRadixSort::SortPairs(memory, temporary_bytes, keys, values,
                                                                   static_cast<Number>(capacity), 0, key_bits, stream);
        if (sorted_columns) {
            *sorted_columns = keys.Current();
            *sorted_slots = values.Current();
        }
        return status;
    }
};

template <class Number>
__global__ void fill(Stored a, int64_t columns_per_group, int64_t groups, Number* columns, Number* slots) {
    const PatternReader pattern(a);
    for (int64_t p = global_thread(); p < a.capacity; p += all_threads()) {
        columns[p] = static_cast<Number>(p < pattern.live ? split(pattern.col(p), columns_per_group).quotient : groups);
        slots[p] = static_cast<Number>(p);
    }
}

template <class Number>
__global__ void emit(Stored a, int64_t groups, const Number* columns, const Number* slots, ByColumn out) {
    const PatternReader pattern(a);
    for (int64_t q = global_thread(); q < pattern.live; q += all_threads()) {
        const int64_t p = static_cast<int64_t>(slots[q]);
        out.rows.put(q, row_of(a, p) + out.base);
        out.slots.put(q, p);
    }
    for (int64_t c = global_thread(); c <= groups; c += all_threads()) {
        int64_t low = 0, high = pattern.live;  // the first entry whose column is c or more lies between
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (static_cast<int64_t>(columns[middle]) < c)
                low = middle + 1;
            else
                high = middle;
        }
        out.offsets.put(c, low + out.base);
    }
}

template <class Number>
void order(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace) {
    const int64_t groups = groups_of(a, columns_per_group);
    Carver carver(workspace);
    Sorter<Number> sorter(carver, groups, a.capacity);
    const Number *columns = nullptr, *slots = nullptr;
    if (a.capacity > 0) {
        queue.launch(fill<Number>, ceil_div(a.capacity, kThreads), a, columns_per_group, groups, sorter.columns[0],
                     sorter.slots[0]);
        queue.add([&](cudaStream_t stream) { return sorter.sort(stream, &columns, &slots); });
    }
    queue.launch(emit<Number>, ceil_div(a.capacity > groups ? a.capacity : groups + 1, kThreads), a, groups, columns,
                 slots, out);
}

bool fits_32_bits(int64_t groups, int64_t capacity) {
    return groups <= UINT32_MAX && capacity <= UINT32_MAX;
}

}  // namespace

size_t radix_workspace(int64_t groups, int64_t capacity) {
    Carver carver(nullptr);
    if (fits_32_bits(groups, capacity))
        Sorter<uint32_t>(carver, groups, capacity);
    else
        Sorter<uint64_t>(carver, groups, capacity);
    return carver.used();
}

void order_by_radix(Queue& queue, const Stored& a, int64_t columns_per_group, const ByColumn& out, void* workspace) {
    if (fits_32_bits(groups_of(a, columns_per_group), a.capacity))
        order<uint32_t>(queue, a, columns_per_group, out, workspace);
    else
        order<uint64_t>(queue, a, columns_per_group, out, workspace);
}

}  // namespace bsblas::cuda
