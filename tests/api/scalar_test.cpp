// alpha = 0 reads neither input, wherever alpha is.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>

namespace bsblas::test {
namespace {

constexpr bsblasStatus_t success = BSBLAS_STATUS_SUCCESS;

class AlphaZero : public testing::TestWithParam<bsblasPointerMode_t> {
protected:
    void SetUp() override {
        unreadable_ = mmap(nullptr, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(unreadable_, MAP_FAILED);
        ASSERT_EQ(bsblasCreateWithBackend(&handle_, BSBLAS_BACKEND_HOST), success);
        ASSERT_EQ(bsblasSetPointerMode(handle_, GetParam()), success);
        ASSERT_EQ(bsblasSetNumThreads(handle_, 2), success);  // the buffer needs room for each
    }
    void TearDown() override {
        bsblasDestroy(handle_);
        munmap(unreadable_, 1 << 16);
    }

    void* unreadable_ = nullptr;
    bsblasHandle_t handle_ = nullptr;
    const float alpha_ = 0, beta_ = 2;
    alignas(256) std::array<char, 1 << 16> buffer_ = {};
};

TEST_P(AlphaZero, SpmmReadsNeitherAnorB) {
    for (int64_t block : {2, 8}) {
        for (bsblasSide_t side : {BSBLAS_SIDE_LEFT, BSBLAS_SIDE_RIGHT}) {
            for (bsblasOperation_t op : {BSBLAS_OP_N, BSBLAS_OP_T}) {
                std::array<float, 256> c;
                c.fill(3);
                bsblasConstSpMatDescr_t a = nullptr;
                bsblasConstDnMatDescr_t b = nullptr;
                bsblasDnMatDescr_t out = nullptr;
                ASSERT_EQ(bsblasCreateConstBsr(&a, 16 / block, 16 / block, 4, block, block, unreadable_, unreadable_,
                                               unreadable_, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO,
                                               BSBLAS_R_32F, BSBLAS_ORDER_ROW),
                          success);
                ASSERT_EQ(bsblasCreateConstDnMat(&b, 16, 16, 16, unreadable_, BSBLAS_R_32F, BSBLAS_ORDER_ROW), success);
                ASSERT_EQ(bsblasCreateDnMat(&out, 16, 16, 16, c.data(), BSBLAS_R_32F, BSBLAS_ORDER_ROW), success);
                EXPECT_EQ(bsblasSpMM(handle_, side, op, BSBLAS_OP_N, &alpha_, a, b, &beta_, out, nullptr,
                                     buffer_.data(), buffer_.size()),
                          success)
                    << bsblasGetLastErrorMessage();
                for (float element : c) ASSERT_EQ(element, 6);
                bsblasDestroySpMat(a);
                bsblasDestroyDnMat(b);
                bsblasDestroyDnMat(out);
            }
        }
    }
}

TEST_P(AlphaZero, SddmmReadsNeitherXnorY) {
    const int32_t offsets[] = {0, 1, 2}, columns[] = {1, 0};
    std::array<float, 128> values;
    values.fill(3);
    bsblasSpMatDescr_t a = nullptr;
    bsblasConstDnMatDescr_t x = nullptr;
    ASSERT_EQ(
        bsblasCreateBsr(&a, 2, 2, 2, 8, 8, const_cast<int32_t*>(offsets), const_cast<int32_t*>(columns), values.data(),
                        BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW),
        success);
    ASSERT_EQ(bsblasCreateConstDnMat(&x, 16, 16, 16, unreadable_, BSBLAS_R_32F, BSBLAS_ORDER_ROW), success);
    EXPECT_EQ(bsblasSDDMM(handle_, BSBLAS_OP_N, BSBLAS_OP_N, &alpha_, x, x, &beta_, a, nullptr, buffer_.data(),
                          buffer_.size()),
              success)
        << bsblasGetLastErrorMessage();
    for (float value : values) EXPECT_EQ(value, 6);
    bsblasDestroySpMat(a);
    bsblasDestroyDnMat(x);
}

INSTANTIATE_TEST_SUITE_P(PointerModes, AlphaZero, testing::Values(BSBLAS_POINTER_MODE_HOST, BSBLAS_POINTER_MODE_DEVICE),
                         [](const auto& info) { return info.param == BSBLAS_POINTER_MODE_HOST ? "Host" : "Device"; });

}  // namespace
}  // namespace bsblas::test
