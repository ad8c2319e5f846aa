// What cost models share. Times are in microseconds and only compared with each other.
#pragma once

#include "core/kernel.h"

#include <algorithm>
#include <cmath>

namespace bsblas::cuda {

constexpr double cycles_per_us = 1700;
constexpr double launch_us = 3.3;

constexpr int element_bytes(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_64F:
        case BSBLAS_C_32F:
            return 8;
        case BSBLAS_C_64F:
            return 16;
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return 2;
        case BSBLAS_R_8I:
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return 1;
        default:
            return 4;
    }
}

// Issue slots of a multiply-add of CUDA cores: binary64 runs at half rate.
constexpr int multiply_add_slots(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_64F:
            return 2;
        case BSBLAS_C_32F:
            return 4;
        case BSBLAS_C_64F:
            return 8;
        default:
            return 1;
    }
}

constexpr int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

// The k of a block row, on average.
inline double k_of_row(const Sparse& a) {
    return static_cast<double>(a.pattern.capacity) * static_cast<double>(a.bk) /
           static_cast<double>(std::max<int64_t>(a.pattern.rows, 1));
}

// Warps need company to hide latencies: about 8 on a multiprocessor for kernels with independent work in each warp.
inline double issue_us(double instructions, double warps, const Device& device) {
    const double sms = std::max(1, device.multiprocessors);
    const double busy = std::min(1.0, warps / (8 * sms));
    return instructions / (4 * sms * cycles_per_us * std::max(busy, 1e-3));
}

// Reads through L2, about 42 bytes a cycle and multiprocessor.
inline double l2_us(double bytes, const Device& device) {
    return bytes / (42.0 * std::max(1, device.multiprocessors) * cycles_per_us);
}

// The slowest of three resources; the others do not hide completely behind it.
inline double overlapped(double a, double b, double c) {
    return 0.9 * std::max({a, b, c}) + 0.1 * (a + b + c);
}

}  // namespace bsblas::cuda
