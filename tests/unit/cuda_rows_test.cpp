// What the rows of the CUDA tables say before they run: pure functions, no device.
#include "kernels/cuda/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/number.h"

namespace bsblas {
namespace {

using test::below;
using test::Random;

constexpr bsblasDataType_t types[] = {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_C_32F,
                                      BSBLAS_C_64F, BSBLAS_R_16F, BSBLAS_R_16BF};

Device h200() {
    Device device;
    device.sm = 90;
    device.multiprocessors = 132;
    device.l2_bytes = 60 << 20;
    return device;
}

Dense dense(Random& random, int64_t rows, int64_t cols, bsblasDataType_t type) {
    Dense d;
    d.rows = rows;
    d.cols = cols;
    d.type = type;
    const int64_t gap = below(random, 2) * 8;
    if (below(random, 2)) {
        d.row_stride = cols + gap;
        d.col_stride = 1;
    } else {
        d.row_stride = 1;
        d.col_stride = rows + gap;
    }
    return d;
}

Sparse sparse(Random& random, bsblasDataType_t type) {
    constexpr int64_t blocks[] = {1, 2, 3, 4, 8, 16, 17, 32, 64, 96, 128};
    Sparse a;
    a.bm = blocks[below(random, std::size(blocks))];
    a.bk = below(random, 4) ? a.bm : blocks[below(random, std::size(blocks))];
    a.pattern.rows = 1 + below(random, 64);
    a.pattern.cols = 1 + below(random, 64);
    a.pattern.capacity = below(random, a.pattern.rows * a.pattern.cols + 1);
    a.rows = a.pattern.rows * a.bm;
    a.cols = a.pattern.cols * a.bk;
    a.block_stride = a.bm * a.bk;
    const bool by_row = below(random, 2);
    a.row_stride = by_row ? a.bk : 1;
    a.col_stride = by_row ? 1 : a.bm;
    a.type = type;
    return a;
}

int64_t length(Random& random) {
    constexpr int64_t lengths[] = {0, 1, 16, 33, 512, 2048, 8192};
    return lengths[below(random, std::size(lengths))];
}

SddmmProblem sddmm(Random& random, bsblasDataType_t type) {
    SddmmProblem problem;
    problem.a = sparse(random, type);
    const int64_t tokens = length(random);
    problem.x = dense(random, problem.a.rows, tokens, type);
    problem.y = dense(random, tokens, problem.a.cols, type);
    return problem;
}

SpmmProblem spmm(Random& random, bsblasDataType_t type) {
    SpmmProblem problem;
    problem.a = sparse(random, type);
    const int64_t cols = length(random);
    problem.b = dense(random, problem.a.cols, cols, type);
    problem.c = dense(random, problem.a.rows, cols, type);
    return problem;
}

// As far from alignment as elements may be.
void* misaligned(bsblasDataType_t type) {
    return reinterpret_cast<void*>(uintptr_t{4096} + test::size_of(type) / (test::is_complex(type) ? 2 : 1));
}
void place_somewhere(SddmmProblem& problem) {
    problem.a.values = problem.x.values = problem.y.values = misaligned(problem.x.type);
}
void place_somewhere(SpmmProblem& problem) {
    problem.a.values = problem.b.values = problem.c.values = misaligned(problem.b.type);
}

template <class Problem, class Make>
void expect_the_same_buffer_however_arrays_are_aligned(const KernelTable<Problem>& table, Make make) {
    const Device device = h200();
    for (bsblasDataType_t type : types)
        for (int seed = 0; seed < 300; ++seed) {
            Random random(static_cast<uint64_t>(seed));
            const Problem before = make(random, type);
            Problem after = before;
            place_somewhere(after);
            for (int i = 0; i < table.count; ++i) {
                const Kernel<Problem>& row = *table.rows[i];
                if (!row.refuses(before, device).empty()) continue;
                EXPECT_EQ(row.workspace(before, device), row.workspace(after, device)) << row.name << " seed " << seed;
                const double cost = row.cost(before, device);
                EXPECT_TRUE(std::isfinite(cost) && cost >= 0) << row.name << " seed " << seed << " cost " << cost;
            }
        }
}

TEST(CudaRows, SddmmNeedsTheSameBufferHoweverArraysAreAligned) {
    expect_the_same_buffer_however_arrays_are_aligned(cuda::sddmm_table(), sddmm);
}

TEST(CudaRows, SpmmNeedsTheSameBufferHoweverArraysAreAligned) {
    expect_the_same_buffer_however_arrays_are_aligned(cuda::spmm_table(), spmm);
}

TEST(CudaRows, TheLastTakesEverything) {
    const Device device = h200();
    for (bsblasDataType_t type : types)
        for (int seed = 0; seed < 100; ++seed) {
            Random random(static_cast<uint64_t>(seed));
            const auto tables = std::pair(cuda::sddmm_table(), cuda::spmm_table());
            EXPECT_EQ(tables.first.rows[tables.first.count - 1]->refuses(sddmm(random, type), device), "");
            EXPECT_EQ(tables.second.rows[tables.second.count - 1]->refuses(spmm(random, type), device), "");
        }
}

}  // namespace
}  // namespace bsblas
