// What instructions the host backend may use in this process.
#pragma once

namespace bsblas::host {

// Each includes the ones before. They are also Device::cpu_level.
//
// There is none for AVX-512's bfloat16 instructions: products of bfloat16 are as exact in binary32, and converting them
// is faster. Measured on a Xeon of family 6, model 207: VDPBF16PS 56 GFLOP/s a core, VFMADD231PS 117.
enum CpuLevel : int {
    cpu_generic = 0,  // what the compiler targets
    cpu_avx2 = 1,     // AVX2, FMA, F16C
    cpu_avx512 = 2,   // AVX-512 F, CD, BW, DQ, VL
};

// The highest that the CPU and the operating system offer, or the lower one that BSBLAS_CPU_LEVEL names in the
// environment (generic, avx2, avx512). Decided at the first call; levels that are not there change nothing.
CpuLevel cpu_level();

const char* cpu_level_name(CpuLevel level);
bool is_cpu_level(const char* name);

// What BSBLAS_CPU_LEVEL=`wanted` means where `available` is the highest level; wanted may be null.
CpuLevel limited_cpu_level(CpuLevel available, const char* wanted);

}  // namespace bsblas::host
