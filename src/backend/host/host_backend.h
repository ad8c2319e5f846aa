// The backend of CPU threads and host memory.
#pragma once

#include "backend/backend.h"

namespace bsblas {

class HostBackend final : public Backend {
public:
    explicit HostBackend(int default_threads);

    bsblasBackend_t id() const override { return BSBLAS_BACKEND_HOST; }
    Device device(const Execution&) const override;

    KernelTable<SpmmProblem> spmm_kernels() const override;
    KernelTable<SddmmProblem> sddmm_kernels() const override;
    bsblasStatus_t run(const SpmmKernel&, const SpmmProblem&, const Execution&, void* workspace) override;
    bsblasStatus_t run(const SddmmKernel&, const SddmmProblem&, const Execution&, void* workspace) override;

    size_t transposed_index_workspace(const Stored& a) const override;
    bsblasStatus_t transposed_index(const Stored& a, const TransposedIndex& out, const Execution&,
                                    void* workspace) override;
    size_t validate_workspace(const Stored& a) const override;
    bsblasStatus_t validate(const Stored& a, Defect* found, const Execution&, void* workspace) override;
    size_t sort_workspace(const Stored& a) const override;
    bsblasStatus_t sort(const Stored& a, void* map, const Execution&, void* workspace) override;
    size_t transpose_workspace(const Stored& a, const Stored& at) const override;
    bsblasStatus_t transpose(const Stored& a, const Stored& at, bool conjugate, void* map, const Execution&,
                             void* workspace) override;
    bsblasStatus_t transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map,
                                    const Execution&) override;
    size_t dense_to_bsr_workspace(const Dense& d, const Stored& a) const override;
    bsblasStatus_t dense_to_bsr(const Dense& d, const Stored& a, bool count_only, CountOut, const Execution&,
                                void* workspace) override;
    size_t csr_to_bsr_workspace(const Stored& s, const Stored& a) const override;
    bsblasStatus_t csr_to_bsr(const Stored& s, const Stored& a, bool count_only, CountOut, const Execution&,
                              void* workspace) override;
    size_t bsr_to_csr_workspace(const Stored& a, const Stored& s) const override;
    bsblasStatus_t bsr_to_csr(const Stored& a, const Stored& s, bool count_only, CountOut, const Execution&,
                              void* workspace) override;
    size_t bsr_to_dense_workspace(const Stored& a, const Dense& d) const override;
    bsblasStatus_t bsr_to_dense(const Stored& a, const Dense& d, const Execution&, void* workspace) override;

private:
    int threads(const Execution&) const;

    const int default_threads_;
};

}  // namespace bsblas
