// Calls in the problem grammar, for the log: a line that the test and benchmark programs replay with a pattern and
// values of their own. What only the device knows is written as what it mostly is: alpha 1, beta 0, scales 1.
#pragma once

#include "api/handle_object.h"
#include "core/descriptors.h"

#include <string>

namespace bsblas::api {

std::string describe_spmm(bsblasSide_t side, bsblasOperation_t op_a, bsblasOperation_t op_b, const bsblasSpMatDescr& a,
                          const bsblasDnMatDescr& b, const bsblasDnMatDescr& c, const Arithmetic& arithmetic,
                          bsblasBackend_t backend);

std::string describe_sddmm(bsblasOperation_t op_x, bsblasOperation_t op_y, const bsblasDnMatDescr& x,
                           const bsblasDnMatDescr& y, const bsblasSpMatDescr& a, const Arithmetic& arithmetic);

}  // namespace bsblas::api
