#include "support/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace bsblas::test {
namespace {

struct SmallType {
    const char* name;
    bsblasDataType_t type;
    int codes;
};

class SmallFloats : public testing::TestWithParam<SmallType> {
protected:
    static double decode(uint32_t code, bsblasDataType_t type) {
        unsigned char element[2];
        std::memcpy(element, &code, 2);  // little-endian
        return get_real(element, 0, type);
    }
    static uint32_t encode(double value, bsblasDataType_t type) {
        unsigned char element[2] = {};
        put(element, 0, type, value);
        return element[0] | element[1] << 8;
    }
};

TEST_P(SmallFloats, EveryCodeSurvivesDecodingAndEncoding) {
    const SmallType& format = GetParam();
    const bsblasDataType_t type = format.type;
    const int codes = format.codes;
    for (int code = 0; code < codes; ++code) {
        const double value = decode(code, type);
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(decode(encode(value, type), type))) << code;
        else
            EXPECT_EQ(encode(value, type), static_cast<uint32_t>(code));
    }
}

TEST_P(SmallFloats, ValuesBetweenTwoCodesGoToTheNearestAndTiesToTheEvenOne) {
    const SmallType& format = GetParam();
    const bsblasDataType_t type = format.type;
    const int codes = format.codes;
    for (int code = 0; code + 1 < codes / 2; ++code) {
        const double low = decode(code, type), high = decode(code + 1, type);
        if (!std::isfinite(low) || !std::isfinite(high)) break;
        const double middle = (low + high) / 2;
        EXPECT_EQ(encode(middle, type), static_cast<uint32_t>(code + code % 2)) << low;
        EXPECT_EQ(encode(std::nextafter(middle, 0), type), static_cast<uint32_t>(code)) << low;
        EXPECT_EQ(encode(std::nextafter(middle, 1e300), type), static_cast<uint32_t>(code + 1)) << low;
        EXPECT_EQ(encode(-middle, type), static_cast<uint32_t>(codes / 2 + code + code % 2)) << low;
    }
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloats,
                         testing::Values(SmallType{"f16", BSBLAS_R_16F, 65536}, SmallType{"bf16", BSBLAS_R_16BF, 65536},
                                         SmallType{"e4m3", BSBLAS_R_8F_E4M3, 256},
                                         SmallType{"e5m2", BSBLAS_R_8F_E5M2, 256}),
                         [](const auto& info) { return info.param.name; });

TEST(Numbers, KnownCodes) {
    const auto code16 = [](double value, bsblasDataType_t type) {
        uint16_t code = 0;
        put(&code, 0, type, value);
        return code;
    };
    const auto code8 = [](double value, bsblasDataType_t type) {
        uint8_t code = 0;
        put(&code, 0, type, value);
        return code;
    };
    EXPECT_EQ(code16(1, BSBLAS_R_16F), 0x3c00);
    EXPECT_EQ(code16(65504, BSBLAS_R_16F), 0x7bff);
    EXPECT_EQ(code16(65519, BSBLAS_R_16F), 0x7bff);
    EXPECT_EQ(code16(65520, BSBLAS_R_16F), 0x7c00);
    EXPECT_EQ(code16(0x1p-24, BSBLAS_R_16F), 1);
    EXPECT_EQ(code16(0x1p-25, BSBLAS_R_16F), 0);
    EXPECT_EQ(code16(-0.0, BSBLAS_R_16F), 0x8000);
    EXPECT_EQ(code16(1, BSBLAS_R_16BF), 0x3f80);
    EXPECT_EQ(code16(3.140625, BSBLAS_R_16BF), 0x4049);
    EXPECT_EQ(code16(INFINITY, BSBLAS_R_16BF), 0x7f80);
    EXPECT_EQ(code8(1, BSBLAS_R_8F_E4M3), 0x38);
    EXPECT_EQ(code8(448, BSBLAS_R_8F_E4M3), 0x7e);
    EXPECT_EQ(code8(1000, BSBLAS_R_8F_E4M3), 0x7f);
    EXPECT_EQ(code8(1, BSBLAS_R_8F_E5M2), 0x3c);
    EXPECT_EQ(code8(57344, BSBLAS_R_8F_E5M2), 0x7b);
    EXPECT_EQ(code8(1e9, BSBLAS_R_8F_E5M2), 0x7c);
    EXPECT_EQ(limits(BSBLAS_R_16F).largest, 65504);
    EXPECT_EQ(limits(BSBLAS_R_8F_E4M3).largest, 448);
    EXPECT_EQ(limits(BSBLAS_R_16BF).unit_roundoff, 0x1p-8);
    EXPECT_EQ(limits(BSBLAS_R_16F).tiny, 0x1p-24);
}

TEST(Numbers, ComplexElementsAndPoison) {
    std::vector<unsigned char> memory(4 * 16, 0xff);
    put(memory.data(), 2, BSBLAS_C_64F, {1.5, -2});
    EXPECT_EQ(get(memory.data(), 2, BSBLAS_C_64F), Complex(1.5, -2));
    EXPECT_TRUE(std::isnan(get(memory.data(), 1, BSBLAS_C_64F).imag()));
    for (bsblasDataType_t type :
         {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_R_16F, BSBLAS_R_16BF, BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_C_32F})
        EXPECT_TRUE(std::isnan(get_real(memory.data(), 0, type))) << type;
    EXPECT_EQ(get_real(memory.data(), 0, BSBLAS_R_8I), -1);
}

TEST(Numbers, RandomValuesAreRepresentable) {
    Random random(7);
    for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_R_16F, BSBLAS_R_16BF, BSBLAS_R_8F_E4M3,
                                  BSBLAS_R_8F_E5M2, BSBLAS_C_32F, BSBLAS_C_64F, BSBLAS_R_8I})
        for (int i = 0; i < 100; ++i) {
            const Complex value = random_value(random, type);
            EXPECT_EQ(rounded(value, type), value);
        }
}

}  // namespace
}  // namespace bsblas::test
