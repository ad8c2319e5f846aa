// What the rows of the CUDA tables say before they run: pure functions, no device.
#include "kernels/cuda/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dispatch/choose.h"
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

// 4096 x 4096, a quarter of the blocks.
SpmmProblem square(bsblasDataType_t type, int64_t block, int64_t columns, int64_t gap = 0) {
    SpmmProblem problem;
    Sparse& a = problem.a;
    a.bm = a.bk = block;
    a.rows = a.cols = 4096;
    a.pattern.rows = a.pattern.cols = 4096 / block;
    a.pattern.capacity = a.pattern.rows * a.pattern.cols / 4;
    a.block_stride = block * block;
    a.row_stride = block;
    a.col_stride = 1;
    a.type = type;
    problem.b.rows = problem.c.rows = 4096;
    problem.b.cols = problem.c.cols = columns;
    problem.b.row_stride = problem.c.row_stride = columns + gap;
    problem.b.col_stride = problem.c.col_stride = 1;
    problem.b.type = problem.c.type = type;
    return problem;
}

std::string chosen(const SpmmProblem& problem, const Device& device) {
    return choose(cuda::spmm_table(), problem, device, Selection(), nullptr)->name;
}

TEST(CudaRows, ManyColumnsOf16BitsGoToHoppersMatrixInstructions) {
    const Device device = h200();
    for (bsblasDataType_t type : {BSBLAS_R_16F, BSBLAS_R_16BF})
        for (int64_t columns : {512, 8192}) {
            for (int64_t block : {16, 32})
                EXPECT_EQ(chosen(square(type, block, columns), device), "spmm_bsr16n_16bit__sm90a_wgmma_384x128x128_s3")
                    << block << " " << columns;
            for (int64_t block : {64, 128})
                EXPECT_EQ(chosen(square(type, block, columns), device), "spmm_bsr64n_16bit__sm90a_wgmma_128x256x64_s4")
                    << block << " " << columns;
        }
}

TEST(CudaRows, OthersDoNot) {
    const auto generic = [](const SpmmProblem& problem, const Device& device) {
        return chosen(problem, device).find("generic") != std::string::npos;
    };
    Device a100 = h200();
    a100.sm = 80;
    EXPECT_TRUE(generic(square(BSBLAS_R_16BF, 16, 8192), a100));
    EXPECT_TRUE(generic(square(BSBLAS_R_16BF, 8, 8192), h200()));
    EXPECT_TRUE(generic(square(BSBLAS_R_16BF, 16, 8192, 1), h200())) << "lines that bulk copies cannot take";
    EXPECT_TRUE(generic(square(BSBLAS_R_16BF, 16, 16), h200())) << "too few columns to plan for";
    EXPECT_TRUE(generic(square(BSBLAS_R_32F, 16, 8192), h200()));
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
