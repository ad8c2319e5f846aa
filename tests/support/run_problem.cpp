#include "run_problem.h"

#include <cstdlib>
#include <exception>

#include "call.h"
#include "number.h"

namespace bsblas::test {
namespace {

// The whole reference below this many multiplications, the randomised check above.
constexpr double full_check_limit = 3e8;

double multiplications(const Problem& p) {
    if (p.op != Op::spmm && p.op != Op::sddmm) return 0;
    const double full = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    return full * p.pattern.density * static_cast<double>(p.batch);
}

std::string answer(bsblasStatus_t status) {
    return std::string("answered ") + bsblasGetStatusName(status) + ": " + bsblasGetLastErrorMessage();
}

// The contract lets a cuda backend refuse fp8, on devices before sm_89, and nothing else that the lists hold. A kernel
// that is forced may refuse whatever it does not take.
bool may_be_refused(const Problem& p, const Memory& memory) {
    if (std::getenv("BSBLAS_KERNEL")) return true;
    return memory.backend() == BSBLAS_BACKEND_CUDA && memory.compute_capability() < 89 &&
           (is_fp8(p.type) || is_fp8(p.typeb));
}

Outcome run(const Problem& p, Memory& memory, bool graph) {
    // Validation waits for its answer, which a graph cannot hold.
    graph = graph && p.op != Op::validate;
    const auto call = make_call(p, memory, {graph, multiplications(p) < full_check_limit});

    const auto refused = [&](bsblasStatus_t status) -> Outcome {
        if (status == BSBLAS_STATUS_NOT_SUPPORTED && may_be_refused(p, memory))
            return {Outcome::skipped, bsblasGetLastErrorMessage()};
        return {Outcome::failed, answer(status)};
    };
    call->fill(1);
    if (const bsblasStatus_t status = call->prepare(); status != BSBLAS_STATUS_SUCCESS) return refused(status);

    std::function<void()> again;
    bsblasStatus_t status = BSBLAS_STATUS_SUCCESS;
    if (graph) {
        again = memory.capture([&] { status = call->run(); });
        if (status == call->expected()) again();
    } else {
        again = [&] { status = call->run(); };
        again();
    }
    if (status != call->expected()) return refused(status);
    std::string wrong = call->download();
    if (wrong.empty()) wrong = call->verify();
    if (!wrong.empty()) return {Outcome::failed, wrong};
    const std::vector<Bytes> bits = call->bits();

    if (graph) {
        call->fill(2);
        again();
        wrong = call->download();
        if (wrong.empty()) wrong = call->verify();
        if (!wrong.empty()) return {Outcome::failed, "replayed with other values: " + wrong};
    }
    call->fill(1);
    again();
    if (status != call->expected()) return refused(status);
    wrong = call->download();
    if (!wrong.empty()) return {Outcome::failed, "the second time: " + wrong};
    if (call->bits() != bits) return {Outcome::failed, "not the same bits the second time"};
    return {};
}

}  // namespace

Outcome run_problem(const Problem& problem, Memory& memory, bool graph) {
    try {
        return run(problem, memory, graph);
    } catch (const std::exception& error) {
        return {Outcome::failed, error.what()};
    }
}

}  // namespace bsblas::test
