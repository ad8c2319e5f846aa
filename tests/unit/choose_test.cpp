// The choice of a kernel is a pure function: made-up tables, no device.
#include "dispatch/choose.h"
#include "dispatch/recent_choices.h"

#include <functional>

#include <gtest/gtest.h>

namespace bsblas {
namespace {

size_t no_workspace(const SpmmProblem&, const Device&) {
    return 0;
}
int no_launch(const SpmmProblem&, const Launch&) {
    return 0;
}
std::string takes_all(const SpmmProblem&, const Device&) {
    return "";
}
std::string takes_wide_blocks(const SpmmProblem& problem, const Device&) {
    return problem.a.bm < 64 ? "blocks have " + std::to_string(problem.a.bm) + " rows, not 64" : "";
}
std::string takes_hopper(const SpmmProblem&, const Device& device) {
    return device.sm < 90 ? "needs sm_90" : "";
}

template <int microseconds>
double costs(const SpmmProblem&, const Device&) {
    return microseconds;
}

constexpr SpmmKernel wide = {"wide", takes_wide_blocks, no_workspace, costs<1>, no_launch};
constexpr SpmmKernel hopper = {"hopper", takes_hopper, no_workspace, costs<2>, no_launch};
constexpr SpmmKernel reference = {"reference", takes_all, no_workspace, costs<100>, no_launch};
constexpr const SpmmKernel* rows[] = {&wide, &hopper, &reference};
constexpr KernelTable<SpmmProblem> table = {rows, 3};

class Choose : public testing::Test {
protected:
    const char* chosen() {
        const SpmmKernel* kernel = choose(table, problem, device, selection, &verdicts);
        return kernel ? kernel->name : "none";
    }
    void only(const char* expression) { selection = Selection(expression, table); }

    SpmmProblem problem;
    Device device;
    Selection selection;
    std::vector<Verdict> verdicts;
};

TEST_F(Choose, TakesTheCheapestThatDoesNotRefuse) {
    device.sm = 90;
    problem.a.bm = 64;
    EXPECT_STREQ(chosen(), "wide");
    problem.a.bm = 32;
    EXPECT_STREQ(chosen(), "hopper");
    device.sm = 80;
    EXPECT_STREQ(chosen(), "reference");
}

TEST_F(Choose, GivesEachOtherRowAReason) {
    device.sm = 90;
    problem.a.bm = 32;
    chosen();
    ASSERT_EQ(verdicts.size(), 3u);
    EXPECT_EQ(verdicts[0].reason, "blocks have 32 rows, not 64");
    EXPECT_EQ(verdicts[1].reason, "");
    EXPECT_EQ(verdicts[2].reason.rfind("predicted 100", 0), 0u) << verdicts[2].reason;
}

TEST_F(Choose, RunsTheReferenceWhenAsked) {
    device.sm = 90;
    problem.a.bm = 64;
    problem.arithmetic.algorithm = BSBLAS_ALG_REFERENCE;
    EXPECT_STREQ(chosen(), "reference");
}

TEST_F(Choose, KeepsToTheNamesGiven) {
    device.sm = 90;
    problem.a.bm = 64;
    only("^hop");
    EXPECT_STREQ(chosen(), "hopper");
    only("^wide$");
    problem.a.bm = 8;
    EXPECT_STREQ(chosen(), "none");
    EXPECT_EQ(verdicts[0].reason, "blocks have 8 rows, not 64");
    EXPECT_EQ(verdicts[2].reason, "BSBLAS_KERNEL=^wide$ does not name it");
}

TEST(RecentChoices, FindsWhatWasKeptAndNothingElse) {
    RecentChoices<SpmmProblem> recent;
    SpmmProblem problem;
    Device device;
    EXPECT_EQ(recent.find(problem, device), nullptr);
    recent.keep({problem, device, &wide, 256});
    const Choice<SpmmProblem>* choice = recent.find(problem, device);
    ASSERT_NE(choice, nullptr);
    EXPECT_EQ(choice->kernel, &wide);
    EXPECT_EQ(choice->workspace_bytes, 256u);

    // One change each, in every part of a problem and in the device.
    const std::vector<std::function<void(SpmmProblem&, Device&)>> changes = {
        [](SpmmProblem& p, Device&) { p.a.pattern.capacity = 7; },
        [](SpmmProblem& p, Device&) { p.a.pattern.cols = 7; },
        [](SpmmProblem& p, Device&) { p.a.bk = 7; },
        [](SpmmProblem& p, Device&) { p.a.transposed = true; },
        [](SpmmProblem& p, Device&) { p.a.type = BSBLAS_R_16F; },
        [](SpmmProblem& p, Device&) { p.b.row_stride = 7; },
        [](SpmmProblem& p, Device&) { p.c.batch_stride = 7; },
        [](SpmmProblem& p, Device&) { p.c.conjugate = true; },
        [](SpmmProblem& p, Device&) { p.arithmetic.deterministic = false; },
        [](SpmmProblem& p, Device&) { p.arithmetic.algorithm = BSBLAS_ALG_REFERENCE; },
        [](SpmmProblem& p, Device&) { p.arithmetic.compute = BSBLAS_COMPUTE_32F_FAST_TF32; },
        [](SpmmProblem& p, Device&) { p.batch = 7; },
        [](SpmmProblem&, Device& d) { d.multiprocessors = 7; },
        [](SpmmProblem&, Device& d) { d.threads = 7; },
    };
    for (size_t i = 0; i < changes.size(); ++i) {
        SpmmProblem other = problem;
        Device elsewhere = device;
        changes[i](other, elsewhere);
        EXPECT_EQ(recent.find(other, elsewhere), nullptr) << "change " << i;
    }
}

TEST(RecentChoices, ForgetsTheOldest) {
    RecentChoices<SpmmProblem> recent;
    SpmmProblem problem;
    const Device device;
    for (problem.batch = 0; problem.batch < 1000; ++problem.batch) {
        recent.keep({problem, device, &wide, static_cast<size_t>(problem.batch)});
        const Choice<SpmmProblem>* choice = recent.find(problem, device);
        ASSERT_NE(choice, nullptr);
        EXPECT_EQ(choice->workspace_bytes, static_cast<size_t>(problem.batch));
    }
    problem.batch = 999;
    EXPECT_NE(recent.find(problem, device), nullptr);
    problem.batch = 0;
    EXPECT_EQ(recent.find(problem, device), nullptr);
}

}  // namespace
}  // namespace bsblas
