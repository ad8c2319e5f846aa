#include "kernels/cuda/generic/spmm_tile.cuh"

namespace bsblas::cuda {

template int launch_spmm_tile<__nv_bfloat16>(const SpmmProblem&, const SpmmTile&, int, bool, const Launch&);
template int load_spmm_tile<__nv_bfloat16>();

}  // namespace bsblas::cuda
