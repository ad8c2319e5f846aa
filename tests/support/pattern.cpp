#include "pattern.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "number.h"

namespace bsblas::test {
namespace {

using Rows = std::vector<std::vector<int64_t>>;

template <class T>
void shuffle(std::vector<T>& v, Random& random) {
    for (int64_t i = static_cast<int64_t>(v.size()) - 1; i > 0; --i) std::swap(v[i], v[below(random, i + 1)]);
}

// `count` of 0 .. cols - 1; when there are not as many, some of them again.
std::vector<int64_t> draw_columns(int64_t count, int64_t cols, Random& random) {
    std::vector<int64_t> all(cols);
    std::iota(all.begin(), all.end(), 0);
    const int64_t distinct = std::min(count, cols);
    for (int64_t i = 0; i < distinct; ++i) std::swap(all[i], all[i + below(random, cols - i)]);
    all.resize(distinct);
    while (static_cast<int64_t>(all.size()) < count) all.push_back(below(random, cols));
    return all;
}

// The column where the diagonal of a rows x cols matrix passes through a row.
int64_t diagonal(int64_t row, int64_t rows, int64_t cols) {
    return row * cols / rows;
}

std::vector<int64_t> range(int64_t first, int64_t last, int64_t cols) {
    std::vector<int64_t> r;
    for (int64_t j = std::max<int64_t>(first, 0); j < std::min(last, cols); ++j) r.push_back(j);
    return r;
}

void uniform_rows(Rows& rows, const PatternSpec& spec, int64_t cols, Random& random) {
    const int64_t n = static_cast<int64_t>(rows.size());
    const int64_t each = std::llround(spec.density * static_cast<double>(cols));
    for (int64_t i = 0; i < n; ++i) {
        const int64_t count = spec.blocks < 0 ? each : spec.blocks / n + (i < spec.blocks % n);
        rows[i] = draw_columns(count, cols, random);
    }
}

void zipf_rows(Rows& rows, double density, int64_t cols, Random& random) {
    const int64_t n = static_cast<int64_t>(rows.size());
    std::vector<int64_t> rank(n);
    std::iota(rank.begin(), rank.end(), 1);
    shuffle(rank, random);
    // No row can be longer than cols, so the scale is searched for.
    const double wanted = density * static_cast<double>(n) * static_cast<double>(cols);
    double low = 0, high = static_cast<double>(n) * static_cast<double>(cols);
    const auto length = [&](double scale, int64_t r) {
        return std::min(static_cast<double>(cols), scale / static_cast<double>(r));
    };
    for (int step = 0; step < 100; ++step) {
        const double scale = (low + high) / 2;
        double sum = 0;
        for (int64_t r = 1; r <= n; ++r) sum += length(scale, r);
        (sum < wanted ? low : high) = scale;
    }
    for (int64_t i = 0; i < n; ++i) rows[i] = draw_columns(std::llround(length(high, rank[i])), cols, random);
}

void small_world(Rows& rows, double density, int64_t cols, Random& random) {
    const int64_t n = static_cast<int64_t>(rows.size());
    const int64_t neighbours = std::max<int64_t>(1, std::llround(density * static_cast<double>(cols)));
    for (int64_t i = 0; i < n; ++i) {
        std::vector<bool> taken(cols);
        const int64_t first = diagonal(i, n, cols) - neighbours / 2 + cols;
        for (int64_t d = 0; d < std::min(neighbours, cols); ++d) taken[(first + d) % cols] = true;
        for (int64_t d = 0; d < std::min(neighbours, cols); ++d) {
            if (uniform(random) >= 0.1) continue;
            const int64_t to = below(random, cols);
            if (taken[to]) continue;
            taken[(first + d) % cols] = false;
            taken[to] = true;
        }
        for (int64_t j = 0; j < cols; ++j)
            if (taken[j]) rows[i].push_back(j);
    }
}

void scale_free(Rows& rows, double density, int64_t cols, Random& random) {
    const int64_t n = static_cast<int64_t>(rows.size()), nodes = std::max(n, cols);
    const int64_t edges = std::max<int64_t>(1, std::llround(density * static_cast<double>(nodes) / 2));
    std::vector<int64_t> ends;  // every node once per edge that it has: a draw from it prefers the well connected
    const auto connect = [&](int64_t u, int64_t v) {
        ends.push_back(u);
        ends.push_back(v);
        if (u < n && v < cols) rows[u].push_back(v);
        if (u != v && v < n && u < cols) rows[v].push_back(u);
    };
    for (int64_t node = 0; node < nodes; ++node) {
        connect(node, node);
        std::vector<int64_t> targets;
        for (int64_t e = 0; e < std::min(edges, node); ++e) {
            const int64_t target = ends[below(random, static_cast<int64_t>(ends.size()))];
            if (target != node && std::find(targets.begin(), targets.end(), target) == targets.end())
                targets.push_back(target);
        }
        for (int64_t target : targets) connect(node, target);
    }
}

void add_duplicates(Rows& rows, double share, Random& random) {
    int64_t slots = 0;
    std::vector<int64_t> owners;
    for (size_t i = 0; i < rows.size(); ++i) {
        slots += static_cast<int64_t>(rows[i].size());
        if (!rows[i].empty()) owners.push_back(static_cast<int64_t>(i));
    }
    if (owners.empty()) return;
    const int64_t extra = std::max<int64_t>(1, std::llround(share * static_cast<double>(slots)));
    for (int64_t e = 0; e < extra; ++e) {
        auto& row = rows[owners[below(random, static_cast<int64_t>(owners.size()))]];
        row.push_back(row[below(random, static_cast<int64_t>(row.size()))]);
    }
}

// At least one of n when share > 0.
std::vector<bool> choose(double share, int64_t n, Random& random) {
    std::vector<bool> chosen(n);
    if (share <= 0 || n == 0) return chosen;
    const int64_t count = std::clamp<int64_t>(std::llround(share * static_cast<double>(n)), 1, n);
    for (int64_t i : draw_columns(count, n, random)) chosen[i] = true;
    return chosen;
}

}  // namespace

BlockPattern make_pattern(const PatternSpec& spec, int64_t row_count, int64_t cols) {
    Random random(spec.seed);
    Rows rows(row_count);
    if (row_count > 0 && cols > 0) {
        const double density = spec.density;
        const int64_t width = std::max<int64_t>(1, std::llround(density * static_cast<double>(cols)));
        switch (spec.kind) {
            case PatternKind::uniform:
                uniform_rows(rows, spec, cols, random);
                break;
            case PatternKind::bernoulli:
                for (auto& row : rows)
                    for (int64_t j = 0; j < cols; ++j)
                        if (uniform(random) < density) row.push_back(j);
                break;
            case PatternKind::full:
                for (auto& row : rows) row = range(0, cols, cols);
                break;
            case PatternKind::empty:
                break;
            case PatternKind::diagonal:
                for (int64_t i = 0; i < row_count; ++i) rows[i] = {diagonal(i, row_count, cols)};
                break;
            case PatternKind::banded:
                for (int64_t i = 0; i < row_count; ++i) {
                    const int64_t first = diagonal(i, row_count, cols) - width / 2;
                    rows[i] = range(first, first + width, cols);
                }
                break;
            case PatternKind::longrow:
                for (auto& row : rows) row = {below(random, cols)};
                rows[row_count / 2] = range(0, cols, cols);
                break;
            case PatternKind::zipf:
                zipf_rows(rows, density, cols, random);
                break;
            case PatternKind::blockdiagonal: {
                const double least = 1 / static_cast<double>(row_count);  // one row a group
                const int64_t groups = std::llround(1 / std::clamp(density, least, 1.0));
                for (int64_t i = 0; i < row_count; ++i) {
                    const int64_t group = i * groups / row_count;
                    rows[i] = range(group * cols / groups, (group + 1) * cols / groups, cols);
                }
                break;
            }
            case PatternKind::smallworld:
                small_world(rows, density, cols, random);
                break;
            case PatternKind::scalefree:
                scale_free(rows, density, cols, random);
                break;
        }
    } else if (spec.blocks > 0) {
        throw std::invalid_argument("blocks=" + std::to_string(spec.blocks) +
                                    " in a matrix without any place for them");
    }

    const std::vector<bool> no_row = choose(spec.empty_rows, row_count, random);
    const std::vector<bool> no_col = choose(spec.empty_cols, cols, random);
    for (int64_t i = 0; i < row_count; ++i) {
        if (no_row[i]) rows[i].clear();
        std::erase_if(rows[i], [&](int64_t j) { return no_col[j]; });
    }
    if (spec.duplicates > 0) add_duplicates(rows, spec.duplicates, random);

    BlockPattern pattern{row_count, cols, {0}, {}};
    for (auto& row : rows) {
        if (spec.sorted)
            std::sort(row.begin(), row.end());
        else
            shuffle(row, random);
        pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
        pattern.offsets.push_back(pattern.blocks());
    }
    return pattern;
}

}  // namespace bsblas::test
