// A problem made ready to run through the C ABI on a backend: operands, descriptors, workspace, and the check of the
// result.
#pragma once

#include <bsblas/bsblas.h>

#include <memory>
#include <string>
#include <vector>

#include "memory.h"
#include "problem.h"

namespace bsblas::test {

struct CallOptions {
    bool capturable = false;  // leave out what a graph cannot hold: counts that go to host memory
    bool full_check = true;   // every element against the reference; else the randomised check, for big sizes
};

class SparseMatrix;
class DenseMatrix;

// Of an SpMM (a, b, c) or an SDDMM (x, y, a); null where there is none.
struct ProductOperands {
    SparseMatrix* a = nullptr;
    DenseMatrix *b = nullptr, *c = nullptr, *x = nullptr, *y = nullptr;
};

class Call {
public:
    virtual ~Call();
    Call(const Call&) = delete;

    // Writes inputs of these random values (the pattern stays that of the problem) and poisoned outputs.
    virtual void fill(uint64_t seed) = 0;
    // What has to happen between the first fill and the first run: the workspace's size, an analysis.
    virtual bsblasStatus_t prepare() = 0;
    // The operation itself: what is captured and what is timed. Does not wait.
    virtual bsblasStatus_t run() = 0;
    // Waits and reads everything back; "" or what was written that must not be.
    virtual std::string download() = 0;
    // Of what was read back: "" or what is wrong with the result.
    virtual std::string verify() = 0;
    // The outputs' bits as they were read back.
    virtual std::vector<Bytes> bits() const = 0;
    // What run is to answer.
    virtual bsblasStatus_t expected() const { return BSBLAS_STATUS_SUCCESS; }

    virtual ProductOperands operands() { return {}; }

    bsblasHandle_t handle() const { return handle_; }

protected:
    Call(const Problem& problem, Memory& memory, const CallOptions& options);

    Problem problem_;
    Memory& memory_;
    CallOptions options_;
    bsblasHandle_t handle_ = nullptr;
};

// Throws std::runtime_error when the library refuses a descriptor or a handle.
std::unique_ptr<Call> make_call(const Problem& problem, Memory& memory, const CallOptions& options = {});

}  // namespace bsblas::test
