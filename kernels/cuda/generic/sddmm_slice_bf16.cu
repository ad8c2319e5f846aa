#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(__nv_bfloat16, BSBLAS_R_16BF)

}  // namespace bsblas::cuda
