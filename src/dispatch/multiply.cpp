#include "dispatch/multiply.h"

#include "core/error.h"
#include "core/types.h"
#include "core/workspace.h"

#include <algorithm>
#include <utility>

namespace bsblas {
namespace {

// How a buffer is used: the transposed indices that the call has to make (one a matrix, side by side), then room that
// making them and the kernel use one after the other.
struct Layout {
    TransposedIndex first_index;
    size_t index_bytes = 0;  // from one to the next
    void* scratch = nullptr;
    size_t total = 0;
};

Layout lay_out(void* buffer, const Stored& a, int64_t indices, size_t scratch_bytes) {
    Workspace workspace(buffer);
    Layout layout;
    layout.index_bytes = TransposedIndex::bytes(a.block_rows, a.block_cols, a.capacity);
    void* first = workspace.take(layout.index_bytes, static_cast<size_t>(indices));
    layout.first_index = TransposedIndex::in(first, a.block_rows, a.block_cols, a.capacity);
    layout.scratch = workspace.take(scratch_bytes);
    layout.total = workspace.used();
    return layout;
}

// From one matrix to the next: a single one serves a whole batch, whatever strides it was given.
int64_t step(const bsblasSpMatDescr& a, int64_t stride) {
    return a.batch == 1 ? 0 : stride;
}

// The parts of op(A) that do not depend on its pattern's arrays.
Sparse operand_shape(const bsblasSpMatDescr& a, bool transpose, bool conjugate) {
    const Stored& stored = a.stored;
    Sparse view;
    view.rows = stored.rows;
    view.cols = stored.cols;
    view.bm = stored.bm;
    view.bk = stored.bk;
    view.row_stride = stored.row_stride();
    view.col_stride = stored.col_stride();
    view.pattern.rows = stored.block_rows;
    view.pattern.cols = stored.block_cols;
    if (transpose) {
        std::swap(view.rows, view.cols);
        std::swap(view.bm, view.bk);
        std::swap(view.row_stride, view.col_stride);
        std::swap(view.pattern.rows, view.pattern.cols);
    }
    view.block_stride = stored.bm * stored.bk;
    view.values = stored.values;
    view.values_stride = step(a, a.values_stride);
    view.type = stored.type;
    view.transposed = transpose;
    view.conjugate = conjugate;
    view.pattern.capacity = stored.capacity;
    return view;
}

void set_stored_pattern(Pattern& pattern, const bsblasSpMatDescr& a) {
    const Stored& stored = a.stored;
    pattern.base = stored.base;
    pattern.offsets = stored.offset_array();
    pattern.indices = stored.index_array();
    pattern.offsets_stride = step(a, a.offsets_stride);
    pattern.indices_stride = step(a, a.indices_stride);
    // Nothing is stored, and the arrays may be missing.
    if (pattern.capacity == 0) pattern.offsets = {};
}

// `stride` is the distance in bytes between the indices of a batch; 0 when they share one.
void set_transposed_pattern(Pattern& pattern, const TransposedIndex& index, size_t stride) {
    const int64_t elements = static_cast<int64_t>(stride) / (index.wide ? 8 : 4);
    pattern.offsets = {index.offsets, index.wide};
    pattern.indices = {index.rows, index.wide};
    pattern.slots = {index.slots, index.wide};
    pattern.offsets_stride = pattern.indices_stride = pattern.slots_stride = elements;
}

bool serves(const std::optional<Analysis>& analysis, const Backend& backend) {
    return analysis && analysis->backend == backend.id() && analysis->ordinal == backend.ordinal();
}

// The choice and the buffer's size are the same before there is any data, whatever the scalars are, and however the
// arrays that come then are aligned.
SpmmProblem without_data(SpmmProblem problem) {
    problem.a.values = problem.b.values = problem.c.values = nullptr;
    problem.arithmetic.alpha = problem.arithmetic.beta = {};
    return problem;
}
SddmmProblem without_data(SddmmProblem problem) {
    problem.a.values = problem.x.values = problem.y.values = nullptr;
    problem.arithmetic.alpha = problem.arithmetic.beta = {};
    return problem;
}

// Null, with the sentence kept, when no row takes the problem.
template <class Problem>
const Choice<Problem>* choose_or_fail(const Context& context, const KernelTable<Problem>& table, const Problem& problem,
                                      RecentChoices<Problem>& recent) {
    const Problem shape = without_data(problem);
    const Device device = context.backend.device(context.execution);
    if (const Choice<Problem>* known = recent.find(shape, device)) return known;
    const Selection& selection = context.choices.selection;
    if (const Kernel<Problem>* kernel = choose(table, shape, device, selection, nullptr)) {
        return recent.keep({shape, device, kernel, kernel->workspace(shape, device)});
    }
    // A second time, for the reasons.
    std::vector<Verdict> verdicts;
    choose(table, shape, device, selection, &verdicts);
    std::string reasons;
    for (const Verdict& verdict : verdicts) reasons += std::string("; ") + verdict.name + ": " + verdict.reason;
    fail(BSBLAS_STATUS_NOT_SUPPORTED, "no kernel takes this problem%s", reasons.c_str());
    return nullptr;
}

template <class Plan, class Problem>
void log_call(const Context& context, const Plan& plan, const KernelTable<Problem>& table) {
    if (!context.log.wants(BSBLAS_LOG_CALL)) return;
    const std::string call = context.describe();
    context.log.write(BSBLAS_LOG_CALL, call + " # kernel=" + plan.kernel->name);
    if (!context.log.wants(BSBLAS_LOG_DISPATCH)) return;
    std::vector<Verdict> verdicts;
    choose(table, without_data(plan.problem), context.backend.device(context.execution), context.choices.selection,
           &verdicts);
    for (const Verdict& verdict : verdicts) {
        if (verdict.reason.empty()) continue;
        context.log.write(BSBLAS_LOG_DISPATCH, call + " # not " + verdict.name + ": " + verdict.reason);
    }
}

}  // namespace

bsblasStatus_t plan_spmm(const Context& context, const SpmmProblem& problem, const SparseOperand& a, SpmmPlan* plan) {
    Backend& backend = context.backend;
    const Stored& stored = a.descriptor.stored;
    plan->problem = problem;
    plan->problem.a = operand_shape(a.descriptor, a.transpose, a.conjugate);
    const auto* choice = choose_or_fail(context, backend.spmm_kernels(), plan->problem, context.choices.spmm);
    if (!choice) return BSBLAS_STATUS_NOT_SUPPORTED;
    plan->kernel = choice->kernel;
    plan->scratch_bytes = choice->workspace_bytes;
    if (a.transpose && stored.capacity > 0 && !serves(a.descriptor.analysis, backend)) {
        plan->indices_to_make = a.descriptor.shares_pattern() ? 1 : a.descriptor.batch;
        plan->scratch_bytes = std::max(plan->scratch_bytes, backend.transposed_index_workspace(stored));
    }
    plan->total_bytes = lay_out(nullptr, stored, plan->indices_to_make, plan->scratch_bytes).total;
    return BSBLAS_STATUS_SUCCESS;
}

bsblasStatus_t run_spmm(const Context& context, const SpmmPlan& plan, const SparseOperand& a, void* buffer) {
    log_call(context, plan, context.backend.spmm_kernels());
    const Layout layout = lay_out(buffer, a.descriptor.stored, plan.indices_to_make, plan.scratch_bytes);
    SpmmProblem problem = plan.problem;
    Pattern& pattern = problem.a.pattern;
    if (!plan.reads_inputs) {
        pattern.capacity = 0;
        return context.backend.run(*plan.kernel, problem, context.execution, layout.scratch);
    }
    for (int64_t j = 0; j < plan.indices_to_make; ++j) {
        const Stored stored = a.descriptor.matrix(j);
        void* place = static_cast<char*>(buffer) + static_cast<size_t>(j) * layout.index_bytes;
        const auto index = TransposedIndex::in(place, stored.block_rows, stored.block_cols, stored.capacity);
        if (bsblasStatus_t status =
                context.backend.transposed_index(stored, index, context.execution, layout.scratch)) {
            return status;
        }
    }
    if (!a.transpose) {
        set_stored_pattern(pattern, a.descriptor);
    } else if (plan.indices_to_make > 0) {
        set_transposed_pattern(pattern, layout.first_index, plan.indices_to_make > 1 ? layout.index_bytes : 0);
    } else if (pattern.capacity > 0) {
        const std::vector<TransposedIndex>& kept = a.descriptor.analysis->transposed;
        const size_t stride = kept.size() == 1 ? 0
                                               : static_cast<size_t>(static_cast<const char*>(kept[1].offsets) -
                                                                     static_cast<const char*>(kept[0].offsets));
        set_transposed_pattern(pattern, kept[0], stride);
    }
    return context.backend.run(*plan.kernel, problem, context.execution, layout.scratch);
}

bsblasStatus_t plan_sddmm(const Context& context, const SddmmProblem& problem, const bsblasSpMatDescr& a,
                          SddmmPlan* plan) {
    plan->problem = problem;
    plan->problem.a = operand_shape(a, false, false);
    if (problem.x.cols == 0) plan->problem.arithmetic.alpha = {};  // nothing is summed, whatever alpha is
    const auto* choice = choose_or_fail(context, context.backend.sddmm_kernels(), plan->problem, context.choices.sddmm);
    if (!choice) return BSBLAS_STATUS_NOT_SUPPORTED;
    plan->kernel = choice->kernel;
    plan->total_bytes = choice->workspace_bytes;
    set_stored_pattern(plan->problem.a.pattern, a);
    return BSBLAS_STATUS_SUCCESS;
}

bsblasStatus_t run_sddmm(const Context& context, const SddmmPlan& plan, void* buffer) {
    log_call(context, plan, context.backend.sddmm_kernels());
    return context.backend.run(*plan.kernel, plan.problem, context.execution, buffer);
}

}  // namespace bsblas
