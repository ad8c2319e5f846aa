#include "kernels/cuda/generic/spmm_slice.cuh"

namespace bsblas::cuda {

template int launch_spmm_slice<Complex<double>>(const SpmmProblem&, const SpmmSlice&, int, bool, const Launch&);
template int load_spmm_slice<Complex<double>>();

}  // namespace bsblas::cuda
