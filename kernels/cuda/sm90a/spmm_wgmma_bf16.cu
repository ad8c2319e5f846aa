#include "kernels/cuda/sm90a/spmm_wgmma.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_WGMMA(__nv_bfloat16)

}  // namespace bsblas::cuda
