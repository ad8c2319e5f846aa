// Validation on the host: trusts nothing, so it reads no column before all offsets have proved good.
#include "kernels/host/pattern.h"

namespace bsblas::host {

size_t validate_workspace(const Stored&) {
    return 0;
}

void validate(const Stored& a, Defect* found, Parallel&, int, void*) {
    *found = Defect();
    if (!a.offsets) return;
    const Indices offsets = a.offset_array(), indices = a.index_array();
    if (offsets[0] != a.base) {
        *found = {BSBLAS_DEFECT_FIRST_OFFSET, 0, -1, offsets[0]};
        return;
    }
    for (int64_t i = 0; i < a.block_rows; ++i) {
        const int64_t end = offsets[i + 1];
        if (end < offsets[i]) {
            *found = {BSBLAS_DEFECT_OFFSETS_DECREASE, i, -1, end};
            return;
        }
        if (end - a.base > a.capacity) {
            *found = {BSBLAS_DEFECT_ABOVE_CAPACITY, i, -1, end};
            return;
        }
    }
    for (int64_t i = 0; i < a.block_rows; ++i)
        for (int64_t p = offsets[i] - a.base; p < offsets[i + 1] - a.base; ++p)
            if (indices[p] < a.base || indices[p] - a.base >= a.block_cols) {
                *found = {BSBLAS_DEFECT_COLUMN, i, p, indices[p]};
                return;
            }
}

}  // namespace bsblas::host
