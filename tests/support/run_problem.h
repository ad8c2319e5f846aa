// Runs a problem and judges its result.
#pragma once

#include <string>

#include "memory.h"
#include "problem.h"

namespace bsblas::test {

struct Outcome {
    enum Kind { passed, failed, skipped } kind = passed;
    std::string text;  // what is wrong, or why it was skipped
};

// Runs a problem twice and compares its result with the reference and the bits of both runs. graph: captured once,
// before any plain call, and replayed with other values in between.
Outcome run_problem(const Problem& problem, Memory& memory, bool graph);

}  // namespace bsblas::test
