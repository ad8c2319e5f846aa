// Moving whole blocks, with or without transposing them.
#pragma once

#include "kernels/cuda/generic/pattern_access.cuh"

namespace bsblas::cuda {

// Block p of `to`, for each of its live slots, becomes the transposed block order[p] of `from`; padding becomes zero.
void transpose_blocks(Queue& queue, const Stored& from, const Stored& to, bool conjugate, const Indices& order);

// Block p of `to` becomes block order[p] of `from`, or block p without an order, for each live slot of `a`, whose
// blocks these are; all bytes move as they are.
void copy_blocks(Queue& queue, const Stored& a, const void* from, void* to, const Indices& order);

}  // namespace bsblas::cuda
