#include "backend/host/thread_pool.h"
#include "support/child.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
// What the parent's workers know of themselves is lost to a child of fork(), which cannot end them.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:thread_pool.cpp\n";
}
#endif

namespace bsblas {
namespace {

using test::start_child;
using test::status_of;

template <class Body>
void run(int threads, int64_t items, const Body& body) {
    run_on_threads(
        threads, items,
        [](void* context, int64_t item, int thread) { (*static_cast<const Body*>(context))(item, thread); },
        const_cast<Body*>(&body));
}

int64_t sum_of_squares(int threads, int64_t items) {
    std::atomic<int64_t> sum = 0;
    run(threads, items, [&](int64_t item, int) { sum += item * item; });
    return sum;
}

int64_t expected_sum(int64_t items) {
    return (items - 1) * items * (2 * items - 1) / 6;
}

// Each item waits for all others: only so many threads at once can end this. `body` runs when they have met. Before a
// fork it makes sure that the workers have started; the address sanitizer's allocator does not survive a fork while a
// thread is being made.
template <class Body>
bool all_meet(int threads, const Body& body) {
    std::atomic<int> arrived = 0;
    std::atomic<bool> met = true;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    run(threads, threads, [&](int64_t, int) {
        ++arrived;
        while (arrived < threads) {
            std::this_thread::yield();
            if (std::chrono::steady_clock::now() > limit) {
                met = false;
                return;
            }
        }
        body();
    });
    return met;
}

bool all_meet(int threads) {
    return all_meet(threads, [] {});
}

TEST(ThreadPool, RunsEachItemOnce) {
    for (int threads : {1, 2, 3, 8}) {
        for (int64_t items : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> runs(items);
            std::atomic<bool> in_range = true;
            run(threads, items, [&](int64_t item, int thread) {
                ++runs[item];
                if (thread < 0 || thread >= threads) in_range = false;
            });
            for (const auto& count : runs) EXPECT_EQ(count, 1);
            EXPECT_TRUE(in_range);
        }
    }
}

TEST(ThreadPool, WorkersHelp) {
    EXPECT_TRUE(all_meet(2));
}

TEST(ThreadPool, WorkersRoundAsTheirCallerDoes) {
    for (int rounding : {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
        std::atomic<int> others = 0;
        ASSERT_EQ(std::fesetround(rounding), 0);
        const bool met = all_meet(3, [&] { others += std::fegetround() != rounding; });
        ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
        EXPECT_TRUE(met);
        EXPECT_EQ(others, 0);
    }
}

TEST(ThreadPool, NoTwoItemsAtOnceHaveOneThreadIndex) {
    std::vector<std::atomic<int>> busy(4);
    std::atomic<bool> alone = true;
    run(4, 2000, [&](int64_t, int thread) {
        if (++busy[thread] != 1) alone = false;
        std::this_thread::yield();
        --busy[thread];
    });
    EXPECT_TRUE(alone);
}

TEST(ThreadPool, NestedCallsEnd) {
    std::atomic<int64_t> total = 0;
    run(4, 16, [&](int64_t, int) { total += sum_of_squares(4, 100); });
    EXPECT_EQ(total, 16 * expected_sum(100));
}

TEST(ThreadPool, ManyCallersAtOnce) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 6; ++caller) {
        callers.emplace_back([&, caller] {
            for (int i = 0; i < 200; ++i) {
                if (sum_of_squares(1 + (caller + i) % 5, 50 + i) != expected_sum(50 + i)) ++wrong;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, WorksInAChildOfFork) {
    ASSERT_TRUE(all_meet(4));
    EXPECT_EQ(status_of(start_child([] { return all_meet(2) && sum_of_squares(4, 1000) == expected_sum(1000); })), 0);
    EXPECT_EQ(sum_of_squares(4, 100), expected_sum(100));
}

TEST(ThreadPool, ChildrenForkedWhileWorkersWorkDoNotHang) {
    ASSERT_TRUE(all_meet(4));
    std::atomic<bool> stop = false;
    std::atomic<int> wrong = 0;
    std::thread busy([&] {
        while (!stop) wrong += sum_of_squares(4, 500) != expected_sum(500);
    });
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(status_of(start_child([] { return sum_of_squares(3, 300) == expected_sum(300); })), 0);
    }
    stop = true;
    busy.join();
    EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, AChildThatUsesWorkersExitsNormally) {
    ASSERT_TRUE(all_meet(4));
    // Unlike _exit, exit runs what ends the workers.
    EXPECT_EQ(status_of(start_child([]() -> bool { std::exit(sum_of_squares(4, 100) == expected_sum(100) ? 0 : 1); })),
              0);
}

TEST(UsableCpus, AreThoseTheProcessMayRunOn) {
    cpu_set_t set;
    CPU_ZERO(&set);
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    const int cpus = CPU_COUNT(&set);

    EXPECT_EQ(usable_cpus(), cpus);
}

}  // namespace
}  // namespace bsblas
