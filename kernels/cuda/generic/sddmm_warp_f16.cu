#include "kernels/cuda/generic/sddmm_warp.cuh"

namespace bsblas::cuda {

template int launch_sddmm_warp<__half>(const SddmmProblem&, const SddmmTile&, const Launch&);
template int load_sddmm_warp<__half>();

}  // namespace bsblas::cuda
