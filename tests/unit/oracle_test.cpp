#include "support/oracle.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bsblas::test {
namespace {

// A small sparse matrix and dense ones around it, as encoded arrays.
struct Operands {
    BlockPattern pattern;
    std::vector<unsigned char> a_values, b_values, c_values;
    SparseOperand a;
    DenseOperand b, c;
};

Operands make(bsblasDataType_t type, bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, int64_t m,
              int64_t n, int64_t k) {
    Operands o;
    const bool left = side == BSBLAS_SIDE_LEFT;
    const int64_t rows = left ? m : k, cols = left ? k : n;
    PatternSpec spec;
    spec.density = 0.5;
    spec.duplicates = 0.1;
    o.a = {nullptr,
           nullptr,
           type,
           4,
           3,
           BSBLAS_ORDER_COL,
           opa == BSBLAS_OP_N ? rows : cols,
           opa == BSBLAS_OP_N ? cols : rows};
    o.pattern = make_pattern(spec, (o.a.rows + 3) / 4, (o.a.cols + 2) / 3);
    o.a.pattern = &o.pattern;
    const int64_t b_rows = left ? k : m, b_cols = left ? n : k;
    o.b = {nullptr,         type, opb == BSBLAS_OP_N ? b_rows : b_cols, opb == BSBLAS_OP_N ? b_cols : b_rows, 0,
           BSBLAS_ORDER_COL};
    o.b.ld = o.b.rows + 2;
    o.c = {nullptr, type, m, n, n + 1, BSBLAS_ORDER_ROW};
    Random random(3);
    const auto fill = [&](std::vector<unsigned char>& bytes, int64_t count) {
        bytes.resize(static_cast<size_t>(count) * size_of(type));
        for (int64_t i = 0; i < count; ++i) put(bytes.data(), i, type, random_value(random, type));
        return bytes.data();
    };
    o.a.values = fill(o.a_values, o.pattern.blocks() * 12);
    o.b.data = fill(o.b_values, o.b.ld * o.b.cols);
    o.c.data = fill(o.c_values, o.c.ld * o.c.rows);
    return o;
}

// Writes a reference's values where the library would have put them.
std::vector<unsigned char> encode(const Grid<Complex>& value, const DenseOperand& like) {
    std::vector<unsigned char> bytes(static_cast<size_t>(like.rows * like.ld) * size_of(like.type));
    for (int64_t i = 0; i < like.rows; ++i)
        for (int64_t j = 0; j < like.cols; ++j) put(bytes.data(), i * like.ld + j, like.type, value(i, j));
    return bytes;
}

TEST(Oracle, MultipliesASmallMatrixByHand) {
    const BlockPattern pattern{1, 2, {0, 1}, {1}};  // [0 0 1 2; 0 0 3 4]
    const float a_values[] = {1, 2, 3, 4}, b_values[] = {NAN, INFINITY, 10, 20};
    const float c_values[] = {100, 200};
    const SparseOperand a{&pattern, a_values, BSBLAS_R_32F, 2, 2, BSBLAS_ORDER_ROW, 2, 4};
    const DenseOperand b{b_values, BSBLAS_R_32F, 4, 1, 1, BSBLAS_ORDER_ROW};
    const DenseOperand c{c_values, BSBLAS_R_32F, 2, 1, 1, BSBLAS_ORDER_ROW};
    const Rounding rounding = rounding_of(BSBLAS_R_32F, BSBLAS_R_32F, -1);
    const Reference r = spmm_reference(BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, {2, 0.5, 1}, rounding);
    EXPECT_EQ(r.value(0, 0), Complex(2 * 50 + 50));
    EXPECT_EQ(r.value(1, 0), Complex(2 * 110 + 100));
    EXPECT_GT(r.bound(0, 0), 150 * 0x1p-24);
    EXPECT_LT(r.bound(0, 0), 150 * 0x1p-24 * 16);
}

TEST(Oracle, IntegersWrap) {
    const BlockPattern pattern{1, 1, {0, 1}, {0}};
    const int8_t a_values[] = {100}, b_values[] = {100};
    const int32_t c_values[] = {7};
    const SparseOperand a{&pattern, a_values, BSBLAS_R_8I, 1, 1, BSBLAS_ORDER_ROW, 1, 1};
    const DenseOperand b{b_values, BSBLAS_R_8I, 1, 1, 1, BSBLAS_ORDER_ROW};
    const DenseOperand c{c_values, BSBLAS_R_32I, 1, 1, 1, BSBLAS_ORDER_ROW};
    const Reference r = spmm_reference(BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, {1000000, -3, 1},
                                       rounding_of(BSBLAS_R_8I, BSBLAS_R_32I, -1));
    EXPECT_EQ(r.value(0, 0).real(), 10000000000.0 - 21 - 2 * 4294967296.0);
    EXPECT_EQ(r.bound(0, 0), 0);
}

TEST(Oracle, SampledCheckAgreesWithTheFullReferenceAndSeesASingleWrongElement) {
    for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_C_64F, BSBLAS_R_16F})
        for (bsblasSide_t side : {BSBLAS_SIDE_LEFT, BSBLAS_SIDE_RIGHT})
            for (bsblasOperation_t opa : {BSBLAS_OP_N, BSBLAS_OP_T, BSBLAS_OP_H})
                for (bsblasOperation_t opb : {BSBLAS_OP_N, BSBLAS_OP_T, BSBLAS_OP_H}) {
                    const Operands o = make(type, side, opa, opb, 21, 13, 17);
                    const Scalars scalars{0.75, -0.5, 1};
                    const Rounding rounding = rounding_of(type, type, -1);
                    const Reference r = spmm_reference(side, opa, opb, o.a, o.b, o.c, scalars, rounding);
                    std::vector<unsigned char> result = encode(r.value, o.c);
                    DenseOperand c = o.c;
                    c.data = result.data();
                    EXPECT_TRUE(compare(r, c).ok);
                    const auto sampled = [&] {
                        return check_spmm_sampled(side, opa, opb, o.a, o.b, o.c, c, scalars, rounding, 3, 5);
                    };
                    EXPECT_TRUE(sampled().ok) << sampled().text();
                    const int64_t wrong = 10 * c.ld + 6;
                    put(result.data(), wrong, type, get(result.data(), wrong, type) + 0.25);
                    EXPECT_FALSE(sampled().ok);
                    EXPECT_FALSE(compare(r, c).ok);
                    EXPECT_EQ(compare(r, c).row, 10);
                    EXPECT_EQ(compare(r, c).col, 6);
                }
}

TEST(Oracle, SampledSddmmAgreesWithTheFullReference) {
    for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_C_32F, BSBLAS_R_16BF})
        for (bsblasOperation_t opx : {BSBLAS_OP_N, BSBLAS_OP_T, BSBLAS_OP_H})
            for (bsblasOperation_t opy : {BSBLAS_OP_N, BSBLAS_OP_H}) {
                const Operands o = make(type, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, 21, 13, 17);
                const Operands dense = make(type, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, opx, 21, 21, 17);
                DenseOperand x = dense.b, y = o.b;
                // x: 17 x 21 under N; as op(X) must be 21 x 17, take it the other way round.
                x.order = BSBLAS_ORDER_ROW;
                std::swap(x.rows, x.cols);
                if (opy != BSBLAS_OP_N) {
                    y.order = BSBLAS_ORDER_ROW;
                    std::swap(y.rows, y.cols);
                }
                SparseOperand a = o.a;
                a.rows = 21;
                a.cols = 13;
                BlockPattern pattern = make_pattern({}, 6, 5);
                a.pattern = &pattern;
                std::vector<unsigned char> before(static_cast<size_t>(pattern.blocks()) * 12 * size_of(type));
                Random random(11);
                for (int64_t i = 0; i < pattern.blocks() * 12; ++i)
                    put(before.data(), i, type, random_value(random, type));
                a.values = before.data();
                const Scalars scalars{2, 0.5, 1};
                const Rounding rounding = rounding_of(type, type, -1);
                const Reference r = sddmm_reference(opx, opy, x, y, a, scalars, rounding);
                std::vector<unsigned char> after(before.size());
                SparseOperand result = a;
                result.values = after.data();
                for (int64_t slot = 0; slot < pattern.blocks(); ++slot)
                    for (int64_t i = 0; i < 4; ++i)
                        for (int64_t j = 0; j < 3; ++j)
                            put(after.data(), result.place(slot, i, j), type, r.value(slot * 4 + i, j));
                EXPECT_TRUE(compare_blocks(r, result).ok);
                const auto sampled = [&] {
                    return check_sddmm_sampled(opx, opy, x, y, a, result, scalars, rounding, 2, 9);
                };
                EXPECT_TRUE(sampled().ok) << sampled().text();
                const int64_t wrong = result.place(pattern.blocks() / 2, 1, 1);
                put(after.data(), wrong, type, get(after.data(), wrong, type) + 0.5);
                EXPECT_FALSE(sampled().ok);
                EXPECT_FALSE(compare_blocks(r, result).ok);
            }
}

TEST(Oracle, SpecialValues) {
    double error;
    EXPECT_TRUE(accept(NAN, NAN, 0, 1, &error));
    EXPECT_FALSE(accept(NAN, 1, 0, 1, &error));
    EXPECT_FALSE(accept(1, NAN, 1e9, 1, &error));
    EXPECT_TRUE(accept(INFINITY, INFINITY, 0, 1, &error));
    EXPECT_FALSE(accept(INFINITY, -INFINITY, 0, 1, &error));
    EXPECT_FALSE(accept(INFINITY, 3e38, 0, 1, &error));
    EXPECT_TRUE(accept(65510, INFINITY, 20, 65504, &error));
    EXPECT_FALSE(accept(100, INFINITY, 20, 65504, &error));
    EXPECT_FALSE(accept(1, 1.1, 0.05, 10, &error));
    EXPECT_NEAR(error, 0.1, 1e-12);
}

// The bound must let a plain f32 loop pass and stop one that rounds its inputs to TF32.
TEST(Oracle, TheBoundTellsF32FromTf32) {
    const int64_t k = 400;
    const BlockPattern pattern{1, 1, {0, 1}, {0}};
    Random random(1);
    std::vector<float> a_values(static_cast<size_t>(k) * k), b_values(static_cast<size_t>(k) * 8);
    for (float& v : a_values) v = static_cast<float>(random_value(random, BSBLAS_R_32F).real());
    for (float& v : b_values) v = static_cast<float>(random_value(random, BSBLAS_R_32F).real());
    const SparseOperand a{&pattern, a_values.data(), BSBLAS_R_32F, k, k, BSBLAS_ORDER_ROW, k, k};
    const DenseOperand b{b_values.data(), BSBLAS_R_32F, k, 8, 8, BSBLAS_ORDER_ROW};
    std::vector<float> result(static_cast<size_t>(k) * 8);
    const DenseOperand c{result.data(), BSBLAS_R_32F, k, 8, 8, BSBLAS_ORDER_ROW};
    const Rounding rounding = rounding_of(BSBLAS_R_32F, BSBLAS_R_32F, -1);
    const Reference r = spmm_reference(BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b,
                                       {nullptr, BSBLAS_R_32F, k, 8, 8}, {}, rounding);
    const auto multiply = [&](auto cut) {
        for (int64_t i = 0; i < k; ++i)
            for (int64_t j = 0; j < 8; ++j) {
                float sum = 0;
                for (int64_t p = 0; p < k; ++p) sum += cut(a_values[i * k + p]) * cut(b_values[p * 8 + j]);
                result[i * 8 + j] = sum;
            }
    };
    multiply([](float v) { return v; });
    EXPECT_TRUE(compare(r, c).ok) << compare(r, c).text();
    const auto nearest_tf32 = [](float v) {
        int exponent;
        const double mantissa = std::frexp(static_cast<double>(v), &exponent);
        return static_cast<float>(std::ldexp(std::nearbyint(mantissa * 2048) / 2048, exponent));
    };
    multiply(nearest_tf32);
    EXPECT_FALSE(compare(r, c).ok);
    EXPECT_FALSE(check_spmm_sampled(BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, c, {}, rounding, 4, 1).ok);
    const Reference loose = spmm_reference(BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, {},
                                           rounding_of(BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_COMPUTE_32F_FAST_TF32));
    EXPECT_TRUE(compare(loose, c).ok);
}

TEST(Oracle, ExpandsDuplicatesAndIgnoresPadding) {
    const BlockPattern pattern{1, 1, {0, 2}, {0, 0}};
    const float values[] = {1, 2, NAN, NAN, 10, 20, NAN, NAN};
    const SparseOperand a{&pattern, values, BSBLAS_R_32F, 2, 2, BSBLAS_ORDER_ROW, 1, 2};
    const Reference r = expand_reference(a);
    EXPECT_EQ(r.value(0, 0), Complex(11));
    EXPECT_EQ(r.value(0, 1), Complex(22));
    EXPECT_GT(r.bound(0, 1), 0);
}

}  // namespace
}  // namespace bsblas::test
