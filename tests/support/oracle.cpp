#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <utility>

namespace bsblas::test {
namespace {

// ---- Numbers: double for real types, Complex for complex ones ---------------------------------------------------

template <class T>
T narrow(Complex z);
template <>
double narrow<double>(Complex z) {
    return z.real();
}
template <>
Complex narrow<Complex>(Complex z) {
    return z;
}

double conjugate(double x) {
    return x;
}
Complex conjugate(Complex z) {
    return std::conj(z);
}

// By parts; std::complex would turn some NaN into infinities.
double times(double a, double b) {
    return a * b;
}
Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Bounds the parts of products: |ar br| + |ai bi| <= magnitude(a) magnitude(b).
double magnitude(double a) {
    return std::fabs(a);
}
double magnitude(Complex a) {
    return std::fabs(a.real()) + std::fabs(a.imag());
}

template <class T>
constexpr int products = std::is_same_v<T, Complex> ? 2 : 1;  // that add up in each part of a product

// ---- Bounds ------------------------------------------------------------------------------------------------------

// How many roundings a sum of `terms` may show: all of them for short sums; for long ones their errors cancel like a
// random walk's, and the slack of 16 + 4 sqrt makes a false alarm less likely than 1e-5 even if each were as large as
// it can be.
double length(double terms) {
    return std::min(terms + 1, 16 + 4 * std::sqrt(terms));
}

// sum: of the terms' magnitudes; value: the result's magnitude; c: that of the output before.
double bound_of(const Rounding& r, const Scalars& s, double terms, double sum, double value, double c) {
    const double product = magnitude(s.alpha) * std::fabs(s.scale) * sum;
    return product * (length(terms) * r.sum + r.input + 4 * r.scalar) + magnitude(s.beta) * c * 4 * r.scalar +
           value * r.output + r.tiny;
}

// ---- Operands as dense matrices ----------------------------------------------------------------------------------

template <class T>
Grid<T> expand(const DenseOperand& d, bsblasOperation_t op) {
    const bool swap = op != BSBLAS_OP_N;
    Grid<T> grid(swap ? d.cols : d.rows, swap ? d.rows : d.cols);
    for (int64_t i = 0; i < grid.rows; ++i)
        for (int64_t j = 0; j < grid.cols; ++j) {
            const T value = narrow<T>(swap ? d.at(j, i) : d.at(i, j));
            grid(i, j) = op == BSBLAS_OP_H ? conjugate(value) : value;
        }
    return grid;
}

template <class T>
struct Expanded {
    Grid<T> value;
    Grid<double> magnitude;                     // sum of those of the stored elements
    Grid<int32_t> copies;                       // how many elements are stored there
    std::vector<std::vector<int64_t>> columns;  // of the stored places in each row
};

template <class T>
Expanded<T> expand(const SparseOperand& a, bsblasOperation_t op) {
    const bool swap = op != BSBLAS_OP_N;
    const int64_t rows = swap ? a.cols : a.rows, cols = swap ? a.rows : a.cols;
    Expanded<T> e{Grid<T>(rows, cols), Grid<double>(rows, cols), Grid<int32_t>(rows, cols), {}};
    for (int64_t block_row = 0; block_row < a.pattern->rows; ++block_row)
        for (int64_t slot = a.pattern->offsets[block_row]; slot < a.pattern->offsets[block_row + 1]; ++slot)
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    const int64_t i = block_row * a.bm + r, j = a.pattern->columns[slot] * a.bk + c;
                    if (i >= a.rows || j >= a.cols) continue;
                    const T value = narrow<T>(a.at(slot, r, c));
                    const int64_t to_row = swap ? j : i, to_col = swap ? i : j;
                    e.value(to_row, to_col) += op == BSBLAS_OP_H ? conjugate(value) : value;
                    e.magnitude(to_row, to_col) += magnitude(value);
                    e.copies(to_row, to_col) += 1;
                }
    e.columns.resize(rows);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            if (e.copies(i, j)) e.columns[i].push_back(j);
    return e;
}

// ---- Products ----------------------------------------------------------------------------------------------------

template <class T>
struct Product {
    Grid<T> value;
    Grid<double> magnitude, terms;
    Product(int64_t rows, int64_t cols) : value(rows, cols), magnitude(rows, cols), terms(rows, cols) {}
};

template <class T>
Product<T> multiply_left(const Expanded<T>& a, const Grid<T>& b) {
    Product<T> c(a.value.rows, b.cols);
    for (int64_t i = 0; i < a.value.rows; ++i)
        for (int64_t p : a.columns[i]) {
            const T value = a.value(i, p);
            const double size = a.magnitude(i, p), count = a.copies(i, p);
            for (int64_t j = 0; j < b.cols; ++j) {
                c.value(i, j) += times(value, b(p, j));
                c.magnitude(i, j) += size * magnitude(b(p, j));
                c.terms(i, j) += count;
            }
        }
    return c;
}

template <class T>
Product<T> multiply_right(const Grid<T>& b, const Expanded<T>& a) {
    Product<T> c(b.rows, a.value.cols);
    for (int64_t i = 0; i < b.rows; ++i)
        for (int64_t p = 0; p < b.cols; ++p)
            for (int64_t j : a.columns[p]) {
                c.value(i, j) += times(b(i, p), a.value(p, j));
                c.magnitude(i, j) += magnitude(b(i, p)) * a.magnitude(p, j);
                c.terms(i, j) += a.copies(p, j);
            }
    return c;
}

int32_t wrap(double exact) {
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(exact)));
}

// The end of both operations at one element: alpha, beta and the bound. c: before the call.
template <class T>
void finish(Scalars s, const Rounding& r, T product, double terms, double sum, Complex c, Complex* value,
            double* bound) {
    if (r.largest == 0) {  // integers: exact modulo 2^32, which unsigned arithmetic is
        const auto alpha = static_cast<uint32_t>(static_cast<int64_t>(s.alpha.real()));
        const auto beta = static_cast<uint32_t>(static_cast<int64_t>(s.beta.real()));
        const uint32_t result =
            alpha * static_cast<uint32_t>(wrap(narrow<double>(product))) + beta * static_cast<uint32_t>(wrap(c.real()));
        *value = static_cast<double>(static_cast<int32_t>(result));
        *bound = 0;
        return;
    }
    if (terms == 0) s.alpha = 0;  // of nothing there is no product, even if alpha is infinite
    T result{};
    if (s.alpha != 0.0) result += times(narrow<T>(s.alpha), product) * s.scale;
    if (s.beta != 0.0) result += times(narrow<T>(s.beta), narrow<T>(c));
    *value = result;
    *bound = bound_of(r, s, terms * products<T>, s.alpha != 0.0 ? sum : 0, magnitude(result),
                      s.beta != 0.0 ? magnitude(c) : 0);
}

template <class T>
Reference spmm(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
               const DenseOperand& b, const DenseOperand& c, const Scalars& scalars, const Rounding& rounding) {
    Product<T> product(c.rows, c.cols);
    if (scalars.alpha != 0.0) {
        const Expanded<T> left = expand<T>(a, opa);
        const Grid<T> right = expand<T>(b, opb);
        product = side == BSBLAS_SIDE_LEFT ? multiply_left(left, right) : multiply_right(right, left);
    }
    Reference result{Grid<Complex>(c.rows, c.cols), Grid<double>(c.rows, c.cols)};
    for (int64_t i = 0; i < c.rows; ++i)
        for (int64_t j = 0; j < c.cols; ++j)
            finish(scalars, rounding, product.value(i, j), product.terms(i, j), product.magnitude(i, j),
                   scalars.beta != 0.0 ? c.at(i, j) : 0, &result.value(i, j), &result.bound(i, j));
    return result;
}

// x is op(X), y is the transpose of op(Y); element (i, j) of the product.
template <class T>
T dot(const Grid<T>& x, const Grid<T>& y, int64_t i, int64_t j, double* sum) {
    T value{};
    double size = 0;
    for (int64_t p = 0; p < x.cols; ++p) {
        value += times(x(i, p), y(j, p));
        size += magnitude(x(i, p)) * magnitude(y(j, p));
    }
    *sum = size;
    return value;
}

template <class T>
Grid<T> transposed(const Grid<T>& g) {
    Grid<T> t(g.cols, g.rows);
    for (int64_t i = 0; i < g.rows; ++i)
        for (int64_t j = 0; j < g.cols; ++j) t(j, i) = g(i, j);
    return t;
}

template <class T>
Reference sddmm(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x, const DenseOperand& y,
                const SparseOperand& a, const Scalars& scalars, const Rounding& rounding) {
    Grid<T> left, right;
    if (scalars.alpha != 0.0) {
        left = expand<T>(x, opx);
        right = transposed(expand<T>(y, opy));
    }
    Reference result{Grid<Complex>(a.pattern->blocks() * a.bm, a.bk), Grid<double>(a.pattern->blocks() * a.bm, a.bk)};
    for (int64_t block_row = 0; block_row < a.pattern->rows; ++block_row)
        for (int64_t slot = a.pattern->offsets[block_row]; slot < a.pattern->offsets[block_row + 1]; ++slot)
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    const int64_t i = block_row * a.bm + r, j = a.pattern->columns[slot] * a.bk + c;
                    if (i >= a.rows || j >= a.cols) continue;
                    double sum = 0;
                    const T product = scalars.alpha != 0.0 ? dot(left, right, i, j, &sum) : T{};
                    finish(scalars, rounding, product, static_cast<double>(left.cols), sum,
                           scalars.beta != 0.0 ? a.at(slot, r, c) : 0, &result.value(slot * a.bm + r, c),
                           &result.bound(slot * a.bm + r, c));
                }
    return result;
}

// ---- Comparison --------------------------------------------------------------------------------------------------

bool is_nan(Complex z) {
    return std::isnan(z.real()) || std::isnan(z.imag());
}
bool is_finite(Complex z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
}

// Keeps the worst of the elements offered.
class Worst {
public:
    explicit Worst(double largest) : largest_(largest) {}
    void offer(int64_t row, int64_t col, Complex expected, Complex actual, double bound) {
        double error = 0;
        const bool ok = accept(expected, actual, bound, largest_, &error);
        const double ratio = error == 0 ? 0 : error / bound;
        const bool worse = ok == worst_.ok ? ratio > ratio_ : !ok;
        if (worst_.row >= 0 && !worse) return;
        ratio_ = ratio;
        worst_ = {error, bound, row, col, expected, actual, ok};
    }
    const Deviation& result() const { return worst_; }

private:
    double largest_, ratio_ = -1;
    Deviation worst_;
};

// ---- Randomised checks -------------------------------------------------------------------------------------------

// A dense operand under op, or the whole equation transposed: side RIGHT becomes LEFT by swapping every operand.
template <class T>
struct View {
    const DenseOperand& d;
    bool swap, conj;
    int64_t rows() const { return swap ? d.cols : d.rows; }
    int64_t cols() const { return swap ? d.rows : d.cols; }
    T operator()(int64_t i, int64_t j) const {
        const T value = narrow<T>(swap ? d.at(j, i) : d.at(i, j));
        return conj ? conjugate(value) : value;
    }
};

// Calls visit(i, j, value) for the stored elements of A, with i and j in A or, if swap, in its transpose.
template <class T, class Visit>
void for_each_element(const SparseOperand& a, bool swap, bool conj, Visit visit) {
    for (int64_t block_row = 0; block_row < a.pattern->rows; ++block_row)
        for (int64_t slot = a.pattern->offsets[block_row]; slot < a.pattern->offsets[block_row + 1]; ++slot) {
            const int64_t first_row = block_row * a.bm, first_col = a.pattern->columns[slot] * a.bk;
            for (int64_t r = 0; r < std::min(a.bm, a.rows - first_row); ++r)
                for (int64_t c = 0; c < std::min(a.bk, a.cols - first_col); ++c) {
                    const T value = narrow<T>(a.at(slot, r, c));
                    visit(swap ? first_col + c : first_row + r, swap ? first_row + r : first_col + c,
                          conj ? conjugate(value) : value);
                }
        }
}

std::vector<double> random_signs(int64_t n, Random& random) {
    std::vector<double> z(static_cast<size_t>(n));
    for (double& sign : z) sign = random() >> 63 ? 1 : -1;
    return z;
}

// The first, the last, and random ones between, ascending.
std::vector<int64_t> choose_samples(int64_t n, int samples, Random& random) {
    std::set<int64_t> chosen;
    if (n > 0 && samples > 0) chosen = {0, n - 1};
    for (int s = 2; s < samples; ++s) chosen.insert(below(random, std::max<int64_t>(n, 1)));
    if (n == 0) chosen.clear();
    return {chosen.begin(), chosen.end()};
}

template <class T>
Deviation spmm_sampled(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
                       const DenseOperand& b, const DenseOperand& c0, const DenseOperand& c, const Scalars& scalars,
                       const Rounding& rounding, int samples, uint64_t seed) {
    const bool flip = side == BSBLAS_SIDE_RIGHT;
    const bool swap_a = (opa != BSBLAS_OP_N) != flip, conj_a = opa == BSBLAS_OP_H;
    const View<T> right{b, (opb != BSBLAS_OP_N) != flip, opb == BSBLAS_OP_H};
    const View<T> before{c0, flip, false}, after{c, flip, false};
    const int64_t rows = after.rows(), inner = right.rows(), cols = after.cols();
    const bool reads_c = scalars.beta != 0.0;
    const T alpha = narrow<T>(scalars.alpha), beta = narrow<T>(scalars.beta);
    Random random(seed);
    Worst worst(rounding.largest);

    // Errors are independent of the signs in z, so their signed sum stays within 8 times their 2-norm except with
    // probability 1e-13 (Hoeffding), and the triangle inequality bounds that 2-norm by the rows' 2-norms.
    const std::vector<double> z = random_signs(cols, random);
    std::vector<T> bz(inner);
    std::vector<double> b_norm(inner);
    for (int64_t p = 0; p < inner; ++p) {
        double squares = 0;
        for (int64_t j = 0; j < cols; ++j) {
            const T value = right(p, j);
            bz[p] += value * z[j];
            squares += magnitude(value) * magnitude(value);
        }
        b_norm[p] = std::sqrt(squares);
    }
    const std::vector<int64_t> sampled = choose_samples(rows, samples, random);
    std::vector<std::vector<std::pair<int64_t, T>>> sampled_elements(sampled.size());
    std::vector<T> product(rows);
    std::vector<double> norm(rows), terms(rows);
    for_each_element<T>(a, swap_a, conj_a, [&](int64_t i, int64_t p, T value) {
        product[i] += times(value, bz[p]);
        norm[i] += magnitude(value) * b_norm[p];
        terms[i] += 1;
        const auto at = std::lower_bound(sampled.begin(), sampled.end(), i);
        if (at != sampled.end() && *at == i) sampled_elements[at - sampled.begin()].emplace_back(p, value);
    });
    const double own = 0x1p-53 * (16 + 4 * std::sqrt(static_cast<double>(cols)));  // the error of this check itself
    for (int64_t i = 0; i < rows; ++i) {
        T expected = scalars.alpha != 0.0 ? times(alpha, product[i]) * scalars.scale : T{};
        T actual{};
        double c_squares = 0, c0_squares = 0;
        for (int64_t j = 0; j < cols; ++j) {
            actual += after(i, j) * z[j];
            c_squares += magnitude(after(i, j)) * magnitude(after(i, j));
            if (!reads_c) continue;
            expected += times(beta, before(i, j)) * z[j];
            c0_squares += magnitude(before(i, j)) * magnitude(before(i, j));
        }
        const double c_norm = std::sqrt(c_squares), root = std::sqrt(static_cast<double>(cols));
        double bound = bound_of(rounding, scalars, terms[i] * products<T>, norm[i], c_norm, std::sqrt(c0_squares));
        bound += rounding.tiny * (root - 1);
        bound += own * root * (c_norm + magnitude(scalars.alpha) * std::fabs(scalars.scale) * norm[i]);
        worst.offer(i, -1, expected, actual, 8 * bound);
    }

    for (size_t s = 0; s < sampled.size(); ++s) {
        const int64_t i = sampled[s];
        for (int64_t j = 0; j < cols; ++j) {
            T sum{};
            double size = 0;
            for (const auto& [p, value] : sampled_elements[s]) {
                sum += times(value, right(p, j));
                size += magnitude(value) * magnitude(right(p, j));
            }
            Complex expected;
            double bound = 0;
            finish(scalars, rounding, sum, terms[i], size, reads_c ? Complex(before(i, j)) : 0, &expected, &bound);
            worst.offer(flip ? j : i, flip ? i : j, expected, after(i, j), bound);
        }
    }
    return worst.result();
}

template <class T>
Deviation sddmm_sampled(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x, const DenseOperand& y,
                        const SparseOperand& a0, const SparseOperand& a, const Scalars& scalars,
                        const Rounding& rounding, int samples, uint64_t seed) {
    const View<T> left{x, opx != BSBLAS_OP_N, opx == BSBLAS_OP_H}, right{y, opy != BSBLAS_OP_N, opy == BSBLAS_OP_H};
    const int64_t inner = left.cols();
    const bool reads_a = scalars.beta != 0.0;
    Random random(seed);
    Worst worst(rounding.largest);

    // For a block: u^T (X Y) v = (X^T u) . (Y v), and for the bound the same with magnitudes.
    const std::vector<double> u = random_signs(a.rows, random), v = random_signs(a.cols, random);
    Grid<T> xu(a.pattern->rows, inner), yv(a.pattern->cols, inner);
    Grid<double> x_sum(a.pattern->rows, inner), y_sum(a.pattern->cols, inner);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t p = 0; p < inner; ++p) {
            xu(i / a.bm, p) += left(i, p) * u[i];
            x_sum(i / a.bm, p) += magnitude(left(i, p));
        }
    for (int64_t p = 0; p < inner; ++p)
        for (int64_t j = 0; j < a.cols; ++j) {
            yv(j / a.bk, p) += right(p, j) * v[j];
            y_sum(j / a.bk, p) += magnitude(right(p, j));
        }

    const std::vector<int64_t> sampled = choose_samples(a.pattern->blocks(), samples, random);
    for (int64_t block_row = 0; block_row < a.pattern->rows; ++block_row)
        for (int64_t slot = a.pattern->offsets[block_row]; slot < a.pattern->offsets[block_row + 1]; ++slot) {
            const int64_t block_col = a.pattern->columns[slot];
            const bool whole = std::binary_search(sampled.begin(), sampled.end(), slot);
            T expected{}, actual{};
            double sum = 0, value = 0, before = 0, elements = 0;
            for (int64_t p = 0; p < inner; ++p) {
                expected += times(xu(block_row, p), yv(block_col, p));
                sum += x_sum(block_row, p) * y_sum(block_col, p);
            }
            expected = scalars.alpha != 0.0 ? times(narrow<T>(scalars.alpha), expected) * scalars.scale : T{};
            for (int64_t r = 0; r < a.bm; ++r)
                for (int64_t c = 0; c < a.bk; ++c) {
                    const int64_t i = block_row * a.bm + r, j = block_col * a.bk + c;
                    const T result = narrow<T>(a.at(slot, r, c));
                    if (i >= a.rows || j >= a.cols) {
                        worst.offer(slot * a.bm + r, c, 0, result, 0);
                        continue;
                    }
                    const T old = reads_a ? narrow<T>(a0.at(slot, r, c)) : T{};
                    actual += result * (u[i] * v[j]);
                    expected += times(narrow<T>(scalars.beta), old) * (u[i] * v[j]);
                    value += magnitude(result);
                    before += magnitude(old);
                    elements += 1;
                    if (!whole) continue;
                    T product{};
                    double size = 0;
                    for (int64_t p = 0; p < inner; ++p) {
                        product += times(left(i, p), right(p, j));
                        size += magnitude(left(i, p)) * magnitude(right(p, j));
                    }
                    Complex element;
                    double bound = 0;
                    finish(scalars, rounding, product, static_cast<double>(inner), size, old, &element, &bound);
                    worst.offer(slot * a.bm + r, c, element, result, bound);
                }
            double bound = bound_of(rounding, scalars, static_cast<double>(inner) * products<T>, sum, value, before);
            bound += rounding.tiny * std::max(0.0, elements - 1);
            bound += 0x1p-53 * length(elements) * (magnitude(scalars.alpha) * sum + value + before);
            worst.offer(slot * a.bm, -1, expected, actual, bound);
        }
    return worst.result();
}

}  // namespace

Rounding rounding_of(bsblasDataType_t input, bsblasDataType_t output, int compute) {
    Rounding r;
    const Limits out = limits(output);
    if (output == BSBLAS_R_32I) return r;
    const bool twice = input == BSBLAS_R_64F || input == BSBLAS_C_64F;
    const double unit = limits(twice ? BSBLAS_R_64F : BSBLAS_R_32F).unit_roundoff;
    r.scalar = unit;
    // In f64 the reference itself errs as much. Tensor cores that multiply small types cut off instead of rounding.
    if (input != BSBLAS_R_8I) r.sum = twice || size_of(input) < 4 ? 2 * unit : unit;
    if (compute == BSBLAS_COMPUTE_32F_FAST_TF32) r.input = 0x1p-9;  // both inputs cut to 10 bits
    if (compute == BSBLAS_COMPUTE_32F_FAST_TF32) r.sum = 2 * unit;
    r.output = out.unit_roundoff;
    r.tiny = out.tiny + 1024 * limits(twice ? BSBLAS_R_64F : BSBLAS_R_32F).tiny;
    r.largest = out.largest;
    return r;
}

Reference spmm_reference(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
                         const DenseOperand& b, const DenseOperand& c, const Scalars& scalars,
                         const Rounding& rounding) {
    return is_complex(a.type) ? spmm<Complex>(side, opa, opb, a, b, c, scalars, rounding)
                              : spmm<double>(side, opa, opb, a, b, c, scalars, rounding);
}

Reference sddmm_reference(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x, const DenseOperand& y,
                          const SparseOperand& a, const Scalars& scalars, const Rounding& rounding) {
    return is_complex(a.type) ? sddmm<Complex>(opx, opy, x, y, a, scalars, rounding)
                              : sddmm<double>(opx, opy, x, y, a, scalars, rounding);
}

Reference expand_reference(const SparseOperand& a) {
    const Expanded<Complex> e = expand<Complex>(a, BSBLAS_OP_N);
    Reference result{e.value, Grid<double>(a.rows, a.cols)};
    const Limits limit = limits(a.type);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j)
            if (e.copies(i, j) > 1)
                result.bound(i, j) = e.magnitude(i, j) * e.copies(i, j) * limit.unit_roundoff + limit.tiny;
    return result;
}

std::string Deviation::text() const {
    char line[320];
    const auto part = [](Complex z, char* to, size_t size) {
        if (z.imag() == 0)
            std::snprintf(to, size, "%.9g", z.real());
        else
            std::snprintf(to, size, "%.9g:%.9g", z.real(), z.imag());
    };
    char want[64], got[64];
    part(expected, want, sizeof want);
    part(actual, got, sizeof got);
    std::snprintf(line, sizeof line, "element (%lld, %lld): expected %s, got %s, error %.3g, bound %.3g",
                  static_cast<long long>(row), static_cast<long long>(col), want, got, error, bound);
    return line;
}

bool accept(Complex expected, Complex actual, double bound, double largest, double* error) {
    const double difference =
        std::max(std::fabs(expected.real() - actual.real()), std::fabs(expected.imag() - actual.imag()));
    *error = difference;
    if (is_finite(expected) && is_finite(actual)) return difference <= bound;
    *error = std::numeric_limits<double>::infinity();
    bool ok = false;
    if (is_finite(expected))  // rounding up may have left the type's range
        ok = !is_nan(actual) && largest > 0 && magnitude(expected) + bound > largest;
    else if (expected.imag() == 0 && actual.imag() == 0)
        ok = is_nan(expected) ? is_nan(actual) : actual == expected;
    else  // which part of a complex product becomes infinite and which NaN is not said
        ok = !is_finite(actual);
    if (ok) *error = 0;
    return ok;
}

Deviation compare(const Reference& reference, const DenseOperand& actual, double largest) {
    Worst worst(largest);
    for (int64_t i = 0; i < actual.rows; ++i)
        for (int64_t j = 0; j < actual.cols; ++j)
            worst.offer(i, j, reference.value(i, j), actual.at(i, j), reference.bound(i, j));
    return worst.result();
}

Deviation compare_blocks(const Reference& reference, const SparseOperand& actual, double largest) {
    Worst worst(largest);
    for (int64_t slot = 0; slot < actual.pattern->blocks(); ++slot)
        for (int64_t r = 0; r < actual.bm; ++r)
            for (int64_t c = 0; c < actual.bk; ++c) {
                const int64_t row = slot * actual.bm + r;
                worst.offer(row, c, reference.value(row, c), actual.at(slot, r, c), reference.bound(row, c));
            }
    return worst.result();
}

Deviation check_spmm_sampled(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
                             const DenseOperand& b, const DenseOperand& c0, const DenseOperand& c,
                             const Scalars& scalars, const Rounding& rounding, int samples, uint64_t seed) {
    return is_complex(a.type) ? spmm_sampled<Complex>(side, opa, opb, a, b, c0, c, scalars, rounding, samples, seed)
                              : spmm_sampled<double>(side, opa, opb, a, b, c0, c, scalars, rounding, samples, seed);
}

Deviation check_sddmm_sampled(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x,
                              const DenseOperand& y, const SparseOperand& a0, const SparseOperand& a,
                              const Scalars& scalars, const Rounding& rounding, int samples, uint64_t seed) {
    return is_complex(a.type) ? sddmm_sampled<Complex>(opx, opy, x, y, a0, a, scalars, rounding, samples, seed)
                              : sddmm_sampled<double>(opx, opy, x, y, a0, a, scalars, rounding, samples, seed);
}

}  // namespace bsblas::test
