// From a checked product to a kernel: the transposed index where op needs one, the choice of a row, the carving of the
// workspace.
#pragma once

#include "backend/backend.h"
#include "core/descriptors.h"
#include "core/log.h"
#include "dispatch/choose.h"
#include "dispatch/recent_choices.h"

#include <functional>
#include <string>

namespace bsblas {

// How a handle chooses kernels.
struct Choices {
    Selection selection;  // BSBLAS_KERNEL
    RecentChoices<SpmmProblem> spmm;
    RecentChoices<SddmmProblem> sddmm;
};

// Where and how a product runs.
struct Context {
    Backend& backend;
    const Execution& execution;
    Choices& choices;
    const Log& log;
    std::function<std::string()> describe;  // the call in the problem grammar, made only when it is logged
};

// op(A) for SpMM, before its pattern is known: transpose says which way round, conjugate whether to.
struct SparseOperand {
    const bsblasSpMatDescr& descriptor;
    bool transpose = false;
    bool conjugate = false;
};

// A product ready to run: only the buffer is missing. Making one reads no data, so bufferSize functions do it as well.
struct SpmmPlan {
    SpmmProblem problem;  // its pattern is set when it runs
    const SpmmKernel* kernel = nullptr;
    int64_t indices_to_make = 0;  // transposed indices that the call builds in its buffer
    size_t scratch_bytes = 0;     // for building them, and then for the kernel
    size_t total_bytes = 0;
    bool reads_inputs = true;  // cleared for alpha = 0 on the host: A counts as empty, whatever its arrays are
};
struct SddmmPlan {
    SddmmProblem problem;
    const SddmmKernel* kernel = nullptr;
    size_t total_bytes = 0;
};

// problem has everything but `a`, which comes from the operand or descriptor.
bsblasStatus_t plan_spmm(const Context&, const SpmmProblem& problem, const SparseOperand& a, SpmmPlan* plan);
bsblasStatus_t plan_sddmm(const Context&, const SddmmProblem& problem, const bsblasSpMatDescr& a, SddmmPlan* plan);

// buffer has the plan's total_bytes, 256-byte aligned. Both log the call.
bsblasStatus_t run_spmm(const Context&, const SpmmPlan& plan, const SparseOperand& a, void* buffer);
bsblasStatus_t run_sddmm(const Context&, const SddmmPlan& plan, void* buffer);

}  // namespace bsblas
