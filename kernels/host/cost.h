// Predicted times of the host's rows, in microseconds: work by measured rate.
#pragma once

#include "core/kernel.h"

namespace bsblas::host {

// Of the reference, for so many products. `contiguous`: the dense input is read along its memory.
double reference_us(double products, bsblasDataType_t type, bool contiguous, const Device& device);

}  // namespace bsblas::host
