// Predicted times of the host's rows on one thread, in microseconds, by measured rates. What a row would take on more
// does not count: the choice, and with it the bits of the result, must not depend on the number of threads.
#pragma once

#include "core/kernel.h"

namespace bsblas::host {

// Of the reference: so many products, `width` of them at a time for one factor; `contiguous` if their other factors
// are.
double reference_us(double products, int64_t width, bsblasDataType_t type, bool contiguous);

// Of generated code: so many products in blocks whose shorter side is `side`, with operands of so many elements to
// pack.
double libxsmm_us(double products, int64_t side, bsblasDataType_t type, double packed, const Device& device);

}  // namespace bsblas::host
