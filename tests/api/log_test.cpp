// What is logged at which level, where it goes, and that a logged line replays.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/call.h"
#include "support/problem.h"
#include "world.h"

namespace bsblas::test {
namespace {

struct Line {
    bsblasLogLevel_t level;
    std::string text;
};

void keep(bsblasLogLevel_t level, const char* line, void* lines) {
    static_cast<std::vector<Line>*>(lines)->push_back({level, line});
}

// Runs a problem with this log level and a callback, or none.
std::vector<Line> lines_of(const std::string& problem, bsblasLogLevel_t level, bool callback = true) {
    std::vector<Line> lines;
    const auto call = make_call(parse(problem), memory_of(BSBLAS_BACKEND_HOST));
    if (callback) require(bsblasSetLogCallback(call->handle(), keep, &lines));
    require(bsblasSetLogLevel(call->handle(), level));
    call->fill(1);
    EXPECT_EQ(call->prepare(), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
    EXPECT_EQ(call->run(), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
    return lines;
}

TEST(Log, LevelsIncludeThoseBelow) {
    const std::string problem = "spmm m=32 n=8 k=32 block=8";
    EXPECT_TRUE(lines_of(problem, BSBLAS_LOG_OFF).empty());
    EXPECT_TRUE(lines_of(problem, BSBLAS_LOG_ERROR).empty());
    const std::vector<Line> call = lines_of(problem, BSBLAS_LOG_CALL);
    ASSERT_EQ(call.size(), 1u);
    EXPECT_EQ(call[0].level, BSBLAS_LOG_CALL);
    EXPECT_NE(call[0].text.find("kernel=spmm_"), std::string::npos) << call[0].text;
    EXPECT_EQ(call[0].text.find('\n'), std::string::npos);
    const std::vector<Line> dispatch = lines_of(problem, BSBLAS_LOG_DISPATCH);
    EXPECT_GT(dispatch.size(), 1u);
    EXPECT_EQ(dispatch[0].text, call[0].text);
    for (size_t i = 1; i < dispatch.size(); ++i) EXPECT_EQ(dispatch[i].level, BSBLAS_LOG_DISPATCH);
}

TEST(Log, ErrorsSayWhatTheMessageSays) {
    std::vector<Line> lines;
    bsblasHandle_t handle = nullptr;
    ASSERT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), BSBLAS_STATUS_SUCCESS);
    bsblasSetLogCallback(handle, keep, &lines);
    bsblasSetLogLevel(handle, BSBLAS_LOG_ERROR);
    EXPECT_EQ(bsblasSetSMCountTarget(handle, -3), BSBLAS_STATUS_INVALID_VALUE);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].level, BSBLAS_LOG_ERROR);
    EXPECT_NE(lines[0].text.find(bsblasGetLastErrorMessage()), std::string::npos) << lines[0].text;
    EXPECT_TRUE(expand(lines[0].text).empty()) << "a comment in the grammar";
    bsblasLogCallback_t callback = nullptr;
    void* data = nullptr;
    EXPECT_EQ(bsblasGetLogCallback(handle, &callback, &data), BSBLAS_STATUS_SUCCESS);
    EXPECT_EQ(callback, keep);
    EXPECT_EQ(data, &lines);
    bsblasDestroy(handle);
}

TEST(Log, ACallbacksOwnFailuresAreItsOwn) {
    bsblasHandle_t handle = nullptr;
    ASSERT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), BSBLAS_STATUS_SUCCESS);
    const auto fails = [](bsblasLogLevel_t, const char*, void* calls) {
        ++*static_cast<int*>(calls);
        EXPECT_EQ(bsblasGetVersion(nullptr), BSBLAS_STATUS_INVALID_VALUE);
    };
    int calls = 0;
    bsblasSetLogCallback(handle, fails, &calls);
    bsblasSetLogLevel(handle, BSBLAS_LOG_DISPATCH);
    EXPECT_EQ(bsblasSetSMCountTarget(handle, -3), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(calls, 1);
    EXPECT_STREQ(bsblasGetLastErrorMessage(), "bsblasSetSMCountTarget: smCount is -3, expected at least 0");
    bsblasDestroy(handle);
}

// All keys that the library knows of a call survive; what it cannot know (the pattern, the seed) it leaves to defaults.
void expect_replays(const std::string& text) {
    const Problem original = parse(text);
    const std::vector<Line> lines = lines_of(text, BSBLAS_LOG_CALL);
    ASSERT_EQ(lines.size(), 1u) << text;
    const Problem logged = parse(lines[0].text);
    SCOPED_TRACE(text + "\n" + lines[0].text);
    EXPECT_EQ(logged.op, original.op);
    EXPECT_EQ(logged.m, original.m);
    EXPECT_EQ(logged.n, original.n);
    EXPECT_EQ(logged.k, original.k);
    EXPECT_EQ(logged.bm, original.bm);
    EXPECT_EQ(logged.bk, original.bk);
    EXPECT_EQ(logged.side, original.side);
    EXPECT_EQ(logged.opa, original.opa);
    EXPECT_EQ(logged.opb, original.opb);
    EXPECT_EQ(logged.type, original.type);
    EXPECT_EQ(logged.typeb, original.typeb);
    EXPECT_EQ(logged.out, original.out);
    EXPECT_EQ(logged.a.order, original.a.order);
    EXPECT_EQ(logged.a.base, original.a.base);
    EXPECT_EQ(logged.a.offsets, original.a.offsets);
    EXPECT_EQ(logged.a.columns, original.a.columns);
    EXPECT_EQ(logged.batch, original.batch);
    EXPECT_EQ(logged.alpha, original.alpha);
    EXPECT_EQ(logged.beta, original.beta);
    EXPECT_EQ(logged.scale_a, original.scale_a);
    EXPECT_EQ(logged.scale_b, original.scale_b);
    EXPECT_EQ(logged.algorithm, original.algorithm);
    for (const auto& [replayed, given] : {std::pair{&logged.b, &original.b},
                                          {&logged.c, &original.c},
                                          {&logged.x, &original.x},
                                          {&logged.y, &original.y}})
        EXPECT_EQ(replayed->order, given->order);

    const auto call = make_call(logged, memory_of(BSBLAS_BACKEND_HOST));
    call->fill(1);
    EXPECT_EQ(call->prepare(), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
    EXPECT_EQ(call->run(), BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage();
    EXPECT_EQ(call->download(), "");
    EXPECT_EQ(call->verify(), "");
}

TEST(Log, ALoggedLineReplays) {
    for (const char* line :
         {"spmm m=30 n=7 k=50 block=8",
          "spmm side=right opa=t opb=t m=30 n=7 k=50 block=8x4 type=f64 base=1 offsets=64",
          "spmm type=bf16 out=f32 m=33 n=9 k=64 block=16 orderb=col orderc=col ldb=+3 ldc=+1 order=col columns=64",
          "spmm type=f64 alpha=0.1 beta=0.3 m=12 n=5 k=8 block=4",
          "spmm type=c32 alpha=0.5:0.25 beta=0:1 opa=h m=12 n=5 k=8 block=4",
          "spmm type=c64 alpha=2 beta=-1 m=12 n=5 k=8 block=4", "spmm type=i8 alpha=3 beta=2 m=12 n=5 k=8 block=4",
          "spmm type=e4m3 typeb=e5m2 out=f16 m=12 n=5 k=8 block=4",
          "spmm type=e4m3 out=f32 scalea=0.5 scaleb=3 m=12 n=5 k=8 block=4",
          "spmm type=f64 alpha=0.1 beta=0.3 mode=device algorithm=reference m=12 n=5 k=8 block=4",
          "spmm batch=2 m=12 n=5 k=8 block=4", "spmm compute=tf32 m=12 n=5 k=8 block=4",
          "sddmm m=30 n=50 k=7 block=8 pattern=full",
          "sddmm opx=t opy=t m=30 n=50 k=7 block=8x4 type=f64 base=1 offsets=64 pattern=full",
          "sddmm type=f16 out=f32 m=33 n=64 k=9 block=16 orderx=col ordery=col ldx=+3 ldy=+1 order=col columns=64 "
          "pattern=full",
          "sddmm type=c32 alpha=0.5:0.25 beta=0:1 opx=h m=12 n=8 k=5 block=4 pattern=full"})
        expect_replays(line);
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Log, GoesToTheFileThatTheEnvironmentNames) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::string pattern = (folder / "bsblas-log-test-%p-%p.txt").string();
    const std::filesystem::path file =
        folder / ("bsblas-log-test-" + std::to_string(getpid()) + "-" + std::to_string(getpid()) + ".txt");
    std::filesystem::remove(file);
    setenv("BSBLAS_LOG_FILE", pattern.c_str(), 1);
    lines_of("spmm m=32 n=8 k=32 block=8", BSBLAS_LOG_CALL, false);
    lines_of("sddmm m=32 n=32 k=8 block=8 pattern=full", BSBLAS_LOG_CALL, false);
    unsetenv("BSBLAS_LOG_FILE");
    std::istringstream text(contents(file));
    EXPECT_EQ(read_list(text, "log").size(), 2u);
    std::filesystem::remove(file);
}

TEST(Log, GoesToStandardErrorOtherwise) {
    for (const char* file : {"", "/", "/no/such/folder/log.txt"}) {
        setenv("BSBLAS_LOG_FILE", file, 1);
        testing::internal::CaptureStderr();
        lines_of("spmm m=32 n=8 k=32 block=8", BSBLAS_LOG_CALL, false);
        const std::string text = testing::internal::GetCapturedStderr();
        EXPECT_EQ(text.rfind("spmm ", 0), 0u) << file << ": " << text;
        EXPECT_EQ(text.back(), '\n');
        unsetenv("BSBLAS_LOG_FILE");
    }
}

TEST(Log, NothingIsPrintedUnlessAskedFor) {
    setenv("LIBXSMM_VERBOSE", "-1", 1);  // what is inside the library is not asked
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    for (const char* problem : {"spmm m=32 n=8 k=32 block=8", "sddmm m=32 n=32 k=8 block=8", "transpose m=32 k=32",
                                "sort m=32 k=32", "dense2bsr m=32 k=32", "bsr2dense m=32 k=32", "csr2bsr m=32 k=32",
                                "bsr2csr m=32 k=32", "validate m=32 k=32", "analyze m=32 k=32"}) {
        const auto call = make_call(parse(problem), memory_of(BSBLAS_BACKEND_HOST));
        call->fill(1);
        call->prepare();
        call->run();
    }
    bsblasGetVersion(nullptr);  // failures are silent as well
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace bsblas::test
