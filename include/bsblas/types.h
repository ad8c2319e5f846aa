/* bsblas: enumerations. SPDX-License-Identifier: Apache-2.0
 *
 * Every value is written out and never changes. Where CUDA's libraries have the same notion, the values are theirs, so a
 * program can pass its own constant through a cast. Enumerations whose zero would be an accident start above it.
 * A value that this header does not list is answered with BSBLAS_STATUS_INVALID_VALUE. */
#ifndef BSBLAS_TYPES_H
#define BSBLAS_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <bsblas/export.h>

BSBLAS_BEGIN_DECLS

/* Where a handle computes. */
typedef enum bsblasBackend_t {
    BSBLAS_BACKEND_HOST = 1, /* CPU threads, host memory; always there and complete */
    BSBLAS_BACKEND_CUDA = 2, /* the CUDA device that is current when the handle is made, device memory */
    BSBLAS_BACKEND_MAX = 0x7fffffff
} bsblasBackend_t;

/* Element types; the values of cudaDataType_t. */
typedef enum bsblasDataType_t {
    BSBLAS_R_32F = 0,       /* IEEE binary32 */
    BSBLAS_R_64F = 1,       /* IEEE binary64 */
    BSBLAS_R_16F = 2,       /* IEEE binary16 */
    BSBLAS_R_8I = 3,        /* signed 8-bit integer */
    BSBLAS_C_32F = 4,       /* pairs of binary32: real, imaginary; alignment of a float is enough */
    BSBLAS_C_64F = 5,       /* pairs of binary64: real, imaginary; alignment of a double is enough */
    BSBLAS_R_32I = 10,      /* signed 32-bit integer */
    BSBLAS_R_16BF = 14,     /* bfloat16 */
    BSBLAS_R_8F_E4M3 = 28,  /* 8-bit float, 4 exponent bits, no infinity */
    BSBLAS_R_8F_E5M2 = 29,  /* 8-bit float, 5 exponent bits */
    BSBLAS_DATA_TYPE_MAX = 0x7fffffff
} bsblasDataType_t;

/* Arithmetic of a product; the values of cublasComputeType_t. */
typedef enum bsblasComputeType_t {
    BSBLAS_COMPUTE_32F = 68,           /* products and sums in binary32 */
    BSBLAS_COMPUTE_64F = 70,           /* products and sums in binary64 */
    BSBLAS_COMPUTE_32I = 72,           /* exact, modulo 2^32 */
    BSBLAS_COMPUTE_32F_FAST_TF32 = 77, /* inputs may be rounded to TF32 (10 mantissa bits), sums in binary32 */
    BSBLAS_COMPUTE_MAX = 0x7fffffff
} bsblasComputeType_t;

/* Index types; the values of cusparseIndexType_t. */
typedef enum bsblasIndexType_t {
    BSBLAS_INDEX_32I = 2,
    BSBLAS_INDEX_64I = 3,
    BSBLAS_INDEX_TYPE_MAX = 0x7fffffff
} bsblasIndexType_t;

/* What the first row, column and slot are called. */
typedef enum bsblasIndexBase_t {
    BSBLAS_INDEX_BASE_ZERO = 0,
    BSBLAS_INDEX_BASE_ONE = 1,
    BSBLAS_INDEX_BASE_MAX = 0x7fffffff
} bsblasIndexBase_t;

/* Memory order of a dense matrix, or of the elements in a block; the values of cusparseOrder_t. */
typedef enum bsblasOrder_t {
    BSBLAS_ORDER_COL = 1, /* element (i, j) at i + j ld */
    BSBLAS_ORDER_ROW = 2, /* element (i, j) at i ld + j */
    BSBLAS_ORDER_MAX = 0x7fffffff
} bsblasOrder_t;

/* Storage format of a sparse matrix. */
typedef enum bsblasFormat_t {
    BSBLAS_FORMAT_CSR = 1, /* compressed sparse rows; only conversions take it; the value of cusparseFormat_t */
    BSBLAS_FORMAT_BSR = 6, /* block sparse rows; the value of cusparseFormat_t */
    BSBLAS_FORMAT_MAX = 0x7fffffff
} bsblasFormat_t;

/* op(M); the values of cublasOperation_t. On real types H equals T. */
typedef enum bsblasOperation_t {
    BSBLAS_OP_N = 0, /* M */
    BSBLAS_OP_T = 1, /* the transpose of M */
    BSBLAS_OP_H = 2, /* the conjugate transpose of M */
    BSBLAS_OP_MAX = 0x7fffffff
} bsblasOperation_t;

/* On which side of the product the sparse matrix stands; the values of cublasSideMode_t. */
typedef enum bsblasSide_t {
    BSBLAS_SIDE_LEFT = 0,
    BSBLAS_SIDE_RIGHT = 1,
    BSBLAS_SIDE_MAX = 0x7fffffff
} bsblasSide_t;

/* Where alpha and beta are; the values of cublasPointerMode_t. */
typedef enum bsblasPointerMode_t {
    BSBLAS_POINTER_MODE_HOST = 0,   /* host memory, read before the call returns */
    BSBLAS_POINTER_MODE_DEVICE = 1, /* memory of the handle's backend, read when the operation runs */
    BSBLAS_POINTER_MODE_MAX = 0x7fffffff
} bsblasPointerMode_t;

/* What a handle may do with f32 products whose operation descriptor names no compute type. */
typedef enum bsblasMathMode_t {
    BSBLAS_MATH_DEFAULT = 0, /* f32 is f32 */
    BSBLAS_MATH_TF32 = 1,    /* f32 inputs may be rounded to TF32 */
    BSBLAS_MATH_MAX = 0x7fffffff
} bsblasMathMode_t;

/* Whether results must be the same bits at every call. */
typedef enum bsblasDeterminism_t {
    BSBLAS_DETERMINISM_RELAXED = 0,  /* faster paths whose order of summation varies are allowed */
    BSBLAS_DETERMINISM_REQUIRED = 1, /* the default */
    BSBLAS_DETERMINISM_MAX = 0x7fffffff
} bsblasDeterminism_t;

/* How a kernel is chosen. 2-99: reserved for further general rules; from 100: reserved for named algorithms. */
typedef enum bsblasAlgorithm_t {
    BSBLAS_ALG_DEFAULT = 0,   /* the fastest kernel that takes the problem, by the library's cost model */
    BSBLAS_ALG_REFERENCE = 1, /* the backend's complete, plain kernel: slow, and what the others are checked against */
    BSBLAS_ALG_MAX = 0x7fffffff
} bsblasAlgorithm_t;

/* How much is logged; each level includes those below it. */
typedef enum bsblasLogLevel_t {
    BSBLAS_LOG_OFF = 0,       /* "off": nothing, the default */
    BSBLAS_LOG_ERROR = 10,    /* "error": each call that fails, with its message */
    BSBLAS_LOG_CALL = 20,     /* "call": each SpMM and SDDMM as a problem line, with the kernel that ran */
    BSBLAS_LOG_DISPATCH = 30, /* "dispatch": for each of those, why every other kernel was not taken */
    BSBLAS_LOG_MAX = 0x7fffffff
} bsblasLogLevel_t;

/* What bsblasBsrValidate can find. 5-99: reserved. */
typedef enum bsblasDefect_t {
    BSBLAS_DEFECT_NONE = 0,
    BSBLAS_DEFECT_FIRST_OFFSET = 1,      /* rowOffsets[0] is not the index base */
    BSBLAS_DEFECT_OFFSETS_DECREASE = 2,  /* rowOffsets[row + 1] < rowOffsets[row] */
    BSBLAS_DEFECT_ABOVE_CAPACITY = 3,    /* rowOffsets[row + 1] - base exceeds nnzBlocks */
    BSBLAS_DEFECT_COLUMN = 4,            /* colIndices[slot] - base is below 0 or not below blockCols */
    BSBLAS_DEFECT_MAX = 0x7fffffff
} bsblasDefect_t;

/* Parts of the version; the values of libraryPropertyType. */
typedef enum bsblasProperty_t {
    BSBLAS_PROPERTY_MAJOR = 0,
    BSBLAS_PROPERTY_MINOR = 1,
    BSBLAS_PROPERTY_PATCH = 2,
    BSBLAS_PROPERTY_MAX = 0x7fffffff
} bsblasProperty_t;

/* A CUDA stream: the type that cudaStream_t and CUstream are. */
typedef struct CUstream_st* bsblasStream_t;

typedef struct bsblasHandle* bsblasHandle_t;

/* A sparse matrix. The Const twin promises that the arrays behind it are only read; it says nothing of the descriptor,
 * whose batch, attributes and analysis can be set through either. A plain one converts to its twin. */
typedef struct bsblasSpMatDescr* bsblasSpMatDescr_t;
typedef const struct bsblasSpMatDescr* bsblasConstSpMatDescr_t;

/* A dense matrix, likewise. */
typedef struct bsblasDnMatDescr* bsblasDnMatDescr_t;
typedef const struct bsblasDnMatDescr* bsblasConstDnMatDescr_t;

/* The options of an operation. */
typedef struct bsblasOpDescr* bsblasOpDescr_t;
typedef const struct bsblasOpDescr* bsblasConstOpDescr_t;

BSBLAS_END_DECLS

#endif
