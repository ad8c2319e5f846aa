#include "kernels/cuda/generic/sddmm_dense.cuh"

namespace bsblas::cuda {

template int launch_sddmm_dense<Complex<float>>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int launch_sddmm_dense<Complex<double>>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int load_sddmm_dense<Complex<float>>();
template int load_sddmm_dense<Complex<double>>();

}  // namespace bsblas::cuda
