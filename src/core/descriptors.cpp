#include "core/descriptors.h"

#include "core/types.h"

#include <utility>

namespace {

void* advance(void* array, int64_t elements, int64_t size) {
    return array ? static_cast<char*>(array) + elements * size : nullptr;
}

}  // namespace

bsblas::Stored bsblasSpMatDescr::matrix(int64_t j) const {
    bsblas::Stored one = stored;
    one.offsets = advance(one.offsets, j * offsets_stride, one.offsets_wide ? 8 : 4);
    one.indices = advance(one.indices, j * indices_stride, one.indices_wide ? 8 : 4);
    one.values = advance(one.values, j * values_stride, bsblas::data_type(one.type)->size);
    return one;
}

bsblas::Dense bsblasDnMatDescr::matrix(bsblasOperation_t op, int64_t j) const {
    const bsblas::DataType& element = *bsblas::data_type(type);
    bsblas::Dense view;
    view.rows = rows;
    view.cols = cols;
    view.row_stride = order == BSBLAS_ORDER_ROW ? ld : 1;
    view.col_stride = order == BSBLAS_ORDER_ROW ? 1 : ld;
    if (op != BSBLAS_OP_N) {
        std::swap(view.rows, view.cols);
        std::swap(view.row_stride, view.col_stride);
    }
    view.values = advance(values, j * batch_stride, element.size);
    view.type = type;
    view.conjugate = op == BSBLAS_OP_H && element.complex;
    return view;
}
