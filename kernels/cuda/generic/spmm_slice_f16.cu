#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(__half, BSBLAS_R_16F)

}  // namespace bsblas::cuda
