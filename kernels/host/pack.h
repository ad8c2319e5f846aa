// Copies between the caller's layouts and the row-major panels and tiles that the tuned kernels work on.
#pragma once

#include "kernels/host/number.h"

#include <cstdint>

namespace bsblas::host {

// A matrix in the caller's memory. One of the strides is 1.
template <class T>
struct Strided {
    T* values;
    int64_t row_stride, col_stride;

    T* at(int64_t row, int64_t col) const { return values + row * row_stride + col * col_stride; }
};

// out(r, c) = in(r, c), at out + r out_ld + c; zero where c is in cols .. padded_cols - 1. T: float, double, Bfloat16.
template <class T>
void pack_rows(T* out, int64_t out_ld, Strided<const T> in, int64_t rows, int64_t cols, int64_t padded_cols);

// The same with pairs of rows interleaved: (r, c) at out + r/2 * 2 out_ld + 2 c + r % 2. An odd last row is paired with
// zeros.
void pack_row_pairs(Bfloat16* out, int64_t out_ld, Strided<const Bfloat16> in, int64_t rows, int64_t cols,
                    int64_t padded_cols);

// out = alpha tile + beta out, rounded once; out is not read when beta is 0.
// Wide, Out: float, float; double, double; float, Bfloat16.
template <class Wide, class Out>
void store_tile(const Wide* tile, int64_t tile_ld, Strided<Out> out, int64_t rows, int64_t cols, Wide alpha, Wide beta);

// out = beta out, without reading it when beta is 0.
template <class Wide, class Out>
void scale(Strided<Out> out, int64_t rows, int64_t cols, Wide beta);

}  // namespace bsblas::host
