// The library itself, called through its public interface.
#pragma once

#include "harness/contender.h"

namespace bsblas::perf {

std::unique_ptr<Contender> make_bsblas(Machine& machine);

}  // namespace bsblas::perf
