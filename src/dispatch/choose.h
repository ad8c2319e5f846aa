// Which row of a kernel table runs a problem. Pure functions: no device is asked.
#pragma once

#include "core/kernel.h"

#include <algorithm>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace bsblas {

// What restricts the choice besides the problem itself.
class Selection {
public:
    Selection() = default;  // all rows
    // Only rows whose names the expression finds. Throws std::regex_error. Names are searched here, once: for each call
    // it would take longer than a small product (30 us for SpMM's rows, against 0.7 to choose).
    template <class... Table>
    explicit Selection(std::string expression, const Table&... tables) : expression_(std::move(expression)) {
        const std::regex names(expression_, syntax);
        const auto add = [&](const auto& table) {
            for (const auto* row : table) {
                if (std::regex_search(row->name, names)) names_.push_back(row->name);
            }
        };
        (add(tables), ...);
    }

    bool allows(const char* name) const {
        return expression_.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
    }
    const std::string& expression() const { return expression_; }

private:
    // Without backtracking where the library can: "(.*)*x" would search for ever.
#ifdef __GLIBCXX__
    static constexpr auto syntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
    static constexpr auto syntax = std::regex::ECMAScript;
#endif
    std::string expression_;
    std::vector<const char*> names_;  // the rows' own
};

struct Verdict {
    const char* name;
    std::string reason;  // why it was not taken; "" for the row that was
};

// The cheapest row that takes the problem; null when none does. verdicts, if not null, gets one for each row.
template <class Problem>
const Kernel<Problem>* choose(const KernelTable<Problem>& table, const Problem& problem, const Device& device,
                              const Selection& selection, std::vector<Verdict>* verdicts) {
    const Kernel<Problem>* best = nullptr;
    double best_cost = 0;
    struct Candidate {
        const Kernel<Problem>* row;
        std::string reason;
        double cost;
    };
    std::vector<Candidate> candidates;
    for (int i = 0; i < table.count; ++i) {
        const Kernel<Problem>& row = *table.rows[i];
        std::string reason;
        double cost = 0;
        if (problem.arithmetic.algorithm == BSBLAS_ALG_REFERENCE && i + 1 < table.count) {
            reason = "the reference was asked for";
        } else if (!selection.allows(row.name)) {
            reason = "BSBLAS_KERNEL=" + selection.expression() + " does not name it";
        } else if (reason = row.refuses(problem, device); reason.empty()) {
            cost = row.cost(problem, device);
            if (!best || cost < best_cost) {
                best = &row;
                best_cost = cost;
            }
        }
        if (verdicts) candidates.push_back({&row, std::move(reason), cost});
    }
    if (verdicts) verdicts->clear();
    for (Candidate& candidate : candidates) {
        if (candidate.reason.empty() && candidate.row != best) {
            candidate.reason =
                "predicted " + std::to_string(candidate.cost) + " us, the one taken " + std::to_string(best_cost);
        }
        verdicts->push_back({candidate.row->name, std::move(candidate.reason)});
    }
    return best;
}

}  // namespace bsblas
