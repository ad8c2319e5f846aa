#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(Complex<double>, BSBLAS_C_64F)

}  // namespace bsblas::cuda
