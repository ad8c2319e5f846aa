// From counts per block row to the offsets of a conversion's output.
#pragma once

#include "kernels/cuda/generic/pattern_access.cuh"

namespace bsblas::cuda {

// In a workspace: counts of each block row, which become where each starts, with the total behind them.
struct RowStarts {
    int64_t rows = 0;
    int64_t* starts = nullptr;  // rows + 1; a kernel fills them with counts, and the last with anything
    void* temporary = nullptr;
    size_t temporary_bytes = 0;

    RowStarts(Carver& carver, int64_t rows);
    void sum_counts(Queue& queue) const;
};

// Offsets become the starts if the output has room for the total, else those of an empty matrix. The total goes to
// device_count, if that is wanted. count_only: just that.
void store_offsets(Queue& queue, const Stored& out, const RowStarts& rows, bool count_only, int64_t* device_count);

}  // namespace bsblas::cuda
