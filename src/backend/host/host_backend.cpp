#include "backend/host/host_backend.h"

#include "backend/host/thread_pool.h"
#include "core/environment.h"
#include "core/error.h"
#include "kernels/host/cpu_level.h"
#include "kernels/host/pattern.h"
#include "kernels/host/table.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>

namespace bsblas {

namespace {

class ThreadsOfPool final : public Parallel {
public:
    explicit ThreadsOfPool(int threads) : threads_(threads) {}
    void run(int64_t items, void (*body)(void* context, int64_t item, int thread), void* context) override {
        run_on_threads(threads_, items, body, context);
    }

private:
    const int threads_;
};

// What makes another thread worth waking. Measured with two: 5 us of work take 8 us, 20 us take 16, 50 us take 38.
constexpr double worth_a_thread_us = 20;

template <class Problem>
bsblasStatus_t run_kernel(const Kernel<Problem>& kernel, const Problem& problem, const Device& device,
                          void* workspace) {
    const double worth = kernel.cost(problem, device) / worth_a_thread_us;  // costs are of one thread
    ThreadsOfPool parallel(worth < device.threads ? std::max(1, int(worth)) : device.threads);
    kernel.launch(problem, {device, workspace, nullptr, &parallel});
    return BSBLAS_STATUS_SUCCESS;
}

bsblasStatus_t report(int64_t count, const char* what, const Stored& out, bool count_only, CountOut to) {
    if (to.pointer) *to.pointer = count;
    if (count_only || count <= out.room()) return BSBLAS_STATUS_SUCCESS;
    return fail(BSBLAS_STATUS_INSUFFICIENT_CAPACITY, "the result has %lld %s, the output has room for %lld",
                static_cast<long long>(count), what, static_cast<long long>(out.room()));
}

}  // namespace

HostBackend::HostBackend(int default_threads) : default_threads_(default_threads) {}

int HostBackend::threads(const Execution& execution) const {
    return execution.threads > 0 ? std::min(execution.threads, max_threads) : default_threads_;
}

Device HostBackend::device(const Execution& execution) const {
    Device device;
    device.cpu_level = host::cpu_level();
    device.threads = threads(execution);
    return device;
}

KernelTable<SpmmProblem> HostBackend::spmm_kernels() const {
    return host::spmm_table();
}

KernelTable<SddmmProblem> HostBackend::sddmm_kernels() const {
    return host::sddmm_table();
}

bsblasStatus_t HostBackend::run(const SpmmKernel& kernel, const SpmmProblem& problem, const Execution& execution,
                                void* workspace) {
    return run_kernel(kernel, problem, device(execution), workspace);
}

bsblasStatus_t HostBackend::run(const SddmmKernel& kernel, const SddmmProblem& problem, const Execution& execution,
                                void* workspace) {
    return run_kernel(kernel, problem, device(execution), workspace);
}

size_t HostBackend::transposed_index_workspace(const Stored& a) const {
    return host::transposed_index_workspace(a);
}

bsblasStatus_t HostBackend::transposed_index(const Stored& a, const TransposedIndex& out, const Execution& execution,
                                             void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    host::transposed_index(a, out, parallel, threads(execution), workspace);
    return BSBLAS_STATUS_SUCCESS;
}

size_t HostBackend::validate_workspace(const Stored& a) const {
    return host::validate_workspace(a);
}

bsblasStatus_t HostBackend::validate(const Stored& a, Defect* found, const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    host::validate(a, found, parallel, threads(execution), workspace);
    return BSBLAS_STATUS_SUCCESS;
}

size_t HostBackend::sort_workspace(const Stored& a) const {
    return host::sort_workspace(a);
}

bsblasStatus_t HostBackend::sort(const Stored& a, void* map, const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    host::sort(a, map, parallel, threads(execution), workspace);
    return BSBLAS_STATUS_SUCCESS;
}

size_t HostBackend::transpose_workspace(const Stored& a, const Stored& at) const {
    return host::transpose_workspace(a, at);
}

bsblasStatus_t HostBackend::transpose(const Stored& a, const Stored& at, bool conjugate, void* map,
                                      const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    host::transpose(a, at, conjugate, map, parallel, threads(execution), workspace);
    return BSBLAS_STATUS_SUCCESS;
}

bsblasStatus_t HostBackend::transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map,
                                             const Execution& execution) {
    ThreadsOfPool parallel(threads(execution));
    host::transpose_values(a, at, conjugate, map, parallel, threads(execution));
    return BSBLAS_STATUS_SUCCESS;
}

size_t HostBackend::dense_to_bsr_workspace(const Dense& d, const Stored& a) const {
    return host::dense_to_bsr_workspace(d, a);
}

bsblasStatus_t HostBackend::dense_to_bsr(const Dense& d, const Stored& a, bool count_only, CountOut count,
                                         const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    const int64_t needed = host::dense_to_bsr(d, a, count_only, parallel, threads(execution), workspace);
    return report(needed, "blocks", a, count_only, count);
}

size_t HostBackend::csr_to_bsr_workspace(const Stored& s, const Stored& a) const {
    return host::csr_to_bsr_workspace(s, a);
}

bsblasStatus_t HostBackend::csr_to_bsr(const Stored& s, const Stored& a, bool count_only, CountOut count,
                                       const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    const int64_t needed = host::csr_to_bsr(s, a, count_only, parallel, threads(execution), workspace);
    return report(needed, "blocks", a, count_only, count);
}

size_t HostBackend::bsr_to_csr_workspace(const Stored& a, const Stored& s) const {
    return host::bsr_to_csr_workspace(a, s);
}

bsblasStatus_t HostBackend::bsr_to_csr(const Stored& a, const Stored& s, bool count_only, CountOut count,
                                       const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    const int64_t needed = host::bsr_to_csr(a, s, count_only, parallel, threads(execution), workspace);
    return report(needed, "entries", s, count_only, count);
}

size_t HostBackend::bsr_to_dense_workspace(const Stored& a, const Dense& d) const {
    return host::bsr_to_dense_workspace(a, d);
}

bsblasStatus_t HostBackend::bsr_to_dense(const Stored& a, const Dense& d, const Execution& execution, void* workspace) {
    ThreadsOfPool parallel(threads(execution));
    host::bsr_to_dense(a, d, parallel, threads(execution), workspace);
    return BSBLAS_STATUS_SUCCESS;
}

bsblasStatus_t make_host_backend(std::unique_ptr<Backend>* out) {
    const char* level = environment("BSBLAS_CPU_LEVEL");
    if (level && !host::is_cpu_level(level)) {
        return fail(BSBLAS_STATUS_INVALID_VALUE,
                    "BSBLAS_CPU_LEVEL is \"%s\" in the environment, expected generic, avx2 or avx512", level);
    }
    int threads = 0;
    if (const char* number = environment("BSBLAS_NUM_THREADS")) {
        const char* const end = number + std::strlen(number);
        const auto parsed = std::from_chars(number, end, threads);
        if (parsed.ec == std::errc::result_out_of_range && *number != '-') threads = max_threads;
        if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end || threads < 1) {
            return fail(BSBLAS_STATUS_INVALID_VALUE,
                        "BSBLAS_NUM_THREADS is \"%s\" in the environment, expected a number from 1 on", number);
        }
    }
    *out = std::make_unique<HostBackend>(threads > 0 ? std::min(threads, max_threads) : usable_cpus());
    return BSBLAS_STATUS_SUCCESS;
}

const char* host_cpu_level() {
    return host::cpu_level_name(host::cpu_level());
}

}  // namespace bsblas
