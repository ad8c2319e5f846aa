#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

template int launch_spmm_vector<float>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<float>();
template int launch_spmm_vector<double>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<double>();
template int launch_spmm_vector<__half>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<__half>();
template int launch_spmm_vector<__nv_bfloat16>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<__nv_bfloat16>();

}  // namespace bsblas::cuda
