// Named cases: inputs on which libraries of this kind have failed their users, with their neighbours in shape, type,
// order and operation. A case's number is that of its row in the project's list of public reports.
#pragma once

#include <vector>

#include "session.h"

namespace bsblas::test {

struct Case {
    const char* name;
    void (*run)(Session&);
    bool slow = false;  // full tier only
};

std::vector<Case> cases();

}  // namespace bsblas::test
