// Transposition: the order by column is the transposed pattern, then its blocks follow.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_blocks.cuh"
#include "kernels/cuda/generic/pattern_by_column.cuh"

namespace bsblas::cuda {

namespace {

struct Workspace {
    void* map;  // for callers that want none
    void* ordering;

    Workspace(Carver& carver, const Stored& a, const Stored& at)
        : map(carver.take<char>(a.capacity * (at.offsets_wide ? 8 : 4))),
          ordering(carver.take<char>(order_by_column_workspace(a, 1))) {}
};

}  // namespace

size_t transpose_workspace(const Stored& a, const Stored& at) {
    Carver carver(nullptr);
    Workspace(carver, a, at);
    return carver.used();
}

int transpose(const Stored& a, const Stored& at, bool conjugate, void* map, void* stream, void* workspace) {
    if (!at.offsets) return cudaSuccess;  // both are empty for good
    Carver carver(workspace);
    const Workspace parts(carver, a, at);
    if (!map) map = parts.map;
    Queue queue(stream);
    order_by_column(queue, a, 1,
                    {{at.offsets, at.offsets_wide}, {at.indices, at.indices_wide}, {map, at.offsets_wide}, at.base},
                    parts.ordering);
    transpose_blocks(queue, a, at, conjugate, {map, at.offsets_wide});
    return queue.status();
}

int transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map, void* stream) {
    if (!at.offsets) return cudaSuccess;
    Queue queue(stream);
    transpose_blocks(queue, a, at, conjugate, {map, at.offsets_wide});
    return queue.status();
}

}  // namespace bsblas::cuda
