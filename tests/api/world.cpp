#include "world.h"

#include <algorithm>
#include <cstring>

namespace bsblas::test {
namespace {

SparseLayout plain_sparse() {
    SparseLayout layout;
    layout.batch = 1;
    return layout;
}

DenseLayout plain_dense() {
    DenseLayout layout;
    layout.batch = 1;
    return layout;
}

}  // namespace

World::World(Memory& m) : memory(m), workspace(m, workspace_size, 0), map(m, 4 * sizeof(int32_t), 0) {
    require(bsblasCreateWithBackend(&handle, memory.backend()));
    require(bsblasSetStream(handle, memory.stream()));
    require(bsblasCreateOpDescr(&options));

    const BlockPattern pattern{3, 2, {0, 2, 3, 4}, {0, 1, 1, 0}}, transposed{2, 3, {0, 2, 4}, {0, 2, 0, 1}};
    const BlockPattern entries{6, 4, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 0, 1}};
    Random random(1);
    const auto sparse = [&](const SparseShape& shape, int64_t capacity, const BlockPattern* live) {
        auto matrix = std::make_unique<SparseMatrix>(memory, shape, plain_sparse(), capacity, false);
        if (live) {
            matrix->set_pattern(0, *live);
            matrix->fill(random);
        }
        for (Array* array : {&matrix->offsets, &matrix->columns, &matrix->values}) watched(*array);
        return matrix;
    };
    const auto dense = [&](int64_t rows, int64_t cols, bool filled) {
        auto matrix = std::make_unique<DenseMatrix>(memory, rows, cols, BSBLAS_R_32F, plain_dense(), false);
        if (filled) matrix->fill(random);
        watched(matrix->values);
        return matrix;
    };
    const SparseShape bsr{6, 4, 2, 2, BSBLAS_R_32F}, csr{6, 4, 1, 1, BSBLAS_R_32F, BSBLAS_FORMAT_CSR};
    a = sparse(bsr, 4, &pattern);
    at = sparse({4, 6, 2, 2, BSBLAS_R_32F}, 4, &transposed);
    s = sparse(csr, 6, &entries);
    a_out = sparse(bsr, 6, nullptr);
    s_out = sparse(csr, 24, nullptr);
    b = dense(4, n, true);
    c = dense(6, n, false);
    x = dense(6, n, true);
    y = dense(n, 4, true);
    d = dense(6, 4, true);
    d_out = dense(6, 4, false);
    const int32_t to_a[] = {0, 3, 1, 2};
    std::memcpy(map.before.data(), to_a, sizeof to_a);
    watched(map);
    watched(workspace);
    std::fill(std::begin(outputs_), std::end(outputs_), poison);

    require(bsblasCreateWithBackend(&dead_handle, BSBLAS_BACKEND_HOST));
    require(bsblasCreateBsr(&dead_sparse, 1, 1, 0, 1, 1, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                            BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    require(bsblasCreateDnMat(&dead_dense, 1, 1, 1, nullptr, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    require(bsblasCreateOpDescr(&dead_options));
}

World::~World() {
    for (bsblasSpMatDescr_t matrix : sparse_) bsblasDestroySpMat(matrix);
    for (bsblasDnMatDescr_t matrix : dense_) bsblasDestroyDnMat(matrix);
    bsblasDestroyOpDescr(options);
    bsblasDestroy(handle);
}

void World::bury_the_dead() {
    require(bsblasDestroy(dead_handle));
    require(bsblasDestroySpMat(dead_sparse));
    require(bsblasDestroyDnMat(dead_dense));
    require(bsblasDestroyOpDescr(dead_options));
}

std::string World::written() {
    memory.wait();
    for (Array* array : watched_) {
        array->download();
        if (const std::string damage = array->damage("an array", {}, 1); !damage.empty()) return damage;
    }
    const auto* byte =
        std::find_if(std::begin(outputs_), std::end(outputs_), [](unsigned char b) { return b != poison; });
    if (byte != std::end(outputs_)) return "output " + std::to_string((byte - outputs_) / 32) + " was written";
    return "";
}

bsblasSpMatDescr_t World::like(const SparseMatrix& matrix, const Difference& difference) {
    const SparseShape& shape = matrix.shape();
    void* offsets = difference.without_offsets ? nullptr : matrix.offsets.data();
    void* columns = difference.without_columns ? nullptr : matrix.columns.data();
    void* values = difference.without_values ? nullptr : matrix.values.data();
    const int64_t rows = shape.block_rows() + difference.more_rows, cols = shape.block_cols();
    const int64_t capacity = matrix.capacity() + difference.more_capacity;
    bsblasSpMatDescr_t made = nullptr;
    bsblasConstSpMatDescr_t made_const = nullptr;
    constexpr bsblasIndexType_t index = BSBLAS_INDEX_32I;
    constexpr bsblasIndexBase_t base = BSBLAS_INDEX_BASE_ZERO;
    if (shape.format == BSBLAS_FORMAT_CSR && difference.read_only)
        require(bsblasCreateConstCsr(&made_const, rows, cols, capacity, offsets, columns, values, index, index, base,
                                     difference.type));
    else if (shape.format == BSBLAS_FORMAT_CSR)
        require(bsblasCreateCsr(&made, rows, cols, capacity, offsets, columns, values, index, index, base,
                                difference.type));
    else if (difference.read_only)
        require(bsblasCreateConstBsr(&made_const, rows, cols, capacity, shape.bm, shape.bk, offsets, columns, values,
                                     index, index, base, difference.type, BSBLAS_ORDER_ROW));
    else
        require(bsblasCreateBsr(&made, rows, cols, capacity, shape.bm, shape.bk, offsets, columns, values, index, index,
                                base, difference.type, BSBLAS_ORDER_ROW));
    if (made_const) made = const_cast<bsblasSpMatDescr_t>(made_const);
    if (difference.more_batch) require(bsblasBsrSetStridedBatch(made, 1 + difference.more_batch, 100, 100, 1000));
    sparse_.push_back(made);
    return made;
}

bsblasDnMatDescr_t World::like(const DenseMatrix& matrix, const Difference& difference) {
    void* values = difference.without_values ? nullptr : matrix.values.data();
    const int64_t rows = matrix.rows() + difference.more_rows, cols = matrix.cols();
    bsblasDnMatDescr_t made = nullptr;
    bsblasConstDnMatDescr_t made_const = nullptr;
    if (difference.read_only)
        require(bsblasCreateConstDnMat(&made_const, rows, cols, cols, values, difference.type, BSBLAS_ORDER_ROW));
    else
        require(bsblasCreateDnMat(&made, rows, cols, cols, values, difference.type, BSBLAS_ORDER_ROW));
    if (made_const) made = const_cast<bsblasDnMatDescr_t>(made_const);
    if (difference.more_batch) require(bsblasDnMatSetStridedBatch(made, 1 + difference.more_batch, 1000));
    dense_.push_back(made);
    return made;
}

std::vector<bsblasBackend_t> backends_here() {
    std::vector<bsblasBackend_t> backends = {BSBLAS_BACKEND_HOST};
    std::string why_not;
    if (make_memory(BSBLAS_BACKEND_CUDA, &why_not)) backends.push_back(BSBLAS_BACKEND_CUDA);
    return backends;
}

Memory& memory_of(bsblasBackend_t backend) {
    std::string why_not;
    static const auto host = make_memory(BSBLAS_BACKEND_HOST, &why_not);
    if (backend == BSBLAS_BACKEND_HOST) return *host;
    static const auto cuda = make_memory(BSBLAS_BACKEND_CUDA, &why_not);
    return *cuda;
}

}  // namespace bsblas::test
