// What instructions the host backend may use in this process.
#pragma once

namespace bsblas::host {

// Each includes the ones before. They are also Device::cpu_level.
enum CpuLevel : int {
    cpu_generic = 0,      // what the compiler targets
    cpu_avx2 = 1,         // AVX2, FMA
    cpu_avx512 = 2,       // AVX-512 F, CD, BW, DQ, VL
    cpu_avx512_bf16 = 3,  // and BF16
};

// The highest that the CPU and the operating system offer, or the lower one that BSBLAS_CPU_LEVEL names in the
// environment (generic, avx2, avx512, avx512_bf16). Decided at the first call; other values of the variable and levels
// that are not there change nothing.
CpuLevel cpu_level();

const char* cpu_level_name(CpuLevel level);

// What BSBLAS_CPU_LEVEL=`wanted` means where `available` is the highest level; wanted may be null.
CpuLevel limited_cpu_level(CpuLevel available, const char* wanted);

}  // namespace bsblas::host
