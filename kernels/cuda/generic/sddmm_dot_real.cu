#include "kernels/cuda/generic/sddmm_dot.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_DOT(float, BSBLAS_R_32F)
BSBLAS_SDDMM_DOT(double, BSBLAS_R_64F)
BSBLAS_SDDMM_DOT(__half, BSBLAS_R_16F)
BSBLAS_SDDMM_DOT(__nv_bfloat16, BSBLAS_R_16BF)

}  // namespace bsblas::cuda
