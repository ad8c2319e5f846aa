#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(Complex<float>, BSBLAS_C_32F)

}  // namespace bsblas::cuda
