#include "dispatch/multiply.h"

#include "api/check.h"
#include "api/describe.h"
#include "api/guard.h"

#include <bsblas/multiply.h>

#include <cstring>
#include <functional>
#include <utility>

using namespace bsblas;
using namespace bsblas::api;

namespace {

Arithmetic check_arithmetic(const bsblasHandle& handle, bsblasDataType_t a, const char* a_name, bsblasDataType_t b,
                            const char* b_name, bsblasDataType_t out, const char* out_name,
                            const bsblasOpDescr& descr) {
    const auto types = arithmetic_types(a, b, out, descr.compute, handle.math_mode);
    if (!types) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED,
               "%s is %s, %s %s, %s %s and the compute type %s, expected a row of the table in bsblas/multiply.h",
               a_name, data_type(a)->name, b_name, data_type(b)->name, out_name, data_type(out)->name,
               descr.compute ? name_of(*descr.compute) : "default");
    }
    if (!types->scales && (descr.scale_a || descr.scale_b)) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED,
               "descr has a scale although %s is %s and %s %s, expected fp8 inputs, or "
               "int8 ones and an f32 output",
               a_name, data_type(a)->name, out_name, data_type(out)->name);
    }
    Arithmetic arithmetic;
    arithmetic.scalar_type = types->scalar;
    arithmetic.compute = types->compute;
    arithmetic.scale_a = descr.scale_a;
    arithmetic.scale_b = descr.scale_b;
    arithmetic.deterministic = descr.determinism.value_or(handle.determinism) == BSBLAS_DETERMINISM_REQUIRED;
    arithmetic.algorithm = descr.algorithm;
    return arithmetic;
}

Scalar read_scalar(const bsblasHandle& handle, const char* argument, const void* pointer, bsblasDataType_t type) {
    not_null(argument, pointer);
    aligned(argument, pointer, data_type(type)->alignment);
    Scalar scalar;
    if (handle.pointer_mode == BSBLAS_POINTER_MODE_DEVICE && handle.backend->id() != BSBLAS_BACKEND_HOST) {
        scalar.pointer = pointer;
    } else {
        std::memcpy(scalar.value, pointer, static_cast<size_t>(data_type(type)->size));
    }
    return scalar;
}

// Known to be zero, that is, on the host. Minus zero is one too.
bool is_zero(const Scalar& scalar, bsblasDataType_t type) {
    if (scalar.pointer) return false;
    switch (type) {
        case BSBLAS_R_64F:
            return scalar.get<double>() == 0;
        case BSBLAS_R_32I:
            return scalar.get<int32_t>() == 0;
        case BSBLAS_C_32F: {
            float parts[2];
            std::memcpy(parts, scalar.value, sizeof parts);
            return parts[0] == 0 && parts[1] == 0;
        }
        case BSBLAS_C_64F: {
            double parts[2];
            std::memcpy(parts, scalar.value, sizeof parts);
            return parts[0] == 0 && parts[1] == 0;
        }
        default:
            return scalar.get<float>() == 0;
    }
}

Dense transposed(Dense view) {
    std::swap(view.rows, view.cols);
    std::swap(view.row_stride, view.col_stride);
    return view;
}

Dense batched_view(const bsblasDnMatDescr& matrix, bsblasOperation_t op) {
    Dense view = matrix.matrix(op, 0);
    view.batch_stride = matrix.batch == 1 ? 0 : matrix.batch_stride;
    return view;
}

struct SpmmCall {
    SpmmProblem problem;
    bool transpose_a = false, conjugate_a = false;
};

// All that a SpMM's bufferSize and the call itself check alike: everything but scalars, arrays and the buffer.
SpmmCall check_spmm(const bsblasHandle& handle, bsblasSide_t side, bsblasOperation_t op_a, bsblasOperation_t op_b,
                    const bsblasSpMatDescr& a, const bsblasDnMatDescr& b, const bsblasDnMatDescr& c,
                    const bsblasOpDescr& descr) {
    listed("side", side, {BSBLAS_SIDE_LEFT, BSBLAS_SIDE_RIGHT}, "BSBLAS_SIDE_LEFT (0) or _RIGHT (1)");
    check_op("opA", op_a);
    check_op("opB", op_b);
    SpmmCall call;
    SpmmProblem& problem = call.problem;
    problem.arithmetic = check_arithmetic(handle, a.stored.type, "A", b.type, "B", c.type, "C", descr);
    call.transpose_a = op_a != BSBLAS_OP_N;
    call.conjugate_a = op_a == BSBLAS_OP_H && data_type(a.stored.type)->complex;
    problem.b = batched_view(b, op_b);
    problem.c = batched_view(c, BSBLAS_OP_N);
    if (side == BSBLAS_SIDE_RIGHT) {
        // C' = op(A)' op(B)': the same product with A on the left.
        call.transpose_a = !call.transpose_a;
        problem.b = transposed(problem.b);
        problem.c = transposed(problem.c);
    }
    const int64_t rows = call.transpose_a ? a.stored.cols : a.stored.rows;
    const int64_t cols = call.transpose_a ? a.stored.rows : a.stored.cols;
    if (problem.b.rows != cols || problem.c.rows != rows || problem.c.cols != problem.b.cols) {
        const char* product = side == BSBLAS_SIDE_LEFT ? "op(A) op(B)" : "op(B) op(A)";
        refuse_value("%s, %s, %s with opA = %s, opB = %s, expected sizes that fit C = %s", size_of("A", a).c_str(),
                     size_of("B", b).c_str(), size_of("C", c).c_str(), name_of(op_a), name_of(op_b), product);
    }
    batch_serves("A", a.batch, "C", c.batch);
    batch_serves("B", b.batch, "C", c.batch);
    problem.batch = c.batch;
    return call;
}

Context context_of(bsblasHandle& handle, std::function<std::string()> describe) {
    return {*handle.backend, handle.execution, handle.choices, handle.log, std::move(describe)};
}

SddmmProblem check_sddmm(const bsblasHandle& handle, bsblasOperation_t op_x, bsblasOperation_t op_y,
                         const bsblasDnMatDescr& x, const bsblasDnMatDescr& y, const bsblasSpMatDescr& a,
                         const bsblasOpDescr& descr) {
    check_op("opX", op_x);
    check_op("opY", op_y);
    SddmmProblem problem;
    problem.arithmetic = check_arithmetic(handle, x.type, "X", y.type, "Y", a.stored.type, "A", descr);
    const bool integer_or_fp8 = data_type(x.type)->size == 1;
    if (integer_or_fp8) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED, "X is %s, expected a type of 16 bits or more", data_type(x.type)->name);
    }
    problem.x = batched_view(x, op_x);
    problem.y = batched_view(y, op_y);
    if (problem.x.cols != problem.y.rows || problem.x.rows != a.stored.rows || problem.y.cols != a.stored.cols) {
        refuse_value("%s, %s, %s with opX = %s, opY = %s, expected sizes that fit A = op(X) op(Y)",
                     size_of("X", x).c_str(), size_of("Y", y).c_str(), size_of("A", a).c_str(), name_of(op_x),
                     name_of(op_y));
    }
    batch_serves("X", x.batch, "A", a.batch);
    batch_serves("Y", y.batch, "A", a.batch);
    problem.batch = a.batch;
    return problem;
}

}  // namespace

bsblasStatus_t bsblasSpMM_bufferSize(bsblasHandle_t handle, bsblasSide_t side, bsblasOperation_t opA,
                                     bsblasOperation_t opB, bsblasConstSpMatDescr_t A, bsblasConstDnMatDescr_t B,
                                     bsblasConstDnMatDescr_t C, bsblasConstOpDescr_t descr, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr& a = bsr("A", A);
        const SpmmCall call = check_spmm(live, side, opA, opB, a, dense("B", B), dense("C", C), options(descr));
        SpmmPlan plan;
        if (call.problem.c.rows > 0 && call.problem.c.cols > 0) {
            succeed_or_refuse(
                plan_spmm(context_of(live, {}), call.problem, {a, call.transpose_a, call.conjugate_a}, &plan));
        }
        *bufferSize = buffer_size(live, plan.total_bytes);
    });
}

bsblasStatus_t bsblasSpMM(bsblasHandle_t handle, bsblasSide_t side, bsblasOperation_t opA, bsblasOperation_t opB,
                          const void* alpha, bsblasConstSpMatDescr_t A, bsblasConstDnMatDescr_t B, const void* beta,
                          bsblasDnMatDescr_t C, bsblasConstOpDescr_t descr, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr& a = bsr("A", A);
        const bsblasDnMatDescr& b = dense("B", B);
        const bsblasDnMatDescr& c = dense("C", C);
        SpmmCall call = check_spmm(live, side, opA, opB, a, b, c, options(descr));
        Arithmetic& arithmetic = call.problem.arithmetic;
        arithmetic.alpha = read_scalar(live, "alpha", alpha, arithmetic.scalar_type);
        arithmetic.beta = read_scalar(live, "beta", beta, arithmetic.scalar_type);
        writable("C", c);
        if (c.empty()) return;
        has_values("C", c);

        const bool reads_inputs = !is_zero(arithmetic.alpha, arithmetic.scalar_type) && a.stored.capacity > 0;
        if (reads_inputs) {
            has_pattern("A", a);
            has_values("A", a);
            has_values("B", b);
        }
        const auto describe = [&] { return describe_spmm(side, opA, opB, a, b, c, arithmetic, live.backend->id()); };
        const Context context = context_of(live, std::ref(describe));  // by reference: it would not fit without a heap
        const SparseOperand operand{a, call.transpose_a, call.conjugate_a};
        SpmmPlan plan;
        succeed_or_refuse(plan_spmm(context, call.problem, operand, &plan));
        plan.reads_inputs = reads_inputs;
        void* workspace = checked_buffer(live, buffer, bufferSize, plan.total_bytes);
        succeed_or_refuse(run_spmm(context, plan, operand, workspace));
    });
}

bsblasStatus_t bsblasSDDMM_bufferSize(bsblasHandle_t handle, bsblasOperation_t opX, bsblasOperation_t opY,
                                      bsblasConstDnMatDescr_t X, bsblasConstDnMatDescr_t Y, bsblasConstSpMatDescr_t A,
                                      bsblasConstOpDescr_t descr, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr& a = bsr("A", A);
        const SddmmProblem problem = check_sddmm(live, opX, opY, dense("X", X), dense("Y", Y), a, options(descr));
        SddmmPlan plan;
        if (a.stored.capacity > 0) succeed_or_refuse(plan_sddmm(context_of(live, {}), problem, a, &plan));
        *bufferSize = buffer_size(live, plan.total_bytes);
    });
}

bsblasStatus_t bsblasSDDMM(bsblasHandle_t handle, bsblasOperation_t opX, bsblasOperation_t opY, const void* alpha,
                           bsblasConstDnMatDescr_t X, bsblasConstDnMatDescr_t Y, const void* beta, bsblasSpMatDescr_t A,
                           bsblasConstOpDescr_t descr, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr& a = bsr("A", A);
        const bsblasDnMatDescr& x = dense("X", X);
        const bsblasDnMatDescr& y = dense("Y", Y);
        SddmmProblem problem = check_sddmm(live, opX, opY, x, y, a, options(descr));
        Arithmetic& arithmetic = problem.arithmetic;
        arithmetic.alpha = read_scalar(live, "alpha", alpha, arithmetic.scalar_type);
        arithmetic.beta = read_scalar(live, "beta", beta, arithmetic.scalar_type);
        writable("A", a);
        if (a.stored.capacity == 0) return;
        has_pattern("A", a);
        has_values("A", a);
        if (!is_zero(arithmetic.alpha, arithmetic.scalar_type)) {
            has_values("X", x);
            has_values("Y", y);
        }
        const auto describe = [&] { return describe_sddmm(opX, opY, x, y, a, arithmetic); };
        const Context context = context_of(live, std::ref(describe));
        SddmmPlan plan;
        succeed_or_refuse(plan_sddmm(context, problem, a, &plan));
        void* workspace = checked_buffer(live, buffer, bufferSize, plan.total_bytes);
        succeed_or_refuse(run_sddmm(context, plan, workspace));
    });
}
