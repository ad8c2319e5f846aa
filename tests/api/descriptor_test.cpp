// What was set is what is got; what is forgotten when; what NULL outputs and destroyed descriptors mean.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>

#include <string>

namespace bsblas::test {
namespace {

#define EXPECT_SUCCESS(call) EXPECT_EQ(call, BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage()

// Addresses that are never followed: descriptors do not look into arrays.
void* address(uintptr_t place) {
    return reinterpret_cast<void*>(place * 16);
}

struct BsrFields {
    int64_t block_rows = -7, block_cols = -7, blocks = -7, bm = -7, bk = -7;
    void *offsets = nullptr, *columns = nullptr, *values = nullptr;
    bsblasIndexType_t offsets_type{}, columns_type{};
    bsblasIndexBase_t base{};
    bsblasDataType_t type{};
    bsblasOrder_t order{};
    bool operator==(const BsrFields&) const = default;
};

class Bsr : public testing::Test {
protected:
    void SetUp() override {
        EXPECT_SUCCESS(bsblasCreateBsr(&a, 3, 5, 7, 4, 2, address(1), address(2), address(3), BSBLAS_INDEX_64I,
                                       BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ONE, BSBLAS_R_16BF, BSBLAS_ORDER_COL));
    }
    void TearDown() override { EXPECT_SUCCESS(bsblasDestroySpMat(a)); }
    BsrFields get() const {
        BsrFields f;
        EXPECT_SUCCESS(bsblasBsrGet(a, &f.block_rows, &f.block_cols, &f.blocks, &f.bm, &f.bk, &f.offsets, &f.columns,
                                    &f.values, &f.offsets_type, &f.columns_type, &f.base, &f.type, &f.order));
        return f;
    }
    bsblasSpMatDescr_t a = nullptr;
};

TEST_F(Bsr, GetsWhatWasSet) {
    const BsrFields expected{3,
                             5,
                             7,
                             4,
                             2,
                             address(1),
                             address(2),
                             address(3),
                             BSBLAS_INDEX_64I,
                             BSBLAS_INDEX_32I,
                             BSBLAS_INDEX_BASE_ONE,
                             BSBLAS_R_16BF,
                             BSBLAS_ORDER_COL};
    EXPECT_EQ(get(), expected);
    BsrFields f;
    const void *offsets, *columns, *values;
    EXPECT_SUCCESS(bsblasConstBsrGet(a, &f.block_rows, &f.block_cols, &f.blocks, &f.bm, &f.bk, &offsets, &columns,
                                     &values, &f.offsets_type, &f.columns_type, &f.base, &f.type, &f.order));
    EXPECT_EQ(offsets, address(1));
    EXPECT_EQ(columns, address(2));
    EXPECT_EQ(values, address(3));
    EXPECT_EQ(f.block_cols, 5);
    EXPECT_EQ(f.order, BSBLAS_ORDER_COL);
    EXPECT_SUCCESS(bsblasBsrGet(a, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr, nullptr, nullptr, nullptr));
    bsblasFormat_t format{};
    EXPECT_SUCCESS(bsblasSpMatGetFormat(a, &format));
    EXPECT_EQ(format, BSBLAS_FORMAT_BSR);
    int64_t rows = 0, cols = 0, nnz = 0;
    EXPECT_SUCCESS(bsblasSpMatGetSize(a, &rows, &cols, &nnz));
    EXPECT_EQ(rows, 12);
    EXPECT_EQ(cols, 10);
    EXPECT_EQ(nnz, 56);
}

TEST_F(Bsr, PointersAndValuesChange) {
    BsrFields expected = get();
    EXPECT_SUCCESS(bsblasBsrSetPointers(a, 9, address(4), address(5), address(6)));
    expected.blocks = 9;
    expected.offsets = address(4);
    expected.columns = address(5);
    expected.values = address(6);
    EXPECT_EQ(get(), expected);
    EXPECT_SUCCESS(bsblasSpMatSetValues(a, address(7)));
    void* values = nullptr;
    EXPECT_SUCCESS(bsblasSpMatGetValues(a, &values));
    EXPECT_EQ(values, address(7));
    expected.values = address(7);
    EXPECT_EQ(get(), expected);
    const void* const_values = nullptr;
    EXPECT_SUCCESS(bsblasConstSpMatGetValues(a, &const_values));
    EXPECT_EQ(const_values, address(7));
}

TEST_F(Bsr, BatchesAndRaggedEdges) {
    int64_t count = 0, offsets = -1, columns = -1, values = -1;
    EXPECT_SUCCESS(bsblasBsrGetStridedBatch(a, &count, &offsets, &columns, &values));
    EXPECT_EQ(count, 1);
    EXPECT_SUCCESS(bsblasBsrSetStridedBatch(a, 6, 4, 7, 56));
    EXPECT_SUCCESS(bsblasBsrGetStridedBatch(a, &count, &offsets, &columns, &values));
    EXPECT_EQ(count, 6);
    EXPECT_EQ(offsets, 4);
    EXPECT_EQ(columns, 7);
    EXPECT_EQ(values, 56);
    EXPECT_SUCCESS(bsblasBsrSetStridedBatch(a, 6, 0, 0, 0));

    int64_t rows = 0, cols = 0;
    EXPECT_SUCCESS(bsblasSpMatGetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &rows, sizeof rows));
    EXPECT_SUCCESS(bsblasSpMatGetAttribute(a, BSBLAS_SPMAT_LOGICAL_COLS, &cols, sizeof cols));
    EXPECT_EQ(rows, 12);
    EXPECT_EQ(cols, 10);
    for (int64_t ragged : {9, 10, 11, 12})
        EXPECT_SUCCESS(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &ragged, 8));
    for (int64_t ragged : {9, 10}) EXPECT_SUCCESS(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_COLS, &ragged, 8));
    for (int64_t bad : {-1, 0, 8, 13})
        EXPECT_EQ(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &bad, 8), BSBLAS_STATUS_INVALID_VALUE);
    const int64_t nine = 9;
    EXPECT_SUCCESS(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_COLS, &nine, 8));
    EXPECT_SUCCESS(bsblasSpMatGetSize(a, &rows, &cols, nullptr));
    EXPECT_EQ(rows, 12);
    EXPECT_EQ(cols, 9);
}

TEST(Descriptors, NoBlockRowsMeansNoRows) {
    bsblasSpMatDescr_t a = nullptr;
    EXPECT_SUCCESS(bsblasCreateBsr(&a, 0, 2, 0, 4, 4, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                                   BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    const int64_t none = 0, one = 1;
    EXPECT_SUCCESS(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &none, 8));
    EXPECT_EQ(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &one, 8), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_SUCCESS(bsblasDestroySpMat(a));
}

TEST(Descriptors, Csr) {
    bsblasSpMatDescr_t s = nullptr;
    EXPECT_SUCCESS(bsblasCreateCsr(&s, 6, 4, 9, address(1), address(2), address(3), BSBLAS_INDEX_32I, BSBLAS_INDEX_64I,
                                   BSBLAS_INDEX_BASE_ONE, BSBLAS_C_64F));
    EXPECT_SUCCESS(bsblasCsrSetPointers(s, 11, address(4), address(5), address(6)));
    int64_t rows, cols, nnz;
    void *offsets, *columns, *values;
    bsblasIndexType_t offsets_type, columns_type;
    bsblasIndexBase_t base;
    bsblasDataType_t type;
    EXPECT_SUCCESS(
        bsblasCsrGet(s, &rows, &cols, &nnz, &offsets, &columns, &values, &offsets_type, &columns_type, &base, &type));
    EXPECT_EQ(rows, 6);
    EXPECT_EQ(cols, 4);
    EXPECT_EQ(nnz, 11);
    EXPECT_EQ(offsets, address(4));
    EXPECT_EQ(columns, address(5));
    EXPECT_EQ(values, address(6));
    EXPECT_EQ(offsets_type, BSBLAS_INDEX_32I);
    EXPECT_EQ(columns_type, BSBLAS_INDEX_64I);
    EXPECT_EQ(base, BSBLAS_INDEX_BASE_ONE);
    EXPECT_EQ(type, BSBLAS_C_64F);
    bsblasFormat_t format{};
    EXPECT_SUCCESS(bsblasSpMatGetFormat(s, &format));
    EXPECT_EQ(format, BSBLAS_FORMAT_CSR);
    EXPECT_SUCCESS(bsblasDestroySpMat(s));
}

TEST(Descriptors, Dense) {
    bsblasDnMatDescr_t b = nullptr;
    EXPECT_SUCCESS(bsblasCreateDnMat(&b, 6, 4, 9, address(1), BSBLAS_R_8F_E5M2, BSBLAS_ORDER_COL));
    EXPECT_SUCCESS(bsblasDnMatSetValues(b, address(2)));
    EXPECT_SUCCESS(bsblasDnMatSetStridedBatch(b, 3, 36));
    int64_t rows, cols, ld, count, stride;
    void* values;
    const void* const_values;
    bsblasDataType_t type;
    bsblasOrder_t order;
    EXPECT_SUCCESS(bsblasDnMatGet(b, &rows, &cols, &ld, &values, &type, &order));
    EXPECT_EQ(rows, 6);
    EXPECT_EQ(cols, 4);
    EXPECT_EQ(ld, 9);
    EXPECT_EQ(values, address(2));
    EXPECT_EQ(type, BSBLAS_R_8F_E5M2);
    EXPECT_EQ(order, BSBLAS_ORDER_COL);
    EXPECT_SUCCESS(bsblasConstDnMatGet(b, nullptr, nullptr, nullptr, &const_values, nullptr, nullptr));
    EXPECT_EQ(const_values, address(2));
    EXPECT_SUCCESS(bsblasDnMatGetValues(b, &values));
    EXPECT_EQ(values, address(2));
    EXPECT_SUCCESS(bsblasConstDnMatGetValues(b, &const_values));
    EXPECT_EQ(const_values, address(2));
    EXPECT_SUCCESS(bsblasDnMatGetStridedBatch(b, &count, &stride));
    EXPECT_EQ(count, 3);
    EXPECT_EQ(stride, 36);
    EXPECT_SUCCESS(bsblasDestroyDnMat(b));
}

TEST(Descriptors, Options) {
    bsblasOpDescr_t options = nullptr;
    EXPECT_SUCCESS(bsblasCreateOpDescr(&options));
    const float scale = 1;
    const float* pointer = &scale;
    const bsblasComputeType_t compute = BSBLAS_COMPUTE_32F_FAST_TF32;
    const bsblasDeterminism_t determinism = BSBLAS_DETERMINISM_RELAXED;
    const bsblasAlgorithm_t algorithm = BSBLAS_ALG_REFERENCE;
    const auto expect_kept = [&](bsblasOpAttribute_t attribute, const auto& value) {
        EXPECT_SUCCESS(bsblasOpDescrSetAttribute(options, attribute, &value, sizeof value));
        std::decay_t<decltype(value)> got{};
        EXPECT_SUCCESS(bsblasOpDescrGetAttribute(options, attribute, &got, sizeof got));
        EXPECT_EQ(got, value);
    };
    const float* unset = pointer;
    EXPECT_SUCCESS(bsblasOpDescrGetAttribute(options, BSBLAS_OP_SCALE_A, &unset, sizeof unset));
    EXPECT_EQ(unset, nullptr);
    bsblasAlgorithm_t unset_algorithm = BSBLAS_ALG_MAX;
    EXPECT_SUCCESS(bsblasOpDescrGetAttribute(options, BSBLAS_OP_ALGORITHM, &unset_algorithm, sizeof unset_algorithm));
    EXPECT_EQ(unset_algorithm, BSBLAS_ALG_DEFAULT);
    for (bsblasOpAttribute_t attribute : {BSBLAS_OP_COMPUTE_TYPE, BSBLAS_OP_DETERMINISM}) {
        int value = 0;
        EXPECT_EQ(bsblasOpDescrGetAttribute(options, attribute, &value, sizeof value), BSBLAS_STATUS_INVALID_VALUE);
    }
    expect_kept(BSBLAS_OP_COMPUTE_TYPE, compute);
    expect_kept(BSBLAS_OP_DETERMINISM, determinism);
    expect_kept(BSBLAS_OP_ALGORITHM, algorithm);
    expect_kept(BSBLAS_OP_SCALE_A, pointer);
    expect_kept(BSBLAS_OP_SCALE_B, pointer);
    EXPECT_SUCCESS(bsblasDestroyOpDescr(options));
}

TEST(Descriptors, DestroyOfNullIsASuccess) {
    EXPECT_SUCCESS(bsblasDestroySpMat(nullptr));
    EXPECT_SUCCESS(bsblasDestroyDnMat(nullptr));
    EXPECT_SUCCESS(bsblasDestroyOpDescr(nullptr));
    EXPECT_SUCCESS(bsblasDestroy(nullptr));
}

TEST(Descriptors, ManyLiveSideBySide) {
    bsblasDnMatDescr_t matrices[200];
    for (int i = 0; i < 200; ++i)
        EXPECT_SUCCESS(bsblasCreateDnMat(&matrices[i], i, 2, 2, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    for (int i = 0; i < 200; i += 2) EXPECT_SUCCESS(bsblasDestroyDnMat(matrices[i]));
    for (int i = 0; i < 200; ++i) {
        int64_t rows = -1;
        const bsblasStatus_t status = bsblasDnMatGet(matrices[i], &rows, nullptr, nullptr, nullptr, nullptr, nullptr);
        if (i % 2 == 0) {
            EXPECT_EQ(status, BSBLAS_STATUS_NOT_INITIALIZED);
            EXPECT_EQ(bsblasDestroyDnMat(matrices[i]), BSBLAS_STATUS_NOT_INITIALIZED);
        } else {
            EXPECT_EQ(rows, i);
        }
    }
    for (int i = 1; i < 200; i += 2) EXPECT_SUCCESS(bsblasDestroyDnMat(matrices[i]));
}

}  // namespace
}  // namespace bsblas::test
