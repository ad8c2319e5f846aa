#include "kernels/cuda/sm90a/spmm_band.cuh"

namespace bsblas::cuda {

template int launch_spmm_band<__half>(const SpmmProblem&, const SpmmBand&, BandLayout, const Launch&);
template int load_spmm_band<__half>();

}  // namespace bsblas::cuda
