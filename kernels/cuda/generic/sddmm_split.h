// Splitting SDDMM's tokens (its k) among blocks when A has too few blocks to fill the device: partial sums go to the
// workspace, and a second kernel adds them in order and finishes them.
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

struct SddmmSplit {
    int64_t splits = 1;
    int64_t tokens = 0;       // of each split but the last
    void* partial = nullptr;  // [batch][split][entry][element of the block] of the accumulator's type; null: one split
};

// Into `splits` at most: into fewer where tokens are few.
SddmmSplit split_into(const SddmmProblem& problem, int64_t splits);
// `warps`: how many the problem has without splitting.
SddmmSplit split_sddmm(const SddmmProblem& problem, const Device& device, double warps);
size_t sddmm_split_bytes(const SddmmProblem& problem, const SddmmSplit& split);
// What leaving and adding up partial sums takes.
double sddmm_reduce_us(const SddmmProblem& problem, const SddmmSplit& split, const Device& device);

template <class In>
int launch_sddmm_reduce(const SddmmProblem& problem, const SddmmSplit& split, const Launch& launch);
int load_sddmm_reduce();

}  // namespace bsblas::cuda
