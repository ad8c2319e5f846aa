// Matrices for tests: arrays in a backend's memory with the descriptor that names them, and host copies from before and
// after a call. All that is not an element of the matrix (gaps up to ld, gaps between matrices of a batch, capacity
// behind the live slots, padding of edge blocks) is poisoned, so that reading it spoils the result, and can be checked
// for being untouched.
#pragma once

#include <bsblas/bsblas.h>

#include <functional>
#include <string>
#include <vector>

#include "memory.h"
#include "oracle.h"
#include "problem.h"

namespace bsblas::test {

// Throws std::runtime_error with the library's sentence unless the call succeeded.
void require(bsblasStatus_t status);

class Array {
public:
    Array(Memory& memory, size_t bytes, size_t shift) : before(bytes, poison), buffer_(memory, bytes, shift) {}
    void* data() const { return buffer_.data(); }
    void upload() { buffer_.write(before); }
    void download() { after = buffer_.read(); }
    // "" or a sentence: whether the guards, and all bytes but those of the elements that `writable` lists, are as
    // before.
    struct Span {
        int64_t first, count;  // elements
    };
    std::string damage(const char* name, const std::vector<Span>& writable, size_t element) const;

    Bytes before, after;

private:
    Buffer buffer_;
};

class DenseMatrix {
public:
    // shift: the values lie one element past their alignment.
    DenseMatrix(Memory& memory, int64_t rows, int64_t cols, bsblasDataType_t type, const DenseLayout& layout,
                bool shift);
    ~DenseMatrix();
    DenseMatrix(const DenseMatrix&) = delete;

    bsblasDnMatDescr_t descriptor() const { return descriptor_; }
    int64_t rows() const { return rows_; }
    int64_t cols() const { return cols_; }
    int64_t stored() const { return stride_ == 0 ? 1 : batch_; }  // distinct matrices
    // Values only in elements, by matrix, row and column.
    void fill(const std::function<Complex(int64_t, int64_t, int64_t)>& value);
    void fill(Random& random);
    void fill_poison() { std::fill(values.before.begin(), values.before.end(), poison); }
    DenseOperand before(int64_t matrix) const { return view(values.before, matrix); }
    DenseOperand after(int64_t matrix) const { return view(values.after, matrix); }
    void upload() { values.upload(); }
    // Reads back; "" or what was changed that should not have been.
    std::string download(const char* name, bool written);

private:
    DenseOperand view(const Bytes& bytes, int64_t matrix) const;

    int64_t rows_, cols_, ld_, batch_, stride_;
    bsblasDataType_t type_;
    bsblasOrder_t order_;
    bsblasDnMatDescr_t descriptor_ = nullptr;

public:
    Array values;
};

struct SparseShape {
    int64_t rows = 0, cols = 0;  // logical, in elements
    int64_t bm = 1, bk = 1;
    bsblasDataType_t type = BSBLAS_R_32F;
    bsblasFormat_t format = BSBLAS_FORMAT_BSR;
    int64_t block_rows() const { return (rows + bm - 1) / bm; }
    int64_t block_cols() const { return (cols + bk - 1) / bk; }
};

class SparseMatrix {
public:
    SparseMatrix(Memory& memory, const SparseShape& shape, const SparseLayout& layout, int64_t capacity, bool shift);
    ~SparseMatrix();
    SparseMatrix(const SparseMatrix&) = delete;

    bsblasSpMatDescr_t descriptor() const { return descriptor_; }
    const SparseShape& shape() const { return shape_; }
    int64_t capacity() const { return capacity_; }
    int64_t stored_patterns() const { return offsets_stride_ == 0 ? 1 : batch_; }
    int64_t stored_values() const { return values_stride_ == 0 ? 1 : batch_; }

    // Writes the pattern; the slots behind it get columns that look right and columns that point outside, by turns.
    void set_pattern(int64_t matrix, const BlockPattern& pattern);
    const BlockPattern& pattern(int64_t matrix) const { return patterns_[offsets_stride_ == 0 ? 0 : matrix]; }
    // By matrix, slot, row and column in the block; padding stays poisoned.
    void fill(const std::function<Complex(int64_t, int64_t, int64_t, int64_t)>& value);
    void fill(Random& random);
    void fill_poison();  // all arrays

    SparseOperand before(int64_t matrix) const { return view(values.before, matrix); }
    SparseOperand after(int64_t matrix) const { return view(values.after, matrix); }
    void upload();
    // Reads back; "" or what was changed that should not have been.
    enum class Written { nothing, values, all };
    std::string download(const char* name, Written written);
    // For pattern outputs, after download: takes the pattern that was written as the one that before() and after() use.
    // "" or what is wrong with it.
    std::string adopt_pattern(int64_t matrix);
    // The first offset to the last are all the base.
    bool is_empty_pattern(int64_t matrix) const;

private:
    SparseOperand view(const Bytes& bytes, int64_t matrix) const;
    // The number at a place of an index array, base removed.
    int64_t offset(const Bytes& bytes, int64_t matrix, int64_t row) const;
    int64_t column(const Bytes& bytes, int64_t matrix, int64_t slot) const;

    SparseShape shape_;
    SparseLayout layout_;
    int64_t capacity_, batch_, offsets_stride_, columns_stride_, values_stride_;
    std::vector<BlockPattern> patterns_;  // by matrix
    bsblasSpMatDescr_t descriptor_ = nullptr;

public:
    Array offsets, columns, values;
};

}  // namespace bsblas::test
