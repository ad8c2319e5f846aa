// Sums of elements at the same place: each addition is rounded to the element type, so that the order of additions
// alone decides the result, on every backend.
#pragma once

#include <bsblas/types.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace bsblas::host {

struct Half {
    uint16_t bits;
};
struct Bfloat {
    uint16_t bits;
};
template <class Real>
struct ComplexPair {
    Real re, im;
};

inline float to_float(Bfloat x) {
    return std::bit_cast<float>(uint32_t(x.bits) << 16);
}

inline Bfloat to_bfloat(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    if (std::isnan(x)) return {uint16_t(bits >> 16 | 0x40)};
    return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline float to_float(Half x) {
    const uint32_t sign = uint32_t(x.bits & 0x8000) << 16, magnitude = x.bits & 0x7fff;
    if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude < 0x400) return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude * 0x1p-24f));
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

inline Half to_half(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return {uint16_t(sign | 0x7e00)};
    if (magnitude >= 0x477ff000) return {uint16_t(sign | 0x7c00)};  // rounds to 2^16 or is infinite
    if (magnitude < 0x38800000)  // below 2^-14: the addition rounds to steps of 2^-24
        return {uint16_t(sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) & 0x7fffff))};
    const uint32_t rebased = magnitude - (112u << 23);
    return {uint16_t(sign | ((rebased + 0xfff + (rebased >> 13 & 1)) >> 13))};
}

// A sum of two 11- or 8-bit numbers in binary32 is so much longer that rounding it again is as rounding once.
inline Half sum(Half x, Half y) {
    return to_half(to_float(x) + to_float(y));
}
inline Bfloat sum(Bfloat x, Bfloat y) {
    return to_bfloat(to_float(x) + to_float(y));
}
inline float sum(float x, float y) {
    return x + y;
}
inline double sum(double x, double y) {
    return x + y;
}
template <class Real>
ComplexPair<Real> sum(ComplexPair<Real> x, ComplexPair<Real> y) {
    return {x.re + y.re, x.im + y.im};
}

// f(T()) with the T that adds elements of this type.
template <class F>
void with_summand(bsblasDataType_t type, F&& f) {
    switch (type) {
        case BSBLAS_R_16F:
            return f(Half());
        case BSBLAS_R_16BF:
            return f(Bfloat());
        case BSBLAS_R_32F:
            return f(float());
        case BSBLAS_R_64F:
            return f(double());
        case BSBLAS_C_32F:
            return f(ComplexPair<float>());
        case BSBLAS_C_64F:
            return f(ComplexPair<double>());
        default:
            return;
    }
}

}  // namespace bsblas::host
