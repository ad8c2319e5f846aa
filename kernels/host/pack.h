// Copies between the caller's layouts and types and the row-major panels and tiles that the tuned kernels work on.
// Needs cpu_avx2.
#pragma once

#include "kernels/host/number.h"

#include <cstdint>
#include <type_traits>

namespace bsblas::host {

// What the tuned kernels compute elements of type T in.
template <class T>
using Working = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A matrix in the caller's memory. One of the strides is 1.
template <class T>
struct Strided {
    T* values;
    int64_t row_stride, col_stride;

    T* at(int64_t row, int64_t col) const { return values + row * row_stride + col * col_stride; }
    Strided transposed() const { return {values, col_stride, row_stride}; }
};

// T, Out: float, double, Bfloat16, Float16.

// out(r, c) = in(r, c), at out + r out_ld + c; zero where c is in cols .. padded_cols - 1.
template <class T>
void pack_rows(Working<T>* out, int64_t out_ld, Strided<const T> in, int64_t rows, int64_t cols, int64_t padded_cols);

// out = alpha tile + beta out, rounded once; out is not read when beta is 0.
template <class Out>
void store_tile(const Working<Out>* tile, int64_t tile_ld, Strided<Out> out, int64_t rows, int64_t cols,
                Working<Out> alpha, Working<Out> beta);

// out = beta out, without reading it when beta is 0.
template <class Out>
void scale(Strided<Out> out, int64_t rows, int64_t cols, Working<Out> beta);

}  // namespace bsblas::host
