#include "kernels/cuda/sm90a/tensor_map.h"

#include "kernels/cuda/common/alignment.h"

#include <cuda_runtime.h>

namespace bsblas::cuda {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode find_encoder() {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const auto error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
#else
    const auto error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(entry) : nullptr;
}

constexpr int64_t element_bytes = 2, alignment = 16;

int64_t line_stride(const Dense& dense) {
    return dense.row_stride == 1 ? dense.col_stride : dense.row_stride;
}

// How many matrices there are from one to the next of which is a stride.
int64_t matrices(const Dense& dense, int64_t batch) {
    return dense.batch_stride == 0 ? 1 : batch;
}

}  // namespace

bool has_box_strides(int64_t line_stride, int64_t batch, int64_t batch_stride) {
    constexpr int64_t limit = int64_t{1} << 40;
    const auto fits = [](int64_t stride) {
        return stride % (alignment / element_bytes) == 0 && stride > 0 && stride * element_bytes < limit;
    };
    return fits(line_stride) && (batch == 1 || fits(batch_stride));
}

bool has_box_strides(const Dense& dense, int64_t batch) {
    return has_box_strides(line_stride(dense), matrices(dense, batch), dense.batch_stride);
}

Boxes boxes_of(const Dense& dense, int64_t batch, int box_lines) {
    const bool by_row = dense.row_stride != 1;
    return {dense.values,
            by_row ? dense.cols : dense.rows,
            by_row ? dense.rows : dense.cols,
            line_stride(dense),
            matrices(dense, batch),
            dense.batch_stride,
            64,
            box_lines};
}

bool encode(const Boxes& boxes, bsblasDataType_t type, CUtensorMap* map) {
    static const Encode encoder = find_encoder();
    if (!encoder) return false;
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(boxes.length), static_cast<cuuint64_t>(boxes.lines),
                                static_cast<cuuint64_t>(boxes.batch)};
    const int64_t line_bytes = boxes.line_stride * element_bytes;
    const cuuint64_t strides[] = {
        static_cast<cuuint64_t>(line_bytes),
        static_cast<cuuint64_t>(boxes.batch == 1 ? line_bytes : boxes.batch_stride * element_bytes)};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(boxes.box_length), static_cast<cuuint32_t>(boxes.box_lines), 1};
    const cuuint32_t steps[] = {1, 1, 1};
    return encoder(map, type == BSBLAS_R_16F ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3,
                   const_cast<void*>(boxes.values), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

bool has_bulk_operands(const SpmmProblem& problem) {
    const Sparse& a = problem.a;
    const auto readable = [](const void* values) { return values && aligned(values, element_bytes, 0, alignment); };
    return a.pattern.capacity > 0 && a.cols > 0 && readable(a.values) && readable(problem.b.values);
}

bool encode_output(const SpmmProblem& problem, CUtensorMap* map) {
    const Dense& c = problem.c;
    return c.type == problem.b.type && has_box_strides(c, problem.batch) &&
           aligned(c.values, element_bytes, 0, alignment) && encode(boxes_of(c, problem.batch, 64), c.type, map);
}

}  // namespace bsblas::cuda
