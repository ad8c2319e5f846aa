// SpMM by slices of a block row: one warp computes MR rows by a tile of columns (slice_loop.cuh).
#pragma once

#include "core/kernel.h"
#include "kernels/cuda/generic/slice_layout.h"

namespace bsblas::cuda {

// Which (type, MR, along k) are compiled: those that were the fastest in a case on an H200. 8-bit types, which
// have no other rows, have one MR for small blocks and one for the others.
constexpr bool has_spmm_slice(bsblasDataType_t type, int mr, bool along_k) {
    switch (type) {
        case BSBLAS_R_32F:
            return mr == 4 || mr == 8 || (!along_k && (mr == 2 || mr == 3 || mr == 5));
        case BSBLAS_R_64F:
            return mr == 4 || mr == 16 || (!along_k && (mr == 2 || mr == 3 || mr == 5));
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return mr == 4 || mr == 8 || (!along_k && mr == 2);
        case BSBLAS_C_32F:
            return mr == 4 || mr == 16 || (!along_k && (mr == 2 || mr == 3 || mr == 8));
        case BSBLAS_C_64F:
            return mr == 4 || mr == 8 || (!along_k && (mr == 2 || mr == 3));
        default:
            return mr == 4 || mr == 16;
    }
}

// What the host decides about a launch.
struct SpmmSlice {
    SliceLayout layout;
    int64_t slices;  // of a block row
    int64_t tiles;   // of columns
    int tile_columns;
    int blocks_per_chunk, rest_per_chunk;  // slice_chunk divided by bk
    bool wide_a;                           // a slice's rows are side by side and aligned
    bool wide_b;
    bool wide_c;  // by rows or columns, whichever has stride 1
};

// Launches the kernel of input type In; there is one translation unit for each.
template <class In>
int launch_spmm_slice(const SpmmProblem& problem, const SpmmSlice& slice, int mr, bool along_k, const Launch& launch);
template <class In>
int load_spmm_slice();

// Runs a row that takes every problem of complex and 16-bit types, whatever the alignment.
int run_spmm_slice(const SpmmProblem& problem, const Launch& launch);

}  // namespace bsblas::cuda
