// The library itself, called through its public interface.
#pragma once

#include "harness/contender.h"

namespace bsblas::perf {

// With so many threads; 0: as many as each problem says.
std::unique_ptr<Contender> make_bsblas(Machine& machine, int threads = 0);

}  // namespace bsblas::perf
