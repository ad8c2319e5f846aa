// The largest matrices that descriptors take: sizes of buffers neither overflow nor wrap around to something small.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>

#include "world.h"

namespace bsblas::test {
namespace {

constexpr int64_t most_blocks = (int64_t{1} << 53) - 2;  // of one byte each, and with offsets of 8 bytes
constexpr size_t small = 4096;

class SizeLimit : public testing::TestWithParam<bsblasBackend_t> {
protected:
    SizeLimit() : workspace_(memory_of(GetParam()), small) {}
    void SetUp() override { ASSERT_EQ(bsblasCreateWithBackend(&handle_, GetParam()), BSBLAS_STATUS_SUCCESS); }
    void TearDown() override {
        bsblasDestroy(handle_);
        for (bsblasSpMatDescr_t matrix : sparse_) bsblasDestroySpMat(matrix);
        for (bsblasDnMatDescr_t matrix : dense_) bsblasDestroyDnMat(matrix);
    }

    // Nothing is behind these addresses: whoever follows one crashes.
    void* address() { return reinterpret_cast<void*>(++place_ * 256); }

    bsblasSpMatDescr_t bsr(int64_t block_rows, int64_t block_cols, int64_t capacity, bsblasDataType_t type) {
        sparse_.push_back(nullptr);
        EXPECT_EQ(
            bsblasCreateBsr(&sparse_.back(), block_rows, block_cols, capacity, 1, 1, address(), address(), address(),
                            BSBLAS_INDEX_64I, BSBLAS_INDEX_64I, BSBLAS_INDEX_BASE_ZERO, type, BSBLAS_ORDER_ROW),
            BSBLAS_STATUS_SUCCESS)
            << bsblasGetLastErrorMessage();
        return sparse_.back();
    }
    bsblasSpMatDescr_t csr(int64_t rows, int64_t cols, int64_t capacity, bsblasDataType_t type) {
        sparse_.push_back(nullptr);
        EXPECT_EQ(bsblasCreateCsr(&sparse_.back(), rows, cols, capacity, address(), address(), address(),
                                  BSBLAS_INDEX_64I, BSBLAS_INDEX_64I, BSBLAS_INDEX_BASE_ZERO, type),
                  BSBLAS_STATUS_SUCCESS)
            << bsblasGetLastErrorMessage();
        return sparse_.back();
    }
    bsblasDnMatDescr_t dense(int64_t rows, int64_t cols, bsblasDataType_t type) {
        dense_.push_back(nullptr);
        EXPECT_EQ(bsblasCreateDnMat(&dense_.back(), rows, cols, cols, address(), type, BSBLAS_ORDER_ROW),
                  BSBLAS_STATUS_SUCCESS)
            << bsblasGetLastErrorMessage();
        return dense_.back();
    }

    // query(size) and call(buffer, size); the buffer must be large, and a small one refused before anything is read.
    template <class Query, class Call>
    void expect_large(const char* what, Query query, Call call) {
        SCOPED_TRACE(what);
        size_t size = 0;
        EXPECT_EQ(query(&size), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
        ASSERT_GT(size, size_t{1} << 50);
        EXPECT_EQ(call(workspace_.data(), small), BSBLAS_STATUS_INSUFFICIENT_WORKSPACE) << bsblasGetLastErrorMessage();
    }

    bsblasHandle_t handle_ = nullptr;

private:
    Buffer workspace_;
    uintptr_t place_ = 0;
    std::vector<bsblasSpMatDescr_t> sparse_;
    std::vector<bsblasDnMatDescr_t> dense_;
};

TEST_P(SizeLimit, TransposedIndices) {
    const int32_t one = 1;
    const auto analyze = [&](bsblasSpMatDescr_t a) {
        expect_large(
            "analysis", [&](size_t* size) { return bsblasBsrAnalyze_bufferSize(handle_, a, size); },
            [&](void* buffer, size_t size) { return bsblasBsrAnalyze(handle_, a, buffer, size); });
    };
    const bsblasSpMatDescr_t a = bsr(4, most_blocks, most_blocks, BSBLAS_R_8I);
    analyze(a);
    const bsblasDnMatDescr_t b = dense(4, 1, BSBLAS_R_8I), c = dense(most_blocks, 1, BSBLAS_R_32I);
    expect_large(
        "SpMM",
        [&](size_t* size) {
            return bsblasSpMM_bufferSize(handle_, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, a, b, c, nullptr, size);
        },
        [&](void* buffer, size_t size) {
            return bsblasSpMM(handle_, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, &one, a, b, &one, c, nullptr, buffer,
                              size);
        });

    // Of a batch, their number times the size of each is beyond 64 bits.
    const bsblasSpMatDescr_t batch = bsr(1, most_blocks, 1, BSBLAS_R_32F);
    const int64_t count = int64_t{1} << 50;
    ASSERT_EQ(bsblasBsrSetStridedBatch(batch, count, 2, 1, 1), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
    analyze(batch);
}

TEST_P(SizeLimit, PatternsAndConversions) {
    const bsblasDataType_t type = BSBLAS_R_16F;
    const bsblasSpMatDescr_t a = bsr(4, most_blocks, most_blocks, type), at = bsr(most_blocks, 4, most_blocks, type);
    const bsblasSpMatDescr_t s = csr(4, most_blocks, most_blocks, type);
    const bsblasDnMatDescr_t d = dense(4, most_blocks, type);
    expect_large(
        "sorting", [&](size_t* size) { return bsblasBsrSort_bufferSize(handle_, a, size); },
        [&](void* buffer, size_t size) { return bsblasBsrSort(handle_, a, nullptr, buffer, size); });
    expect_large(
        "transposition", [&](size_t* size) { return bsblasBsrTranspose_bufferSize(handle_, BSBLAS_OP_T, a, at, size); },
        [&](void* buffer, size_t size) {
            return bsblasBsrTranspose(handle_, BSBLAS_OP_T, a, at, nullptr, buffer, size);
        });
    expect_large(
        "dense to BSR", [&](size_t* size) { return bsblasDenseToBsr_bufferSize(handle_, d, a, size); },
        [&](void* buffer, size_t size) { return bsblasDenseToBsr(handle_, d, a, nullptr, buffer, size); });
    expect_large(
        "CSR to BSR", [&](size_t* size) { return bsblasCsrToBsr_bufferSize(handle_, s, a, size); },
        [&](void* buffer, size_t size) { return bsblasCsrToBsr(handle_, s, a, nullptr, buffer, size); });
    if (GetParam() == BSBLAS_BACKEND_CUDA) return;  // needs no buffer there
    expect_large(
        "BSR to dense", [&](size_t* size) { return bsblasBsrToDense_bufferSize(handle_, a, d, size); },
        [&](void* buffer, size_t size) { return bsblasBsrToDense(handle_, a, d, buffer, size); });
}

TEST_P(SizeLimit, BeyondItNothingIsMade) {
    bsblasSpMatDescr_t a = nullptr;
    const auto create = [&](int64_t block_rows, int64_t block_cols, int64_t capacity, int64_t bm, int64_t bk) {
        return bsblasCreateBsr(&a, block_rows, block_cols, capacity, bm, bk, nullptr, nullptr, nullptr,
                               BSBLAS_INDEX_64I, BSBLAS_INDEX_64I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F,
                               BSBLAS_ORDER_ROW);
    };
    const int64_t limit = int64_t{1} << 56;
    EXPECT_EQ(create(1, limit / 8, 0, 1, 1), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(limit / 8, 1, 0, 1, 1), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(3, 3, limit / 8 + 1, 1, 1), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(3, 3, limit / 64 + 1, 4, 4), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(0, 0, 0, limit, 2), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(create(3, 0, 0, limit / 2, 1), BSBLAS_STATUS_INVALID_VALUE);
    bsblasDnMatDescr_t b = nullptr;
    EXPECT_EQ(bsblasCreateDnMat(&b, 2, 1, limit / 4, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW),
              BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(bsblasCreateDnMat(&b, 1, 0, limit, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW), BSBLAS_STATUS_SUCCESS);
    EXPECT_EQ(bsblasDnMatSetStridedBatch(b, 2, limit), BSBLAS_STATUS_INVALID_VALUE);
    bsblasDestroyDnMat(b);
}

std::string name_of(const testing::TestParamInfo<bsblasBackend_t>& info) {
    return info.param == BSBLAS_BACKEND_HOST ? "host" : "cuda";
}

INSTANTIATE_TEST_SUITE_P(All, SizeLimit, testing::ValuesIn(backends_here()), name_of);

}  // namespace
}  // namespace bsblas::test
