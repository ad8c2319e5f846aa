#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_VECTOR(float)
BSBLAS_SPMM_VECTOR(double)
BSBLAS_SPMM_VECTOR(__half)
BSBLAS_SPMM_VECTOR(__nv_bfloat16)

}  // namespace bsblas::cuda
