// SDDMM of small blocks, or of larger ones in parts of B x B elements: a group of lanes keeps all sums of a part in
// each lane and splits the tokens.
#pragma once

#include "kernels/cuda/generic/sddmm_split.h"

namespace bsblas::cuda {

// 8 x 8 sums of wider types do not fit registers.
constexpr bool has_sddmm_dot(bsblasDataType_t type, int b) {
    return b == 4 || type == BSBLAS_R_32F || type == BSBLAS_R_16F || type == BSBLAS_R_16BF;
}

struct SddmmDot {
    SddmmSplit split;
    int64_t parts_m, parts_n;  // of a block
    int lanes_log2;            // of a group
    bool wide_x, wide_y;       // along the tokens (`along_k`), or along the part
};

template <class In>
int launch_sddmm_dot(const SddmmProblem& problem, const SddmmDot& dot, int b, bool along_k, const Launch& launch);
template <class In>
int load_sddmm_dot();

}  // namespace bsblas::cuda
