// The kernels of table.inc.
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

KernelTable<SpmmProblem> spmm_table();
KernelTable<SddmmProblem> sddmm_table();

// Loads all that the current device, which is this one, can run, so that none is loaded inside a stream capture. A
// cudaError_t.
int load_kernels(const Device& device);

// The virtual architecture (80, 90, ...) that they were compiled for as they run on the current device, which may be
// newer; 0 if it cannot be told.
int kernels_compiled_for();

}  // namespace bsblas::cuda
