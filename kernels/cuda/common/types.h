// Element types that C++ lacks.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace bsblas::cuda {

// Aligned as its real part: callers promise no more.
template <class Real>
struct Complex {
    Real re, im;
};

// e4m3 or e5m2: which of them is known at run time, and may differ between the operands of a product.
struct Fp8 {
    uint8_t bits;
};

}  // namespace bsblas::cuda
