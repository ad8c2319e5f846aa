#include "operand.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bsblas::test {
namespace {

void put_index(Bytes& bytes, int64_t place, bsblasIndexType_t type, int64_t value) {
    if (type == BSBLAS_INDEX_64I) {
        std::memcpy(bytes.data() + place * 8, &value, 8);
    } else {
        const auto narrow = static_cast<int32_t>(value);
        std::memcpy(bytes.data() + place * 4, &narrow, 4);
    }
}

int64_t get_index(const Bytes& bytes, int64_t place, bsblasIndexType_t type) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (type == BSBLAS_INDEX_64I) {
        std::memcpy(&wide, bytes.data() + place * 8, 8);
        return wide;
    }
    std::memcpy(&narrow, bytes.data() + place * 4, 4);
    return narrow;
}

// Elements that `batch` matrices of `extent` take, `stride` apart.
size_t extent_of(int64_t extent, int64_t stride, int64_t batch) {
    return static_cast<size_t>(stride == 0 || extent == 0 ? extent : (batch - 1) * stride + extent);
}

struct DenseExtent {
    int64_t inner, outer, ld, stride;
    DenseExtent(int64_t rows, int64_t cols, const DenseLayout& layout)
        : inner(layout.order == BSBLAS_ORDER_ROW ? cols : rows), outer(layout.order == BSBLAS_ORDER_ROW ? rows : cols) {
        ld = layout.ld.from(std::max<int64_t>(inner, 1));
        stride = layout.stride.from(std::max<int64_t>(ld * outer, 1));  // 0 would mean the same matrix each time
    }
    // The last row's gap is left out: nothing may touch it.
    int64_t elements() const { return inner == 0 || outer == 0 ? 0 : (outer - 1) * ld + inner; }
};

}  // namespace

void require(bsblasStatus_t status) {
    if (status != BSBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(bsblasGetStatusName(status)) + ": " + bsblasGetLastErrorMessage());
}

std::string Array::damage(const char* name, const std::vector<Span>& writable, size_t element) const {
    if (!buffer_.guards_untouched()) return std::string(name) + ": memory around the array was written";
    Bytes expected = before;
    for (const Span& span : writable)
        std::copy_n(after.begin() + span.first * static_cast<int64_t>(element),
                    span.count * static_cast<int64_t>(element),
                    expected.begin() + span.first * static_cast<int64_t>(element));
    const auto [at, _] = std::mismatch(after.begin(), after.end(), expected.begin());
    if (at == after.end()) return "";
    return std::string(name) + ": element " + std::to_string((at - after.begin()) / static_cast<int64_t>(element)) +
           " of its array was written and must not be";
}

// ---- Dense -------------------------------------------------------------------------------------------------------

DenseMatrix::DenseMatrix(Memory& memory, int64_t rows, int64_t cols, bsblasDataType_t type, const DenseLayout& layout,
                         bool shift)
    : rows_(rows),
      cols_(cols),
      ld_(DenseExtent(rows, cols, layout).ld),
      batch_(layout.batch),
      stride_(batch_ == 1 ? 0 : DenseExtent(rows, cols, layout).stride),
      type_(type),
      order_(layout.order),
      values(memory, extent_of(DenseExtent(rows, cols, layout).elements(), stride_, batch_) * size_of(type),
             shift ? alignment_of(type) : 0) {
    require(bsblasCreateDnMat(&descriptor_, rows_, cols_, ld_, values.data(), type_, order_));
    if (batch_ > 1) require(bsblasDnMatSetStridedBatch(descriptor_, batch_, stride_));
}

DenseMatrix::~DenseMatrix() {
    bsblasDestroyDnMat(descriptor_);
}

DenseOperand DenseMatrix::view(const Bytes& bytes, int64_t matrix) const {
    return {bytes.data() + static_cast<size_t>(batch_ == 1 ? 0 : matrix * stride_) * size_of(type_),
            type_,
            rows_,
            cols_,
            ld_,
            order_};
}

void DenseMatrix::fill(const std::function<Complex(int64_t, int64_t, int64_t)>& value) {
    for (int64_t matrix = 0; matrix < stored(); ++matrix)
        for (int64_t i = 0; i < rows_; ++i)
            for (int64_t j = 0; j < cols_; ++j) {
                const int64_t place = order_ == BSBLAS_ORDER_ROW ? i * ld_ + j : i + j * ld_;
                put(values.before.data(), matrix * stride_ + place, type_, value(matrix, i, j));
            }
}

void DenseMatrix::fill(Random& random) {
    fill([&](int64_t, int64_t, int64_t) { return random_value(random, type_); });
}

std::string DenseMatrix::download(const char* name, bool written) {
    values.download();
    std::vector<Array::Span> writable;
    const bool row_major = order_ == BSBLAS_ORDER_ROW;
    if (written)
        for (int64_t matrix = 0; matrix < stored(); ++matrix)
            for (int64_t outer = 0; outer < (row_major ? rows_ : cols_); ++outer)
                writable.push_back({matrix * stride_ + outer * ld_, row_major ? cols_ : rows_});
    return values.damage(name, writable, size_of(type_));
}

// ---- Sparse ------------------------------------------------------------------------------------------------------

SparseMatrix::SparseMatrix(Memory& memory, const SparseShape& shape, const SparseLayout& layout, int64_t capacity,
                           bool shift)
    : shape_(shape),
      layout_(layout),
      capacity_(capacity),
      batch_(layout.batch),
      offsets_stride_(batch_ == 1 ? 0 : layout.offsets_stride.from(shape.block_rows() + 1)),
      columns_stride_(batch_ == 1 ? 0 : layout.columns_stride.from(std::max<int64_t>(capacity, 1))),
      values_stride_(batch_ == 1 ? 0 : layout.values_stride.from(std::max<int64_t>(capacity * shape.bm * shape.bk, 1))),
      patterns_(static_cast<size_t>(offsets_stride_ == 0 ? 1 : batch_)),
      offsets(memory, extent_of(shape.block_rows() + 1, offsets_stride_, batch_) * size_of(layout.offsets),
              shift ? size_of(layout.offsets) : 0),
      columns(memory, extent_of(capacity, columns_stride_, batch_) * size_of(layout.columns),
              shift ? size_of(layout.columns) : 0),
      values(memory, extent_of(capacity * shape.bm * shape.bk, values_stride_, batch_) * size_of(shape.type),
             shift ? alignment_of(shape.type) : 0) {
    const auto base = static_cast<bsblasIndexBase_t>(layout.base);
    if (shape.format == BSBLAS_FORMAT_CSR) {
        require(bsblasCreateCsr(&descriptor_, shape.rows, shape.cols, capacity, offsets.data(), columns.data(),
                                values.data(), layout.offsets, layout.columns, base, shape.type));
    } else {
        require(bsblasCreateBsr(&descriptor_, shape.block_rows(), shape.block_cols(), capacity, shape.bm, shape.bk,
                                offsets.data(), columns.data(), values.data(), layout.offsets, layout.columns, base,
                                shape.type, layout.order));
        if (shape.rows != shape.block_rows() * shape.bm)
            require(bsblasSpMatSetAttribute(descriptor_, BSBLAS_SPMAT_LOGICAL_ROWS, &shape.rows, sizeof shape.rows));
        if (shape.cols != shape.block_cols() * shape.bk)
            require(bsblasSpMatSetAttribute(descriptor_, BSBLAS_SPMAT_LOGICAL_COLS, &shape.cols, sizeof shape.cols));
    }
    if (batch_ > 1)
        require(bsblasBsrSetStridedBatch(descriptor_, batch_, offsets_stride_, columns_stride_, values_stride_));
}

SparseMatrix::~SparseMatrix() {
    bsblasDestroySpMat(descriptor_);
}

int64_t SparseMatrix::offset(const Bytes& bytes, int64_t matrix, int64_t row) const {
    return get_index(bytes, matrix * offsets_stride_ + row, layout_.offsets) - layout_.base;
}

int64_t SparseMatrix::column(const Bytes& bytes, int64_t matrix, int64_t slot) const {
    return get_index(bytes, matrix * columns_stride_ + slot, layout_.columns) - layout_.base;
}

void SparseMatrix::set_pattern(int64_t matrix, const BlockPattern& pattern) {
    if (pattern.blocks() > capacity_) throw std::logic_error("a pattern beyond the capacity");
    patterns_[static_cast<size_t>(matrix)] = pattern;
    for (int64_t i = 0; i <= pattern.rows; ++i)
        put_index(offsets.before, matrix * offsets_stride_ + i, layout_.offsets, pattern.offsets[i] + layout_.base);
    for (int64_t slot = 0; slot < capacity_; ++slot) {
        const int64_t tail[] = {0, -1000003, pattern.cols - 1, pattern.cols + 1000003};
        const int64_t col = slot < pattern.blocks() ? pattern.columns[slot] : tail[(slot - pattern.blocks()) % 4];
        put_index(columns.before, matrix * columns_stride_ + slot, layout_.columns, col + layout_.base);
    }
}

void SparseMatrix::fill(const std::function<Complex(int64_t, int64_t, int64_t, int64_t)>& value) {
    for (int64_t matrix = 0; matrix < stored_values(); ++matrix) {
        const SparseOperand a = before(matrix);
        const BlockPattern& p = pattern(matrix);
        for (int64_t block_row = 0; block_row < p.rows; ++block_row)
            for (int64_t slot = p.offsets[block_row]; slot < p.offsets[block_row + 1]; ++slot)
                for (int64_t r = 0; r < std::min(shape_.bm, shape_.rows - block_row * shape_.bm); ++r)
                    for (int64_t c = 0; c < std::min(shape_.bk, shape_.cols - p.columns[slot] * shape_.bk); ++c)
                        put(values.before.data(), matrix * values_stride_ + a.place(slot, r, c), shape_.type,
                            value(matrix, slot, r, c));
    }
}

void SparseMatrix::fill(Random& random) {
    fill([&](int64_t, int64_t, int64_t, int64_t) { return random_value(random, shape_.type); });
}

void SparseMatrix::fill_poison() {
    for (Bytes* bytes : {&offsets.before, &columns.before, &values.before})
        std::fill(bytes->begin(), bytes->end(), poison);
}

SparseOperand SparseMatrix::view(const Bytes& bytes, int64_t matrix) const {
    return {&pattern(matrix), bytes.data() + static_cast<size_t>(matrix * values_stride_) * size_of(shape_.type),
            shape_.type,      shape_.bm,
            shape_.bk,        layout_.order,
            shape_.rows,      shape_.cols};
}

void SparseMatrix::upload() {
    offsets.upload();
    columns.upload();
    values.upload();
}

std::string SparseMatrix::download(const char* name, Written written) {
    offsets.download();
    columns.download();
    values.download();
    std::vector<Array::Span> offset_spans, column_spans, value_spans;
    const int64_t rows = shape_.block_rows(), elements = shape_.bm * shape_.bk;
    if (written == Written::all)
        for (int64_t matrix = 0; matrix < stored_patterns(); ++matrix) {
            offset_spans.push_back({matrix * offsets_stride_, rows + 1});
            const int64_t live = std::clamp<int64_t>(offset(offsets.after, matrix, rows), 0, capacity_);
            column_spans.push_back({matrix * columns_stride_, live});
            value_spans.push_back({matrix * values_stride_, live * elements});
        }
    if (written == Written::values)
        for (int64_t matrix = 0; matrix < stored_values(); ++matrix)
            value_spans.push_back({matrix * values_stride_, pattern(matrix).blocks() * elements});
    const std::string text = name;
    for (const std::string& damage :
         {offsets.damage((text + " offsets").c_str(), offset_spans, size_of(layout_.offsets)),
          columns.damage((text + " columns").c_str(), column_spans, size_of(layout_.columns)),
          values.damage((text + " values").c_str(), value_spans, size_of(shape_.type))})
        if (!damage.empty()) return damage;
    return "";
}

std::string SparseMatrix::adopt_pattern(int64_t matrix) {
    BlockPattern p{shape_.block_rows(), shape_.block_cols(), {}, {}};
    const auto bad = [](const char* what, int64_t at, int64_t value) {
        return std::string(what) + " " + std::to_string(at) + " is " + std::to_string(value) + ", base removed";
    };
    for (int64_t i = 0; i <= p.rows; ++i) {
        const int64_t o = offset(offsets.after, matrix, i);
        if (o < (i ? p.offsets.back() : 0) || o > (i ? capacity_ : 0)) return bad("offset", i, o);
        p.offsets.push_back(o);
    }
    for (int64_t slot = 0; slot < p.offsets.back(); ++slot) {
        const int64_t col = column(columns.after, matrix, slot);
        if (col < 0 || col >= p.cols) return bad("column of slot", slot, col);
        p.columns.push_back(col);
    }
    patterns_[static_cast<size_t>(matrix)] = p;
    return "";
}

bool SparseMatrix::is_empty_pattern(int64_t matrix) const {
    for (int64_t i = 0; i <= shape_.block_rows(); ++i)
        if (offset(offsets.after, matrix, i) != 0) return false;
    return true;
}

}  // namespace bsblas::test
