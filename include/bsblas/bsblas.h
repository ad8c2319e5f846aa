/* bsblas: block-sparse linear algebra. Copyright 2026 the bsblas authors. SPDX-License-Identifier: Apache-2.0
 *
 * bsblas is to matrices in block sparse row (BSR) format what BLAS is to dense ones. This is a C99 header: it needs no
 * CUDA header and no C++. Its parts, in the order in which a program meets them:
 *
 *   status.h      what a call answers, and the sentence that goes with a refusal
 *   types.h       data types, operations, orders and the other enumerations
 *   handle.h      the handle: backend, stream, modes, log
 *   descriptor.h  descriptors of block-sparse and dense matrices, and of an operation's options
 *   multiply.h    SpMM and SDDMM
 *   pattern.h     analysis, validation, sorting, transposition, conversion
 *
 * Conventions of all calls
 * - A is m x k and block-sparse; its blocks are bm x bk, rows of blocks are numbered 0 .. mb-1 and columns of blocks
 *   0 .. kb-1. B, X and Y are dense inputs, C is the output. Counts named block... are in blocks; rows, cols, leading
 *   dimensions and strides are in elements. Buffer sizes are in bytes.
 * - A host handle takes host pointers in its descriptors, a cuda handle device pointers; nothing migrates silently.
 *   Pointers that this header calls host memory are host memory on every backend.
 * - On a cuda handle, SpMM, SDDMM, analysis, sorting, transposition and conversion are asynchronous on the handle's
 *   stream, allocate nothing, do not synchronise, and can be captured into a CUDA graph; exceptions are named where
 *   they occur. On a host handle every call returns when its result is written.
 * - Every operation that takes a buffer has a ..._bufferSize, which needs sizes, types and options but none of the data,
 *   and is host work. Its answer holds while these, an analysis of A and the handle's modes are the same. The operation
 *   takes a buffer of at least that size, in the memory of the backend, aligned to 256 bytes (any alignment on a host
 *   handle), whose contents it may overwrite until it is done. Size 0 allows NULL.
 * - A call that answers anything but BSBLAS_STATUS_SUCCESS has written nothing, unless its comment says otherwise.
 *   bsblasGetLastErrorMessage tells which argument was at fault, what it was and what was expected.
 * - Offsets are computed in 64 bits; only memory limits the sizes (descriptor.h has the figures).
 * - Results are the same bits at every call of the same sequence on the same device and library build, until
 *   bsblasSetDeterminism permits otherwise. On a host handle they do not depend on the number of threads either; all
 *   threads round and flush as the calling thread does.
 */
#ifndef BSBLAS_BSBLAS_H
#define BSBLAS_BSBLAS_H

#define BSBLAS_VERSION_MAJOR 0
#define BSBLAS_VERSION_MINOR 1
#define BSBLAS_VERSION_PATCH 0
/* One number that grows with every release: 10000 major + 100 minor + patch. */
#define BSBLAS_VERSION (BSBLAS_VERSION_MAJOR * 10000 + BSBLAS_VERSION_MINOR * 100 + BSBLAS_VERSION_PATCH)

#include <bsblas/status.h>
#include <bsblas/types.h>
#include <bsblas/handle.h>
#include <bsblas/descriptor.h>
#include <bsblas/multiply.h>
#include <bsblas/pattern.h>

#endif
