// Whether a result is right: products again in fp64, by loops that share nothing with the library.
#pragma once

#include <string>

#include "harness/workload.h"

namespace bsblas::perf {

// Of each element checked, |computed - exact| / (|alpha| sum |products| + |beta before|); the largest. NaN makes it
// infinite, and so does an element, checked or not, that was never written.
struct Verdict {
    double error = 0;
    double bound = 0;  // what rounding can do, by types and length of the sums
    bool good() const { return error <= bound; }
    std::string text() const;
};

// Both look at the output's first copy. At 512 random places:
Verdict check_sample(const Workload& workload, Machine& machine);

// Every element; for real types, side left, alpha = 1, beta = 0 and blocks that fit without a ragged edge.
Verdict check_all(const Workload& workload, Machine& machine);

}  // namespace bsblas::perf
