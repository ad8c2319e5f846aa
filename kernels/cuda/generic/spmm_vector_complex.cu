#include "kernels/cuda/generic/spmm_vector.cuh"

namespace bsblas::cuda {

template int launch_spmm_vector<Complex<float>>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<Complex<float>>();
template int launch_spmm_vector<Complex<double>>(const SpmmProblem&, const SpmmVector&, int, bool, const Launch&);
template int load_spmm_vector<Complex<double>>();

}  // namespace bsblas::cuda
