// The backend of one CUDA device. It works in the context that is current when it is made, else in the device's primary
// one, which is the CUDA runtime's, and leaves current whatever context the caller has.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/driver.h"

namespace bsblas {

class CudaBackend final : public Backend {
public:
    // Of the device that is current in this thread. Loads all kernels.
    static bsblasStatus_t make(std::unique_ptr<Backend>* out);
    ~CudaBackend() override;

    bsblasBackend_t id() const override { return BSBLAS_BACKEND_CUDA; }
    int ordinal() const override { return ordinal_; }
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
    CudaBackend(const Driver& driver, int ordinal, CUcontext context, bool retained)
        : driver_(driver), ordinal_(ordinal), context_(context), retained_(retained) {}

    // body() -> int, a cudaError_t, in the handle's context.
    template <class Body>
    bsblasStatus_t in_context(const char* what, Body body) const;
    template <class Body>
    size_t size_in_context(Body body) const;
    // Waiting would spoil a capture: calls that have to refuse instead, before anything is enqueued.
    bool is_captured(const Execution&) const;
    // body(device_count, workspace) -> int, whose count goes where `count` says.
    template <class Body>
    bsblasStatus_t with_count(const char* what, CountOut count, const Execution&, void* workspace, Body body) const;

    const Driver& driver_;
    const int ordinal_;
    const CUcontext context_;
    const bool retained_;  // the primary one, which lives as long as somebody retains it
    Device device_;
};

}  // namespace bsblas
