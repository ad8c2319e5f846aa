#include "api/check.h"
#include "api/guard.h"

#include <bsblas/descriptor.h>

#include <algorithm>

using namespace bsblas;
using namespace bsblas::api;

namespace {

// Whether the batch takes at most max_bytes.
bool can_be_addressed(const bsblasDnMatDescr& matrix) {
    const bool by_rows = matrix.order == BSBLAS_ORDER_ROW;
    const int64_t minor = by_rows ? matrix.cols : matrix.rows;
    const int64_t major = by_rows ? matrix.rows : matrix.cols;
    int64_t length, elements, bytes;
    return multiply_add(std::max<int64_t>(major, 1) - 1, matrix.ld, minor, &length) &&
           multiply_add(matrix.batch - 1, matrix.batch_stride, length, &elements) &&
           multiply_add(elements, data_type(matrix.type)->size, 0, &bytes);
}

template <class Handle>
bsblasStatus_t create(const char* function, Handle* out, bool read_only, int64_t rows, int64_t cols, int64_t ld,
                      const void* values, bsblasDataType_t type, bsblasOrder_t order) {
    return guard(function, [&] {
        not_null("B", out);
        *out = nullptr;
        at_least("rows", rows, 0);
        at_least("cols", cols, 0);
        const DataType& element = check_type("valueType", type);
        listed("order", order, {BSBLAS_ORDER_COL, BSBLAS_ORDER_ROW}, "BSBLAS_ORDER_COL (1) or _ROW (2)");
        at_least("ld", ld, std::max<int64_t>(1, order == BSBLAS_ORDER_ROW ? cols : rows));
        aligned("values", values, element.alignment);
        bsblasDnMatDescr matrix;
        matrix.read_only = read_only;
        matrix.rows = rows;
        matrix.cols = cols;
        matrix.ld = ld;
        matrix.values = const_cast<void*>(values);  // read_only keeps the promise
        matrix.type = type;
        matrix.order = order;
        if (!can_be_addressed(matrix)) {
            refuse_value("rows is %" PRId64 ", cols %" PRId64 " and ld %" PRId64 ", expected at most 2^56 bytes", rows,
                         cols, ld);
        }
        bsblasDnMatDescr* descriptor = Pool<bsblasDnMatDescr>::create(matrix);
        *out = descriptor;
    });
}

bsblasDnMatDescr& changeable(const bsblasDnMatDescr& descriptor) {
    return const_cast<bsblasDnMatDescr&>(descriptor);
}

void not_const(const bsblasDnMatDescr& descriptor) {
    if (descriptor.read_only) refuse_value("B was made Const, expected a matrix that may be written");
}

void get_shape(const bsblasDnMatDescr& matrix, int64_t* rows, int64_t* cols, int64_t* ld, bsblasDataType_t* type,
               bsblasOrder_t* order) {
    put(rows, matrix.rows);
    put(cols, matrix.cols);
    put(ld, matrix.ld);
    put(type, matrix.type);
    put(order, matrix.order);
}

}  // namespace

bsblasStatus_t bsblasCreateDnMat(bsblasDnMatDescr_t* B, int64_t rows, int64_t cols, int64_t ld, void* values,
                                 bsblasDataType_t valueType, bsblasOrder_t order) {
    return create(__func__, B, false, rows, cols, ld, values, valueType, order);
}

bsblasStatus_t bsblasCreateConstDnMat(bsblasConstDnMatDescr_t* B, int64_t rows, int64_t cols, int64_t ld,
                                      const void* values, bsblasDataType_t valueType, bsblasOrder_t order) {
    return create(__func__, B, true, rows, cols, ld, values, valueType, order);
}

bsblasStatus_t bsblasDestroyDnMat(bsblasConstDnMatDescr_t B) {
    if (!B) return BSBLAS_STATUS_SUCCESS;
    return guard(__func__, [&] { Pool<bsblasDnMatDescr>::destroy(&changeable(dense("B", B))); });
}

bsblasStatus_t bsblasDnMatGet(bsblasDnMatDescr_t B, int64_t* rows, int64_t* cols, int64_t* ld, void** values,
                              bsblasDataType_t* valueType, bsblasOrder_t* order) {
    return guard(__func__, [&] {
        const bsblasDnMatDescr& matrix = dense("B", B);
        not_const(matrix);
        get_shape(matrix, rows, cols, ld, valueType, order);
        put(values, matrix.values);
    });
}

bsblasStatus_t bsblasConstDnMatGet(bsblasConstDnMatDescr_t B, int64_t* rows, int64_t* cols, int64_t* ld,
                                   const void** values, bsblasDataType_t* valueType, bsblasOrder_t* order) {
    return guard(__func__, [&] {
        const bsblasDnMatDescr& matrix = dense("B", B);
        get_shape(matrix, rows, cols, ld, valueType, order);
        put(values, matrix.values);
    });
}

bsblasStatus_t bsblasDnMatSetValues(bsblasDnMatDescr_t B, void* values) {
    return guard(__func__, [&] {
        bsblasDnMatDescr& matrix = changeable(dense("B", B));
        not_const(matrix);
        aligned("values", values, data_type(matrix.type)->alignment);
        matrix.values = values;
    });
}

bsblasStatus_t bsblasDnMatGetValues(bsblasDnMatDescr_t B, void** values) {
    return guard(__func__, [&] {
        const bsblasDnMatDescr& matrix = dense("B", B);
        not_const(matrix);
        put(values, matrix.values);
    });
}

bsblasStatus_t bsblasConstDnMatGetValues(bsblasConstDnMatDescr_t B, const void** values) {
    return guard(__func__, [&] { put(values, dense("B", B).values); });
}

bsblasStatus_t bsblasDnMatSetStridedBatch(bsblasConstDnMatDescr_t B, int64_t batchCount, int64_t stride) {
    return guard(__func__, [&] {
        bsblasDnMatDescr& matrix = changeable(dense("B", B));
        at_least("batchCount", batchCount, 1);
        at_least("stride", stride, 0);
        bsblasDnMatDescr changed = matrix;
        changed.batch = batchCount;
        changed.batch_stride = stride;
        if (!can_be_addressed(changed)) {
            refuse_value("stride is %" PRId64 " and batchCount %" PRId64 ", expected at most 2^56 bytes", stride,
                         batchCount);
        }
        matrix = changed;
    });
}

bsblasStatus_t bsblasDnMatGetStridedBatch(bsblasConstDnMatDescr_t B, int64_t* batchCount, int64_t* stride) {
    return guard(__func__, [&] {
        const bsblasDnMatDescr& matrix = dense("B", B);
        put(batchCount, matrix.batch);
        put(stride, matrix.batch_stride);
    });
}
