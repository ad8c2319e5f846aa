// Random patterns with something wrong in them, through bsblasBsrValidate and a validation of the test's own.
#pragma once

#include <string>

#include "support/memory.h"
#include "support/number.h"

namespace bsblas::test {

// "" or how the library's answer differs.
std::string check_malformed_pattern(Random& random, Memory& memory);

}  // namespace bsblas::test
