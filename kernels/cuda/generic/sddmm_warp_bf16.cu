#include "kernels/cuda/generic/sddmm_warp.cuh"

namespace bsblas::cuda {

template int launch_sddmm_warp<__nv_bfloat16>(const SddmmProblem&, const SddmmTile&, const Launch&);
template int load_sddmm_warp<__nv_bfloat16>();

}  // namespace bsblas::cuda
