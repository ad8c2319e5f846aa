// Threads and forks: handles never interfere, errors belong to their thread, and a child process goes on.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/call.h"
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
          "csr2bsr m=300 k=300 block=4 type=f32 duplicates=0.5", "bsr2dense m=300 k=300 duplicates=0.5"}) {
        std::vector<Bytes> expected;
        for (int threads : {1, 2, 3, 8}) {
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
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // a hang ends the child
        _exit(body() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
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
    for (int i = 0; i < 200 && failures == 0; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);  // instead of waiting for ever
            _exit(make_and_destroy() ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        failures += status != 0;
    }
    stop = true;
    busy.join();
    EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace bsblas::test
