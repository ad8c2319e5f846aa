// The kernels of table.inc.
#pragma once

#include "core/kernel.h"

namespace bsblas::cuda {

KernelTable<SpmmProblem> spmm_table();
KernelTable<SddmmProblem> sddmm_table();

// Loads all of them onto the current device, so that none is loaded inside a stream capture. A cudaError_t.
int load_kernels();

// The virtual architecture (80, 90, ...) that they were compiled for as they run on the current device, which may be
// newer; 0 if it cannot be told.
int kernels_compiled_for();

}  // namespace bsblas::cuda
