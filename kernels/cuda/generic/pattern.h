// The pattern operations of backend.h on a CUDA device, one matrix at a time. Each enqueues kernels on `stream` and
// returns a cudaError_t: 0 when all were enqueued. None waits, allocates or fails inside a stream capture. Workspaces
// are 256-byte aligned device memory; the workspace functions need a current device.
//
// They trust their input's pattern, except for validate. Live counts are read on the device and clamped to the
// capacity, so a pattern that claims more than it holds stays within its arrays.
#pragma once

#include "core/pattern_problem.h"
#include "core/transposed_index.h"

#include <cstddef>
#include <cstdint>

namespace bsblas::cuda {

size_t transposed_index_workspace(const Stored& a);
int transposed_index(const Stored& a, const TransposedIndex& out, void* stream, void* workspace);

// Leaves a Defect at the start of the workspace.
size_t validate_workspace(const Stored& a);
int validate(const Stored& a, void* stream, void* workspace);

size_t sort_workspace(const Stored& a);
int sort(const Stored& a, void* map, void* stream, void* workspace);

size_t transpose_workspace(const Stored& a, const Stored& at);
int transpose(const Stored& a, const Stored& at, bool conjugate, void* map, void* stream, void* workspace);
int transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map, void* stream);

// device_count: null, or device memory for the count that the result needs. Above the output's room() it is not stored:
// offsets all become base, and indices and values stay as they were.
size_t dense_to_bsr_workspace(const Dense& d, const Stored& a);
int dense_to_bsr(const Dense& d, const Stored& a, bool count_only, int64_t* device_count, void* stream,
                 void* workspace);
size_t csr_to_bsr_workspace(const Stored& s, const Stored& a);
int csr_to_bsr(const Stored& s, const Stored& a, bool count_only, int64_t* device_count, void* stream, void* workspace);
size_t bsr_to_csr_workspace(const Stored& a, const Stored& s);
int bsr_to_csr(const Stored& a, const Stored& s, bool count_only, int64_t* device_count, void* stream, void* workspace);

size_t bsr_to_dense_workspace(const Stored& a, const Dense& d);
int bsr_to_dense(const Stored& a, const Dense& d, void* stream, void* workspace);

}  // namespace bsblas::cuda
