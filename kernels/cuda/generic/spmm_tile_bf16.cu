#include "kernels/cuda/generic/spmm_tile.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_TILE(__nv_bfloat16)

}  // namespace bsblas::cuda
