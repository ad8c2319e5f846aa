#pragma once

namespace bsblas::cuda {

int load_spmm_reference();
int spmm_reference_compiled_for();  // see kernels_compiled_for(): all are built alike

}  // namespace bsblas::cuda
