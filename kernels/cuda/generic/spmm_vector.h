// SpMM with few columns, bound by the memory that A takes: a lane owns k and reads A and B without a detour.
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

constexpr int vector_rows = 4;  // of a slice: each warp has one

// Which (type, columns at a time) are compiled. With four columns at a time, f64, c32 and c64 took 0.9 to 1.5 times as
// long as by the fastest slices (H200, blocks of 2 to 128), the others 0.64 to 1.02 times.
constexpr bool has_spmm_vector(bsblasDataType_t type, int columns) {
    switch (type) {
        case BSBLAS_R_32F:
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return columns == 1 || columns == 4;
        case BSBLAS_R_64F:
        case BSBLAS_C_32F:
        case BSBLAS_C_64F:
            return columns == 1;
        default:
            return false;
    }
}

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
