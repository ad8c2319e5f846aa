#include "backend/host/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bsblas {

namespace {

struct Job {
    int threads;
    int64_t items;
    void (*body)(void* context, int64_t item, int thread);
    void* context;
    std::atomic<int64_t> next{0};
    // The caller's rounding and flushing, with which workers compute too: bits do not depend on the number of threads.
    std::fenv_t arithmetic{};

    void work(int thread) {
        for (int64_t item; (item = next.fetch_add(1, std::memory_order_relaxed)) < items;) body(context, item, thread);
    }
};

class Workers {
public:
    // False when another call has them; then nothing was done.
    bool run(Job& job) {
        const std::unique_lock owner(owner_, std::try_to_lock);
        if (!owner) return false;
        start(job.threads - 1);
        std::fegetenv(&job.arithmetic);
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            ++generation_;
        }
        wake_.notify_all();
        job.work(0);
        std::unique_lock lock(mutex_);
        job_ = nullptr;  // those that wake up only now do not take part
        idle_.wait(lock, [&] { return working_ == 0; });
        return true;
    }

    // False when a call has them.
    bool stop() {
        const std::unique_lock owner(owner_, std::try_to_lock);
        if (!owner) return false;
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        return true;
    }

private:
    void start(int wanted) {
        if (int(workers_.size()) >= wanted) return;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
        try {
            workers_.reserve(wanted);
            for (int thread = int(workers_.size()) + 1; thread <= wanted; ++thread) {
                workers_.emplace_back([this, thread] { serve(thread); });
            }
        } catch (const std::exception&) {
            // No memory or no more threads: go on with those there are.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void serve(int thread) {
        uint64_t seen = 0;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stopping_ || (job_ && generation_ != seen); });
            if (stopping_) return;
            seen = generation_;
            Job& job = *job_;
            if (thread >= job.threads) continue;
            ++working_;
            lock.unlock();
            std::fesetenv(&job.arithmetic);
            job.work(thread);
            lock.lock();
            if (--working_ == 0) idle_.notify_one();
        }
    }

    std::mutex owner_;  // held by the call that has the workers
    std::vector<std::thread> workers_;

    std::mutex mutex_;  // guards the rest
    std::condition_variable wake_, idle_;
    Job* job_ = nullptr;
    uint64_t generation_ = 0;  // of the job
    int working_ = 0;
    bool stopping_ = false;
};

std::atomic<Workers*> process_workers = nullptr;

// In a child of fork() there are no workers, and their locks may be held by nobody: it leaves them alone.
void forget_workers() {
    process_workers = nullptr;
}

// Ends the workers at exit.
struct AtExit {
    ~AtExit() {
        Workers* workers = process_workers.exchange(nullptr);
        if (workers && workers->stop()) delete workers;
    }
};

// When the library is loaded: a function's static could be in the making in another thread when a child is forked.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, forget_workers);
const AtExit at_exit;

Workers& workers() {
    Workers* existing = process_workers;
    if (existing) return *existing;
    Workers* made = new Workers;
    if (process_workers.compare_exchange_strong(existing, made)) return *made;
    delete made;
    return *existing;
}

}  // namespace

void run_on_threads(int threads, int64_t items, void (*body)(void* context, int64_t item, int thread), void* context) {
    Job job{int(std::min<int64_t>({threads, items, max_threads})), items, body, context};
    if (job.threads > 1 && workers().run(job)) return;
    job.work(0);
}

int usable_cpus() {
    constexpr int most = 8192;
    cpu_set_t* set = CPU_ALLOC(most);
    if (!set) return 1;
    const size_t size = CPU_ALLOC_SIZE(most);
    const int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 1;
    CPU_FREE(set);
    return std::clamp(count, 1, max_threads);
}

}  // namespace bsblas
