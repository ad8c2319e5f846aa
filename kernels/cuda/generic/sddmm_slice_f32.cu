#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(float, BSBLAS_R_32F)

}  // namespace bsblas::cuda
