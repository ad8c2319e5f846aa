#include "kernels/host/cost.h"

#include "kernels/host/cpu_level.h"

#include <algorithm>

namespace bsblas::host {

namespace {

// Measured on a Xeon of family 6, model 207 at 256 x 256 and 2048 x 2048, density 0.25.

struct ReferenceRate {
    bsblasDataType_t type;
    double contiguous_ns, strided_ns;  // a product
};

constexpr ReferenceRate reference_rates[] = {
    {BSBLAS_R_32F, 0.10, 0.50}, {BSBLAS_R_64F, 0.25, 0.70},   {BSBLAS_C_32F, 0.72, 1.3},
    {BSBLAS_C_64F, 1.0, 1.3},   {BSBLAS_R_16F, 1.5, 1.6},     {BSBLAS_R_16BF, 0.17, 0.45},
    {BSBLAS_R_8I, 0.17, 0.47},  {BSBLAS_R_8F_E4M3, 1.7, 1.7}, {BSBLAS_R_8F_E5M2, 1.7, 1.7},
};
constexpr double reference_factor_ns = 2.5;  // one factor, with all that it multiplies

constexpr double gflops_8 = 100, gflops_16 = 115, gflops_32 = 125;  // binary32 with AVX-512, by the shorter side
constexpr double pack_ns = 0.4;                                     // an element
constexpr double start_us = 1;

}  // namespace

double reference_us(double products, int64_t width, bsblasDataType_t type, bool contiguous) {
    double ns = 0;
    for (const ReferenceRate& rate : reference_rates) {
        if (rate.type == type) ns = contiguous ? rate.contiguous_ns : rate.strided_ns;
    }
    ns += reference_factor_ns / double(std::max<int64_t>(1, width));
    return products * ns / 1000;
}

double libxsmm_us(double products, int64_t side, bsblasDataType_t type, double packed, const Device& device) {
    double gflops = side < 16 ? gflops_8 : side < 32 ? gflops_16 : gflops_32;
    if (type == BSBLAS_R_64F) gflops /= 2;
    if (device.cpu_level < cpu_avx512) gflops /= 2;
    return start_us + (2 * products / gflops + packed * pack_ns) / 1000;
}

}  // namespace bsblas::host
