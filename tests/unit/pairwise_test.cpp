#include "support/pairwise.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace bsblas::test {
namespace {

TEST(Pairwise, EveryPairOccurs) {
    const std::vector<int> counts = {19, 17, 8, 3, 3, 2, 2, 2, 2, 2, 2, 1};
    const auto rows = pairwise(counts);
    std::set<std::tuple<int, int, int, int>> seen;
    for (const auto& row : rows) {
        ASSERT_EQ(row.size(), counts.size());
        for (int p = 0; p < static_cast<int>(counts.size()); ++p)
            for (int q = 0; q < p; ++q) seen.emplace(p, row[p], q, row[q]);
    }
    size_t pairs = 0;
    for (size_t p = 0; p < counts.size(); ++p)
        for (size_t q = 0; q < p; ++q) pairs += counts[p] * counts[q];
    EXPECT_EQ(seen.size(), pairs);
    EXPECT_LT(rows.size(), 19u * 17u * 3 / 2);
}

TEST(Pairwise, FewParameters) {
    EXPECT_EQ(pairwise({}).size(), 1u);
    EXPECT_EQ(pairwise({5}).size(), 5u);
    EXPECT_EQ(pairwise({3, 4}).size(), 12u);
    EXPECT_EQ(pairwise({1, 1, 1}).size(), 1u);
}

}  // namespace
}  // namespace bsblas::test
