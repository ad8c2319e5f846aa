// The pattern operations of backend.h on the host, one matrix at a time. They trust their input's pattern, except for
// validate; what the API layer has checked is not checked again. A count is returned rather than turned into a message.
//
// Live counts are clamped to the capacity, so a pattern that claims more than it holds stays within its arrays.
// `threads` is how many Parallel has; it only decides how finely work is cut, never the result.
#pragma once

#include "core/kernel.h"
#include "core/pattern_problem.h"
#include "core/transposed_index.h"

#include <cstddef>
#include <cstdint>

namespace bsblas::host {

size_t transposed_index_workspace(const Stored& a);
void transposed_index(const Stored& a, const TransposedIndex& out, Parallel& parallel, int threads, void* workspace);

size_t validate_workspace(const Stored& a);
void validate(const Stored& a, Defect* found, Parallel& parallel, int threads, void* workspace);

size_t sort_workspace(const Stored& a);
void sort(const Stored& a, void* map, Parallel& parallel, int threads, void* workspace);

size_t transpose_workspace(const Stored& a, const Stored& at);
void transpose(const Stored& a, const Stored& at, bool conjugate, void* map, Parallel& parallel, int threads,
               void* workspace);
void transpose_values(const Stored& a, const Stored& at, bool conjugate, const void* map, Parallel& parallel,
                      int threads);

// These return the count that the result needs. Above the output's room() it was not stored: offsets are all base, and
// indices and values are as they were.
size_t dense_to_bsr_workspace(const Dense& d, const Stored& a);
int64_t dense_to_bsr(const Dense& d, const Stored& a, bool count_only, Parallel& parallel, int threads,
                     void* workspace);
size_t csr_to_bsr_workspace(const Stored& s, const Stored& a);
int64_t csr_to_bsr(const Stored& s, const Stored& a, bool count_only, Parallel& parallel, int threads, void* workspace);
size_t bsr_to_csr_workspace(const Stored& a, const Stored& s);
int64_t bsr_to_csr(const Stored& a, const Stored& s, bool count_only, Parallel& parallel, int threads, void* workspace);

size_t bsr_to_dense_workspace(const Stored& a, const Dense& d);
void bsr_to_dense(const Stored& a, const Dense& d, Parallel& parallel, int threads, void* workspace);

}  // namespace bsblas::host
