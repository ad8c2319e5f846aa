// The reference that results are held against: fp64, by expanding the sparse matrix to a dense one with loops of its
// own. Shares nothing with the library. Works on host copies of the operands, as they are encoded.
//
// Each result comes with a bound on the error that a correct implementation may make, element by element, from the
// types, the number of terms and the sum of the terms' magnitudes.
#pragma once

#include <bsblas/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "number.h"
#include "pattern.h"

namespace bsblas::test {

template <class T>
struct Grid {
    int64_t rows = 0, cols = 0;
    std::vector<T> data;  // row-major, no gaps
    Grid() = default;
    Grid(int64_t r, int64_t c, T value = T()) : rows(r), cols(c), data(static_cast<size_t>(r * c), value) {}
    T& operator()(int64_t i, int64_t j) { return data[static_cast<size_t>(i * cols + j)]; }
    const T& operator()(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * cols + j)]; }
};

struct DenseOperand {
    const void* data = nullptr;
    bsblasDataType_t type = BSBLAS_R_32F;
    int64_t rows = 0, cols = 0, ld = 0;
    bsblasOrder_t order = BSBLAS_ORDER_ROW;

    Complex at(int64_t i, int64_t j) const {
        return get(data, order == BSBLAS_ORDER_ROW ? i * ld + j : i + j * ld, type);
    }
};

struct SparseOperand {
    const BlockPattern* pattern = nullptr;
    const void* values = nullptr;
    bsblasDataType_t type = BSBLAS_R_32F;
    int64_t bm = 1, bk = 1;
    bsblasOrder_t order = BSBLAS_ORDER_ROW;
    int64_t rows = 0, cols = 0;  // logical

    int64_t place(int64_t slot, int64_t r, int64_t c) const {
        return slot * bm * bk + (order == BSBLAS_ORDER_ROW ? r * bk + c : r + c * bm);
    }
    Complex at(int64_t slot, int64_t r, int64_t c) const { return get(values, place(slot, r, c), type); }
};

struct Scalars {
    Complex alpha = 1, beta = 0;
    double scale = 1;  // the product of the scales
};

// How a correct implementation rounds.
struct Rounding {
    double input = 0;    // relative error of a product by rounding its inputs
    double sum = 0;      // unit roundoff of the sums; 0: they are exact
    double scalar = 0;   // of the arithmetic with alpha, beta and scales
    double output = 0;   // of the output type
    double tiny = 0;     // absolute, from numbers too small for the type
    double largest = 0;  // of the output type; 0: integers, which wrap
};
Rounding rounding_of(bsblasDataType_t input, bsblasDataType_t output, int compute);

// Element by element; a bound of 0 asks for equality.
struct Reference {
    Grid<Complex> value;
    Grid<double> bound;
};

// C = alpha op(A) op(B) + beta C, or with B on the left. c may have null data when beta is 0.
Reference spmm_reference(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
                         const DenseOperand& b, const DenseOperand& c, const Scalars& scalars,
                         const Rounding& rounding);

// Rows of the result: slot, then row of the block; columns: column of the block. Padding is 0 with a bound of 0.
// a's values may be null when beta is 0.
Reference sddmm_reference(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x, const DenseOperand& y,
                          const SparseOperand& a, const Scalars& scalars, const Rounding& rounding);

// The dense matrix that a sparse one stands for. Elements stored once have a bound of 0.
Reference expand_reference(const SparseOperand& a);

struct Deviation {
    double error = 0, bound = 0;
    int64_t row = -1, col = -1;
    Complex expected, actual;
    bool ok = true;  // no element is beyond its bound
    std::string text() const;
};

// The element that is furthest beyond its bound, or nearest to it.
Deviation compare(const Reference& reference, const DenseOperand& actual, double largest = 0);
Deviation compare_blocks(const Reference& reference, const SparseOperand& actual, double largest = 0);
// Whether one element is right. NaN for NaN, infinity for infinity; a finite value beyond `largest` may have become
// one.
bool accept(Complex expected, Complex actual, double bound, double largest, double* error);

// For sizes at which the full reference would take too long: every row (column, for side RIGHT) of C by a product with
// a random vector of +-1, and `samples` whole rows (columns) element by element. c0: C before the call, null data if
// beta is 0.
Deviation check_spmm_sampled(bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseOperand& a,
                             const DenseOperand& b, const DenseOperand& c0, const DenseOperand& c,
                             const Scalars& scalars, const Rounding& rounding, int samples, uint64_t seed);

// The same for SDDMM: every block by a random vector on either side, and `samples` whole blocks.
Deviation check_sddmm_sampled(bsblasOperation_t opx, bsblasOperation_t opy, const DenseOperand& x,
                              const DenseOperand& y, const SparseOperand& a0, const SparseOperand& a,
                              const Scalars& scalars, const Rounding& rounding, int samples, uint64_t seed);

}  // namespace bsblas::test
