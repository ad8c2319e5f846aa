// SDDMM in plain loops: complete, and what the other rows are tested against. Each element sums its products in order.
#include "kernels/host/cost.h"
#include "kernels/host/parallel_for.h"
#include "kernels/host/reference.h"
#include "kernels/host/table.h"

#include <algorithm>

namespace bsblas::host {

namespace {

constexpr int64_t strip = 64;  // columns of a block at a time, so that row-major Y is read along its rows

template <class In, class Out>
void block_row(const SddmmProblem& problem, int64_t batch, int64_t row) {
    const Dense &x = problem.x, &y = problem.y;
    const Sparse& a = problem.a;
    const In* x_values = offset<const In>(x.values, batch * x.batch_stride);
    const In* y_values = offset<const In>(y.values, batch * y.batch_stride);
    Out* a_values = offset<Out>(a.values, batch * a.values_stride);
    const Epilogue<In, Out> epilogue(problem.arithmetic);
    const int64_t inner = epilogue.reads_inputs() ? x.cols : 0;
    const Pattern pattern = a.pattern.of_batch(batch);

    for (int64_t p = pattern.begin(row); p < pattern.end(row); ++p) {
        Out* block = a_values + pattern.slot(p) * a.block_stride;
        const int64_t first_col = pattern.col(p) * a.bk;
        for (int64_t r = 0; r < a.bm; ++r) {
            const int64_t i = row * a.bm + r;
            for (int64_t first = 0; first < a.bk; first += strip) {
                const int64_t width = std::min(strip, a.bk - first);
                const int64_t inside = i < a.rows ? std::clamp<int64_t>(a.cols - first_col - first, 0, width) : 0;
                Out* out = block + r * a.row_stride + first * a.col_stride;
                Sum<In> sums[strip] = {};
                for (int64_t k = 0; inside > 0 && k < inner; ++k) {
                    const Sum<In> factor =
                        conjugate_if(x.conjugate, widen(x_values[i * x.row_stride + k * x.col_stride]));
                    const In* y_row = y_values + k * y.row_stride + (first_col + first) * y.col_stride;
                    for (int64_t j = 0; j < inside; ++j) {
                        sums[j] = sums[j] + factor * conjugate_if(y.conjugate, widen(y_row[j * y.col_stride]));
                    }
                }
                for (int64_t j = 0; j < width; ++j) {
                    if (j >= inside) {
                        out[j * a.col_stride] = Out{};
                    } else if (inner > 0) {
                        epilogue.store(sums[j], out + j * a.col_stride);
                    } else {
                        epilogue.store_without_sum(out + j * a.col_stride);
                    }
                }
            }
        }
    }
}

struct Types {
    bsblasDataType_t x, y, a;
    void (*block_row)(const SddmmProblem&, int64_t batch, int64_t row);
};

constexpr Types table[] = {
    {BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F, block_row<float, float>},
    {BSBLAS_R_64F, BSBLAS_R_64F, BSBLAS_R_64F, block_row<double, double>},
    {BSBLAS_C_32F, BSBLAS_C_32F, BSBLAS_C_32F, block_row<Complex<float>, Complex<float>>},
    {BSBLAS_C_64F, BSBLAS_C_64F, BSBLAS_C_64F, block_row<Complex<double>, Complex<double>>},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_16F, block_row<Float16, Float16>},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_32F, block_row<Float16, float>},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_16BF, block_row<Bfloat16, Bfloat16>},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_32F, block_row<Bfloat16, float>},
};

const Types* find(const SddmmProblem& problem) {
    for (const Types& types : table) {
        if (types.x == problem.x.type && types.y == problem.y.type && types.a == problem.a.type) return &types;
    }
    return nullptr;
}

std::string refuses(const SddmmProblem& problem, const Device&) {
    return find(problem) ? "" : "the types of X, Y and A are not a row of the table in bsblas/multiply.h";
}

size_t workspace(const SddmmProblem&, const Device&) {
    return 0;
}

double cost(const SddmmProblem& problem, const Device&) {
    const double products = double(problem.a.pattern.capacity) * double(problem.a.block_stride) *
                            double(problem.x.cols) * double(problem.batch);
    return reference_us(products, problem.a.bk, problem.y.type, problem.y.col_stride == 1);
}

int launch(const SddmmProblem& problem, const Launch& launch) {
    const Types* types = find(problem);
    const int64_t block_rows = problem.a.pattern.rows;
    parallel_for(*launch.parallel, problem.batch * block_rows,
                 [&](int64_t item, int) { types->block_row(problem, item / block_rows, item % block_rows); });
    return 0;
}

}  // namespace

const SddmmKernel sddmm_bsr_any__host_reference = {"sddmm_bsr_any__host_reference", refuses, workspace, cost, launch};

}  // namespace bsblas::host
