#include "kernels.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "support/call.h"
#include "support/number.h"

namespace bsblas::test {
namespace {

constexpr int most_aligned_each = 50, most_unaligned_each = 20;

// Whose pointers are aligned as a real part and no better: what kernels assume of pointers shows there alone.
bool is_unaligned(const Problem& p) {
    return p.shift && is_complex(p.type);
}

// "<problem> # kernel=NAME" and "<problem> # not NAME: reason".
void collect_name(bsblasLogLevel_t, const char* text, void* names) {
    const std::string line = text;
    for (const std::string& before : {std::string("# kernel="), std::string("# not ")}) {
        const size_t at = line.find(before);
        if (at == std::string::npos) continue;
        const size_t from = at + before.size();
        static_cast<std::vector<std::string>*>(names)->push_back(
            line.substr(from, line.find_first_of(": ", from) - from));
    }
}

}  // namespace

std::vector<std::string> kernel_names(Session& session, Op op) {
    Problem p = parse(std::string(name_of(op)) + " m=16 n=16 k=16 pattern=full");
    const auto call = make_call(p, session.memory());
    std::vector<std::string> names;
    if (bsblasSetLogCallback(call->handle(), collect_name, &names) != BSBLAS_STATUS_SUCCESS ||
        bsblasSetLogLevel(call->handle(), BSBLAS_LOG_DISPATCH) != BSBLAS_STATUS_SUCCESS)
        throw std::runtime_error(bsblasGetLastErrorMessage());
    call->fill(1);
    if (call->prepare() != BSBLAS_STATUS_SUCCESS || call->run() != BSBLAS_STATUS_SUCCESS)
        throw std::runtime_error(bsblasGetLastErrorMessage());
    call->download();
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

ForcedKernel::ForcedKernel(const std::string& name) {
    setenv("BSBLAS_KERNEL", ("^" + name + "$").c_str(), 1);
}
ForcedKernel::~ForcedKernel() {
    unsetenv("BSBLAS_KERNEL");
}

void force_every_kernel(Session& session, const std::vector<Problem>& problems) {
    for (Op op : {Op::spmm, Op::sddmm}) {
        std::vector<Problem> candidates;
        std::copy_if(problems.begin(), problems.end(), std::back_inserter(candidates),
                     [&](const Problem& p) { return p.op == op; });
        Random random(1);
        for (size_t i = candidates.size(); i > 1; --i)
            std::swap(candidates[i - 1], candidates[static_cast<size_t>(below(random, static_cast<int64_t>(i)))]);

        const std::vector<std::string> names = kernel_names(session, op);
        session.expect(!names.empty(), std::string("the log names no kernel of ") + name_of(op));
        for (const std::string& name : names) {
            const ForcedKernel forced(name);
            int taken = 0, unaligned = 0;
            std::set<std::string> reasons;
            for (const Problem& p : candidates) {
                if (is_unaligned(p) ? unaligned == most_unaligned_each : taken - unaligned == most_aligned_each)
                    continue;
                const Outcome outcome = run_problem(p, session.memory(), session.graph());
                if (outcome.kind == Outcome::skipped) {
                    reasons.insert(outcome.text);
                    continue;
                }
                session.expect(outcome.kind == Outcome::passed,
                               "BSBLAS_KERNEL=^" + name + "$: " + format(p) + " # " + outcome.text);
                ++taken;
                unaligned += is_unaligned(p);
            }
            if (taken > 0) {
                std::printf("kernel %s: %d problems\n", name.c_str(), taken);
            } else if (reasons.size() == 1) {
                std::printf("kernel %s: not on this machine: %s\n", name.c_str(), reasons.begin()->c_str());
            } else {
                session.expect(false, name + " took none of " + std::to_string(candidates.size()) + " problems");
            }
        }
    }
}

}  // namespace bsblas::test
