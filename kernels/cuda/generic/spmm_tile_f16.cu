#include "kernels/cuda/generic/spmm_tile.cuh"

namespace bsblas::cuda {

template int launch_spmm_tile<__half>(const SpmmProblem&, const SpmmTile&, int, bool, const Launch&);
template int load_spmm_tile<__half>();

}  // namespace bsblas::cuda
