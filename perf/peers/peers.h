// The libraries that bsblas is compared with.
#pragma once

#include "harness/contender.h"

namespace bsblas::perf {

// Each throws std::runtime_error when its library cannot be loaded. The environment variable named beside it, if set,
// says which file to load.
std::unique_ptr<Contender> make_openblas(Machine& machine);              // BSBLAS_PERF_OPENBLAS
std::unique_ptr<Contender> make_cublas(Machine& machine);                // BSBLAS_PERF_CUBLAS
std::unique_ptr<Contender> make_cublaslt(Machine& machine);              // BSBLAS_PERF_CUBLASLT
std::unique_ptr<Contender> make_cusparse_bsr(Machine& machine);          // BSBLAS_PERF_CUSPARSE
std::unique_ptr<Contender> make_cusparse_blocked_ell(Machine& machine);  // BSBLAS_PERF_CUSPARSE

// Those of the machine's backend that can be loaded, dense first; missing gets a line for each of the others.
std::vector<std::unique_ptr<Contender>> make_peers(Machine& machine, std::vector<std::string>* missing);

}  // namespace bsblas::perf
