// Conversions of kernels/host/number.h, each value against arithmetic on its definition.
#include "kernels/host/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace bsblas::host {
namespace {

struct Format {
    int exponent_bits, mantissa_bits;
    bool has_infinity;  // else only the all-ones pattern is special, and is NaN
    int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

constexpr Format float16{5, 10, true}, bfloat16{8, 7, true}, e4m3{4, 3, false}, e5m2{5, 2, true};

// The number that a bit pattern stands for.
double value_of(const Format& format, uint32_t bits) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
    const uint32_t exponent = bits >> format.mantissa_bits & ((1u << format.exponent_bits) - 1);
    const uint32_t top = (1u << format.exponent_bits) - 1;
    const double sign = bits >> (format.bits() - 1) ? -1 : 1;
    if (format.has_infinity && exponent == top) {
        return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    }
    if (!format.has_infinity && exponent == top && mantissa == (1u << format.mantissa_bits) - 1) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
    return sign * std::ldexp(mantissa + (1u << format.mantissa_bits), int(exponent) - bias - format.mantissa_bits);
}

template <class T, class Bits>
void widens_exactly(const Format& format) {
    for (uint32_t bits = 0; bits < 1u << format.bits(); ++bits) {
        const double expected = value_of(format, bits);
        const float found = widen(T{Bits(bits)});
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(found)) << bits;
        } else {
            EXPECT_EQ(double(found), expected) << bits;
        }
        EXPECT_EQ(std::signbit(found), bits >> (format.bits() - 1) != 0) << bits;
    }
}

TEST(Widen, EveryFloat16) {
    widens_exactly<Float16, uint16_t>(float16);
}
TEST(Widen, EveryBfloat16) {
    widens_exactly<Bfloat16, uint16_t>(bfloat16);
}
TEST(Widen, EveryE4m3) {
    widens_exactly<E4m3, uint8_t>(e4m3);
}
TEST(Widen, EveryE5m2) {
    widens_exactly<E5m2, uint8_t>(e5m2);
}

// Between each two neighbours of the format, the rounding can only change at their midpoint, which binary32 has
// exactly: so the neighbours, the midpoint, and the binary32 numbers beside it cover every binary32 number.
template <class T>
void rounds_to_nearest_even(const Format& format) {
    const uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
    const uint32_t sign = 1u << (format.bits() - 1);
    for (uint32_t low = 0; low < infinity; ++low) {
        const double below = value_of(format, low);
        // Rounding treats infinity as the number that would come next.
        const double above = low + 1 < infinity ? value_of(format, low + 1) : 2 * below - value_of(format, low - 1);
        const float middle = float((below + above) / 2);
        ASSERT_EQ(double(middle), (below + above) / 2);
        const uint32_t even = low % 2 == 0 ? low : low + 1;
        const std::vector<std::pair<float, uint32_t>> cases = {
            {float(below), low}, {std::nextafter(float(below), INFINITY), low}, {std::nextafter(middle, 0.0f), low},
            {middle, even},      {std::nextafter(middle, INFINITY), low + 1},
        };
        for (const auto& [x, expected] : cases) {
            EXPECT_EQ(narrow<T>(x).bits, expected) << x;
            EXPECT_EQ(narrow<T>(-x).bits, expected | sign) << -x;
        }
    }
    EXPECT_EQ(narrow<T>(std::numeric_limits<float>::infinity()).bits, infinity);
    EXPECT_EQ(narrow<T>(-std::numeric_limits<float>::infinity()).bits, infinity | sign);
    EXPECT_EQ(narrow<T>(std::numeric_limits<float>::max()).bits, infinity);
}

TEST(Narrow, Float16RoundsToNearestEven) {
    rounds_to_nearest_even<Float16>(float16);
}
TEST(Narrow, Bfloat16RoundsToNearestEven) {
    rounds_to_nearest_even<Bfloat16>(bfloat16);
}

TEST(Narrow, NanStaysNanAndBecomesQuiet) {
    for (uint32_t payload : {1u, 0x1000u, 0x2000u, 0x200000u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
        for (uint32_t sign : {0u, 0x80000000u}) {
            const float nan = std::bit_cast<float>(sign | 0x7f800000 | payload);
            const uint16_t half = narrow<Float16>(nan).bits, bfloat = narrow<Bfloat16>(nan).bits;
            EXPECT_EQ(half & 0x7e00, 0x7e00) << payload;
            EXPECT_EQ(bfloat & 0x7fc0, 0x7fc0) << payload;
            EXPECT_EQ(half >> 15, int(sign >> 31));
            EXPECT_EQ(bfloat >> 15, int(sign >> 31));
        }
    }
}

TEST(Narrow, UndoesWiden) {
    for (uint32_t bits = 0; bits < 1u << 16; ++bits) {
        const Float16 half{uint16_t(bits)};
        const Bfloat16 bfloat{uint16_t(bits)};
        if (!std::isnan(widen(half))) {
            EXPECT_EQ(narrow<Float16>(widen(half)).bits, bits);
        }
        if (!std::isnan(widen(bfloat))) {
            EXPECT_EQ(narrow<Bfloat16>(widen(bfloat)).bits, bits);
        }
    }
}

}  // namespace
}  // namespace bsblas::host
