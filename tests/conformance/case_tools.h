// Small matrices written out by hand, and calls on them.
#pragma once

#include "cases.h"
#include "support/call_parts.h"
#include "support/operand.h"

namespace bsblas::test {

std::vector<Case> product_cases();
std::vector<Case> pattern_cases();
std::vector<Case> library_cases();

class Handle {
public:
    explicit Handle(const Session& session);
    ~Handle();
    Handle(const Handle&) = delete;
    operator bsblasHandle_t() const { return handle_; }

private:
    bsblasHandle_t handle_ = nullptr;
};

// Row-major lists of numbers become matrices in the backend's memory.
struct Blocks {
    int64_t rows, cols;  // logical, in elements
    int64_t bm, bk;
    std::vector<int64_t> offsets, columns;  // from 0
    std::vector<Complex> values;            // block by block, each row-major
};
std::unique_ptr<SparseMatrix> make_sparse(Session& session, const Blocks& blocks, bsblasDataType_t type,
                                          const SparseLayout& layout = {});
std::unique_ptr<DenseMatrix> make_dense(Session& session, int64_t rows, int64_t cols,
                                        const std::vector<Complex>& values, bsblasDataType_t type,
                                        const DenseLayout& layout = {});

// alpha and beta in the type that the output's asks for.
struct Factors {
    Complex alpha = 1, beta = 0;
};

// Makes the workspace, calls, reads C back; records a failure and returns false if anything but C's elements changed.
bool multiply(Session& session, bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseMatrix& a,
              DenseMatrix& b, DenseMatrix& c, const Factors& factors = {});
bool sample(Session& session, bsblasOperation_t opx, bsblasOperation_t opy, DenseMatrix& x, DenseMatrix& y,
            SparseMatrix& a, const Factors& factors = {});

// Memory of which a test touches a few places; data() is null where there is not as much. On a host it takes
// address space only.
class LargeArray {
public:
    LargeArray(Memory& memory, size_t bytes);
    ~LargeArray();
    LargeArray(const LargeArray&) = delete;
    void* data() const { return data_; }
    void* at(int64_t element, bsblasDataType_t type) const {
        return static_cast<char*>(data_) + element * static_cast<int64_t>(size_of(type));
    }

private:
    Memory& memory_;
    size_t bytes_;
    void* data_ = nullptr;
};

// Whether the matrix read back has exactly these elements, row by row.
void expect_elements(Session& session, const std::string& what, const DenseOperand& actual,
                     const std::vector<Complex>& expected);
void expect_elements(Session& session, const std::string& what, const DenseOperand& actual,
                     const std::function<Complex(int64_t, int64_t)>& expected);

// Whether the call answered this and named its function, and the text, in the sentence.
void expect_refusal(Session& session, bsblasStatus_t actual, bsblasStatus_t expected, const std::string& text);

}  // namespace bsblas::test
