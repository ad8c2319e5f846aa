#include "kernels/cuda/table.h"

#include "kernels/cuda/common/types.h"
#include "kernels/cuda/generic/sddmm_dense.h"
#include "kernels/cuda/generic/sddmm_dot.h"
#include "kernels/cuda/generic/sddmm_reference.h"
#include "kernels/cuda/generic/sddmm_tile.h"
#include "kernels/cuda/generic/sddmm_warp.h"
#include "kernels/cuda/generic/spmm_reference.h"
#include "kernels/cuda/generic/spmm_slice.h"
#include "kernels/cuda/generic/spmm_tile.h"
#include "kernels/cuda/generic/spmm_vector.h"
#include "kernels/cuda/sm90a/spmm_band.h"
#include "kernels/cuda/sm90a/spmm_wgmma.h"

#include <iterator>

namespace bsblas::cuda {

#define BSBLAS_SPMM_KERNEL(name) extern const SpmmKernel name;
#define BSBLAS_SDDMM_KERNEL(name) extern const SddmmKernel name;
#include "kernels/cuda/table.inc"

namespace {

constexpr const SpmmKernel* spmm_rows[] = {
#define BSBLAS_SPMM_KERNEL(name) &name,
#include "kernels/cuda/table.inc"
};

constexpr const SddmmKernel* sddmm_rows[] = {
#define BSBLAS_SDDMM_KERNEL(name) &name,
#include "kernels/cuda/table.inc"
};

template <class In>
int load_all_of() {
    for (auto load : {load_spmm_tile<In>, load_spmm_slice<In>, load_spmm_vector<In>, load_sddmm_dot<In>,
                      load_sddmm_tile<In>, load_sddmm_dense<In>}) {
        if (int result = load()) return result;
    }
    return 0;
}

int load_sm90a() {
    for (auto load : {load_spmm_wgmma<__half>, load_spmm_wgmma<__nv_bfloat16>, load_spmm_band<__half>,
                      load_spmm_band<__nv_bfloat16>, load_band_plan}) {
        if (int result = load()) return result;
    }
    return 0;
}

}  // namespace

KernelTable<SpmmProblem> spmm_table() {
    return {spmm_rows, static_cast<int>(std::size(spmm_rows))};
}

KernelTable<SddmmProblem> sddmm_table() {
    return {sddmm_rows, static_cast<int>(std::size(sddmm_rows))};
}

int load_kernels(const Device& device) {
    for (auto load :
         {load_all_of<float>, load_all_of<double>, load_all_of<Complex<float>>, load_all_of<Complex<double>>,
          load_all_of<__half>, load_all_of<__nv_bfloat16>, load_spmm_slice<int8_t>, load_spmm_slice<Fp8>,
          load_sddmm_warp<float>, load_sddmm_warp<double>, load_sddmm_warp<__half>, load_sddmm_warp<__nv_bfloat16>,
          load_spmm_reference, load_sddmm_reference, load_sddmm_reduce}) {
        if (int result = load()) return result;
    }
    return device.sm == 90 ? load_sm90a() : 0;
}

int kernels_compiled_for() {
    return spmm_reference_compiled_for();
}

}  // namespace bsblas::cuda
