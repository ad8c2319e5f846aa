#include "kernels/host/cpu_level.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace bsblas::host {

namespace {

constexpr const char* names[] = {"generic", "avx2", "avx512"};

CpuLevel detected() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    // Not every compiler's __builtin_cpu_supports knows f16c.
    unsigned a, b, c = 0, d;
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !f16c) {
        return cpu_generic;
    }
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    return avx512 ? cpu_avx512 : cpu_avx2;
#else
    return cpu_generic;
#endif
}

}  // namespace

CpuLevel limited_cpu_level(CpuLevel available, const char* wanted) {
    for (int level = 0; wanted && level < available; ++level) {
        if (std::strcmp(wanted, names[level]) == 0) return static_cast<CpuLevel>(level);
    }
    return available;
}

CpuLevel cpu_level() {
    // No function's static: a child forked while another thread makes that would wait for it for ever.
    constexpr int unknown = -1;
    static std::atomic<int> known = unknown;
    int level = known;
    if (level == unknown) known = level = limited_cpu_level(detected(), std::getenv("BSBLAS_CPU_LEVEL"));
    return static_cast<CpuLevel>(level);
}

const char* cpu_level_name(CpuLevel level) {
    return names[level];
}

bool is_cpu_level(const char* name) {
    for (const char* known : names) {
        if (std::strcmp(known, name) == 0) return true;
    }
    return false;
}

}  // namespace bsblas::host
