#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(Complex<float>, BSBLAS_C_32F)

}  // namespace bsblas::cuda
