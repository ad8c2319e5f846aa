#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(double, BSBLAS_R_64F)

}  // namespace bsblas::cuda
