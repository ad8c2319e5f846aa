#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(__half, BSBLAS_R_16F)

}  // namespace bsblas::cuda
