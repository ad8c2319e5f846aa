// The one problem grammar: a test input, a benchmark input and a line of the library's log are the same text.
//
//   spmm side=left opa=n opb=t m=4096 n=8192 k=4096 block=32x16 type=bf16 out=f32 ldb=+7 ldc=8200 alpha=0.5  # a note
//
// The first word is the operation, the rest are key=value in any order; key_help() lists the keys that each operation
// knows, with their meaning and default. m, n, k are those of the equation in multiply.h, in elements; they need not be
// multiples of the block. In operations without an equation A is m x k. Lengths (ld..., stride...) are absolute, or
// with a + relative to the least legal one. Complex numbers are re:im.
//
// Commas give alternatives, which expand to their cross product: block=8,16x8 opa=n,t is four problems. A line that
// begins with the word `pairwise` expands to fewer: every pair of values of any two keys occurs at least once.
#pragma once

#include <bsblas/types.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "pattern.h"

namespace bsblas::test {

using Complex = std::complex<double>;

enum class Op { spmm, sddmm, transpose, refresh, analyze, sort, dense2bsr, bsr2dense, csr2bsr, bsr2csr, validate };

struct Length {
    bool relative = true;
    int64_t value = 0;
    int64_t from(int64_t minimum) const { return relative ? minimum + value : value; }
    bool operator==(const Length&) const = default;
};

struct DenseLayout {
    bsblasOrder_t order = BSBLAS_ORDER_ROW;
    Length ld;
    Length stride;       // between matrices of a batch
    int64_t batch = -1;  // of an input: Problem::batch or 1
    bool operator==(const DenseLayout&) const = default;
};

struct SparseLayout {
    bsblasOrder_t order = BSBLAS_ORDER_ROW;  // of the elements in a block
    int64_t base = 0;
    bsblasIndexType_t offsets = BSBLAS_INDEX_32I;
    bsblasIndexType_t columns = BSBLAS_INDEX_32I;
    Length values_stride, offsets_stride, columns_stride;
    int64_t batch = -1;
    int64_t tail = 0;  // slots of capacity behind the live ones; a conversion's output may have fewer than it needs
    bool operator==(const SparseLayout&) const = default;
};

struct Problem {
    Op op = Op::spmm;
    int64_t m = 64, n = 64, k = 64;
    int64_t bm = 16, bk = 16;

    bsblasSide_t side = BSBLAS_SIDE_LEFT;
    bsblasOperation_t opa = BSBLAS_OP_N, opb = BSBLAS_OP_N;  // in sddmm those of X and Y
    bsblasDataType_t type = BSBLAS_R_32F;                    // of A; in sddmm of X
    bsblasDataType_t typeb = BSBLAS_R_32F;                   // of B; in sddmm of Y
    bsblasDataType_t out = BSBLAS_R_32F;                     // of C; in sddmm of A

    SparseLayout a;
    SparseLayout s;             // the other sparse matrix: At, or the CSR one
    DenseLayout b, c, x, y, d;  // d: the dense matrix of a conversion

    int64_t batch = 1;
    Complex alpha = 1, beta = 0;
    double scale_a = 0, scale_b = 0;  // 0: none given
    bsblasPointerMode_t mode = BSBLAS_POINTER_MODE_HOST;

    int compute = -1;  // bsblasComputeType_t, or -1: not set
    bsblasAlgorithm_t algorithm = BSBLAS_ALG_DEFAULT;
    bsblasDeterminism_t determinism = BSBLAS_DETERMINISM_REQUIRED;
    bool analysis = false;
    bool map = true;     // of sort and transpose: ask for the map
    bool shift = false;  // every pointer is one element (the buffer: one byte on a host) past its alignment
    int threads = 0;

    PatternSpec pattern;

    bool operator==(const Problem&) const = default;

    // Sizes of A as it is stored, in elements and in blocks.
    int64_t a_rows() const;
    int64_t a_cols() const;
    int64_t block_rows() const { return (a_rows() + bm - 1) / bm; }
    int64_t block_cols() const { return (a_cols() + bk - 1) / bk; }
};

// All throw std::invalid_argument with a sentence that names the word at fault.
Problem parse(const std::string& line);                   // exactly one
std::vector<Problem> expand(const std::string& line);     // none for an empty line or a comment
std::vector<Problem> read_list(const std::string& path);  // its errors name file and line
std::vector<Problem> read_list(std::istream& in, const std::string& name);

// The line that parses to this problem: the sizes, and whatever is not the default.
std::string format(const Problem& problem);

std::string key_help();

const char* name_of(Op op);
const char* name_of(bsblasDataType_t type);  // as after type=
const char* name_of(bsblasOperation_t op);
const char* name_of(bsblasOrder_t order);
const char* name_of(PatternKind kind);

}  // namespace bsblas::test
