#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(double, BSBLAS_R_64F)

}  // namespace bsblas::cuda
