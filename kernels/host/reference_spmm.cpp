// SpMM in plain loops: complete, and what the other rows are tested against. Each element of C sums its products in the
// order in which the pattern has the blocks, and along each block's row.
#include "kernels/host/cost.h"
#include "kernels/host/parallel_for.h"
#include "kernels/host/reference.h"
#include "kernels/host/table.h"

#include <algorithm>

namespace bsblas::host {

namespace {

constexpr int64_t strip = 64;  // columns of C at a time, so that row-major B is read along its rows

template <class InA, class InB, class Out>
void block_row(const SpmmProblem& problem, int64_t batch, int64_t row) {
    const Sparse& a = problem.a;
    const Dense &b = problem.b, &c = problem.c;
    const InA* a_values = offset<const InA>(a.values, batch * a.values_stride);
    const InB* b_values = offset<const InB>(b.values, batch * b.batch_stride);
    Out* c_values = offset<Out>(c.values, batch * c.batch_stride);
    const Epilogue<InA, Out> epilogue(problem.arithmetic);
    const Pattern pattern = a.pattern.of_batch(batch);
    const int64_t begin = epilogue.reads_inputs() ? pattern.begin(row) : 0;
    const int64_t end = epilogue.reads_inputs() ? pattern.end(row) : 0;

    const int64_t last_row = std::min(a.rows, (row + 1) * a.bm);
    for (int64_t i = row * a.bm; i < last_row; ++i) {
        for (int64_t first = 0; first < c.cols; first += strip) {
            const int64_t width = std::min(strip, c.cols - first);
            Sum<InA> sums[strip] = {};
            for (int64_t p = begin; p < end; ++p) {
                const InA* a_row = a_values + pattern.slot(p) * a.block_stride + (i - row * a.bm) * a.row_stride;
                const int64_t first_k = pattern.col(p) * a.bk;
                const int64_t last_k = std::min(a.cols, first_k + a.bk);
                for (int64_t k = first_k; k < last_k; ++k) {
                    const Sum<InA> x = conjugate_if(a.conjugate, widen(a_row[(k - first_k) * a.col_stride]));
                    const InB* b_row = b_values + k * b.row_stride + first * b.col_stride;
                    for (int64_t j = 0; j < width; ++j) {
                        sums[j] = sums[j] + x * conjugate_if(b.conjugate, widen(b_row[j * b.col_stride]));
                    }
                }
            }
            for (int64_t j = 0; j < width; ++j) {
                Out* out = c_values + i * c.row_stride + (first + j) * c.col_stride;
                if (begin < end) {
                    epilogue.store(sums[j], out);
                } else {
                    epilogue.store_without_sum(out);
                }
            }
        }
    }
}

struct Types {
    bsblasDataType_t a, b, c;
    void (*block_row)(const SpmmProblem&, int64_t batch, int64_t row);
};

constexpr Types table[] = {
    {BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F, block_row<float, float, float>},
    {BSBLAS_R_64F, BSBLAS_R_64F, BSBLAS_R_64F, block_row<double, double, double>},
    {BSBLAS_C_32F, BSBLAS_C_32F, BSBLAS_C_32F, block_row<Complex<float>, Complex<float>, Complex<float>>},
    {BSBLAS_C_64F, BSBLAS_C_64F, BSBLAS_C_64F, block_row<Complex<double>, Complex<double>, Complex<double>>},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_16F, block_row<Float16, Float16, Float16>},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_32F, block_row<Float16, Float16, float>},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_16BF, block_row<Bfloat16, Bfloat16, Bfloat16>},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_32F, block_row<Bfloat16, Bfloat16, float>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_16F, block_row<E4m3, E4m3, Float16>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_16BF, block_row<E4m3, E4m3, Bfloat16>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_32F, block_row<E4m3, E4m3, float>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_16F, block_row<E4m3, E5m2, Float16>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_16BF, block_row<E4m3, E5m2, Bfloat16>},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_32F, block_row<E4m3, E5m2, float>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_16F, block_row<E5m2, E4m3, Float16>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_16BF, block_row<E5m2, E4m3, Bfloat16>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_32F, block_row<E5m2, E4m3, float>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_16F, block_row<E5m2, E5m2, Float16>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_16BF, block_row<E5m2, E5m2, Bfloat16>},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_32F, block_row<E5m2, E5m2, float>},
    {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32I, block_row<int8_t, int8_t, int32_t>},
    {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32F, block_row<int8_t, int8_t, float>},
};

const Types* find(const SpmmProblem& problem) {
    for (const Types& types : table) {
        if (types.a == problem.a.type && types.b == problem.b.type && types.c == problem.c.type) return &types;
    }
    return nullptr;
}

std::string refuses(const SpmmProblem& problem, const Device&) {
    return find(problem) ? "" : "the types of A, B and C are not a row of the table in bsblas/multiply.h";
}

size_t workspace(const SpmmProblem&, const Device&) {
    return 0;
}

double cost(const SpmmProblem& problem, const Device&) {
    const double products = double(problem.a.pattern.capacity) * double(problem.a.block_stride) *
                            double(problem.c.cols) * double(problem.batch);
    return reference_us(products, problem.c.cols, problem.b.type, problem.b.col_stride == 1);
}

int launch(const SpmmProblem& problem, const Launch& launch) {
    const Types* types = find(problem);
    const int64_t block_rows = problem.a.pattern.rows;
    parallel_for(*launch.parallel, problem.batch * block_rows,
                 [&](int64_t item, int) { types->block_row(problem, item / block_rows, item % block_rows); });
    return 0;
}

}  // namespace

const SpmmKernel spmm_bsr_any__host_reference = {"spmm_bsr_any__host_reference", refuses, workspace, cost, launch};

}  // namespace bsblas::host
