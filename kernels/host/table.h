// The rows of table.inc, one by one and as tables.
#pragma once

#include "core/kernel.h"

namespace bsblas::host {

#define BSBLAS_SPMM_ROW(name) extern const SpmmKernel name;
#define BSBLAS_SDDMM_ROW(name) extern const SddmmKernel name;
#include "kernels/host/table.inc"
#undef BSBLAS_SPMM_ROW
#undef BSBLAS_SDDMM_ROW

KernelTable<SpmmProblem> spmm_table();
KernelTable<SddmmProblem> sddmm_table();

}  // namespace bsblas::host
