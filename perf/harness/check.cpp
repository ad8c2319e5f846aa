#include "harness/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace bsblas::perf {

namespace {

using test::get;

constexpr int places = 512;  // that a sample looks at

// Sums are rounded at each addition, but errors of random signs mostly cancel: at most n roundings, and 8 sqrt(n) of
// them but for one sum in 10^14. Tensor cores truncate, which doubles each.
double error_bound(const Workload& w) {
    if (w.problem.out == BSBLAS_R_32I) return 0;
    double n = static_cast<double>(w.sum_length()) + 2;
    double accumulate = 2 * std::min(n, 8 * std::sqrt(n)) * (w.compute() == BSBLAS_COMPUTE_64F ? 0x1p-53 : 0x1p-24);
    double inputs = w.compute() == BSBLAS_COMPUTE_32F_FAST_TF32 ? 2 * 0x1p-10 : 0;
    double complex_products = test::is_complex(w.problem.type) ? 4 : 1;
    return complex_products * accumulate + inputs + test::limits(w.problem.out).unit_roundoff;
}

double relative(Complex computed, Complex exact, double scale) {
    double difference = std::abs(computed - exact);
    if (difference == 0) return 0;
    return scale > 0 && std::isfinite(difference) ? difference / scale : std::numeric_limits<double>::infinity();
}

// Element (i, j) of op(D).
Complex element(const DenseOperand& d, bsblasOperation_t op, int64_t i, int64_t j) {
    if (op == BSBLAS_OP_N) return get(d.initial.data(), d.index(i, j), d.type);
    Complex value = get(d.initial.data(), d.index(j, i), d.type);
    return op == BSBLAS_OP_H ? std::conj(value) : value;
}

struct Sum {
    Complex value = 0;
    double magnitude = 0;

    void add(Complex a, Complex b) {
        value += a * b;
        magnitude += std::abs(a) * std::abs(b);
    }
};

double error_of(const Workload& w, const Sum& sum, Complex before, Complex computed) {
    Complex alpha = w.problem.alpha, beta = w.problem.beta;
    Complex kept = beta == Complex(0) ? 0 : beta * before;
    return relative(computed, alpha * sum.value + kept, std::abs(alpha) * sum.magnitude + std::abs(kept));
}

// The stored blocks of each block row of A, or of each block column.
struct Line {
    struct Block {
        int64_t slot, across;
    };
    std::vector<std::vector<Block>> blocks;

    Line(const BlockPattern& pattern, bool by_rows) : blocks(by_rows ? pattern.rows : pattern.cols) {
        for (int64_t row = 0; row < pattern.rows; ++row)
            for (int64_t p = pattern.offsets[row]; p < pattern.offsets[row + 1]; ++p)
                blocks[by_rows ? row : pattern.columns[p]].push_back({p, by_rows ? pattern.columns[p] : row});
    }
};

double sample_spmm(const Workload& w, const std::vector<std::byte>& out, test::Random& random) {
    const Problem& p = w.problem;
    const SparseOperand& a = w.a;
    bool left = p.side == BSBLAS_SIDE_LEFT;
    bool by_rows = left == (p.opa == BSBLAS_OP_N);  // an element of C sums along a row of A as stored, or a column
    Line line(a.pattern, by_rows);
    double worst = 0;
    for (int place = 0; place < places; ++place) {
        int64_t i = test::below(random, p.m), j = test::below(random, p.n);
        int64_t along = left ? i : j, block = along / (by_rows ? a.bm : a.bk), inside = along % (by_rows ? a.bm : a.bk);
        Sum sum;
        for (const Line::Block& stored : line.blocks[block])
            for (int64_t t = 0; t < (by_rows ? a.bk : a.bm); ++t) {
                int64_t k = stored.across * (by_rows ? a.bk : a.bm) + t;
                if (k >= (by_rows ? a.cols : a.rows)) break;
                Complex value =
                    get(a.initial.data(), by_rows ? a.index(stored.slot, inside, t) : a.index(stored.slot, t, inside),
                        a.type);
                if (p.opa == BSBLAS_OP_H) value = std::conj(value);
                sum.add(value, left ? element(w.b, p.opb, k, j) : element(w.b, p.opb, i, k));
            }
        int64_t at = w.c.index(i, j);
        worst = std::max(worst, error_of(w, sum, get(w.c.initial.data(), at, p.out), get(out.data(), at, p.out)));
    }
    return worst;
}

double sample_sddmm(const Workload& w, const std::vector<std::byte>& out, test::Random& random) {
    const Problem& p = w.problem;
    const SparseOperand& a = w.a;
    double worst = 0;
    for (int place = 0; place < places && a.pattern.blocks() > 0; ++place) {
        int64_t slot = test::below(random, a.pattern.blocks());
        int64_t r = test::below(random, a.bm), c = test::below(random, a.bk);
        auto after = std::upper_bound(a.pattern.offsets.begin(), a.pattern.offsets.end(), slot);
        int64_t i = (after - a.pattern.offsets.begin() - 1) * a.bm + r, j = a.pattern.columns[slot] * a.bk + c;
        int64_t at = a.index(slot, r, c);
        Complex computed = get(out.data(), at, p.out);
        if (i >= a.rows || j >= a.cols) {
            worst = std::max(worst, relative(computed, 0, 0));
            continue;
        }
        Sum sum;
        for (int64_t t = 0; t < p.k; ++t) sum.add(element(w.x, p.opa, i, t), element(w.y, p.opb, t, j));
        worst = std::max(worst, error_of(w, sum, get(a.initial.data(), at, p.out), computed));
    }
    return worst;
}

// An output that nothing read first was filled with ones, a NaN that no arithmetic makes.
template <class Bits>
bool holds_poison(const Workload& w, const std::byte* out) {
    Bits ones;
    std::memset(&ones, 0xff, sizeof ones);
    auto line_holds = [&](int64_t first, int64_t length) {
        const Bits* elements = reinterpret_cast<const Bits*>(out) + first;
        int64_t found = 0;
        for (int64_t i = 0; i < length; ++i) found += elements[i] == ones;
        return found > 0;
    };
    if (!w.spmm()) return line_holds(0, w.a.elements());
    int64_t lines = w.c.row_major() ? w.c.rows : w.c.cols, length = w.c.row_major() ? w.c.cols : w.c.rows;
    for (int64_t line = 0; line < lines; ++line)
        if (line_holds(line * w.c.ld, length)) return true;
    return false;
}

bool holds_poison(const Workload& w, const std::vector<std::byte>& out) {
    if (w.problem.beta != Complex(0)) return false;
    switch (w.problem.out) {
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return holds_poison<uint16_t>(w, out.data());
        case BSBLAS_R_32F:
            return holds_poison<uint32_t>(w, out.data());
        case BSBLAS_R_64F:
        case BSBLAS_C_32F:
            return holds_poison<uint64_t>(w, out.data());
        case BSBLAS_C_64F:
            return holds_poison<std::array<uint64_t, 2>>(w, out.data());
        default:
            return false;  // -1 is an integer like any other; samples must do
    }
}

// Row-major.
template <class Number>
struct Matrix {
    int64_t rows, cols;
    std::vector<Number> values;

    Matrix(int64_t r, int64_t c) : rows(r), cols(c), values(r * c) {}
    Matrix(const DenseOperand& d, bool transposed)
        : Matrix(transposed ? d.cols : d.rows, transposed ? d.rows : d.cols) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < cols; ++j)
                (*this)(i)[j] = test::get_real(d.initial.data(), transposed ? d.index(j, i) : d.index(i, j), d.type);
    }
    Number* operator()(int64_t row) { return values.data() + row * cols; }
    const Number* operator()(int64_t row) const { return values.data() + row * cols; }
};

// Sums of type Exact: wider than double where the output is that, or their errors would be those of the output.
template <class Exact>
double all_of_spmm(const Workload& w, const std::vector<std::byte>& out) {
    const Problem& p = w.problem;
    const SparseOperand& a = w.a;
    Matrix<double> b(w.b, p.opb != BSBLAS_OP_N), magnitude(p.m, p.n);
    Matrix<Exact> exact(p.m, p.n);
    for (int64_t row = 0; row < a.pattern.rows; ++row)
        for (int64_t slot = a.pattern.offsets[row]; slot < a.pattern.offsets[row + 1]; ++slot)
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    double value = test::get_real(a.initial.data(), a.index(slot, r, c), a.type);
                    int64_t i = row * a.bm + r, k = a.pattern.columns[slot] * a.bk + c;
                    if (p.opa != BSBLAS_OP_N) std::swap(i, k);
                    const double* from = b(k);
                    Exact* to = exact(i);
                    double* size = magnitude(i);
                    for (int64_t j = 0; j < p.n; ++j) {
                        to[j] += Exact(value) * from[j];
                        size[j] += std::fabs(value * from[j]);
                    }
                }
    double worst = 0;
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j)
            worst = std::max(
                worst, relative(test::get_real(out.data(), w.c.index(i, j), p.out), exact(i)[j], magnitude(i)[j]));
    return worst;
}

template <class Exact>
double all_of_sddmm(const Workload& w, const std::vector<std::byte>& out) {
    const Problem& p = w.problem;
    const SparseOperand& a = w.a;
    Matrix<double> x(w.x, p.opa != BSBLAS_OP_N), y(w.y, p.opb == BSBLAS_OP_N);
    constexpr int64_t lanes = 8;  // independent sums, which a compiler may vectorise
    double worst = 0;
    for (int64_t row = 0; row < a.pattern.rows; ++row)
        for (int64_t slot = a.pattern.offsets[row]; slot < a.pattern.offsets[row + 1]; ++slot)
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    const double *u = x(row * a.bm + r), *v = y(a.pattern.columns[slot] * a.bk + c);
                    std::array<Exact, lanes> sums{};
                    std::array<double, lanes> sizes{};
                    int64_t t = 0;
                    for (; t + lanes <= p.k; t += lanes)
                        for (int64_t lane = 0; lane < lanes; ++lane) {
                            sums[lane] += Exact(u[t + lane]) * v[t + lane];
                            sizes[lane] += std::fabs(u[t + lane] * v[t + lane]);
                        }
                    Exact exact = 0;
                    double magnitude = 0;
                    for (; t < p.k; ++t) {
                        exact += Exact(u[t]) * v[t];
                        magnitude += std::fabs(u[t] * v[t]);
                    }
                    for (int64_t lane = 0; lane < lanes; ++lane) {
                        exact += sums[lane];
                        magnitude += sizes[lane];
                    }
                    worst = std::max(
                        worst, relative(test::get_real(out.data(), a.index(slot, r, c), p.out), exact, magnitude));
                }
    return worst;
}

}  // namespace

std::string Verdict::text() const {
    char text[80];
    std::snprintf(text, sizeof text, "error %.2e, bound %.2e", error, bound);
    return text;
}

Verdict check_sample(const Workload& w, Machine& machine) {
    std::vector<std::byte> out = download_output(w, machine);
    test::Random random(1);
    double error = w.spmm() ? sample_spmm(w, out, random) : sample_sddmm(w, out, random);
    if (holds_poison(w, out)) error = std::numeric_limits<double>::infinity();
    return {error, error_bound(w)};
}

Verdict check_all(const Workload& w, Machine& machine) {
    std::vector<std::byte> out = download_output(w, machine);
    const auto error = [&]<class Exact>(Exact) {
        return w.spmm() ? all_of_spmm<Exact>(w, out) : all_of_sddmm<Exact>(w, out);
    };
    return {w.problem.out == BSBLAS_R_64F ? error(0.0L) : error(0.0), error_bound(w)};
}

}  // namespace bsblas::perf
