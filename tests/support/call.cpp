#include "call.h"

#include "call_parts.h"

namespace bsblas::test {

Call::Call(const Problem& problem, Memory& memory, const CallOptions& options)
    : problem_(problem), memory_(memory), options_(options) {
    require(bsblasCreateWithBackend(&handle_, memory.backend()));
    require(bsblasSetStream(handle_, memory.stream()));
    require(bsblasSetPointerMode(handle_, problem.mode));
    require(bsblasSetNumThreads(handle_, problem.threads));
}

Call::~Call() {
    bsblasDestroy(handle_);
}

std::vector<BlockPattern> make_patterns(const Problem& problem) {
    const bool shared = problem.a.offsets_stride == Length{false, 0};
    std::vector<BlockPattern> patterns;
    for (int64_t matrix = 0; matrix < (shared ? 1 : problem.a.batch); ++matrix) {
        PatternSpec spec = problem.pattern;
        spec.seed += static_cast<uint64_t>(matrix);
        patterns.push_back(make_pattern(spec, problem.block_rows(), problem.block_cols()));
    }
    return patterns;
}

int64_t most_blocks(const std::vector<BlockPattern>& patterns) {
    int64_t most = 0;
    for (const BlockPattern& p : patterns) most = std::max(most, p.blocks());
    return most;
}

std::unique_ptr<Call> make_call(const Problem& problem, Memory& memory, const CallOptions& options) {
    const bool product = problem.op == Op::spmm || problem.op == Op::sddmm || problem.op == Op::analyze;
    return product ? make_product_call(problem, memory, options) : make_pattern_call(problem, memory, options);
}

}  // namespace bsblas::test
