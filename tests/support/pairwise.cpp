#include "pairwise.h"

#include <cstddef>

namespace bsblas::test {
namespace {

// Which pairs of values have not occurred yet.
class Uncovered {
public:
    explicit Uncovered(const std::vector<int>& counts) : first_(counts.size()) {
        for (size_t p = 0; p < counts.size(); ++p) {
            first_[p] = values_;
            values_ += counts[p];
        }
        open_.assign(static_cast<size_t>(values_) * values_, 0);
        for (size_t p = 0; p < counts.size(); ++p)
            for (size_t q = 0; q < p; ++q)
                for (int v = 0; v < counts[p]; ++v)
                    for (int w = 0; w < counts[q]; ++w) open(p, v, q, w) = open(q, w, p, v) = 1;
    }
    char& open(size_t p, int v, size_t q, int w) {
        return open_[static_cast<size_t>(first_[p] + v) * values_ + first_[q] + w];
    }

private:
    std::vector<int> first_;
    int values_ = 0;
    std::vector<char> open_;
};

}  // namespace

// Greedy: each row starts from a pair that is still missing and gives every further parameter the value that adds most.
std::vector<std::vector<int>> pairwise(const std::vector<int>& counts) {
    const size_t n = counts.size();
    std::vector<std::vector<int>> rows;
    if (n == 1)
        for (int v = 0; v < counts[0]; ++v) rows.push_back({v});
    Uncovered uncovered(counts);

    const auto complete = [&](std::vector<int> row) {
        for (size_t p = 0; p < n; ++p) {
            if (row[p] >= 0) continue;
            int best = 0, best_gain = -1;
            for (int step = 0; step < counts[p]; ++step) {
                // Ties go to another value each time, so that triples get mixed as well.
                const int v = (step + static_cast<int>(rows.size())) % counts[p];
                int gain = 0;
                for (size_t q = 0; q < n; ++q)
                    if (q != p && row[q] >= 0) gain += uncovered.open(p, v, q, row[q]);
                if (gain > best_gain) {
                    best = v;
                    best_gain = gain;
                }
            }
            row[p] = best;
        }
        for (size_t p = 0; p < n; ++p)
            for (size_t q = 0; q < n; ++q)
                if (p != q) uncovered.open(p, row[p], q, row[q]) = 0;
        rows.push_back(row);
    };

    for (size_t p = 0; p < n; ++p)
        for (size_t q = 0; q < p; ++q)
            for (int v = 0; v < counts[p]; ++v)
                for (int w = 0; w < counts[q]; ++w) {
                    if (!uncovered.open(p, v, q, w)) continue;
                    std::vector<int> row(n, -1);
                    row[p] = v;
                    row[q] = w;
                    complete(row);
                }
    if (rows.empty()) rows.emplace_back();  // no parameters: one row without values
    return rows;
}

}  // namespace bsblas::test
