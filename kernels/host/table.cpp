#include "kernels/host/table.h"

#include <iterator>

namespace bsblas::host {

namespace {

constexpr const SpmmKernel* spmm_rows[] = {
#define BSBLAS_SPMM_ROW(name) &name,
#define BSBLAS_SDDMM_ROW(name)
#include "kernels/host/table.inc"
#undef BSBLAS_SPMM_ROW
#undef BSBLAS_SDDMM_ROW
};

constexpr const SddmmKernel* sddmm_rows[] = {
#define BSBLAS_SPMM_ROW(name)
#define BSBLAS_SDDMM_ROW(name) &name,
#include "kernels/host/table.inc"
#undef BSBLAS_SPMM_ROW
#undef BSBLAS_SDDMM_ROW
};

}  // namespace

KernelTable<SpmmProblem> spmm_table() {
    return {spmm_rows, std::size(spmm_rows)};
}

KernelTable<SddmmProblem> sddmm_table() {
    return {sddmm_rows, std::size(sddmm_rows)};
}

}  // namespace bsblas::host
