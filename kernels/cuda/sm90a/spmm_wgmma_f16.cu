#include "kernels/cuda/sm90a/spmm_wgmma.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_WGMMA(__half)

}  // namespace bsblas::cuda
