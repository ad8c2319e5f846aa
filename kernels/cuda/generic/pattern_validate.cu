// Validation on the device: every offset and column looks for itself, the least position of a defect wins, and one
// thread then tells what it is.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_access.cuh"

namespace bsblas::cuda {

namespace {

using Position = unsigned long long;
constexpr Position kNone = ~Position(0);

struct Search {
    Defect found;
    Position offset;  // 0: the first offset; row + 1: the end of that row
    Position slot;
};

__device__ bool is_bad_end(const Stored& a, int64_t row) {
    const int64_t end = a.offset_array()[row + 1];
    return end < a.offset_array()[row] || end - a.base > a.capacity;
}

__device__ bool is_bad_column(const Stored& a, int64_t slot) {
    const int64_t number = a.index_array()[slot];
    return number < a.base || number - a.base >= a.block_cols;
}

__global__ void look(Stored a, Search* search) {
    if (global_thread() == 0 && a.offset_array()[0] != a.base) atomicMin(&search->offset, 0);
    for (int64_t row = global_thread(); row < a.block_rows; row += all_threads())
        if (is_bad_end(a, row)) atomicMin(&search->offset, Position(row) + 1);
    // Bad offsets may give a wrong count, but then columns do not matter.
    const int64_t live = PatternReader(a).live;
    for (int64_t p = global_thread(); p < live; p += all_threads())
        if (is_bad_column(a, p)) atomicMin(&search->slot, Position(p));
}

__global__ void tell(Stored a, Search* search) {
    if (global_thread() > 0) return;
    const Indices offsets = a.offset_array();
    Defect& found = search->found;
    found.kind = BSBLAS_DEFECT_NONE;
    found.row = found.slot = -1;
    found.value = 0;
    if (search->offset == 0) {
        found.kind = BSBLAS_DEFECT_FIRST_OFFSET;
        found.row = 0;
        found.value = offsets[0];
    } else if (search->offset != kNone) {
        found.row = int64_t(search->offset) - 1;
        found.value = offsets[found.row + 1];
        found.kind = found.value < offsets[found.row] ? BSBLAS_DEFECT_OFFSETS_DECREASE : BSBLAS_DEFECT_ABOVE_CAPACITY;
    } else if (search->slot != kNone) {
        found.kind = BSBLAS_DEFECT_COLUMN;
        found.slot = int64_t(search->slot);
        found.row = row_of(a, found.slot);
        found.value = a.index_array()[found.slot];
    }
}

}  // namespace

size_t validate_workspace(const Stored&) {
    return sizeof(Search);
}

int validate(const Stored& a, void* stream, void* workspace) {
    Search* const search = static_cast<Search*>(workspace);
    Queue queue(stream);
    queue.add([&](cudaStream_t s) { return cudaMemsetAsync(search, 0xff, sizeof *search, s); });
    if (a.offsets)
        queue.launch(look, ceil_div(a.block_rows > a.capacity ? a.block_rows : a.capacity, kThreads), a, search);
    queue.launch(tell, 1, a, search);
    return queue.status();
}

}  // namespace bsblas::cuda
