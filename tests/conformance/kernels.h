// The kernel tables, as a caller can see them: by the log, and by forcing a row with BSBLAS_KERNEL.
#pragma once

#include "session.h"

namespace bsblas::test {

// The names of all rows that the backend has for spmm or sddmm.
std::vector<std::string> kernel_names(Session& session, Op op);

// Handles made in its lifetime use this row and no other.
class ForcedKernel {
public:
    explicit ForcedKernel(const std::string& name);
    ~ForcedKernel();
    ForcedKernel(const ForcedKernel&) = delete;
};

// Runs each row on those of the problems that it takes. A row that takes none fails, unless it gives the same reason
// each time: then that is the machine's.
void force_every_kernel(Session& session, const std::vector<Problem>& problems);

}  // namespace bsblas::test
