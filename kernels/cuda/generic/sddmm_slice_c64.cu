#include "kernels/cuda/generic/sddmm_slice.cuh"

namespace bsblas::cuda {

BSBLAS_SDDMM_SLICE(Complex<double>, BSBLAS_C_64F)

}  // namespace bsblas::cuda
