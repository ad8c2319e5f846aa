// What a kernel is asked to compute: plain structs, all that kernels/ may see of src/.
//
// The API layer has already checked everything and normalised it: side RIGHT became LEFT by transposing the whole
// equation, orders became strides, op became a swap of strides plus a conjugation flag. So there is one SpMM and one
// SDDMM.
#pragma once

#include <bsblas/types.h>

#include <cstdint>
#include <cstring>

// The same accessors serve host code and CUDA kernels.
#ifdef __CUDACC__
#define BSBLAS_HD __host__ __device__ __forceinline__
#else
#define BSBLAS_HD inline
#endif

namespace bsblas {

// An array of 32- or 64-bit integers, whichever the caller has.
struct Indices {
    const void* data = nullptr;
    bool wide = false;  // int64_t, else int32_t

    BSBLAS_HD int64_t operator[](int64_t i) const {
        return wide ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
    }
    BSBLAS_HD Indices from(int64_t i) const { return {static_cast<const char*>(data) + i * (wide ? 8 : 4), wide}; }
    explicit operator bool() const { return data != nullptr; }
    bool operator==(const Indices&) const = default;
};

// The pattern of op(A), by rows of op(A). For op N it is the caller's; for op T and H it is the transposed index, whose
// `slots` say which stored block each entry is.
struct Pattern {
    int64_t rows = 0, cols = 0;  // in blocks, of op(A)
    int64_t capacity = 0;  // of indices (and slots); the live count is offsets[rows] - base, known where the data is
    int64_t base = 0;      // of offsets and indices; slots always count from 0
    Indices offsets;       // rows + 1; null when capacity is 0 and the caller gave none: every row is empty
    Indices indices;       // block columns of op(A)
    Indices slots;         // null: entry p is stored block p
    int64_t offsets_stride = 0, indices_stride = 0, slots_stride = 0;  // between matrices of a batch, in elements

    BSBLAS_HD Pattern of_batch(int64_t j) const {
        Pattern p = *this;
        if (offsets.data) p.offsets = offsets.from(j * offsets_stride);
        if (indices.data) p.indices = indices.from(j * indices_stride);
        if (slots.data) p.slots = slots.from(j * slots_stride);
        return p;
    }
    BSBLAS_HD int64_t begin(int64_t row) const { return offsets.data ? offsets[row] - base : 0; }
    BSBLAS_HD int64_t end(int64_t row) const { return offsets.data ? offsets[row + 1] - base : 0; }
    BSBLAS_HD int64_t col(int64_t p) const { return indices[p] - base; }
    BSBLAS_HD int64_t slot(int64_t p) const { return slots.data ? slots[p] : p; }
    bool operator==(const Pattern&) const = default;
};

// op(A) as kernels walk it. Element (r, c) of the block in slot s is values[s block_stride + r row_stride + c
// col_stride].
struct Sparse {
    Pattern pattern;
    int64_t rows = 0, cols = 0;  // logical, in elements, of op(A); the last block row and column may stick out
    int64_t bm = 0, bk = 0;      // block rows and columns, of op(A)
    int64_t row_stride = 0, col_stride = 0;  // one of them is 1
    int64_t block_stride = 0;                // bm bk
    void* values = nullptr;
    int64_t values_stride = 0;  // between matrices of a batch, in elements
    bsblasDataType_t type = BSBLAS_R_32F;
    bool transposed = false;  // pattern is a transposed index: blocks of a row are scattered in memory
    bool conjugate = false;
    bool operator==(const Sparse&) const = default;
};

// A dense operand after its op: element (r, c) is values[r row_stride + c col_stride].
struct Dense {
    int64_t rows = 0, cols = 0;
    int64_t row_stride = 0, col_stride = 0;  // one of them is 1, the other the caller's ld
    void* values = nullptr;
    int64_t batch_stride = 0;  // in elements; 0: the same matrix for the whole batch
    bsblasDataType_t type = BSBLAS_R_32F;
    bool conjugate = false;
    bool operator==(const Dense&) const = default;
};

// alpha or beta: a value on the host, or where to read it when the operation runs.
struct Scalar {
    alignas(16) unsigned char value[16] = {};
    const void* pointer = nullptr;  // in the backend's memory; may be aligned as its real part only

    // T's parts are copied byte by byte because of that alignment.
    template <class T>
    BSBLAS_HD T get() const {
        T out;
        const unsigned char* from = pointer ? static_cast<const unsigned char*>(pointer) : value;
        for (unsigned i = 0; i < sizeof(T); ++i) reinterpret_cast<unsigned char*>(&out)[i] = from[i];
        return out;
    }
    bool operator==(const Scalar&) const = default;
};

// What SpMM and SDDMM have in common besides their matrices.
struct Arithmetic {
    Scalar alpha, beta;                           // of scalar_type
    bsblasDataType_t scalar_type = BSBLAS_R_32F;  // multiply.h has the table
    bsblasComputeType_t compute = BSBLAS_COMPUTE_32F;
    const float* scale_a = nullptr;  // multiply alpha; null: 1; in the backend's memory
    const float* scale_b = nullptr;
    bool deterministic = true;
    bsblasAlgorithm_t algorithm = BSBLAS_ALG_DEFAULT;
    bool operator==(const Arithmetic&) const = default;
};

// C = alpha a b + beta c, with c rows x cols = a.rows x b.cols and b.rows = a.cols.
struct SpmmProblem {
    Sparse a;
    Dense b, c;
    Arithmetic arithmetic;
    int64_t batch = 1;
    bool operator==(const SpmmProblem&) const = default;
};

// a = alpha (x y) sampled at a's pattern + beta a, with x.rows = a.rows, y.cols = a.cols and x.cols = y.rows.
// a is never transposed here; a.values is written, and so is the padding of edge blocks (zeros).
struct SddmmProblem {
    Dense x, y;
    Sparse a;
    Arithmetic arithmetic;
    int64_t batch = 1;
    bool operator==(const SddmmProblem&) const = default;
};

}  // namespace bsblas
