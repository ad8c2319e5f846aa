#include "kernels/cuda/generic/sddmm_dense.cuh"

namespace bsblas::cuda {

template int launch_sddmm_dense<float>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int launch_sddmm_dense<double>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int launch_sddmm_dense<__half>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int launch_sddmm_dense<__nv_bfloat16>(const SddmmProblem&, const SddmmDense&, const Launch&);
template int load_sddmm_dense<float>();
template int load_sddmm_dense<double>();
template int load_sddmm_dense<__half>();
template int load_sddmm_dense<__nv_bfloat16>();

}  // namespace bsblas::cuda
