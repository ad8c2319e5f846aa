#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_VECTOR(Complex<float>)
BSBLAS_SPMM_VECTOR(Complex<double>)

}  // namespace bsblas::cuda
