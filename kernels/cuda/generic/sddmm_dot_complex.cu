#include "kernels/cuda/generic/sddmm_dot.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_DOT(Complex<float>, BSBLAS_C_32F)
BSBLAS_SDDMM_DOT(Complex<double>, BSBLAS_C_64F)

}  // namespace bsblas::cuda
