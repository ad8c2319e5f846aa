// SDDMM of large blocks: a block of two warps for each tile of 64 x 64, on tensor cores but for binary32.
#pragma once

#include "kernels/cuda/generic/sddmm_tile.h"

namespace bsblas::cuda {

constexpr int warp_tile = 64;   // rows and columns
constexpr int warp_count = 2;   // of a block
constexpr int warp_blocks = 4;  // that a multiprocessor has registers for

// tile.x and tile.y are wide.
template <class In>
int launch_sddmm_warp(const SddmmProblem& problem, const SddmmTile& tile, const Launch& launch);
template <class In>
int load_sddmm_warp();

}  // namespace bsblas::cuda
