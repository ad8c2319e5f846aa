// One valid object of every kind, all of them fitting together, and poisoned outputs that are watched: what calls of
// all public functions can be made from, and spoiled with.
#pragma once

#include <bsblas/bsblas.h>

#include <memory>
#include <string>
#include <vector>

#include "support/memory.h"
#include "support/operand.h"

namespace bsblas::test {

// A is 6 x 4: 3 x 2 blocks of 2 x 2, 4 of them stored. All is f32, row-major and counts from 0.
class World {
public:
    explicit World(Memory& memory);
    ~World();
    World(const World&) = delete;

    // "" or what was written since it was made.
    std::string written();

    static constexpr int64_t n = 3;

    Memory& memory;
    bsblasHandle_t handle = nullptr;
    bsblasOpDescr_t options = nullptr;
    std::unique_ptr<SparseMatrix> a, at, s;             // BSR, its transpose's pattern and values (an output), CSR
    std::unique_ptr<SparseMatrix> a_out, s_out;         // of A's and S's size, for conversions to write
    std::unique_ptr<DenseMatrix> b, c, x, y, d, d_out;  // B 4 x n, C 6 x n (an output), X 6 x n, Y n x 4, D 6 x 4
    Array workspace;                                    // more than any call needs
    Array map;                                          // from At to A
    static constexpr size_t workspace_size = 1 << 16;
    static constexpr float one = 1, zero = 0;

    // Alive until bury_the_dead(), which is to be called when nothing more will be created: that could get their
    // addresses.
    bsblasHandle_t dead_handle = nullptr;
    bsblasSpMatDescr_t dead_sparse = nullptr;
    bsblasDnMatDescr_t dead_dense = nullptr;
    bsblasOpDescr_t dead_options = nullptr;
    void bury_the_dead();

    // Host memory for what functions hand out: 32 bytes for each argument.
    void* output(int argument) { return outputs_ + 32 * argument; }

    // Descriptors that differ from a good one in one respect; they live as long as the world.
    struct Difference {
        bsblasDataType_t type = BSBLAS_R_32F;
        int64_t more_rows = 0;  // BSR: in blocks
        int64_t more_batch = 0;
        int64_t more_capacity = 0;
        bool without_values = false, without_columns = false, without_offsets = false, read_only = false;
    };
    bsblasSpMatDescr_t like(const SparseMatrix& matrix, const Difference& difference);
    bsblasDnMatDescr_t like(const DenseMatrix& matrix, const Difference& difference);

private:
    Array& watched(Array& array) {
        array.upload();
        watched_.push_back(&array);
        return array;
    }

    std::vector<Array*> watched_;
    std::vector<bsblasSpMatDescr_t> sparse_;
    std::vector<bsblasDnMatDescr_t> dense_;
    unsigned char outputs_[32 * 16];
};

// Host, and cuda where it can be had.
std::vector<bsblasBackend_t> backends_here();
Memory& memory_of(bsblasBackend_t backend);

}  // namespace bsblas::test
