// A machine whose clock falls after ten milliseconds of work, as under a power limit: times are those that last.
#include "harness/measure.h"

#include <gtest/gtest.h>

namespace bsblas::perf {
namespace {

constexpr double burst_us = 315, steady_us = 345, patience_us = 10e3;

class Simulated final : public Machine {
public:
    Simulated(double settling_us, double scale)
        : Machine(BSBLAS_BACKEND_HOST), settling_us_(settling_us), scale_(scale) {}

    std::string name() const override { return "simulated"; }
    std::map<std::string, std::string> description() const override { return {}; }
    int64_t cache_bytes() const override { return 0; }
    double clock_mhz() const override { return 0; }
    double settling_us() const override { return settling_us_; }
    double time(const std::function<void()>& work) override {
        double start = now_;
        work();
        busy_since_ = now_;  // waits until all is done
        return now_ - start;
    }
    void run() {
        ++runs_;
        now_ += scale_ * (now_ - busy_since_ < patience_us ? burst_us : steady_us);
    }
    int runs() const { return runs_; }

private:
    double settling_us_, scale_, now_ = 0, busy_since_ = 0;
    int runs_ = 0;
};

class Product final : public Contender {
public:
    explicit Product(Simulated& machine) : machine_(machine) {}
    std::string name() const override { return "product"; }
    std::string version() const override { return ""; }
    bool dense() const override { return true; }
    Prepared prepare(const Workload&) override {
        Prepared prepared;
        prepared.run = [this](size_t) { machine_.run(); };
        return prepared;
    }

private:
    Simulated& machine_;
};

struct Round {
    double us;
    int runs;
};

Round round_on(Simulated machine) {
    Workload workload = make_workload(test::parse("spmm"), machine);
    Product product(machine);
    Race race(workload, machine, product, nullptr, {}, [](const Workload&, Machine&) { return Verdict{}; });
    int before = machine.runs();
    double us = race.round();
    return {us, machine.runs() - before};
}

TEST(Measure, WithoutSettlingAStretchIsAMillisecond) {
    Round round = round_on({0, 1});
    EXPECT_DOUBLE_EQ(round.us, burst_us);
    EXPECT_EQ(round.runs, 4);
}

TEST(Measure, WorkSettlesBeforeItIsTimed) {
    Round round = round_on({20e3, 1});
    EXPECT_DOUBLE_EQ(round.us, steady_us);
    EXPECT_EQ(round.runs, 64 + 4);
}

TEST(Measure, SlowWorkRunsNoMoreThanItsStretchesNeed) {
    Round round = round_on({20e3, 100});
    EXPECT_DOUBLE_EQ(round.us, 100 * steady_us);
    EXPECT_EQ(round.runs, 1 + 1);
}

}  // namespace
}  // namespace bsblas::perf
