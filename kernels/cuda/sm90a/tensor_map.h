// Host side: what bulk copies know of a matrix (tensor maps). The driver's encoder is found at run time.
#pragma once

#include "core/problem.h"

#include <cuda.h>

#include <cstdint>

namespace bsblas::cuda {

// A batch of matrices of 16-bit elements: lines of `length` side by side, and the box of them that one copy moves.
struct Boxes {
    const void* values;
    int64_t length, lines, line_stride;  // in elements
    int64_t batch, batch_stride;         // one of them: the stride does not matter
    int box_length, box_lines;           // box_length: 64, a line of 128 bytes
};

// Strides that copies can take: multiples of 16 bytes.
bool has_box_strides(int64_t line_stride, int64_t batch, int64_t batch_stride);

bool has_box_strides(const Dense& dense, int64_t batch);

// A dense operand's, 64 elements long, along its rows or columns as it lies.
Boxes boxes_of(const Dense& dense, int64_t batch, int box_lines);

// False when the driver has no encoder, or refuses.
bool encode(const Boxes& boxes, bsblasDataType_t type, CUtensorMap* map);

// Whether there are operands, and where bulk copies can read them.
bool has_bulk_operands(const SpmmProblem& problem);
// C in boxes of 64 x 64. False also when it is of another type than the inputs, or lies where bulk copies cannot store.
bool encode_output(const SpmmProblem& problem, CUtensorMap* map);

}  // namespace bsblas::cuda
