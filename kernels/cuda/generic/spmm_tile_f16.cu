#include "kernels/cuda/generic/spmm_tile.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_TILE(__half)

}  // namespace bsblas::cuda
