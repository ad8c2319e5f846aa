#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(Fp8, BSBLAS_R_8F_E4M3)

}  // namespace bsblas::cuda
