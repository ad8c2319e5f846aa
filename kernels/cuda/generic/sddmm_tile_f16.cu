#include "kernels/cuda/generic/sddmm_tile.cuh"

namespace bsblas::cuda {

template int launch_sddmm_tile<__half>(const SddmmProblem&, const SddmmTile&, int, const Launch&);
template int load_sddmm_tile<__half>();

}  // namespace bsblas::cuda
