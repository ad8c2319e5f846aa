#include "kernels/cuda/generic/spmm_tile.cuh"

namespace bsblas::cuda {

template int launch_spmm_tile<Complex<double>>(const SpmmProblem&, const SpmmTile&, int, bool, const Launch&);
template int load_spmm_tile<Complex<double>>();

}  // namespace bsblas::cuda
