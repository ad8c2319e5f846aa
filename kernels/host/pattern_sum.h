// Sums of elements at the same place: each addition is rounded to the element type, so that the order of additions
// alone decides the result, on every backend.
#pragma once

#include "kernels/host/number.h"

namespace bsblas::host {

// A sum of two 11- or 8-bit numbers in binary32 is so much longer that rounding it again is as rounding once.
inline Float16 sum(Float16 x, Float16 y) {
    return narrow<Float16>(widen(x) + widen(y));
}
inline Bfloat16 sum(Bfloat16 x, Bfloat16 y) {
    return narrow<Bfloat16>(widen(x) + widen(y));
}
inline float sum(float x, float y) {
    return x + y;
}
inline double sum(double x, double y) {
    return x + y;
}
template <class Real>
Complex<Real> sum(Complex<Real> x, Complex<Real> y) {
    return {x.re + y.re, x.im + y.im};
}

// f(T()) with the T that adds elements of this type.
template <class F>
void with_summand(bsblasDataType_t type, F&& f) {
    switch (type) {
        case BSBLAS_R_16F:
            return f(Float16());
        case BSBLAS_R_16BF:
            return f(Bfloat16());
        case BSBLAS_R_32F:
            return f(float());
        case BSBLAS_R_64F:
            return f(double());
        case BSBLAS_C_32F:
            return f(Complex<float>());
        case BSBLAS_C_64F:
            return f(Complex<double>());
        default:
            return;
    }
}

}  // namespace bsblas::host
