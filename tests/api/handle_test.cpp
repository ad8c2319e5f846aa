// Versions, status names, the handle's modes and what the environment makes of a new handle.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "world.h"

namespace bsblas::test {
namespace {

#define EXPECT_SUCCESS(call) EXPECT_EQ(call, BSBLAS_STATUS_SUCCESS) << bsblasGetLastErrorMessage()

// Set for the lifetime of the object.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name_); }

private:
    const char* name_;
};

bsblasHandle_t new_host_handle() {
    bsblasHandle_t handle = nullptr;
    EXPECT_SUCCESS(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST));
    return handle;
}

TEST(Version, IsTheHeaders) {
    int version = 0, major = -1, minor = -1, patch = -1;
    EXPECT_SUCCESS(bsblasGetVersion(&version));
    EXPECT_EQ(version, BSBLAS_VERSION);
    EXPECT_SUCCESS(bsblasGetProperty(BSBLAS_PROPERTY_MAJOR, &major));
    EXPECT_SUCCESS(bsblasGetProperty(BSBLAS_PROPERTY_MINOR, &minor));
    EXPECT_SUCCESS(bsblasGetProperty(BSBLAS_PROPERTY_PATCH, &patch));
    EXPECT_EQ(10000 * major + 100 * minor + patch, version);
}

TEST(Version, BuildInfoIsALineOfPairs) {
    const char* info = nullptr;
    EXPECT_SUCCESS(bsblasGetBuildInfo(&info));
    const std::string line = std::string(info) + " ";
    for (const char* key : {"version=", "backends=host", "cuda=", "architectures=", "cpu="})
        EXPECT_NE(line.find(key), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    for (size_t at = 0; at < line.size();) {
        const size_t end = line.find(' ', at);
        EXPECT_NE(line.substr(at, end - at).find('='), std::string::npos) << line;
        at = end + 1;
    }
    const char* again = nullptr;
    EXPECT_SUCCESS(bsblasGetBuildInfo(&again));
    EXPECT_EQ(again, info);
}

TEST(Status, EveryOneHasANameAndASentence) {
#define EXPECT_NAMED(name, value, sentence)                                          \
    EXPECT_STREQ(bsblasGetStatusName(BSBLAS_STATUS_##name), "BSBLAS_STATUS_" #name); \
    EXPECT_STREQ(bsblasGetStatusString(BSBLAS_STATUS_##name), sentence);             \
    EXPECT_EQ(BSBLAS_STATUS_##name, value);
    BSBLAS_STATUS_MAP(EXPECT_NAMED)
#undef EXPECT_NAMED
    for (int unknown : {1, 14, 99, 0x7fffffff}) {
        EXPECT_STREQ(bsblasGetStatusName(static_cast<bsblasStatus_t>(unknown)), "unknown status");
        EXPECT_STREQ(bsblasGetStatusString(static_cast<bsblasStatus_t>(unknown)), "unknown status");
    }
}

TEST(Status, TheLastErrorStaysUntilTheNext) {
    EXPECT_EQ(bsblasGetVersion(nullptr), BSBLAS_STATUS_INVALID_VALUE);
    const std::string first = bsblasGetLastErrorMessage();
    EXPECT_NE(first.find("bsblasGetVersion"), std::string::npos);
    int version;
    EXPECT_SUCCESS(bsblasGetVersion(&version));
    EXPECT_EQ(bsblasGetLastErrorMessage(), first);
    EXPECT_EQ(bsblasGetBuildInfo(nullptr), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_NE(bsblasGetLastErrorMessage(), first);
}

TEST(Status, ASuccessLeavesTheLastErrorAsItIs) {
    EXPECT_EQ(bsblasGetVersion(nullptr), BSBLAS_STATUS_INVALID_VALUE);
    const std::string before = bsblasGetLastErrorMessage();
    bsblasHandle_t handle = nullptr;
    EXPECT_SUCCESS(bsblasCreate(&handle));  // on the host where no device can be had
    EXPECT_EQ(bsblasGetLastErrorMessage(), before);
    EXPECT_SUCCESS(bsblasDestroy(handle));
}

TEST(Modes, DefaultsAndRoundTrips) {
    for (bsblasBackend_t backend : backends_here()) {
        bsblasHandle_t handle = nullptr;
        EXPECT_SUCCESS(bsblasCreateWithBackend(&handle, backend));
        const auto expect_mode = [&](auto get, auto set, auto standard, auto other) {
            auto value = other;
            EXPECT_SUCCESS(get(handle, &value));
            EXPECT_EQ(value, standard);
            EXPECT_SUCCESS(set(handle, other));
            EXPECT_SUCCESS(get(handle, &value));
            EXPECT_EQ(value, other);
            EXPECT_SUCCESS(set(handle, standard));
        };
        bsblasBackend_t kept = BSBLAS_BACKEND_MAX;
        EXPECT_SUCCESS(bsblasGetBackend(handle, &kept));
        EXPECT_EQ(kept, backend);
        expect_mode(bsblasGetPointerMode, bsblasSetPointerMode, BSBLAS_POINTER_MODE_HOST, BSBLAS_POINTER_MODE_DEVICE);
        expect_mode(bsblasGetMathMode, bsblasSetMathMode, BSBLAS_MATH_DEFAULT, BSBLAS_MATH_TF32);
        expect_mode(bsblasGetDeterminism, bsblasSetDeterminism, BSBLAS_DETERMINISM_REQUIRED,
                    BSBLAS_DETERMINISM_RELAXED);
        expect_mode(bsblasGetSMCountTarget, bsblasSetSMCountTarget, 0, 7);
        expect_mode(bsblasGetLogLevel, bsblasSetLogLevel, BSBLAS_LOG_OFF, BSBLAS_LOG_DISPATCH);
        bsblasStream_t stream = reinterpret_cast<bsblasStream_t>(8);
        EXPECT_SUCCESS(bsblasGetStream(handle, &stream));
        EXPECT_EQ(stream, nullptr);
        EXPECT_SUCCESS(bsblasSetStream(handle, memory_of(backend).stream()));
        EXPECT_SUCCESS(bsblasGetStream(handle, &stream));
        EXPECT_EQ(stream, memory_of(backend).stream());
        EXPECT_SUCCESS(bsblasDestroy(handle));
    }
}

TEST(Modes, Threads) {
    const bsblasHandle_t handle = new_host_handle();
    int threads = 0;
    EXPECT_SUCCESS(bsblasGetNumThreads(handle, &threads));
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(threads, CPU_COUNT(&set));
    EXPECT_SUCCESS(bsblasSetNumThreads(handle, 3));
    EXPECT_SUCCESS(bsblasGetNumThreads(handle, &threads));
    EXPECT_EQ(threads, 3);
    EXPECT_SUCCESS(bsblasSetNumThreads(handle, 0));
    EXPECT_SUCCESS(bsblasDestroy(handle));

    const Environment environment("BSBLAS_NUM_THREADS", "5");
    const bsblasHandle_t other = new_host_handle();
    EXPECT_SUCCESS(bsblasGetNumThreads(other, &threads));
    EXPECT_EQ(threads, 5);
    EXPECT_SUCCESS(bsblasSetNumThreads(other, 2));
    EXPECT_SUCCESS(bsblasGetNumThreads(other, &threads));
    EXPECT_EQ(threads, 2);
    EXPECT_SUCCESS(bsblasDestroy(other));
}

TEST(EnvironmentVariables, ChooseTheBackend) {
    bsblasHandle_t handle = nullptr;
    {
        const Environment environment("BSBLAS_BACKEND", "host");
        EXPECT_SUCCESS(bsblasCreate(&handle));
        bsblasBackend_t backend{};
        EXPECT_SUCCESS(bsblasGetBackend(handle, &backend));
        EXPECT_EQ(backend, BSBLAS_BACKEND_HOST);
        EXPECT_SUCCESS(bsblasDestroy(handle));
    }
    {
        const Environment environment("BSBLAS_BACKEND", "abacus");
        EXPECT_EQ(bsblasCreate(&handle), BSBLAS_STATUS_INVALID_VALUE);
        EXPECT_EQ(handle, nullptr);
        EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find("abacus"), std::string::npos);
    }
    const Environment environment("BSBLAS_BACKEND", "cuda");
    const std::vector<bsblasBackend_t> here = backends_here();
    const bool cuda = std::find(here.begin(), here.end(), BSBLAS_BACKEND_CUDA) != here.end();
    EXPECT_EQ(bsblasCreate(&handle), cuda ? BSBLAS_STATUS_SUCCESS : BSBLAS_STATUS_NOT_AVAILABLE);
    EXPECT_SUCCESS(bsblasDestroy(handle));
}

TEST(EnvironmentVariables, AreRefusedWhenTheyAreNotWhatTheyMayBe) {
    const std::pair<const char*, std::vector<const char*>> wrong[] = {
        {"BSBLAS_BACKEND", {"cpu", "HOST", " host"}},
        {"BSBLAS_LOG_LEVEL", {"bad", "1", "Call"}},
        {"BSBLAS_KERNEL", {"(", "["}},
        {"BSBLAS_CPU_LEVEL", {"sse", "AVX2", "avx"}},
        {"BSBLAS_NUM_THREADS", {"0", "-1", "x", "2x", "1.5", " 2", "-99999999999999999999"}}};
    for (const auto& [name, values] : wrong) {
        const Environment host("BSBLAS_BACKEND", "host");
        for (const char* value : values) {
            const Environment environment(name, value);
            bsblasHandle_t handle = nullptr;
            EXPECT_EQ(bsblasCreate(&handle), BSBLAS_STATUS_INVALID_VALUE) << name << "=" << value;
            EXPECT_EQ(handle, nullptr);
            const std::string message = bsblasGetLastErrorMessage();
            EXPECT_NE(message.find(name), std::string::npos) << message;
            EXPECT_NE(message.find('"' + std::string(value) + '"'), std::string::npos) << message;
        }
        const Environment empty(name, "");
        bsblasHandle_t handle = nullptr;
        EXPECT_SUCCESS(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST)) << name;
        EXPECT_SUCCESS(bsblasDestroy(handle));
    }
    for (const char* many : {"1024", "1025", "99999999999999999999"}) {
        const Environment environment("BSBLAS_NUM_THREADS", many);
        const bsblasHandle_t handle = new_host_handle();
        int threads = 0;
        EXPECT_SUCCESS(bsblasGetNumThreads(handle, &threads));
        EXPECT_EQ(threads, 1024) << many;
        EXPECT_SUCCESS(bsblasDestroy(handle));
    }
}

TEST(EnvironmentVariables, SetTheLogLevel) {
    bsblasLogLevel_t level{};
    for (const auto& [name, expected] : {std::pair{"off", BSBLAS_LOG_OFF},
                                         {"error", BSBLAS_LOG_ERROR},
                                         {"call", BSBLAS_LOG_CALL},
                                         {"dispatch", BSBLAS_LOG_DISPATCH}}) {
        const Environment environment("BSBLAS_LOG_LEVEL", name);
        const bsblasHandle_t handle = new_host_handle();
        EXPECT_SUCCESS(bsblasGetLogLevel(handle, &level));
        EXPECT_EQ(level, expected);
        EXPECT_SUCCESS(bsblasDestroy(handle));
    }
    const Environment environment("BSBLAS_LOG_LEVEL", "loud");
    bsblasHandle_t handle = nullptr;
    EXPECT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(handle, nullptr);
    EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find("loud"), std::string::npos);
}

TEST(EnvironmentVariables, ForcedKernelsNeitherHangNorOverflow) {
    const Environment slow("BSBLAS_KERNEL", "(((_*[a-z0-9]*)*)*)*!");
    const bsblasHandle_t made = new_host_handle();
    EXPECT_SUCCESS(bsblasDestroy(made));
    const std::string nested = std::string(100000, '(') + "a" + std::string(100000, ')');
    const Environment deep("BSBLAS_KERNEL", nested.c_str());
    bsblasHandle_t handle = nullptr;
    EXPECT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), BSBLAS_STATUS_INVALID_VALUE);
    EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find("200001 characters"), std::string::npos)
        << bsblasGetLastErrorMessage();
}

TEST(EnvironmentVariables, ForceAKernel) {
    for (const char* bad : {"(", "["}) {
        const Environment environment("BSBLAS_KERNEL", bad);
        bsblasHandle_t handle = nullptr;
        EXPECT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), BSBLAS_STATUS_INVALID_VALUE);
        EXPECT_EQ(handle, nullptr);
    }
    const Environment environment("BSBLAS_KERNEL", "no_such_kernel");
    World world(memory_of(BSBLAS_BACKEND_HOST));
    size_t size = 0;
    EXPECT_EQ(bsblasSpMM_bufferSize(world.handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, world.a->descriptor(),
                                    world.b->descriptor(), world.c->descriptor(), nullptr, &size),
              BSBLAS_STATUS_NOT_SUPPORTED);
    const std::string sentence = bsblasGetLastErrorMessage();
    EXPECT_NE(sentence.find("no_such_kernel"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("reference"), std::string::npos) << "names the kernels there are: " << sentence;
    world.bury_the_dead();
}

}  // namespace
}  // namespace bsblas::test
