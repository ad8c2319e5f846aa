#include "kernels/host/libxsmm_gemm.h"

#include "kernels/host/cpu_level.h"

#include <fcntl.h>
#include <libxsmm.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <mutex>
#include <set>

namespace bsblas::host {

namespace {

// Held while libxsmm starts or makes code, under locks of its own, which a child of fork() must not find held by a
// thread that it does not have.
constinit std::mutex mutex;
[[maybe_unused]] const int registered =
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });

constinit bool started = false;                 // guarded by the mutex
constinit thread_local bool starts_it = false;  // this thread

void start_once() {
    if (started) return;
    starts_it = true;
    libxsmm_init();
    starts_it = false;
    constexpr int targets[] = {LIBXSMM_TARGET_ARCH_GENERIC, LIBXSMM_X86_AVX2, LIBXSMM_X86_AVX512_CORE};
    libxsmm_set_target_archid(targets[cpu_level()]);
    started = true;
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

// What this thread was given last: a call asks for each of its shapes several times, and those of a network come again.
// Small products of several threads would wait for each other at the mutex.
template <class Real>
struct Recent {
    static constexpr int size = 16;
    GemmShape shapes[size];
    Gemm<Real> gemms[size];
    int next;
};
template <class Real>
constinit thread_local Recent<Real> recent = {};

// Guarded by the mutex; lives as long as the code.
bool admits(const GemmShape& shape) {
    static auto& known = *new std::set<GemmShape>;
    if (known.size() < most_callers_ld) known.insert(shape);
    return known.contains(shape);
}

template <class Real>
Gemm<Real> make_new_gemm(const GemmShape& s) {
    const std::lock_guard lock(mutex);
    if (s.callers_ld && !admits(s)) return nullptr;
    start_once();
    const int lda = int(s.right_ld), ldb = int(s.left_ld), ldc = int(s.out_ld);
    const int flags = s.left_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const auto function =
        dispatch(Real{}, int(s.cols), int(s.rows), int(s.inner), &lda, &ldb, &ldc, s.accumulate, flags);
    // libxsmm calls its variadic; the rest of the arguments would be prefetch addresses.
    return reinterpret_cast<Gemm<Real>>(function);
}

}  // namespace

template <class Real>
Gemm<Real> make_gemm(const GemmShape& shape) {
    if (!fits<Real>(shape)) return nullptr;
    Recent<Real>& known = recent<Real>;
    for (int i = 0; i < known.size; ++i) {
        if (known.shapes[i] == shape) return known.gemms[i];
    }
    const Gemm<Real> gemm = make_new_gemm<Real>(shape);
    known.shapes[known.next] = shape;
    known.gemms[known.next] = gemm;
    known.next = (known.next + 1) % known.size;
    return gemm;
}

template Gemm<float> make_gemm(const GemmShape&);
template Gemm<double> make_gemm(const GemmShape&);

// What libxsmm_init() asks of the C library, by way of the linker's --wrap (CMakeLists.txt). It registers a handler
// that frees all generated code at exit, where threads may still run it and other handlers call for more: not done. It
// makes and locks a file in /tmp to find out whether other processes use libxsmm, for no more than a line of
// statistics: it is told that it cannot. Its variables would have it print, and leave files in the working directory:
// it is told that there are none.
extern "C" {
int __real_atexit(void (*function)());
int __wrap_atexit(void (*function)()) {
    return starts_it ? 0 : __real_atexit(function);
}

char* __real_getenv(const char* name);
char* __wrap_getenv(const char* name) {
    return starts_it ? nullptr : __real_getenv(name);
}

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!starts_it) return __real_open(path, flags, mode);
    errno = EACCES;
    return -1;
}
}

}  // namespace bsblas::host
