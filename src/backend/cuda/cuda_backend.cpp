#include "backend/cuda/cuda_backend.h"

#include "core/error.h"
#include "core/workspace.h"
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/table.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>
#include <string>

namespace bsblas {
namespace {

constexpr int oldest_sm = 80;
constexpr int early_launch_cuda = 12030;  // from then on a stream capture takes early launches

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// 0 when there is none.
int driver_version() {
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

// Says why the CUDA runtime cannot start; SUCCESS when it can.
bsblasStatus_t check_driver() {
    const int driver = driver_version();
    if (driver == 0) {
        return fail(BSBLAS_STATUS_NOT_AVAILABLE, "no CUDA driver of version 12 or later is installed");
    }
    int count = 0;
    switch (const cudaError_t error = cudaGetDeviceCount(&count)) {
        case cudaSuccess:
            if (count > 0) return BSBLAS_STATUS_SUCCESS;
            [[fallthrough]];
        case cudaErrorNoDevice:
            return fail(BSBLAS_STATUS_NOT_AVAILABLE, "the CUDA driver sees no device");
        case cudaErrorInsufficientDriver:
            return fail(BSBLAS_STATUS_NOT_AVAILABLE,
                        "the CUDA driver supports CUDA %s, too old for this build, which needs CUDA %s",
                        version_text(driver).c_str(), version_text(CUDART_VERSION).c_str());
        default:
            return fail(BSBLAS_STATUS_NOT_AVAILABLE, "the CUDA driver does not start: %s", cudaGetErrorString(error));
    }
}

int attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

// Once for each context; ids of contexts are never used again.
int load_kernels_once(unsigned long long context, const Device& device) {
    static std::mutex mutex;
    static std::set<unsigned long long> loaded;
    const std::lock_guard<std::mutex> lock(mutex);
    if (loaded.count(context)) return cudaSuccess;
    const int result = cuda::load_kernels(device);
    if (result == cudaSuccess) loaded.insert(context);
    return result;
}

// Lets this thread do for a while what a capture elsewhere or here would forbid it: a kernel's first launch loads its
// module.
class RelaxedCapture {
public:
    RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

bsblasStatus_t cannot_wait() {
    return fail(BSBLAS_STATUS_NOT_SUPPORTED,
                "the handle's stream is being captured, expected one that this call can wait for");
}

}  // namespace

bsblasStatus_t CudaBackend::make(std::unique_ptr<Backend>* out) {
    if (bsblasStatus_t status = check_driver()) return status;
    const Driver* const driver = Driver::find();
    if (!driver) return fail(BSBLAS_STATUS_NOT_AVAILABLE, "the CUDA driver lacks the context functions of CUDA 12");

    // The caller's context, if it has made one current: its streams and memory belong there. Else the device's primary
    // one.
    CUcontext context = nullptr;
    CUdevice ordinal = 0;
    const bool own = driver->get_current(&context) == CUDA_SUCCESS && context;
    if (own ? driver->get_device(&ordinal) != CUDA_SUCCESS : cudaGetDevice(&ordinal) != cudaSuccess) {
        return fail(BSBLAS_STATUS_NOT_AVAILABLE, "no CUDA device is current");
    }
    const int sm = 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                   attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
    if (sm < oldest_sm) {
        return fail(BSBLAS_STATUS_NOT_AVAILABLE, "device %d has compute capability %d.%d, expected 8.0 or newer",
                    ordinal, sm / 10, sm % 10);
    }
    if (!own && driver->retain_primary(&context, ordinal) != CUDA_SUCCESS) {
        return fail(BSBLAS_STATUS_NOT_AVAILABLE, "the context of device %d cannot be made", ordinal);
    }
    std::unique_ptr<CudaBackend> backend(new (std::nothrow) CudaBackend(*driver, ordinal, context, !own));
    if (!backend) {
        if (!own) driver->release_primary(ordinal);
        return fail(BSBLAS_STATUS_ALLOC_FAILED, "no host memory for a backend");
    }
    Device& device = backend->device_;
    device.sm = sm;
    device.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal);
    device.l2_bytes = attribute(cudaDevAttrL2CacheSize, ordinal);

    const CurrentContext current(*driver, context);
    unsigned long long id = 0;
    const bool ready = current.made() && driver->get_id(context, &id) == CUDA_SUCCESS;
    const RelaxedCapture relaxed;
    const int result = ready ? load_kernels_once(id, device) : cudaErrorDeviceUninitialized;
    if (result != cudaSuccess) {
        cudaGetLastError();
        return fail(BSBLAS_STATUS_NOT_AVAILABLE, "the kernels do not load on device %d: %s", ordinal,
                    cudaGetErrorString(static_cast<cudaError_t>(result)));
    }
    // Kernels compiled for an older architecture would not wait.
    device.launches_early = cuda::kernels_compiled_for() >= 90 && CUDART_VERSION >= early_launch_cuda &&
                            driver_version() >= early_launch_cuda;
    *out = std::move(backend);
    return BSBLAS_STATUS_SUCCESS;
}

CudaBackend::~CudaBackend() {
    if (retained_) driver_.release_primary(ordinal_);
}

template <class Body>
bsblasStatus_t CudaBackend::in_context(const char* what, Body body) const {
    const CurrentContext current(driver_, context_);
    if (!current.made()) return fail(BSBLAS_STATUS_EXECUTION_FAILED, "the context of device %d is gone", ordinal_);
    const RelaxedCapture relaxed;
    const auto error = static_cast<cudaError_t>(body());
    if (error == cudaSuccess) return BSBLAS_STATUS_SUCCESS;
    // The runtime is this library's own copy: nobody else waits for the error that it keeps.
    cudaGetLastError();
    return fail(BSBLAS_STATUS_EXECUTION_FAILED, "%s on device %d: %s", what, ordinal_, cudaGetErrorString(error));
}

template <class Body>
size_t CudaBackend::size_in_context(Body body) const {
    const CurrentContext current(driver_, context_);
    return body();
}

bool CudaBackend::is_captured(const Execution& execution) const {
    const CurrentContext current(driver_, context_);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(execution.stream), &status);
    if (error != cudaSuccess) cudaGetLastError();
    // Implicit: the default stream, while another stream that it waits for is being captured.
    return error == cudaErrorStreamCaptureImplicit || status != cudaStreamCaptureStatusNone;
}

Device CudaBackend::device(const Execution& execution) const {
    Device device = device_;
    if (execution.sm_target > 0) device.multiprocessors = std::min(device.multiprocessors, execution.sm_target);
    return device;
}

KernelTable<SpmmProblem> CudaBackend::spmm_kernels() const {
    return cuda::spmm_table();
}

KernelTable<SddmmProblem> CudaBackend::sddmm_kernels() const {
    return cuda::sddmm_table();
}

bsblasStatus_t CudaBackend::run(const SpmmKernel& kernel, const SpmmProblem& problem, const Execution& execution,
                                void* workspace) {
    return in_context(kernel.name, [&] {
        return kernel.launch(problem, {device(execution), workspace, execution.stream});
    });
}

bsblasStatus_t CudaBackend::run(const SddmmKernel& kernel, const SddmmProblem& problem, const Execution& execution,
                                void* workspace) {
    return in_context(kernel.name, [&] {
        return kernel.launch(problem, {device(execution), workspace, execution.stream});
    });
}

size_t CudaBackend::transposed_index_workspace(const Stored& a) const {
    return size_in_context([&] { return cuda::transposed_index_workspace(a); });
}

bsblasStatus_t CudaBackend::transposed_index(const Stored& a, const TransposedIndex& out, const Execution& execution,
                                             void* workspace) {
    return in_context("the transposed index",
                      [&] { return cuda::transposed_index(a, out, execution.stream, workspace); });
}

size_t CudaBackend::validate_workspace(const Stored& a) const {
    return size_in_context([&] { return cuda::validate_workspace(a); });
}

bsblasStatus_t CudaBackend::validate(const Stored& a, Defect* found, const Execution& execution, void* workspace) {
    if (is_captured(execution)) return cannot_wait();
    return in_context("validation", [&]() -> int {
        if (int result = cuda::validate(a, execution.stream, workspace)) return result;
        const auto stream = static_cast<cudaStream_t>(execution.stream);
        if (int result = cudaMemcpyAsync(found, workspace, sizeof(Defect), cudaMemcpyDeviceToHost, stream))
            return result;
        return cudaStreamSynchronize(stream);
    });
}

size_t CudaBackend::sort_workspace(const Stored& a) const {
    return size_in_context([&] { return cuda::sort_workspace(a); });
}

bsblasStatus_t CudaBackend::sort(const Stored& a, void* map, const Execution& execution, void* workspace) {
    return in_context("sorting", [&] { return cuda::sort(a, map, execution.stream, workspace); });
}

size_t CudaBackend::transpose_workspace(const Stored& a, const Stored& at) const {
    return size_in_context([&] { return cuda::transpose_workspace(a, at); });
}

bsblasStatus_t CudaBackend::transpose(const Stored& a, const Stored& at, bool conjugate, void* map,
                                      const Execution& execution, void* workspace) {
    return in_context("transposition",
                      [&] { return cuda::transpose(a, at, conjugate, map, execution.stream, workspace); });
}

bsblasStatus_t CudaBackend::transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map,
                                             const Execution& execution) {
    return in_context("transposition of values",
                      [&] { return cuda::transpose_values(a, at, conjugate, map, execution.stream); });
}

// A count for the host is first written to the workspace, behind what the operation itself needs there.
template <class Body>
bsblasStatus_t CudaBackend::with_count(const char* what, CountOut count, const Execution& execution, void* workspace,
                                       Body body) const {
    const bool waits = count.pointer && count.on_host;
    if (waits && is_captured(execution)) return cannot_wait();
    return in_context(what, [&]() -> int {
        if (!waits) return body(count.pointer, workspace);
        Workspace parts(workspace);
        auto* const device_count = static_cast<int64_t*>(parts.take(sizeof(int64_t)));
        if (int result = body(device_count, parts.take(0))) return result;
        const auto stream = static_cast<cudaStream_t>(execution.stream);
        if (int result =
                cudaMemcpyAsync(count.pointer, device_count, sizeof(int64_t), cudaMemcpyDeviceToHost, stream)) {
            return result;
        }
        return cudaStreamSynchronize(stream);
    });
}

size_t CudaBackend::dense_to_bsr_workspace(const Dense& d, const Stored& a) const {
    return Workspace::alignment + size_in_context([&] { return cuda::dense_to_bsr_workspace(d, a); });
}

bsblasStatus_t CudaBackend::dense_to_bsr(const Dense& d, const Stored& a, bool count_only, CountOut count,
                                         const Execution& execution, void* workspace) {
    return with_count("dense to BSR", count, execution, workspace, [&](int64_t* device_count, void* rest) {
        return cuda::dense_to_bsr(d, a, count_only, device_count, execution.stream, rest);
    });
}

size_t CudaBackend::csr_to_bsr_workspace(const Stored& s, const Stored& a) const {
    return Workspace::alignment + size_in_context([&] { return cuda::csr_to_bsr_workspace(s, a); });
}

bsblasStatus_t CudaBackend::csr_to_bsr(const Stored& s, const Stored& a, bool count_only, CountOut count,
                                       const Execution& execution, void* workspace) {
    return with_count("CSR to BSR", count, execution, workspace, [&](int64_t* device_count, void* rest) {
        return cuda::csr_to_bsr(s, a, count_only, device_count, execution.stream, rest);
    });
}

size_t CudaBackend::bsr_to_csr_workspace(const Stored& a, const Stored& s) const {
    return Workspace::alignment + size_in_context([&] { return cuda::bsr_to_csr_workspace(a, s); });
}

bsblasStatus_t CudaBackend::bsr_to_csr(const Stored& a, const Stored& s, bool count_only, CountOut count,
                                       const Execution& execution, void* workspace) {
    return with_count("BSR to CSR", count, execution, workspace, [&](int64_t* device_count, void* rest) {
        return cuda::bsr_to_csr(a, s, count_only, device_count, execution.stream, rest);
    });
}

size_t CudaBackend::bsr_to_dense_workspace(const Stored& a, const Dense& d) const {
    return size_in_context([&] { return cuda::bsr_to_dense_workspace(a, d); });
}

bsblasStatus_t CudaBackend::bsr_to_dense(const Stored& a, const Dense& d, const Execution& execution, void* workspace) {
    return in_context("BSR to dense", [&] { return cuda::bsr_to_dense(a, d, execution.stream, workspace); });
}

bsblasStatus_t make_cuda_backend(std::unique_ptr<Backend>* out) {
    return CudaBackend::make(out);
}

const char* cuda_architectures() {
    return BSBLAS_CUDA_ARCHITECTURES;
}

std::string cuda_toolkit_version() {
    return version_text(CUDART_VERSION);
}

}  // namespace bsblas
