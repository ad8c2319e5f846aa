#include "peers/gemm.h"

#include <cstring>

namespace bsblas::perf {

namespace {

struct Operand {
    bsblasOperation_t op;
    bsblasOrder_t order;
    int64_t ld;
    bsblasDataType_t type;
    std::vector<const void*> copies;
};

std::vector<const void*> pointers(const std::vector<Buffer>& copies) {
    std::vector<const void*> out;
    for (const Buffer& copy : copies) out.push_back(copy.get());
    return out;
}

Operand operand(const DenseOperand& d, bsblasOperation_t op) {
    return {op, d.order, d.ld, d.type, pointers(d.copies)};
}

// A with zeros for the blocks that are not stored.
std::vector<std::byte> expand(const SparseOperand& a, bsblasOrder_t order) {
    size_t size = test::size_of(a.type);
    std::vector<std::byte> out(a.rows * a.cols * size);
    for (int64_t row = 0; row < a.pattern.rows; ++row)
        for (int64_t p = a.pattern.offsets[row]; p < a.pattern.offsets[row + 1]; ++p)
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    int64_t i = row * a.bm + r, j = a.pattern.columns[p] * a.bk + c;
                    if (i >= a.rows || j >= a.cols) continue;
                    int64_t at = order == BSBLAS_ORDER_ROW ? i * a.cols + j : i + j * a.rows;
                    std::memcpy(out.data() + at * size, a.initial.data() + a.index(p, r, c) * size, size);
                }
    return out;
}

// The order of A expanded, which is free.
bsblasOrder_t expanded_order(const Problem& p, bsblasOrder_t out_order) {
    // Conjugation exists only together with transposition as BLAS sees it.
    if (p.opa == BSBLAS_OP_H) return out_order;
    // Matrix instructions take 8-bit operands only with what is summed over side by side, and cuBLAS fp8 at all.
    bool rows_side_by_side = (p.side == BSBLAS_SIDE_LEFT) == (p.opa == BSBLAS_OP_N);
    return test::size_of(p.type) == 1 && !rows_side_by_side ? BSBLAS_ORDER_COL : BSBLAS_ORDER_ROW;
}

// The op that gives the same matrix when the memory is read in the other order.
bool flip(bsblasOperation_t& op) {
    if (op == BSBLAS_OP_H) return false;
    op = op == BSBLAS_OP_N ? BSBLAS_OP_T : BSBLAS_OP_N;
    return true;
}

}  // namespace

Gemm make_gemm(const Workload& w, Machine& machine) {
    const Problem& p = w.problem;
    Gemm g;
    Operand left, right;
    bsblasOrder_t out_order = BSBLAS_ORDER_ROW;
    if (w.spmm()) {
        out_order = w.c.order;
        bsblasOrder_t order = expanded_order(p, out_order);
        std::vector<std::byte> bytes = expand(w.a, order);
        for (size_t copy = 0; copy < w.copies; ++copy) {
            g.expanded.push_back(machine.allocate(bytes.size()));
            machine.upload(g.expanded.back().get(), bytes.data(), bytes.size());
        }
        Operand a{p.opa, order, order == BSBLAS_ORDER_ROW ? w.a.cols : w.a.rows, w.a.type, pointers(g.expanded)};
        Operand b = operand(w.b, p.opb);
        left = p.side == BSBLAS_SIDE_LEFT ? a : b;
        right = p.side == BSBLAS_SIDE_LEFT ? b : a;
        for (const Buffer& copy : w.c.copies) g.out.push_back(copy.get());
        g.ld_out = w.c.ld;
    } else {
        left = operand(w.x, p.opa);
        right = operand(w.y, p.opb);
        for (size_t copy = 0; copy < w.copies; ++copy) {
            g.expanded.push_back(machine.allocate(p.m * p.n * test::size_of(p.out)));
            g.out.push_back(g.expanded.back().get());
        }
        g.ld_out = p.n;
        g.writes_output = false;
    }

    // Row-major C is the transpose of a column-major one, and C^T = op(right)^T op(left)^T. An operand in C's order
    // then keeps its op, one in the other order turns it.
    for (Operand* side : {&left, &right})
        if (side->order != out_order && !flip(side->op))
            g.refusal = "BLAS cannot conjugate this operand without transposing it";
    bool swap = out_order == BSBLAS_ORDER_ROW;
    if (swap) std::swap(left, right);
    g.m = swap ? p.n : p.m;
    g.n = swap ? p.m : p.n;
    g.k = p.k;
    g.op_left = left.op;
    g.op_right = right.op;
    g.ld_left = left.ld;
    g.ld_right = right.ld;
    g.type_left = left.type;
    g.type_right = right.type;
    g.type_out = p.out;
    g.left = std::move(left.copies);
    g.right = std::move(right.copies);
    return g;
}

}  // namespace bsblas::perf
