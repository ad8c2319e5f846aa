// The only door to libxsmm: its batch-reduce GEMM, said in row-major terms.
//
//   out (rows x cols) = [out +] sum over i of left_i (rows x inner) right_i (inner x cols)
//
// libxsmm is column-major, so its A is our right, its m our cols: out's columns are the vector lanes.
//
// libxsmm generates code at the first use of a shape and keeps it until the process ends (the one allocation that a
// launch can cause). It generates none for unusual shapes, or where memory must not become executable.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace bsblas::host {

struct GemmShape {
    int64_t rows, cols, inner;
    int64_t left_ld;  // between rows of left; if left_transposed, between its columns
    int64_t right_ld, out_ld;
    bool left_transposed;
    bool accumulate;
    bool callers_ld = false;  // one of the caller's matrices has a leading dimension here, of which there is no end

    auto operator<=>(const GemmShape&) const = default;
};

// The arrays of addresses are scratch: the call changes them.
template <class Real>
using Gemm = void (*)(const Real** right, const Real** left, Real* out, const unsigned long long* count);

// Shapes with a leading dimension of the caller's that the process has code for: some 20 KB each.
inline constexpr int most_callers_ld = 1024;

// Null when libxsmm does not generate it, and for more than that many shapes with a leading dimension of the caller's:
// then use a copy, whose product is the same to the bit. Real: float, double. Needs cpu_avx2.
template <class Real>
Gemm<Real> make_gemm(const GemmShape& shape);

// Generated code leaves the upper halves of vector registers in use, which slows down code that was compiled for SSE:
// to be called between the two.
[[gnu::target("avx")]] inline void end_generated_code() {
    __builtin_ia32_vzeroupper();
}

// Rows refuse problems with an operand of more elements, so that the sizes of their buffers stay within 64 bits.
inline constexpr double max_elements = 0x1p54;

// Whether alpha must wait for the whole of a sum that is made in passes: alpha times a part might overflow where alpha
// times the whole does not.
template <class Real>
bool needs_whole_sums(Real alpha) {
    return !(std::abs(alpha) <= 1);
}

// What output columns come in: a vector of AVX-512, or two of AVX2.
template <class Real>
inline constexpr int64_t lanes = 64 / sizeof(Real);

}  // namespace bsblas::host
