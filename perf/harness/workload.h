// A problem on actual data in a machine's memory: what bsblas and its peers all compute.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/machine.h"
#include "support/number.h"
#include "support/pattern.h"
#include "support/problem.h"

namespace bsblas::perf {

using test::BlockPattern;
using test::Complex;
using test::Op;
using test::Problem;

// Operands exist in several copies, so that runs which rotate through them find none in the cache.
struct DenseOperand {
    int64_t rows = 0, cols = 0, ld = 0;
    bsblasOrder_t order = BSBLAS_ORDER_ROW;
    bsblasDataType_t type = BSBLAS_R_32F;
    std::vector<std::byte> initial;  // what each copy holds before the first run
    std::vector<Buffer> copies;

    bool row_major() const { return order == BSBLAS_ORDER_ROW; }
    int64_t index(int64_t i, int64_t j) const { return row_major() ? i * ld + j : i + j * ld; }
    int64_t elements() const { return ld * (row_major() ? rows : cols); }
};

struct SparseOperand {
    int64_t rows = 0, cols = 0;  // logical
    int64_t bm = 0, bk = 0;
    bsblasOrder_t order = BSBLAS_ORDER_ROW;
    bsblasDataType_t type = BSBLAS_R_32F;
    BlockPattern pattern;  // counts from 0, whatever the base
    int64_t base = 0;
    bsblasIndexType_t offsets_type = BSBLAS_INDEX_32I, columns_type = BSBLAS_INDEX_32I;
    std::vector<std::byte> initial;  // the values
    Buffer offsets, columns;
    std::vector<Buffer> copies;  // of the values

    int64_t index(int64_t slot, int64_t r, int64_t c) const {
        return slot * bm * bk + (order == BSBLAS_ORDER_ROW ? r * bk + c : r + c * bm);
    }
    int64_t elements() const { return pattern.blocks() * bm * bk; }
    bool ragged() const { return rows != pattern.rows * bm || cols != pattern.cols * bk; }
};

// alpha and beta as libraries read them, of the scalar type.
struct Scalars {
    alignas(16) unsigned char alpha[16], beta[16];
};

struct Workload {
    Problem problem;
    SparseOperand a;
    DenseOperand b, c;  // spmm: C = alpha op(A) op(B) + beta C, or with B on the left
    DenseOperand x, y;  // sddmm: A = alpha op(X) op(Y) + beta A
    size_t copies = 1;

    bool spmm() const { return problem.op == Op::spmm; }
    bsblasComputeType_t compute() const;
    bsblasDataType_t scalar_type() const { return test::scalar_type(problem.type, problem.out); }
    Scalars scalars() const;
    double density() const;        // stored blocks of all
    int64_t stored_bytes() const;  // of A, with its indices
    double flops() const;          // on stored blocks
    double dense_flops() const;    // of the same product without the pattern
    int64_t sum_length() const;    // products in an element of the output, at most
};

// Random operands on the problem's pattern, in as many copies as it takes to pass the machine's cache. Outputs that are
// not read first (beta = 0) are filled with NaN. Throws std::invalid_argument for what the harness does not measure.
Workload make_workload(const Problem& problem, Machine& machine);

// The same with a given pattern and values of A, one copy of each operand; spmm's output and sddmm's may be left to be
// NaN.
struct GivenOperands {
    BlockPattern pattern;
    std::vector<std::byte> a;            // values in the problem's type of A and block order; may be empty in sddmm
    std::vector<std::byte> left, right;  // spmm: B and nothing; sddmm: X and Y; with the least ld
};
Workload make_workload(const Problem& problem, GivenOperands given, Machine& machine);

// The output's first copy, in the machine's memory; put back as it was before any run; brought to the host.
const Buffer& output(const Workload& workload);
void reset_output(const Workload& workload, Machine& machine);
std::vector<std::byte> download_output(const Workload& workload, Machine& machine);

}  // namespace bsblas::perf
