// Element types that C++ lacks, and their conversions: bit-exact, to nearest with ties to even, whatever the CPU
// offers.
#pragma once

#include <bsblas/types.h>

#include <bit>
#include <cstdint>

namespace bsblas::host {

struct Float16 {
    uint16_t bits;
};
struct Bfloat16 {
    uint16_t bits;
};
struct E4m3 {  // no infinity; NaN is all ones but for the sign
    uint8_t bits;
};
struct E5m2 {
    uint8_t bits;
};
template <class Real>
struct Complex {
    Real re, im;
};

template <class T>
inline constexpr bsblasDataType_t type_of = BSBLAS_DATA_TYPE_MAX;
template <>
inline constexpr bsblasDataType_t type_of<float> = BSBLAS_R_32F;
template <>
inline constexpr bsblasDataType_t type_of<double> = BSBLAS_R_64F;
template <>
inline constexpr bsblasDataType_t type_of<Float16> = BSBLAS_R_16F;
template <>
inline constexpr bsblasDataType_t type_of<Bfloat16> = BSBLAS_R_16BF;

inline float widen(float x) {
    return x;
}
inline double widen(double x) {
    return x;
}
template <class Real>
Complex<Real> widen(Complex<Real> x) {
    return x;
}

inline float widen(Bfloat16 x) {
    return std::bit_cast<float>(uint32_t(x.bits) << 16);
}

inline float widen(Float16 x) {
    const uint32_t sign = uint32_t(x.bits & 0x8000) << 16;
    const uint32_t magnitude = uint32_t(x.bits & 0x7fff) << 13;
    uint32_t bits;
    if (magnitude < 0x400u << 13) {  // zero or subnormal: m 2^-24 = 2^-14 (1 + m/2^10) - 2^-14
        constexpr uint32_t step = 0x38800000;
        bits = std::bit_cast<uint32_t>(std::bit_cast<float>(step + magnitude) - std::bit_cast<float>(step));
    } else if (magnitude < 0x7c00u << 13) {
        bits = magnitude + (112u << 23);
    } else {
        bits = magnitude | 0x7f800000 | (magnitude > 0x7c00u << 13 ? 0x400000 : 0);
    }
    return std::bit_cast<float>(sign | bits);
}

inline float widen(E5m2 x) {
    return widen(Float16{uint16_t(x.bits << 8)});
}

inline float widen(E4m3 x) {
    const uint32_t sign = uint32_t(x.bits & 0x80) << 24;
    const uint32_t magnitude = x.bits & 0x7f;
    uint32_t bits;
    if (magnitude < 8) {
        bits = std::bit_cast<uint32_t>(float(magnitude) * 0x1p-9f);
    } else if (magnitude < 0x7f) {
        bits = (magnitude << 20) + (120u << 23);
    } else {
        bits = 0x7fc00000;
    }
    return std::bit_cast<float>(sign | bits);
}

// narrow<T>(x): the T nearest to x. NaN stays NaN, and quiet.
template <class T>
struct Narrow {
    static T from(T x) { return x; }
};

template <>
struct Narrow<Bfloat16> {
    static Bfloat16 from(float x) {
        const uint32_t bits = std::bit_cast<uint32_t>(x);
        if ((bits & 0x7fffffff) > 0x7f800000) return {uint16_t(bits >> 16 | 0x40)};
        return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
    }
};

template <>
struct Narrow<Float16> {
    static Float16 from(float x) {
        const uint32_t bits = std::bit_cast<uint32_t>(x);
        const uint32_t sign = bits >> 16 & 0x8000;
        const uint32_t magnitude = bits & 0x7fffffff;
        if (magnitude > 0x7f800000) return {uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff))};
        if (magnitude >= 0x477ff000) return {uint16_t(sign | 0x7c00)};  // rounds to 2^16 or more
        if (magnitude < 0x38800000) {  // below 2^-14: the sum rounds to the multiples of 2^-24, its last place
            const float sum = std::bit_cast<float>(magnitude) + 0.5f;
            return {uint16_t(sign | (std::bit_cast<uint32_t>(sum) - 0x3f000000))};
        }
        return {uint16_t(sign | ((magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13))};
    }
};

template <class T, class Wide>
T narrow(Wide x) {
    return Narrow<T>::from(x);
}

}  // namespace bsblas::host
