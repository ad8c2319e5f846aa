#include "kernels/host/libxsmm_gemm.h"

#include "kernels/host/cpu_level.h"

#include <libxsmm.h>
#include <climits>

namespace bsblas::host {

namespace {

constexpr int no_prefetch = LIBXSMM_GEMM_PREFETCH_NONE;

void start_once() {
    static const bool started = [] {
        libxsmm_init();
        constexpr int targets[] = {LIBXSMM_TARGET_ARCH_GENERIC, LIBXSMM_X86_AVX2, LIBXSMM_X86_AVX512_CORE,
                                   LIBXSMM_X86_AVX512_CPX};
        libxsmm_set_target_archid(targets[cpu_level()]);
        return true;
    }();
    (void)started;
}

// Offsets in generated code are signed 32-bit numbers of bytes.
template <class In>
bool fits(const GemmShape& s) {
    constexpr int64_t limit = INT_MAX / int64_t(sizeof(Accumulator<In>));
    constexpr int64_t unroll = 64;  // rows or columns that one instruction's offset may skip, and more
    const int64_t left_lines = s.left_transposed ? s.inner : s.rows;
    return s.rows > 0 && s.cols > 0 && s.inner > 0 && s.left_ld < limit / unroll && s.out_ld < limit / unroll &&
           s.right_ld < limit / unroll && left_lines < limit / s.left_ld && s.inner < limit / s.right_ld &&
           s.rows < limit / s.out_ld;
}

auto dispatch(float, int m, int n, int k, const int* lda, const int* ldb, const int* ldc, bool accumulate, int flags) {
    const float alpha = 1, beta = accumulate;
    return libxsmm_smmdispatch_reducebatch_addr(m, n, k, lda, ldb, ldc, &alpha, &beta, &flags, &no_prefetch);
}

auto dispatch(double, int m, int n, int k, const int* lda, const int* ldb, const int* ldc, bool accumulate, int flags) {
    const double alpha = 1, beta = accumulate;
    return libxsmm_dmmdispatch_reducebatch_addr(m, n, k, lda, ldb, ldc, &alpha, &beta, &flags, &no_prefetch);
}

auto dispatch(Bfloat16, int m, int n, int k, const int* lda, const int* ldb, const int* ldc, bool accumulate,
              int flags) {
    const float alpha = 1, beta = accumulate;
    flags |= LIBXSMM_GEMM_FLAG_VNNI_A;
    return libxsmm_bsmmdispatch_reducebatch_addr(m, n, k, lda, ldb, ldc, &alpha, &beta, &flags, &no_prefetch);
}

}  // namespace

template <class In>
Gemm<In> make_gemm(const GemmShape& s) {
    if (!fits<In>(s)) return nullptr;
    start_once();
    const int lda = int(s.right_ld), ldb = int(s.left_ld), ldc = int(s.out_ld);
    const int flags = s.left_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const auto function = dispatch(In{}, int(s.cols), int(s.rows), int(s.inner), &lda, &ldb, &ldc, s.accumulate, flags);
    // libxsmm calls its variadic; the rest of the arguments would be prefetch addresses.
    return reinterpret_cast<Gemm<In>>(function);
}

template Gemm<float> make_gemm(const GemmShape&);
template Gemm<double> make_gemm(const GemmShape&);
template Gemm<Bfloat16> make_gemm(const GemmShape&);

template <class In>
int64_t lanes(int level) {
    return (level >= cpu_avx512 ? 64 : 32) / int64_t(sizeof(Accumulator<In>));
}

template int64_t lanes<float>(int);
template int64_t lanes<double>(int);
template int64_t lanes<Bfloat16>(int);

}  // namespace bsblas::host
