#include "support/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace bsblas::test {
namespace {

constexpr PatternKind all_kinds[] = {PatternKind::uniform,    PatternKind::bernoulli, PatternKind::full,
                                     PatternKind::empty,      PatternKind::diagonal,  PatternKind::banded,
                                     PatternKind::longrow,    PatternKind::zipf,      PatternKind::blockdiagonal,
                                     PatternKind::smallworld, PatternKind::scalefree};

std::vector<int64_t> row(const BlockPattern& p, int64_t i) {
    return {p.columns.begin() + p.offsets[i], p.columns.begin() + p.offsets[i + 1]};
}

TEST(Patterns, AreWellFormedSortedDistinctAndRepeatable) {
    for (PatternKind kind : all_kinds)
        for (auto [rows, cols] : {std::pair{40, 40}, {17, 60}, {60, 17}, {1, 1}, {0, 5}, {5, 0}}) {
            PatternSpec spec;
            spec.kind = kind;
            const BlockPattern p = make_pattern(spec, rows, cols);
            ASSERT_EQ(p.offsets.size(), static_cast<size_t>(rows) + 1);
            EXPECT_EQ(p.offsets.front(), 0);
            EXPECT_EQ(p.offsets.back(), p.blocks());
            for (int64_t i = 0; i < rows; ++i) {
                const auto columns = row(p, i);
                for (size_t s = 0; s < columns.size(); ++s) {
                    EXPECT_GE(columns[s], s ? columns[s - 1] + 1 : 0) << static_cast<int>(kind);
                    EXPECT_LT(columns[s], cols);
                }
            }
            const BlockPattern again = make_pattern(spec, rows, cols);
            EXPECT_EQ(again.columns, p.columns);
        }
}

TEST(Patterns, HaveTheDensityAskedFor) {
    for (PatternKind kind : {PatternKind::uniform, PatternKind::bernoulli, PatternKind::banded, PatternKind::zipf,
                             PatternKind::blockdiagonal, PatternKind::smallworld, PatternKind::scalefree}) {
        PatternSpec spec;
        spec.kind = kind;
        spec.density = 0.2;
        const BlockPattern p = make_pattern(spec, 200, 200);
        EXPECT_NEAR(static_cast<double>(p.blocks()) / 40000, 0.2, 0.04) << static_cast<int>(kind);
    }
}

TEST(Patterns, Shapes) {
    PatternSpec spec;
    spec.kind = PatternKind::full;
    EXPECT_EQ(make_pattern(spec, 3, 4).blocks(), 12);
    spec.kind = PatternKind::empty;
    EXPECT_EQ(make_pattern(spec, 3, 4).blocks(), 0);
    spec.kind = PatternKind::diagonal;
    EXPECT_EQ(make_pattern(spec, 4, 4).columns, (std::vector<int64_t>{0, 1, 2, 3}));
    spec.kind = PatternKind::longrow;
    EXPECT_EQ(row(make_pattern(spec, 9, 50), 4).size(), 50u);
    spec.kind = PatternKind::zipf;
    spec.density = 0.1;
    std::vector<size_t> lengths;
    const BlockPattern zipf = make_pattern(spec, 100, 100);
    for (int64_t i = 0; i < 100; ++i) lengths.push_back(row(zipf, i).size());
    std::sort(lengths.rbegin(), lengths.rend());
    EXPECT_GE(lengths[0], 5 * lengths[20]);
}

TEST(Patterns, ExactCounts) {
    PatternSpec spec;
    spec.blocks = 37;
    EXPECT_EQ(make_pattern(spec, 10, 10).blocks(), 37);
    spec.blocks = 120;  // more than there are places: some twice
    EXPECT_EQ(make_pattern(spec, 10, 10).blocks(), 120);
    EXPECT_THROW(make_pattern(spec, 0, 10), std::invalid_argument);
}

TEST(Patterns, Modifiers) {
    PatternSpec spec;
    spec.density = 0.5;
    const int64_t plain = make_pattern(spec, 40, 40).blocks();
    spec.duplicates = 0.1;
    spec.sorted = false;
    const BlockPattern p = make_pattern(spec, 40, 40);
    EXPECT_EQ(p.blocks(), plain + plain / 10);
    int64_t repeated = 0, descents = 0;
    for (int64_t i = 0; i < 40; ++i) {
        const auto columns = row(p, i);
        repeated += static_cast<int64_t>(columns.size() - std::set<int64_t>(columns.begin(), columns.end()).size());
        descents += !std::is_sorted(columns.begin(), columns.end());
    }
    EXPECT_EQ(repeated, plain / 10);
    EXPECT_GT(descents, 30);

    spec = {};
    spec.kind = PatternKind::full;
    spec.empty_rows = 0.25;
    spec.empty_cols = 0.1;
    EXPECT_EQ(make_pattern(spec, 40, 40).blocks(), 30 * 36);
}

}  // namespace
}  // namespace bsblas::test
