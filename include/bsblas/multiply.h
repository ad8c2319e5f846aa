/* bsblas: products. SPDX-License-Identifier: Apache-2.0
 *
 * Types, of SpMM and SDDMM alike:
 *
 *   sparse and dense inputs         output            accumulate   alpha, beta   compute type
 *   R_32F                           R_32F             f32          R_32F         32F, or 32F_FAST_TF32
 *   R_64F                           R_64F             f64          R_64F         64F
 *   C_32F                           C_32F             f32          C_32F         32F
 *   C_64F                           C_64F             f64          C_64F         64F
 *   R_16F                           R_16F or R_32F    f32          R_32F         32F
 *   R_16BF                          R_16BF or R_32F   f32          R_32F         32F
 *   R_8F_E4M3, R_8F_E5M2, any mix   R_16F, R_16BF,    f32          R_32F         32F
 *     (SpMM only)                     or R_32F
 *   R_8I (SpMM only)                R_32I             exact        R_32I         32I
 *   R_8I (SpMM only)                R_32F             exact        R_32F         32I
 *
 * In SDDMM the inputs are the dense ones and the output is the sparse one. Sums run over the whole row and are rounded once,
 * after alpha, beta and scales. Integer results wrap modulo 2^32. alpha and beta need only the alignment of a real
 * element of their type.
 *
 * Special values. beta = 0 overwrites the output without reading it. alpha = 0 reads neither input, but for A's pattern
 * where a call makes its transposed index and alpha lies on the device. A block that is not stored does not multiply: NaN
 * and infinity in B reach only rows that have a block there, and where nothing is summed the result is beta C, even if
 * alpha is infinite. Stored zeros do multiply.
 *
 * Errors, of both: NOT_INITIALIZED: a handle or descriptor is not one. INVALID_VALUE: sizes that do not match, an array
 * that is NULL although the result depends on it, a buffer that is not aligned, an output that overlaps itself. Inputs
 * and output must not overlap; that is not checked. NOT_SUPPORTED: a combination of types that the table lacks, a scale
 * unless the inputs are fp8, or R_8I with an R_32F output, a CSR matrix, or fp8 and 8-bit integers in SDDMM.
 * INSUFFICIENT_WORKSPACE. EXECUTION_FAILED: the device. */
#ifndef BSBLAS_MULTIPLY_H
#define BSBLAS_MULTIPLY_H

#include <bsblas/descriptor.h>
#include <bsblas/handle.h>

BSBLAS_BEGIN_DECLS

/* side LEFT:   C = alpha op(A) op(B) + beta C     op(A) m x k, op(B) k x n, C m x n
 * side RIGHT:  C = alpha op(B) op(A) + beta C     op(B) m x k, op(A) k x n, C m x n
 *
 * All ops read the same values; nothing is transposed in memory. LEFT with T or H, and RIGHT with N, need the transposed
 * index of the pattern: bsblasBsrAnalyze keeps it, otherwise each call makes it in its buffer.
 *
 *   A           BSR, in the backend's memory. Sizes are the logical ones
 *   B, C        dense, any order each, in the backend's memory
 *   alpha, beta one number each, of the type in the table above, where the pointer mode says
 *   descr       NULL, or options, which are read before the call returns; scales are read when the operation runs
 *   buffer      bufferSize bytes, as bsblas.h says
 *
 * Batches: C has n matrices; A and B have n or 1, and 1 is used for all.
 * Asynchronous and capturable on a cuda handle. */
BSBLAS_API bsblasStatus_t bsblasSpMM_bufferSize(bsblasHandle_t handle, bsblasSide_t side, bsblasOperation_t opA,
                                                bsblasOperation_t opB, bsblasConstSpMatDescr_t A,
                                                bsblasConstDnMatDescr_t B, bsblasConstDnMatDescr_t C,
                                                bsblasConstOpDescr_t descr, size_t* bufferSize);

BSBLAS_API bsblasStatus_t bsblasSpMM(bsblasHandle_t handle, bsblasSide_t side, bsblasOperation_t opA,
                                     bsblasOperation_t opB, const void* alpha, bsblasConstSpMatDescr_t A,
                                     bsblasConstDnMatDescr_t B, const void* beta, bsblasDnMatDescr_t C,
                                     bsblasConstOpDescr_t descr, void* buffer, size_t bufferSize);

/* Sampled dense-dense product: for each stored block of A (m x n, logical sizes)
 *   A_block = alpha (op(X) op(Y))_block + beta A_block     op(X) m x k, op(Y) k x n
 * Blocks stored twice at one place both get the product. Padding in edge blocks becomes zero.
 *
 * The gradient of Y = W X by W, at W's blocks, is SDDMM with X := dY, op N, and Y := X, op T (H on complex types).
 *
 *   X, Y        dense, any order each, in the backend's memory
 *   A           BSR, in the backend's memory. Its pattern is only read
 *   alpha, beta, descr, buffer  as of SpMM
 *
 * Batches: A has n matrices; X and Y have n or 1, and 1 is used for all.
 * Asynchronous and capturable on a cuda handle. */
BSBLAS_API bsblasStatus_t bsblasSDDMM_bufferSize(bsblasHandle_t handle, bsblasOperation_t opX, bsblasOperation_t opY,
                                                 bsblasConstDnMatDescr_t X, bsblasConstDnMatDescr_t Y,
                                                 bsblasConstSpMatDescr_t A, bsblasConstOpDescr_t descr,
                                                 size_t* bufferSize);

BSBLAS_API bsblasStatus_t bsblasSDDMM(bsblasHandle_t handle, bsblasOperation_t opX, bsblasOperation_t opY,
                                      const void* alpha, bsblasConstDnMatDescr_t X, bsblasConstDnMatDescr_t Y,
                                      const void* beta, bsblasSpMatDescr_t A, bsblasConstOpDescr_t descr, void* buffer,
                                      size_t bufferSize);

BSBLAS_END_DECLS

#endif
