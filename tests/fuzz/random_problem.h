// Problem lines with every key that an operation knows, at random.
#pragma once

#include <string>

#include "support/number.h"

namespace bsblas::test {

std::string random_problem(Random& random);

}  // namespace bsblas::test
