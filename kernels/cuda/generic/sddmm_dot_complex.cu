#include "kernels/cuda/generic/sddmm_dot.cuh"

namespace bsblas::cuda {

template int launch_sddmm_dot<Complex<float>>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<Complex<float>>();
template int launch_sddmm_dot<Complex<double>>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<Complex<double>>();

}  // namespace bsblas::cuda
