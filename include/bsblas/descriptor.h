/* bsblas: descriptors. SPDX-License-Identifier: Apache-2.0
 *
 * A descriptor names arrays that the caller owns; it copies none of them and looks into none of them. Making, changing
 * and reading one is host work and needs no handle. A descriptor may be used by many threads at once as long as none
 * changes it (bsblasBsrAnalyze counts as a change).
 *
 * All functions here: NOT_INITIALIZED for a NULL or destroyed descriptor, INVALID_VALUE for anything else that is said to
 * be wrong below. A Create writes NULL to its first argument when it fails, and can answer ALLOC_FAILED. A Destroy of
 * NULL is a success. A Get skips the outputs that are NULL. Pointers to descriptors, attributes and outputs are host
 * memory; the arrays are memory of the backend that will use them.
 *
 * Too large is an array, batches included, of more than 2^56 bytes, which no machine addresses; or as many rows, columns
 * or elements of a block; or 2^53 block rows or block columns, whose offsets would be. */
#ifndef BSBLAS_DESCRIPTOR_H
#define BSBLAS_DESCRIPTOR_H

#include <bsblas/status.h>
#include <bsblas/types.h>

BSBLAS_BEGIN_DECLS

/* ---- Block-sparse matrix (BSR) ----------------------------------------------------------------------------------
 * Block row i holds slots p = rowOffsets[i] - base .. rowOffsets[i + 1] - base - 1; slot p is the block in block column
 * colIndices[p] - base, with its rowBlockSize x colBlockSize elements at values + p rowBlockSize colBlockSize, in
 * blockOrder. Columns of a row may come in any order; blocks at the same place add.
 *
 *   blockRows, blockCols   >= 0, counted in blocks: a 1024 x 768 matrix in 64 x 32 blocks has 16 and 24
 *   nnzBlocks              >= 0, the capacity of colIndices and values in blocks. The live count is
 *                          rowOffsets[blockRows] - base, read when an operation runs; what lies behind it is neither
 *                          read nor written
 *   rowBlockSize, colBlockSize  >= 1, in elements
 *   rowOffsets             blockRows + 1 numbers of rowOffsetsType
 *   colIndices             nnzBlocks numbers of colIndicesType
 *   values                 nnzBlocks rowBlockSize colBlockSize elements of valueType, aligned as one element
 *
 * Arrays may be NULL here and set later; an operation refuses NULL where it would have to look. With nnzBlocks = 0,
 * rowOffsets may stay NULL for good: the matrix is empty.
 * INVALID_VALUE: a size below its range or too large, an unlisted enumeration value, a misaligned array. */
BSBLAS_API bsblasStatus_t bsblasCreateBsr(bsblasSpMatDescr_t* A, int64_t blockRows, int64_t blockCols, int64_t nnzBlocks,
                                          int64_t rowBlockSize, int64_t colBlockSize, void* rowOffsets, void* colIndices,
                                          void* values, bsblasIndexType_t rowOffsetsType,
                                          bsblasIndexType_t colIndicesType, bsblasIndexBase_t indexBase,
                                          bsblasDataType_t valueType, bsblasOrder_t blockOrder);

BSBLAS_API bsblasStatus_t bsblasCreateConstBsr(bsblasConstSpMatDescr_t* A, int64_t blockRows, int64_t blockCols,
                                               int64_t nnzBlocks, int64_t rowBlockSize, int64_t colBlockSize,
                                               const void* rowOffsets, const void* colIndices, const void* values,
                                               bsblasIndexType_t rowOffsetsType, bsblasIndexType_t colIndicesType,
                                               bsblasIndexBase_t indexBase, bsblasDataType_t valueType,
                                               bsblasOrder_t blockOrder);

/* Reads back what Create and the setters set. INVALID_VALUE: A is not BSR, or (BsrGet) was made Const. */
BSBLAS_API bsblasStatus_t bsblasBsrGet(bsblasSpMatDescr_t A, int64_t* blockRows, int64_t* blockCols, int64_t* nnzBlocks,
                                       int64_t* rowBlockSize, int64_t* colBlockSize, void** rowOffsets,
                                       void** colIndices, void** values, bsblasIndexType_t* rowOffsetsType,
                                       bsblasIndexType_t* colIndicesType, bsblasIndexBase_t* indexBase,
                                       bsblasDataType_t* valueType, bsblasOrder_t* blockOrder);

/* The same for either twin. */
BSBLAS_API bsblasStatus_t bsblasConstBsrGet(bsblasConstSpMatDescr_t A, int64_t* blockRows, int64_t* blockCols,
                                            int64_t* nnzBlocks, int64_t* rowBlockSize, int64_t* colBlockSize,
                                            const void** rowOffsets, const void** colIndices, const void** values,
                                            bsblasIndexType_t* rowOffsetsType, bsblasIndexType_t* colIndicesType,
                                            bsblasIndexBase_t* indexBase, bsblasDataType_t* valueType,
                                            bsblasOrder_t* blockOrder);

/* Replaces the arrays and their capacity, and forgets the analysis; a batch keeps its count and strides. INVALID_VALUE: A
 * is not BSR or was made Const, nnzBlocks is below 0 or too large, also for a batch's strides. */
BSBLAS_API bsblasStatus_t bsblasBsrSetPointers(bsblasSpMatDescr_t A, int64_t nnzBlocks, void* rowOffsets,
                                               void* colIndices, void* values);

/* Makes A a batch of batchCount matrices of the same sizes: matrix j has its arrays at rowOffsets + j rowOffsetsStride,
 * colIndices + j colIndicesStride and values + j valuesStride (in elements of each array). Both index strides 0: one
 * pattern shared by all. valuesStride 0: the very same matrix each time; only inputs may have that. Forgets the analysis.
 * INVALID_VALUE: A is not BSR, batchCount < 1; a stride that is neither 0 nor at least its array's length, or that
 * makes the batch too large; one index stride 0 and the other not. */
BSBLAS_API bsblasStatus_t bsblasBsrSetStridedBatch(bsblasConstSpMatDescr_t A, int64_t batchCount,
                                                   int64_t rowOffsetsStride, int64_t colIndicesStride,
                                                   int64_t valuesStride);
BSBLAS_API bsblasStatus_t bsblasBsrGetStridedBatch(bsblasConstSpMatDescr_t A, int64_t* batchCount,
                                                   int64_t* rowOffsetsStride, int64_t* colIndicesStride,
                                                   int64_t* valuesStride);

/* ---- Sparse matrix in CSR: what conversions read or write -------------------------------------------------------
 * As BSR with 1 x 1 blocks: rows + 1 offsets, a capacity of nnz columns and values. */
BSBLAS_API bsblasStatus_t bsblasCreateCsr(bsblasSpMatDescr_t* A, int64_t rows, int64_t cols, int64_t nnz,
                                          void* rowOffsets, void* colIndices, void* values,
                                          bsblasIndexType_t rowOffsetsType, bsblasIndexType_t colIndicesType,
                                          bsblasIndexBase_t indexBase, bsblasDataType_t valueType);

BSBLAS_API bsblasStatus_t bsblasCreateConstCsr(bsblasConstSpMatDescr_t* A, int64_t rows, int64_t cols, int64_t nnz,
                                               const void* rowOffsets, const void* colIndices, const void* values,
                                               bsblasIndexType_t rowOffsetsType, bsblasIndexType_t colIndicesType,
                                               bsblasIndexBase_t indexBase, bsblasDataType_t valueType);

/* Reads back what Create and CsrSetPointers set. INVALID_VALUE: A is not CSR, or (CsrGet) was made Const. */
BSBLAS_API bsblasStatus_t bsblasCsrGet(bsblasSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz,
                                       void** rowOffsets, void** colIndices, void** values,
                                       bsblasIndexType_t* rowOffsetsType, bsblasIndexType_t* colIndicesType,
                                       bsblasIndexBase_t* indexBase, bsblasDataType_t* valueType);

/* The same for either twin. */
BSBLAS_API bsblasStatus_t bsblasConstCsrGet(bsblasConstSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz,
                                            const void** rowOffsets, const void** colIndices, const void** values,
                                            bsblasIndexType_t* rowOffsetsType, bsblasIndexType_t* colIndicesType,
                                            bsblasIndexBase_t* indexBase, bsblasDataType_t* valueType);

/* Replaces the arrays and their capacity. INVALID_VALUE: A is not CSR or was made Const, nnz is below 0 or too large. */
BSBLAS_API bsblasStatus_t bsblasCsrSetPointers(bsblasSpMatDescr_t A, int64_t nnz, void* rowOffsets, void* colIndices,
                                               void* values);

/* ---- Either format ---------------------------------------------------------------------------------------------- */

/* Frees the descriptor; the arrays stay the caller's. Work already on a stream still completes. */
BSBLAS_API bsblasStatus_t bsblasDestroySpMat(bsblasConstSpMatDescr_t A);

/* *format = that of the Create function. */
BSBLAS_API bsblasStatus_t bsblasSpMatGetFormat(bsblasConstSpMatDescr_t A, bsblasFormat_t* format);

/* Logical rows and columns, and nnz = the capacity, all in elements. */
BSBLAS_API bsblasStatus_t bsblasSpMatGetSize(bsblasConstSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz);

/* Only the values: the pattern and its analysis stay. INVALID_VALUE: A was made Const (SetValues, GetValues); misaligned
 * values. */
BSBLAS_API bsblasStatus_t bsblasSpMatSetValues(bsblasSpMatDescr_t A, void* values);
BSBLAS_API bsblasStatus_t bsblasSpMatGetValues(bsblasSpMatDescr_t A, void** values);
BSBLAS_API bsblasStatus_t bsblasConstSpMatGetValues(bsblasConstSpMatDescr_t A, const void** values);

/* 100-199: reserved. */
typedef enum bsblasSpMatAttribute_t {
    /* int64_t. Ragged edges of a BSR matrix: how many of its blockRows rowBlockSize rows (blockCols colBlockSize columns)
     * there really are; the default is all. It must leave at least one row in the last block row, and with no block rows
     * it is 0. What lies outside in the edge blocks is padding: ignored where the matrix is read, zero where it is
     * written. */
    BSBLAS_SPMAT_LOGICAL_ROWS = 1,
    BSBLAS_SPMAT_LOGICAL_COLS = 2,
    BSBLAS_SPMAT_ATTRIBUTE_MAX = 0x7fffffff
} bsblasSpMatAttribute_t;

/* INVALID_VALUE: A is not BSR, attribute not listed, size is not that of its type, the value is out of its range, data is
 * NULL. */
BSBLAS_API bsblasStatus_t bsblasSpMatSetAttribute(bsblasConstSpMatDescr_t A, bsblasSpMatAttribute_t attribute,
                                                  const void* data, size_t size);
BSBLAS_API bsblasStatus_t bsblasSpMatGetAttribute(bsblasConstSpMatDescr_t A, bsblasSpMatAttribute_t attribute,
                                                  void* data, size_t size);

/* ---- Dense matrix -----------------------------------------------------------------------------------------------
 * rows x cols elements; column-major: (i, j) at i + j ld with ld >= max(1, rows), row-major: at i ld + j with
 * ld >= max(1, cols). The gap up to ld is neither read nor written. values is aligned as one element and may be NULL
 * until an operation has to look.
 * INVALID_VALUE: a negative size, too small an ld, a matrix that is too large, an unlisted enumeration value, misaligned
 * values. */
BSBLAS_API bsblasStatus_t bsblasCreateDnMat(bsblasDnMatDescr_t* B, int64_t rows, int64_t cols, int64_t ld, void* values,
                                            bsblasDataType_t valueType, bsblasOrder_t order);
BSBLAS_API bsblasStatus_t bsblasCreateConstDnMat(bsblasConstDnMatDescr_t* B, int64_t rows, int64_t cols, int64_t ld,
                                                 const void* values, bsblasDataType_t valueType, bsblasOrder_t order);

/* Frees the descriptor; the array stays the caller's. Work already on a stream still completes. */
BSBLAS_API bsblasStatus_t bsblasDestroyDnMat(bsblasConstDnMatDescr_t B);

/* Reads back what Create and SetValues set. INVALID_VALUE: (DnMatGet) B was made Const. */
BSBLAS_API bsblasStatus_t bsblasDnMatGet(bsblasDnMatDescr_t B, int64_t* rows, int64_t* cols, int64_t* ld, void** values,
                                         bsblasDataType_t* valueType, bsblasOrder_t* order);
BSBLAS_API bsblasStatus_t bsblasConstDnMatGet(bsblasConstDnMatDescr_t B, int64_t* rows, int64_t* cols, int64_t* ld,
                                              const void** values, bsblasDataType_t* valueType, bsblasOrder_t* order);

/* Only the values. INVALID_VALUE: B was made Const (SetValues, GetValues); misaligned values. */
BSBLAS_API bsblasStatus_t bsblasDnMatSetValues(bsblasDnMatDescr_t B, void* values);
BSBLAS_API bsblasStatus_t bsblasDnMatGetValues(bsblasDnMatDescr_t B, void** values);
BSBLAS_API bsblasStatus_t bsblasConstDnMatGetValues(bsblasConstDnMatDescr_t B, const void** values);

/* Makes B a batch: matrix j at values + j stride. Stride 0: the same matrix each time; only inputs may have that.
 * INVALID_VALUE: batchCount < 1; a stride below 0, or one that makes the batch too large. Operations refuse
 * outputs whose matrices overlap. */
BSBLAS_API bsblasStatus_t bsblasDnMatSetStridedBatch(bsblasConstDnMatDescr_t B, int64_t batchCount, int64_t stride);
BSBLAS_API bsblasStatus_t bsblasDnMatGetStridedBatch(bsblasConstDnMatDescr_t B, int64_t* batchCount, int64_t* stride);

/* ---- Options of an operation ------------------------------------------------------------------------------------
 * A NULL descriptor means the defaults everywhere. Values are read when the operation is called. */
BSBLAS_API bsblasStatus_t bsblasCreateOpDescr(bsblasOpDescr_t* descr);

/* Frees the descriptor. Work already on a stream still completes. */
BSBLAS_API bsblasStatus_t bsblasDestroyOpDescr(bsblasConstOpDescr_t descr);

typedef enum bsblasOpAttribute_t {
    /* 0-99: arithmetic and choice */
    BSBLAS_OP_COMPUTE_TYPE = 0, /* bsblasComputeType_t. Default: by the types, and for f32 by the handle's math mode */
    BSBLAS_OP_DETERMINISM = 1,  /* bsblasDeterminism_t. Default: the handle's */
    BSBLAS_OP_ALGORITHM = 2,    /* bsblasAlgorithm_t. Default: BSBLAS_ALG_DEFAULT */

    /* 100-199: scales. const float*, to one number in the memory of the handle's backend, read when the operation runs;
     * it multiplies alpha. Default NULL: 1. For fp8 inputs, and for int8 ones with an f32 output. */
    BSBLAS_OP_SCALE_A = 100, /* of the sparse matrix */
    BSBLAS_OP_SCALE_B = 101, /* of the dense input */

    /* Reserved: 102-199 further scales, 200-299 bias and activation, 300-399 residual and auxiliary output, 400-499
     * gates, 500-599 choice among named algorithms. */
    BSBLAS_OP_ATTRIBUTE_MAX = 0x7fffffff
} bsblasOpAttribute_t;

/* INVALID_VALUE: attribute not listed, size is not that of its type, an unlisted value, data is NULL. */
BSBLAS_API bsblasStatus_t bsblasOpDescrSetAttribute(bsblasOpDescr_t descr, bsblasOpAttribute_t attribute,
                                                    const void* data, size_t size);
/* An attribute that was not set has no value to get: INVALID_VALUE (scales: NULL, algorithm: default). */
BSBLAS_API bsblasStatus_t bsblasOpDescrGetAttribute(bsblasConstOpDescr_t descr, bsblasOpAttribute_t attribute,
                                                    void* data, size_t size);

BSBLAS_END_DECLS

#endif
