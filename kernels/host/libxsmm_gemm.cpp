#include "kernels/host/libxsmm_gemm.h"

#include "kernels/host/cpu_level.h"

#include <libxsmm.h>
#include <algorithm>
#include <climits>

namespace bsblas::host {

namespace {

void start_once() {
    static const bool started = [] {
        libxsmm_init();
        constexpr int targets[] = {LIBXSMM_TARGET_ARCH_GENERIC, LIBXSMM_X86_AVX2, LIBXSMM_X86_AVX512_CORE};
        libxsmm_set_target_archid(targets[cpu_level()]);
        return true;
    }();
    (void)started;
}

// Offsets in generated code are signed 32-bit numbers of bytes.
template <class Real>
bool fits(const GemmShape& s) {
    constexpr int64_t limit = INT_MAX / int64_t(sizeof(Real));
    constexpr int64_t unroll = 64;  // more lines than the generated code skips at once
    if (s.rows < 1 || s.cols < 1 || s.inner < 1) return false;
    if (s.left_ld < (s.left_transposed ? s.rows : s.inner) || s.right_ld < s.cols || s.out_ld < s.cols) return false;
    const int64_t left_lines = s.left_transposed ? s.inner : s.rows;
    return std::max({s.left_ld, s.right_ld, s.out_ld}) < limit / unroll && left_lines < limit / s.left_ld &&
           s.inner < limit / s.right_ld && s.rows < limit / s.out_ld;
}

constexpr int no_prefetch = LIBXSMM_GEMM_PREFETCH_NONE;

auto dispatch(float, int m, int n, int k, const int* lda, const int* ldb, const int* ldc, bool accumulate, int flags) {
    const float alpha = 1, beta = accumulate;
    return libxsmm_smmdispatch_reducebatch_addr(m, n, k, lda, ldb, ldc, &alpha, &beta, &flags, &no_prefetch);
}

auto dispatch(double, int m, int n, int k, const int* lda, const int* ldb, const int* ldc, bool accumulate, int flags) {
    const double alpha = 1, beta = accumulate;
    return libxsmm_dmmdispatch_reducebatch_addr(m, n, k, lda, ldb, ldc, &alpha, &beta, &flags, &no_prefetch);
}

}  // namespace

template <class Real>
Gemm<Real> make_gemm(const GemmShape& s) {
    if (!fits<Real>(s)) return nullptr;
    start_once();
    const int lda = int(s.right_ld), ldb = int(s.left_ld), ldc = int(s.out_ld);
    const int flags = s.left_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const auto function =
        dispatch(Real{}, int(s.cols), int(s.rows), int(s.inner), &lda, &ldb, &ldc, s.accumulate, flags);
    // libxsmm calls its variadic; the rest of the arguments would be prefetch addresses.
    return reinterpret_cast<Gemm<Real>>(function);
}

template Gemm<float> make_gemm(const GemmShape&);
template Gemm<double> make_gemm(const GemmShape&);

}  // namespace bsblas::host
