// Covering arrays: few test rows in which every pair of values of any two parameters occurs.
#pragma once

#include <vector>

namespace bsblas::test {

// counts[p] >= 1 is how many values parameter p has; each row of the result holds one value, from 0, of each parameter.
std::vector<std::vector<int>> pairwise(const std::vector<int>& counts);

}  // namespace bsblas::test
