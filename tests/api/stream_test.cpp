// Calls on one stream take effect in order, whether or not anybody waits between them: each reads what the one before
// wrote, and overwrites what it read.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "world.h"

namespace bsblas::test {
namespace {

#define REQUIRE_SUCCESS(call) ASSERT_EQ(call, BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage()

struct Case {
    bsblasBackend_t backend;
    bool default_stream;
    int64_t block;
};

class Stream : public testing::TestWithParam<Case> {
protected:
    static constexpr int64_t rows = 1024, columns = 128, stored = 4;  // stored blocks of a block row

    Stream() {
        const int64_t columns_apart = blocks_ / stored;
        std::mt19937 random(1);
        std::uniform_real_distribution<float> number(-1, 1);
        for (size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = static_cast<int32_t>(i * stored);
        for (size_t i = 0; i < indices_.size(); ++i)
            indices_[i] = static_cast<int32_t>(i % stored * columns_apart + random() % columns_apart);
        const float scale = 0.5f / std::sqrt(static_cast<float>(stored * block_));  // so that nothing grows
        for (float& element : a_) element = scale * number(random);
        for (float& element : p_) element = number(random);
    }

    void SetUp() override {
        REQUIRE_SUCCESS(bsblasCreateWithBackend(&handle_, GetParam().backend));
        REQUIRE_SUCCESS(bsblasSetStream(handle_, GetParam().default_stream ? nullptr : memory_.stream()));
        REQUIRE_SUCCESS(bsblasCreateBsr(&a_matrix_, blocks_, blocks_, blocks_ * stored, block_, block_,
                                        offsets_array_.data(), indices_array_.data(), a_array_.data(), BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
        REQUIRE_SUCCESS(
            bsblasCreateDnMat(&p_matrix_, rows, columns, columns, p_array_.data(), BSBLAS_R_32F, BSBLAS_ORDER_ROW));
        REQUIRE_SUCCESS(
            bsblasCreateDnMat(&q_matrix_, rows, columns, columns, q_array_.data(), BSBLAS_R_32F, BSBLAS_ORDER_ROW));
        memory_.copy_in(offsets_array_.data(), offsets_.data(), offsets_array_.size());
        memory_.copy_in(indices_array_.data(), indices_.data(), indices_array_.size());
        memory_.wait();
    }
    void TearDown() override {
        bsblasDestroySpMat(a_matrix_);
        bsblasDestroyDnMat(p_matrix_);
        bsblasDestroyDnMat(q_matrix_);
        bsblasDestroy(handle_);
    }

    // Q = A P, P = A' Q + P / 2 by an index made in the buffer, A = P Q' / 1000 + A, and again.
    std::vector<float> results(const std::function<void()>& after_each_call) {
        memory_.copy_in(a_array_.data(), a_.data(), a_array_.size());
        memory_.copy_in(p_array_.data(), p_.data(), p_array_.size());
        memory_.wait();
        const float zero = 0, half = 0.5f, one = 1, small = 1e-3f;
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(bsblasSpMM(handle_, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &one, a_matrix_, p_matrix_, &zero,
                                 q_matrix_, nullptr, buffer_.data(), buffer_.size()),
                      BSBLAS_STATUS_SUCCESS);
            after_each_call();
            EXPECT_EQ(bsblasSpMM(handle_, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, &one, a_matrix_, q_matrix_, &half,
                                 p_matrix_, nullptr, buffer_.data(), buffer_.size()),
                      BSBLAS_STATUS_SUCCESS);
            after_each_call();
            EXPECT_EQ(bsblasSDDMM(handle_, BSBLAS_OP_N, BSBLAS_OP_T, &small, p_matrix_, q_matrix_, &one, a_matrix_,
                                  nullptr, buffer_.data(), buffer_.size()),
                      BSBLAS_STATUS_SUCCESS);
            after_each_call();
        }
        wait();
        std::vector<float> out(a_.size() + p_.size());
        memory_.copy_out(out.data(), a_array_.data(), a_array_.size());
        memory_.copy_out(out.data() + a_.size(), p_array_.data(), p_array_.size());
        memory_.wait();
        return out;
    }

    // For the handle's stream, which need not be the memory's.
    void wait() {
        EXPECT_EQ(bsblasBsrValidate(handle_, a_matrix_, nullptr, nullptr, nullptr, validate_buffer_.data(),
                                    validate_buffer_.size()),
                  BSBLAS_STATUS_SUCCESS);
    }

    Memory& memory_ = memory_of(GetParam().backend);
    const int64_t block_ = GetParam().block, blocks_ = rows / block_;
    std::vector<int32_t> offsets_ = std::vector<int32_t>(blocks_ + 1),
                         indices_ = std::vector<int32_t>(blocks_ * stored);
    std::vector<float> a_ = std::vector<float>(blocks_ * stored * block_ * block_);
    std::vector<float> p_ = std::vector<float>(rows * columns);
    Buffer offsets_array_{memory_, offsets_.size() * 4}, indices_array_{memory_, indices_.size() * 4};
    Buffer a_array_{memory_, a_.size() * 4}, p_array_{memory_, p_.size() * 4}, q_array_{memory_, p_.size() * 4};
    Buffer buffer_{memory_, 32 << 20}, validate_buffer_{memory_, 1 << 20};
    bsblasHandle_t handle_ = nullptr;
    bsblasSpMatDescr_t a_matrix_ = nullptr;
    bsblasDnMatDescr_t p_matrix_ = nullptr, q_matrix_ = nullptr;
};

TEST_P(Stream, RunsCallsInOrder) {
    const std::vector<float> expected = results([this] { wait(); });
    float largest = 0;
    for (float element : expected) {
        ASSERT_TRUE(std::isfinite(element));
        largest = std::max(largest, std::abs(element));
    }
    ASSERT_GT(largest, 1e-3f);
    for (int i = 0; i < 5; ++i) {
        const std::vector<float> out = results([] {});
        ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)), 0);
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (bsblasBackend_t backend : backends_here()) {
        for (int64_t block : {4, 16, 64}) {
            all.push_back({backend, true, block});
            if (backend == BSBLAS_BACKEND_CUDA) all.push_back({backend, false, block});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(, Stream, testing::ValuesIn(cases()), [](const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::string(c.backend == BSBLAS_BACKEND_CUDA ? "cuda" : "host") + (c.default_stream ? "_default" : "_own") +
           "_" + std::to_string(c.block);
});

}  // namespace
}  // namespace bsblas::test
