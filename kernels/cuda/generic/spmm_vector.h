// SpMM with few columns, bound by the memory that A takes: a lane owns k and reads A and B without a detour.
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

constexpr int vector_rows = 4;  // of a slice: each warp has one

struct SpmmVector {
    int64_t slices;    // of a block row
    int64_t tiles;     // of columns
    int k_warps_log2;  // warps of a block that split a row
    bool wide_a;       // along k (`along_k`), or down the slice
    bool wide_b;       // along k
};

// along_k: A's blocks are read 16 bytes along k.
template <class In>
int launch_spmm_vector(const SpmmProblem& problem, const SpmmVector& vector, int columns, bool along_k,
                       const Launch& launch);
template <class In>
int load_spmm_vector();

}  // namespace bsblas::cuda
