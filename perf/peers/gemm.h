// The dense product that does a workload's work without its pattern, as a column-major BLAS call.
#pragma once

#include "harness/workload.h"

namespace bsblas::perf {

struct Gemm {
    std::string refusal;  // why BLAS has no such call; "" when it has
    bsblasOperation_t op_left = BSBLAS_OP_N, op_right = BSBLAS_OP_N;
    int64_t m = 0, n = 0, k = 0, ld_left = 0, ld_right = 0, ld_out = 0;
    bsblasDataType_t type_left{}, type_right{}, type_out{};
    std::vector<const void*> left, right;  // by copy
    std::vector<void*> out;
    bool writes_output = true;     // the workload's; else a dense matrix of its own
    std::vector<Buffer> expanded;  // what it had to allocate
};

// Expands A, or makes room for all of A, in as many copies as the workload has.
Gemm make_gemm(const Workload& workload, Machine& machine);

}  // namespace bsblas::perf
