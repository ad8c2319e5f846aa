// What a backend is. One instance belongs to one handle. Problems arrive checked and normalised; a backend decides
// nothing but how to run them. All sizes are in bytes. Every function may be called while a CUDA graph is being
// captured, unless it says that it waits.
#pragma once

#include "core/kernel.h"
#include "core/pattern_problem.h"
#include "core/transposed_index.h"

#include <bsblas/status.h>
#include <bsblas/types.h>

#include <memory>

namespace bsblas {

// The handle's modes that matter below the API.
struct Execution {
    void* stream = nullptr;
    int threads = 0;    // 0: the default
    int sm_target = 0;  // 0: all
};

// Where a count goes: nowhere, to the backend's memory, or to host memory, which on CUDA means to wait for it.
struct CountOut {
    int64_t* pointer = nullptr;
    bool on_host = false;
};

class Backend {
public:
    virtual ~Backend() = default;

    virtual bsblasBackend_t id() const = 0;
    virtual int ordinal() const { return 0; }  // of the device, to tell analyses apart
    virtual Device device(const Execution&) const = 0;

    virtual KernelTable<SpmmProblem> spmm_kernels() const = 0;
    virtual KernelTable<SddmmProblem> sddmm_kernels() const = 0;
    virtual bsblasStatus_t run(const SpmmKernel&, const SpmmProblem&, const Execution&, void* workspace) = 0;
    virtual bsblasStatus_t run(const SddmmKernel&, const SddmmProblem&, const Execution&, void* workspace) = 0;

    virtual size_t transposed_index_workspace(const Stored& a) const = 0;
    virtual bsblasStatus_t transposed_index(const Stored& a, const TransposedIndex& out, const Execution&,
                                            void* workspace) = 0;

    // Waits.
    virtual size_t validate_workspace(const Stored& a) const = 0;
    virtual bsblasStatus_t validate(const Stored& a, Defect* found, const Execution&, void* workspace) = 0;

    // map: null, or capacity numbers, wide as a's offsets.
    virtual size_t sort_workspace(const Stored& a) const = 0;
    virtual bsblasStatus_t sort(const Stored& a, void* map, const Execution&, void* workspace) = 0;

    // map: null, or a.capacity numbers, wide as at's offsets.
    virtual size_t transpose_workspace(const Stored& a, const Stored& at) const = 0;
    virtual bsblasStatus_t transpose(const Stored& a, const Stored& at, bool conjugate, void* map, const Execution&,
                                     void* workspace) = 0;
    virtual bsblasStatus_t transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map,
                                            const Execution&) = 0;

    // The conversions with a count: when it exceeds the capacity, offsets all become base and nothing else is written;
    // the host backend then answers INSUFFICIENT_CAPACITY. count_only: no array of the output is touched.
    virtual size_t dense_to_bsr_workspace(const Dense& d, const Stored& a) const = 0;
    virtual bsblasStatus_t dense_to_bsr(const Dense& d, const Stored& a, bool count_only, CountOut, const Execution&,
                                        void* workspace) = 0;
    virtual size_t csr_to_bsr_workspace(const Stored& s, const Stored& a) const = 0;
    virtual bsblasStatus_t csr_to_bsr(const Stored& s, const Stored& a, bool count_only, CountOut, const Execution&,
                                      void* workspace) = 0;
    virtual size_t bsr_to_csr_workspace(const Stored& a, const Stored& s) const = 0;
    virtual bsblasStatus_t bsr_to_csr(const Stored& a, const Stored& s, bool count_only, CountOut, const Execution&,
                                      void* workspace) = 0;
    virtual size_t bsr_to_dense_workspace(const Stored& a, const Dense& d) const = 0;
    virtual bsblasStatus_t bsr_to_dense(const Stored& a, const Dense& d, const Execution&, void* workspace) = 0;
};

// The backends of this build. Each writes *out or fails with a status and a sentence; the CUDA one is in backend/cuda,
// or in backend/none when the build has no CUDA.
bsblasStatus_t make_host_backend(std::unique_ptr<Backend>* out);
bsblasStatus_t make_cuda_backend(std::unique_ptr<Backend>* out);

// For bsblasGetBuildInfo. Of CUDA: the architectures built for, comma-separated, and the toolkit's version; "none"
// without.
const char* cuda_architectures();
std::string cuda_toolkit_version();
const char* host_cpu_level();

}  // namespace bsblas
