#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(__nv_bfloat16, BSBLAS_R_16BF)

}  // namespace bsblas::cuda
