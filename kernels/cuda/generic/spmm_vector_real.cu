#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_VECTOR(float, BSBLAS_R_32F)
BSBLAS_SPMM_VECTOR(double, BSBLAS_R_64F)
BSBLAS_SPMM_VECTOR(__half, BSBLAS_R_16F)
BSBLAS_SPMM_VECTOR(__nv_bfloat16, BSBLAS_R_16BF)

}  // namespace bsblas::cuda
