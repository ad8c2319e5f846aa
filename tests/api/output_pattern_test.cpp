// What a call that writes a pattern asks of it: numbers that hold every offset and column that there can be, and
// patterns of their own in a batch. Sizes decide, so no memory is behind the addresses; whatever they reach is a crash.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>

#include <string>

#include "world.h"

namespace bsblas::test {
namespace {

constexpr int64_t two_31 = int64_t{1} << 31;

struct Pattern {
    int64_t block_rows = 1, block_cols = 1, capacity = 1;
    bsblasIndexType_t offsets = BSBLAS_INDEX_32I, columns = BSBLAS_INDEX_32I;
    int base = 0;
};

class OutputPattern : public testing::TestWithParam<bsblasBackend_t> {
protected:
    void SetUp() override { ASSERT_EQ(bsblasCreateWithBackend(&handle_, GetParam()), BSBLAS_STATUS_SUCCESS); }
    void TearDown() override {
        bsblasDestroy(handle_);
        for (bsblasSpMatDescr_t matrix : matrices_) bsblasDestroySpMat(matrix);
    }

    bsblasSpMatDescr_t make(const Pattern& p) {
        bsblasSpMatDescr_t matrix = nullptr;
        EXPECT_EQ(bsblasCreateBsr(&matrix, p.block_rows, p.block_cols, p.capacity, 1, 1, address(), address(),
                                  address(), p.offsets, p.columns, static_cast<bsblasIndexBase_t>(p.base), BSBLAS_R_32F,
                                  BSBLAS_ORDER_ROW),
                  BSBLAS_STATUS_SUCCESS)
            << bsblasGetLastErrorMessage();
        matrices_.push_back(matrix);
        return matrix;
    }
    bsblasStatus_t transpose(const Pattern& a, const Pattern& at) {
        return bsblasBsrTranspose(handle_, BSBLAS_OP_T, make(a), make(at), nullptr, nullptr, 0);
    }
    // Nothing is wrong with the patterns: what is missing is the workspace.
    void expect_room(const Pattern& a, const Pattern& at) {
        EXPECT_EQ(transpose(a, at), BSBLAS_STATUS_INSUFFICIENT_WORKSPACE) << bsblasGetLastErrorMessage();
    }
    void expect_no_room(const Pattern& a, const Pattern& at, const char* says) {
        EXPECT_EQ(transpose(a, at), BSBLAS_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find(says), std::string::npos)
            << bsblasGetLastErrorMessage();
    }

    bsblasHandle_t handle_ = nullptr;

private:
    void* address() { return reinterpret_cast<void*>(++place_ * 256); }

    uintptr_t place_ = 0;
    std::vector<bsblasSpMatDescr_t> matrices_;
};

TEST_P(OutputPattern, OffsetsCountAllBlocksOfTheInput) {
    const auto wide = BSBLAS_INDEX_64I;
    expect_room({1, 1, two_31 - 1, wide}, {1, 1, two_31 - 1});
    expect_no_room({1, 1, two_31, wide}, {1, 1, two_31}, "A can hold 2147483648 blocks");
    expect_no_room({1, 1, two_31 - 1, wide}, {1, 1, two_31, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, 1},
                   "expected at most 2147483646");
    expect_room({1, 1, two_31, wide}, {1, 1, two_31, wide});
    expect_room({1, 1, two_31}, {1, 1, two_31});  // A itself cannot count further
}

TEST_P(OutputPattern, ColumnsReachTheLast) {
    expect_room({two_31, 1, 1}, {1, two_31, 1});
    expect_no_room({two_31 + 1, 1, 1}, {1, two_31 + 1, 1}, "the last block column of At is 2147483648");
    expect_no_room({two_31, 1, 1}, {1, two_31, 1, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, 1},
                   "the last block column of At is 2147483648");
    expect_room({two_31, 1, 1}, {1, two_31, 1, BSBLAS_INDEX_32I, BSBLAS_INDEX_64I, 1});

    bsblasDnMatDescr_t d = nullptr;
    ASSERT_EQ(
        bsblasCreateDnMat(&d, 1, two_31 + 1, two_31 + 1, reinterpret_cast<void*>(8), BSBLAS_R_32F, BSBLAS_ORDER_ROW),
        BSBLAS_STATUS_SUCCESS);
    EXPECT_EQ(bsblasDenseToBsr(handle_, d, make({1, two_31 + 1, 1}), nullptr, nullptr, 0), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(
        bsblasDenseToBsr(handle_, d, make({1, two_31 + 1, 1, BSBLAS_INDEX_32I, BSBLAS_INDEX_64I}), nullptr, nullptr, 0),
        BSBLAS_STATUS_INSUFFICIENT_WORKSPACE);
    bsblasDestroyDnMat(d);
}

TEST_P(OutputPattern, BatchesHaveTheirOwn) {
    const Pattern one{4, 4, 8};
    const bsblasSpMatDescr_t a = make(one), at = make(one);
    ASSERT_EQ(bsblasBsrSetStridedBatch(a, 2, 0, 0, 8), BSBLAS_STATUS_SUCCESS);
    ASSERT_EQ(bsblasBsrSetStridedBatch(at, 2, 0, 0, 8), BSBLAS_STATUS_SUCCESS);
    EXPECT_EQ(bsblasBsrTranspose(handle_, BSBLAS_OP_T, a, at, nullptr, nullptr, 0), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(bsblasBsrSort(handle_, a, nullptr, nullptr, 0), BSBLAS_STATUS_NOT_SUPPORTED);
}

std::string name_of(const testing::TestParamInfo<bsblasBackend_t>& info) {
    return info.param == BSBLAS_BACKEND_HOST ? "host" : "cuda";
}

INSTANTIATE_TEST_SUITE_P(All, OutputPattern, testing::ValuesIn(backends_here()), name_of);

}  // namespace
}  // namespace bsblas::test
