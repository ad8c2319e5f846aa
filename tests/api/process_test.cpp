// Threads, forks and exits: handles never interfere, errors belong to their thread, and a child process goes on.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/call.h"
#include "support/child.h"
#include "support/problem.h"
#include "world.h"

namespace bsblas::test {
namespace {

// "" or what is wrong.
std::string run(Call& call, uint64_t seed) {
    call.fill(seed);
    if (call.prepare() != BSBLAS_STATUS_SUCCESS || call.run() != BSBLAS_STATUS_SUCCESS)
        return bsblasGetLastErrorMessage();
    std::string wrong = call.download();
    return wrong.empty() ? call.verify() : wrong;
}

std::string run(const std::string& problem) {
    return run(*make_call(parse(problem), memory_of(BSBLAS_BACKEND_HOST)), 1);
}

TEST(Threads, HandlesDoNotInterfere) {
    memory_of(BSBLAS_BACKEND_HOST);
    std::vector<std::string> wrong(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const char* problems[] = {"spmm m=200 n=40 k=200 block=16 opa=t", "sddmm m=200 n=200 k=40 block=16",
                                      "spmm m=200 n=40 k=200 block=8 type=bf16", "transpose m=200 k=200 block=8"};
            for (int repeat = 0; repeat < 10 && wrong[t].empty(); ++repeat) wrong[t] = run(problems[(t + repeat) % 4]);
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : wrong) EXPECT_EQ(text, "");
}

TEST(Threads, DescriptorsAreMadeAndDestroyedByManyAtOnce) {
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                bsblasDnMatDescr_t b = nullptr;
                bsblasSpMatDescr_t a = nullptr;
                int64_t rows = -1;
                const bool right =
                    bsblasCreateDnMat(&b, t + i, 1, 1, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW) ==
                        BSBLAS_STATUS_SUCCESS &&
                    bsblasCreateBsr(&a, i, t, 0, 2, 2, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                                    BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW) == BSBLAS_STATUS_SUCCESS &&
                    bsblasDnMatGet(b, &rows, nullptr, nullptr, nullptr, nullptr, nullptr) == BSBLAS_STATUS_SUCCESS &&
                    rows == t + i && bsblasDestroyDnMat(b) == BSBLAS_STATUS_SUCCESS &&
                    bsblasDestroySpMat(a) == BSBLAS_STATUS_SUCCESS;
                failures += !right;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
}

TEST(Threads, ErrorsBelongToTheirThread) {
    EXPECT_EQ(bsblasGetVersion(nullptr), BSBLAS_STATUS_INVALID_VALUE);
    const std::string mine = bsblasGetLastErrorMessage();
    std::thread([] {
        EXPECT_STREQ(bsblasGetLastErrorMessage(), "");
        EXPECT_EQ(bsblasGetBuildInfo(nullptr), BSBLAS_STATUS_INVALID_VALUE);
        EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find("bsblasGetBuildInfo"), std::string::npos);
    }).join();
    EXPECT_EQ(bsblasGetLastErrorMessage(), mine);
}

TEST(Threads, TheirNumberDoesNotChangeABit) {
    for (const char* line :
         {"spmm m=300 n=50 k=300 block=16 opa=n", "spmm m=300 n=50 k=300 block=16 opa=t",
          "spmm m=300 n=50 k=300 block=7 type=f64", "spmm m=300 n=50 k=300 block=32 type=bf16",
          "sddmm m=300 n=300 k=500 block=16", "sddmm m=300 n=300 k=500 block=32 type=bf16",
          "csr2bsr m=300 k=300 block=4 type=f32 duplicates=0.5", "bsr2dense m=300 k=300 duplicates=0.5",
          // so small that kernels are about equally fast
          "spmm m=48 n=16 k=48 block=8 density=1 orderb=col orderc=col", "spmm m=48 n=24 k=48 block=16 type=f64",
          "spmm m=51 n=9 k=51 block=17 density=1 opa=t", "sddmm m=48 n=48 k=10 block=8",
          "sddmm m=16 n=16 k=40 block=16"}) {
        std::vector<Bytes> expected;
        for (int threads : {1, 2, 3, 8, 64}) {
            Problem p = parse(line);
            p.threads = threads;
            const auto call = make_call(p, memory_of(BSBLAS_BACKEND_HOST));
            EXPECT_EQ(run(*call, 1), "") << line;
            if (expected.empty()) expected = call->bits();
            EXPECT_EQ(call->bits(), expected) << line << " with " << threads << " threads";
        }
    }
}

// Runs body in a child process; 0 when it returned true in time.
template <class Body>
int child_status(Body body) {
    usleep(50'000);  // the address sanitizer's allocator does not survive a fork while a worker starts
    return status_of(start_child(body));
}

TEST(Fork, TheChildGoesOnWithOldAndNewHandles) {
    const auto call = make_call(parse("spmm m=300 n=50 k=300 block=16 threads=3"), memory_of(BSBLAS_BACKEND_HOST));
    ASSERT_EQ(run(*call, 1), "");
    EXPECT_EQ(child_status([&] { return run(*call, 2).empty(); }), 0) << "with the parent's handle";
    EXPECT_EQ(child_status([] { return run("spmm m=300 n=50 k=300 block=16 threads=3").empty(); }), 0)
        << "with its own";
    EXPECT_EQ(run(*call, 3), "") << "and the parent too";
}

TEST(Fork, BeforeTheFirstCallAndTwice) {
    EXPECT_EQ(child_status([] {
                  if (!run("spmm m=300 n=50 k=300 block=16 threads=2").empty()) return false;
                  return child_status([] { return run("sddmm m=300 n=300 k=50 block=16 threads=2").empty(); }) == 0;
              }),
              0);
}

TEST(Fork, WhileAnotherThreadMakesAndDestroysDescriptors) {
    const auto make_and_destroy = [] {
        bsblasDnMatDescr_t b = nullptr;
        return bsblasCreateDnMat(&b, 1, 1, 1, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW) == BSBLAS_STATUS_SUCCESS &&
               bsblasDestroyDnMat(b) == BSBLAS_STATUS_SUCCESS;
    };
    ASSERT_TRUE(make_and_destroy());
    std::atomic<bool> stop = false;
    std::thread busy([&] {
        while (!stop) make_and_destroy();
    });
    int failures = 0;
    for (int i = 0; i < 200 && failures == 0; ++i) failures += status_of(start_child(make_and_destroy, 10)) != 0;
    stop = true;
    busy.join();
    EXPECT_EQ(failures, 0);
}

// A handle, and sizes of block columns that are new to it each time, so that code is generated for each.
class NewShapes {
public:
    NewShapes() { status_ = bsblasCreateWithBackend(&handle_, BSBLAS_BACKEND_HOST); }
    ~NewShapes() { bsblasDestroy(handle_); }
    NewShapes(const NewShapes&) = delete;
    NewShapes& operator=(const NewShapes&) = delete;

    bool ask() {
        ++asked_;
        const int64_t bm = 8 + asked_ / 56 % 56, bk = 8 + asked_ % 56;
        bsblasSpMatDescr_t a = nullptr;
        bsblasDnMatDescr_t b = nullptr, c = nullptr;
        size_t size = 0;
        const bool right =
            status_ == BSBLAS_STATUS_SUCCESS &&
            bsblasCreateBsr(&a, 100, 100, 1000, bm, bk, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                            BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW) == BSBLAS_STATUS_SUCCESS &&
            bsblasCreateDnMat(&b, 100 * bk, 64, 64, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW) == BSBLAS_STATUS_SUCCESS &&
            bsblasCreateDnMat(&c, 100 * bm, 64, 64, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW) == BSBLAS_STATUS_SUCCESS &&
            bsblasSpMM_bufferSize(handle_, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, nullptr, &size) ==
                BSBLAS_STATUS_SUCCESS;
        bsblasDestroySpMat(a);
        bsblasDestroyDnMat(b);
        bsblasDestroyDnMat(c);
        return right;
    }

private:
    bsblasHandle_t handle_ = nullptr;
    bsblasStatus_t status_;
    int64_t asked_ = 0;
};

// From the first product of the process on.
TEST(Fork, WhileAnotherThreadGeneratesCode) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the address sanitizer's allocator does not survive a fork while another thread allocates";
#endif
    std::atomic<bool> begins = false, stop = false;
    std::thread busy([&] {
        NewShapes shapes;
        begins = true;
        while (!stop) shapes.ask();
    });
    while (!begins) {
    }
    // Without a wait between them: one at least is to come while libxsmm starts.
    std::vector<pid_t> children;
    for (int i = 0; i < 100; ++i) children.push_back(start_child([] { return NewShapes().ask(); }, 30));
    int failures = 0;
    for (const pid_t child : children) failures += status_of(child) != 0;
    stop = true;
    busy.join();
    EXPECT_EQ(failures, 0);
}

// C = A B with generated code; of arrays that no static destructor takes away.
bool multiply_at_exit() {
    constexpr int side = 32;
    static constexpr int32_t offsets[] = {0, 1}, columns[] = {0};
    static constexpr float values[side * side] = {1, 2}, ones[side * side] = {3, 0};
    float product[side * side] = {};
    const float alpha = 1, beta = 0;
    size_t size = 0;
    bsblasHandle_t handle = nullptr;
    bsblasConstSpMatDescr_t a = nullptr;
    bsblasConstDnMatDescr_t b = nullptr;
    bsblasDnMatDescr_t c = nullptr;
    const auto worked = [](bsblasStatus_t status) { return status == BSBLAS_STATUS_SUCCESS; };
    bool right =
        worked(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST)) && worked(bsblasSetNumThreads(handle, 1)) &&
        worked(bsblasCreateConstBsr(&a, 1, 1, 1, side, side, offsets, columns, values, BSBLAS_INDEX_32I,
                                    BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW)) &&
        worked(bsblasCreateConstDnMat(&b, side, side, side, ones, BSBLAS_R_32F, BSBLAS_ORDER_ROW)) &&
        worked(bsblasCreateDnMat(&c, side, side, side, product, BSBLAS_R_32F, BSBLAS_ORDER_ROW)) &&
        worked(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, a, b, c, nullptr, &size));
    if (right) {
        const std::unique_ptr<char[]> buffer(new char[size + 1]);
        right = worked(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &alpha, a, b, &beta, c, nullptr,
                                  buffer.get(), size)) &&
                product[0] == 3;
    }
    bsblasDestroySpMat(a);
    bsblasDestroyDnMat(b);
    bsblasDestroyDnMat(c);
    bsblasDestroy(handle);
    return right;
}

TEST(Exit, HandlersMayMultiply) {
    EXPECT_EQ(child_status([] {
                  // The first product of the process, and one after all that it has registered.
                  for (int i = 0; i < 2; ++i) {
                      std::atexit([] {
                          if (!multiply_at_exit()) _exit(1);
                      });
                  }
                  std::exit(0);
                  return false;
              }),
              0);
}

TEST(Exit, WhileAThreadMultiplies) {
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(child_status([] {
                      std::atomic<int> products = 0;
                      std::thread([&products] {
                          while (multiply_at_exit()) ++products;
                      }).detach();
                      while (products < 10) usleep(100);
                      std::exit(0);
                      return false;
                  }),
                  0);
    }
}

}  // namespace
}  // namespace bsblas::test
