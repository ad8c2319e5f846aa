// Which row of a kernel table runs a problem. Pure functions: no device is asked.
#pragma once

#include "core/kernel.h"

#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace bsblas {

// What restricts the choice besides the problem itself.
struct Selection {
    const std::regex* names = nullptr;  // only rows whose name it finds; null: all
    std::string names_text;
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
        } else if (selection.names && !std::regex_search(row.name, *selection.names)) {
            reason = "BSBLAS_KERNEL=" + selection.names_text + " does not name it";
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
