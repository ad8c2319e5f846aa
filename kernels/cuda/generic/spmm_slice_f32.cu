#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(float, BSBLAS_R_32F)

}  // namespace bsblas::cuda
