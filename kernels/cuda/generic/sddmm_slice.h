// SDDMM by slices of a block: one warp computes MR rows by a tile of a block's columns (slice_loop.cuh), with tokens as
// k.
#pragma once

#include "kernels/cuda/generic/sddmm_split.h"
#include "kernels/cuda/generic/slice_layout.h"

namespace bsblas::cuda {

// 16 rows need too many registers for c64.
constexpr bool has_sddmm_slice(bsblasDataType_t type, int mr) {
    return mr == 8 || type != BSBLAS_C_64F;
}

struct SddmmSlice {
    SliceLayout layout;
    SddmmSplit split;
    int64_t slices, tiles;  // of a block
    int tile_columns;
    bool wide_x;  // a slice's rows are side by side and aligned
    bool wide_y;
};

template <class In>
int launch_sddmm_slice(const SddmmProblem& problem, const SddmmSlice& slice, int mr, bool along_k,
                       const Launch& launch);
template <class In>
int load_sddmm_slice();

}  // namespace bsblas::cuda
