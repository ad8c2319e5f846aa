// The only door to libxsmm: its batch-reduce GEMM, said in row-major terms.
//
//   out (rows x cols) = [out +] sum over i of left_i (rows x inner) right_i (inner x cols)
//
// libxsmm is column-major, so its A is our right, its m our cols: out's columns are the vector lanes.
//
// libxsmm generates code at the first use of a shape and keeps it until the process ends (the one allocation that a
// launch can cause). It generates none for unusual shapes, or where memory must not become executable.
#pragma once

#include "kernels/host/number.h"

#include <cstdint>
#include <type_traits>

namespace bsblas::host {

// What products of In sum in.
template <class In>
using Accumulator = std::conditional_t<std::is_same_v<In, double>, double, float>;

struct GemmShape {
    int64_t rows, cols, inner;
    int64_t left_ld;  // between rows of left; if left_transposed, between its columns
    int64_t right_ld, out_ld;
    bool left_transposed;  // not with Bfloat16
    bool accumulate;
};

// Bfloat16 has an even `inner`, and pairs of rows of `right` interleaved: (k, c) at k/2 * 2 right_ld + 2 c + k % 2.
// The arrays of addresses are scratch: the call changes them.
template <class In>
using Gemm = void (*)(const In** right, const In** left, Accumulator<In>* out, const unsigned long long* count);

// Null when libxsmm does not generate it. In: float, double, Bfloat16 (at cpu_avx512_bf16 only).
template <class In>
Gemm<In> make_gemm(const GemmShape& shape);

// Generated code leaves the upper halves of vector registers in use, which slows down code that was not compiled for
// AVX: to be called between the two.
#if defined(__x86_64__)
[[gnu::target("avx")]] inline void end_generated_code() {
    __builtin_ia32_vzeroupper();
}
#endif

// Vector lanes of In's accumulators at this CPU level.
template <class In>
int64_t lanes(int cpu_level);

}  // namespace bsblas::host
