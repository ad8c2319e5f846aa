// SDDMM of few tokens, and of small blocks with tokens side by side: a group of lanes keeps all sums of a block, or of
// a part of 4 x 4 of it, in each lane and splits the tokens.
#pragma once

#include "kernels/cuda/generic/sddmm_split.h"

namespace bsblas::cuda {

constexpr int dot_side = 4;  // of a part

// Tokens that a lane reads before their products where tokens are not side by side.
constexpr int dot_ahead(int element_bytes) {
    return element_bytes <= 8 ? 4 : 2;
}

struct SddmmDot {
    SddmmSplit split;
    int64_t parts_m, parts_n;  // of a block
    int lanes_log2;            // of a group
    bool wide_x, wide_y;       // along the tokens (`along_k`), or along the part
};

template <class In>
int launch_sddmm_dot(const SddmmProblem& problem, const SddmmDot& dot, bool along_k, const Launch& launch);
template <class In>
int load_sddmm_dot();

}  // namespace bsblas::cuda
