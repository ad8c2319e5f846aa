/* bsblas: analysis, validation, sorting, transposition, conversion. SPDX-License-Identifier: Apache-2.0
 *
 * Transposition and sorting take every element type; conversions take the floating-point types of 16 bits and more, and
 * complex ones. Input and output have the same element type; block orders, index types and bases may differ. Input and
 * output must not overlap, except where a call says that it works in place.
 *
 * An output needs capacity for the result, and an index type for its numbers. Transposition asks for at least the
 * input's capacity, and for offsets that can count it, so it always suffices. The other conversions find their count as
 * they run: if it is above the capacity, or above what the offsets can count, the output becomes an empty pattern (all
 * offsets = base), its indices and values stay as they were, and the count tells; a host handle also answers
 * INSUFFICIENT_CAPACITY, a cuda handle, which does not wait, SUCCESS. All that write a pattern forget its analysis.
 *
 *   nnzBlocks, nnz   the counts: one int64_t a matrix of the batch, where the pointer mode says; NULL, except in
 *                    ..._count, if they are not wanted. In BSBLAS_POINTER_MODE_HOST a cuda handle's call with a count
 *                    waits for the stream, and so cannot be captured: NOT_SUPPORTED on a stream that is
 *   buffer           bufferSize bytes, as bsblas.h says
 *
 * Errors, of all: NOT_INITIALIZED; INVALID_VALUE: sizes or types that do not match, the same array twice, NULL where an
 * array is needed, a batch as output whose patterns or values overlap, 32-bit indices of an output that its last column
 * does not fit; NOT_SUPPORTED: the element type, or CSR where BSR is asked for and the other way round;
 * INSUFFICIENT_WORKSPACE; EXECUTION_FAILED: the device.
 *
 * Batches: input and output have the same number of matrices, or the input has 1, which is used for all. */
#ifndef BSBLAS_PATTERN_H
#define BSBLAS_PATTERN_H

#include <bsblas/descriptor.h>
#include <bsblas/handle.h>

BSBLAS_BEGIN_DECLS

/* ---- Analysis ---------------------------------------------------------------------------------------------------
 * Prepares what makes later SpMM calls on this pattern fast, such as the transposed index, in the caller's buffer, and
 * attaches it to A. The buffer must stay untouched until A is destroyed, analysed again or given other pointers or
 * batches. Only the pattern is read: values may change at any time, and other values may be set. If the pattern's arrays
 * change other than by a call of this library on this A, the analysis is stale and results of SpMM are undefined until
 * it is made again. It serves handles of the same backend and device. Passing bufferSize 0 detaches an analysis without
 * making one. */
BSBLAS_API bsblasStatus_t bsblasBsrAnalyze_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A,
                                                      size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrAnalyze(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, void* buffer,
                                           size_t bufferSize);

/* ---- Validation -------------------------------------------------------------------------------------------------
 * Looks for what operations trust: the index base first, offsets that never decrease and stay within the capacity,
 * columns in range. The first defect goes to *defect, *row (a block row, from 0) and *slot (a position in colIndices, from
 * 0; -1 when an offset is wrong): that of the first wrong offset or, if all offsets are right, of the first wrong column;
 * in a batch, of the first bad matrix. Without one, *defect is BSBLAS_DEFECT_NONE, *row and *slot are -1. Outputs are host
 * memory; each may be NULL. A CSR matrix is taken as BSR with 1 x 1 blocks.
 * INVALID_PATTERN: there is a defect; the outputs are written and the message describes it.
 * Waits for the stream, and so cannot be captured: NOT_SUPPORTED on a stream that is. */
BSBLAS_API bsblasStatus_t bsblasBsrValidate_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A,
                                                       size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrValidate(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasDefect_t* defect,
                                            int64_t* row, int64_t* slot, void* buffer, size_t bufferSize);

/* ---- Sorting ----------------------------------------------------------------------------------------------------
 * Sorts each row of A by column, in place, values along with it; equal columns keep their order. Blocks move as they are,
 * padding included.
 *   map   NULL, or nnzBlocks numbers of A's rowOffsetsType in the backend's memory: map[p] = the slot, from 0, that the
 *         block now in slot p had before. In a batch: batchCount nnzBlocks numbers
 * NOT_SUPPORTED, besides: a batch that shares one pattern, as each matrix would sort the columns of all. */
BSBLAS_API bsblasStatus_t bsblasBsrSort_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrSort(bsblasHandle_t handle, bsblasSpMatDescr_t A, void* map, void* buffer,
                                        size_t bufferSize);

/* ---- Transposition ----------------------------------------------------------------------------------------------
 * At = op(A), op T or H, pattern and values, rows sorted by column; blocks at the same place keep their order.
 *   At    blockCols x blockRows blocks of colBlockSize x rowBlockSize, capacity at least A's
 *   map   NULL, or A's nnzBlocks numbers of At's rowOffsetsType in the backend's memory: map[p] = the slot of A, from 0,
 *         that went to slot p of At. In a batch: batchCount nnzBlocks numbers
 * INVALID_VALUE, besides: op is N; At's capacity is below A's, or At's 32-bit rowOffsets cannot count as many blocks as
 * A can hold. */
BSBLAS_API bsblasStatus_t bsblasBsrTranspose_bufferSize(bsblasHandle_t handle, bsblasOperation_t op,
                                                        bsblasConstSpMatDescr_t A, bsblasConstSpMatDescr_t At,
                                                        size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrTranspose(bsblasHandle_t handle, bsblasOperation_t op, bsblasConstSpMatDescr_t A,
                                             bsblasSpMatDescr_t At, void* map, void* buffer, size_t bufferSize);

/* Values only: block p of At becomes the transposed block map[p] of A, for a pattern and map that bsblasBsrTranspose made.
 * Of A only the values are read. Needs no buffer. */
BSBLAS_API bsblasStatus_t bsblasBsrTransposeValues(bsblasHandle_t handle, bsblasOperation_t op,
                                                   bsblasConstSpMatDescr_t A, bsblasSpMatDescr_t At, const void* map);

/* ---- Dense to BSR -----------------------------------------------------------------------------------------------
 * A stores the blocks of D that hold an element other than zero (NaN is one, -0 is not), rows sorted by column. D has A's
 * logical size. ..._count writes the count alone and needs no array of A. */
BSBLAS_API bsblasStatus_t bsblasDenseToBsr_bufferSize(bsblasHandle_t handle, bsblasConstDnMatDescr_t D,
                                                      bsblasConstSpMatDescr_t A, size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasDenseToBsr_count(bsblasHandle_t handle, bsblasConstDnMatDescr_t D,
                                                 bsblasConstSpMatDescr_t A, int64_t* nnzBlocks, void* buffer,
                                                 size_t bufferSize);
BSBLAS_API bsblasStatus_t bsblasDenseToBsr(bsblasHandle_t handle, bsblasConstDnMatDescr_t D, bsblasSpMatDescr_t A,
                                           int64_t* nnzBlocks, void* buffer, size_t bufferSize);

/* ---- BSR to dense -----------------------------------------------------------------------------------------------
 * D = A, every element written. D has A's logical size. */
BSBLAS_API bsblasStatus_t bsblasBsrToDense_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A,
                                                      bsblasConstDnMatDescr_t D, size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrToDense(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasDnMatDescr_t D,
                                           void* buffer, size_t bufferSize);

/* ---- CSR to BSR -------------------------------------------------------------------------------------------------
 * A stores each block in which S stores an entry, be it zero; rows sorted by column; entries at the same place add, in the
 * order in which S has them. S has A's logical size. ..._count writes the count alone and needs no array of A. */
BSBLAS_API bsblasStatus_t bsblasCsrToBsr_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t S,
                                                    bsblasConstSpMatDescr_t A, size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasCsrToBsr_count(bsblasHandle_t handle, bsblasConstSpMatDescr_t S,
                                               bsblasConstSpMatDescr_t A, int64_t* nnzBlocks, void* buffer,
                                               size_t bufferSize);
BSBLAS_API bsblasStatus_t bsblasCsrToBsr(bsblasHandle_t handle, bsblasConstSpMatDescr_t S, bsblasSpMatDescr_t A,
                                         int64_t* nnzBlocks, void* buffer, size_t bufferSize);

/* ---- BSR to CSR -------------------------------------------------------------------------------------------------
 * S stores every element of every block, zeros and duplicates included, padding excluded; a row's entries come in the
 * order of its blocks. S has A's logical size. ..._count writes the count alone and needs no array of S. */
BSBLAS_API bsblasStatus_t bsblasBsrToCsr_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A,
                                                    bsblasConstSpMatDescr_t S, size_t* bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrToCsr_count(bsblasHandle_t handle, bsblasConstSpMatDescr_t A,
                                               bsblasConstSpMatDescr_t S, int64_t* nnz, void* buffer,
                                               size_t bufferSize);
BSBLAS_API bsblasStatus_t bsblasBsrToCsr(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasSpMatDescr_t S,
                                         int64_t* nnz, void* buffer, size_t bufferSize);

BSBLAS_END_DECLS

#endif
