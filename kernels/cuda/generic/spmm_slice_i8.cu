#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SPMM_SLICE(int8_t, BSBLAS_R_8I)

}  // namespace bsblas::cuda
