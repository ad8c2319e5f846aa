#include "kernels/cuda/generic/sddmm_dot.cuh"

namespace bsblas::cuda {

template int launch_sddmm_dot<float>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<float>();
template int launch_sddmm_dot<double>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<double>();
template int launch_sddmm_dot<__half>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<__half>();
template int launch_sddmm_dot<__nv_bfloat16>(const SddmmProblem&, const SddmmDot&, bool, const Launch&);
template int load_sddmm_dot<__nv_bfloat16>();

}  // namespace bsblas::cuda
