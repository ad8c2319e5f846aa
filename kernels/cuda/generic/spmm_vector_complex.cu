#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_VECTOR(Complex<float>, BSBLAS_C_32F)
BSBLAS_SPMM_VECTOR(Complex<double>, BSBLAS_C_64F)

}  // namespace bsblas::cuda
