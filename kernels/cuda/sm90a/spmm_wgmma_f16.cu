#include "kernels/cuda/sm90a/spmm_wgmma.cuh"

namespace bsblas::cuda {

template int launch_spmm_wgmma<__half>(const SpmmProblem&, const SpmmWgmma&, WgmmaLayout, const Launch&);
template int load_spmm_wgmma<__half>();

}  // namespace bsblas::cuda
