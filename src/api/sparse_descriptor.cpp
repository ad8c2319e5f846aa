#include "api/check.h"
#include "api/guard.h"

#include <bsblas/descriptor.h>

#include <cstring>

using namespace bsblas;
using namespace bsblas::api;

namespace {

void check_index_type(const char* argument, bsblasIndexType_t type) {
    listed(argument, type, {BSBLAS_INDEX_32I, BSBLAS_INDEX_64I}, "BSBLAS_INDEX_32I (2) or _64I (3)");
}

int64_t bytes_of(bool wide) {
    return wide ? 8 : 4;
}

// What the two formats call the same things.
struct Names {
    const char *block_rows, *block_cols, *capacity;
};
constexpr Names bsr_names = {"blockRows", "blockCols", "nnzBlocks"};
constexpr Names csr_names = {"rows", "cols", "nnz"};

void check_capacity(const Names& names, const Stored& stored) {
    at_least(names.capacity, stored.capacity, 0);
    int64_t elements, bytes;
    if (!multiply_add(stored.capacity, stored.bm * stored.bk, 0, &elements) ||
        !multiply_add(elements, data_type(stored.type)->size, 0, &bytes) || stored.capacity > max_bytes / 8) {
        refuse_value("%s is %" PRId64 ", expected arrays of at most 2^56 bytes", names.capacity, stored.capacity);
    }
}

void check_arrays(const Stored& stored) {
    aligned("rowOffsets", stored.offsets, bytes_of(stored.offsets_wide));
    aligned("colIndices", stored.indices, bytes_of(stored.indices_wide));
    aligned("values", stored.values, data_type(stored.type)->alignment);
}

void check_sizes(const Names& names, Stored& stored) {
    at_least(names.block_rows, stored.block_rows, 0);
    at_least(names.block_cols, stored.block_cols, 0);
    at_least("rowBlockSize", stored.bm, 1);
    at_least("colBlockSize", stored.bk, 1);
    const auto at_most_2_56 = [](const char* argument, int64_t value) {
        if (value > max_bytes) refuse_value("%s is %" PRId64 ", expected at most 2^56", argument, value);
    };
    at_most_2_56("rowBlockSize", stored.bm);
    at_most_2_56("colBlockSize", stored.bk);
    // Either way round, the matrix has offsets of 8 bytes at most.
    constexpr int64_t most_blocks = max_bytes / 8 - 1;
    if (stored.block_rows > most_blocks || !multiply_add(stored.block_rows, stored.bm, 0, &stored.rows)) {
        refuse_value("%s is %" PRId64 ", expected fewer than 2^53, and at most 2^56 rows", names.block_rows,
                     stored.block_rows);
    }
    if (stored.block_cols > most_blocks || !multiply_add(stored.block_cols, stored.bk, 0, &stored.cols)) {
        refuse_value("%s is %" PRId64 ", expected fewer than 2^53, and at most 2^56 columns", names.block_cols,
                     stored.block_cols);
    }
    int64_t block;
    if (!multiply_add(stored.bm, stored.bk, 0, &block)) {
        refuse_value("rowBlockSize is %" PRId64 " and colBlockSize %" PRId64
                     ", expected blocks of at most 2^56 elements",
                     stored.bm, stored.bk);
    }
}

// The arguments of a Create beyond sizes and pointers.
struct Traits {
    bsblasIndexType_t offsets_type, indices_type;
    bsblasIndexBase_t base;
    bsblasDataType_t type;
    bsblasOrder_t order;
};

template <class Handle>
bsblasStatus_t create(const char* function, Handle* out, bsblasFormat_t format, bool read_only, const Names& names,
                      Stored stored, const Traits& traits) {
    return guard(function, [&] {
        not_null("A", out);
        *out = nullptr;
        check_index_type("rowOffsetsType", traits.offsets_type);
        check_index_type("colIndicesType", traits.indices_type);
        listed("indexBase", traits.base, {BSBLAS_INDEX_BASE_ZERO, BSBLAS_INDEX_BASE_ONE},
               "BSBLAS_INDEX_BASE_ZERO (0) or _ONE (1)");
        check_type("valueType", traits.type);
        listed("blockOrder", traits.order, {BSBLAS_ORDER_COL, BSBLAS_ORDER_ROW}, "BSBLAS_ORDER_COL (1) or _ROW (2)");
        stored.offsets_wide = traits.offsets_type == BSBLAS_INDEX_64I;
        stored.indices_wide = traits.indices_type == BSBLAS_INDEX_64I;
        stored.base = traits.base;
        stored.type = traits.type;
        stored.row_major_blocks = traits.order == BSBLAS_ORDER_ROW;
        check_sizes(names, stored);
        check_capacity(names, stored);
        check_arrays(stored);
        bsblasSpMatDescr* descriptor = Pool<bsblasSpMatDescr>::create();
        descriptor->format = format;
        descriptor->read_only = read_only;
        descriptor->stored = stored;
        *out = descriptor;
    });
}

Stored sizes_and_arrays(int64_t block_rows, int64_t block_cols, int64_t capacity, int64_t bm, int64_t bk,
                        const void* offsets, const void* indices, const void* values) {
    Stored stored;
    stored.block_rows = block_rows;
    stored.block_cols = block_cols;
    stored.capacity = capacity;
    stored.bm = bm;
    stored.bk = bk;
    // One type for both twins: read_only keeps the promise of the Const one.
    stored.offsets = const_cast<void*>(offsets);
    stored.indices = const_cast<void*>(indices);
    stored.values = const_cast<void*>(values);
    return stored;
}

// The descriptor's memory is the library's own and never const; const in the public type speaks of the arrays.
bsblasSpMatDescr& changeable(const bsblasSpMatDescr& descriptor) {
    return const_cast<bsblasSpMatDescr&>(descriptor);
}

const bsblasSpMatDescr& of_format(bsblasConstSpMatDescr_t A, bsblasFormat_t format) {
    const bsblasSpMatDescr& descriptor = sparse("A", A);
    if (descriptor.format != format) {
        refuse_value("A is in %s format, expected %s", descriptor.format == BSBLAS_FORMAT_BSR ? "BSR" : "CSR",
                     format == BSBLAS_FORMAT_BSR ? "BSR" : "CSR");
    }
    return descriptor;
}

void not_const(const bsblasSpMatDescr& descriptor) {
    if (descriptor.read_only) refuse_value("A was made Const, expected a matrix that may be written");
}

void get_arrays(const Stored& stored, const void** offsets, const void** indices, const void** values) {
    put(offsets, stored.offsets);
    put(indices, stored.indices);
    put(values, stored.values);
}

void get_arrays(const Stored& stored, void** offsets, void** indices, void** values) {
    put(offsets, stored.offsets);
    put(indices, stored.indices);
    put(values, stored.values);
}

void get_traits(const Stored& stored, bsblasIndexType_t* offsets_type, bsblasIndexType_t* indices_type,
                bsblasIndexBase_t* base, bsblasDataType_t* type) {
    put(offsets_type, stored.offsets_wide ? BSBLAS_INDEX_64I : BSBLAS_INDEX_32I);
    put(indices_type, stored.indices_wide ? BSBLAS_INDEX_64I : BSBLAS_INDEX_32I);
    put(base, stored.base);
    put(type, stored.type);
}

void get_sizes(const Stored& stored, int64_t* block_rows, int64_t* block_cols, int64_t* capacity) {
    put(block_rows, stored.block_rows);
    put(block_cols, stored.block_cols);
    put(capacity, stored.capacity);
}

void get_block(const Stored& stored, int64_t* bm, int64_t* bk, bsblasOrder_t* order) {
    put(bm, stored.bm);
    put(bk, stored.bk);
    put(order, stored.row_major_blocks ? BSBLAS_ORDER_ROW : BSBLAS_ORDER_COL);
}

// A stride that keeps matrices of `length` elements apart, or is 0, and whose batch can be addressed.
void check_stride(const char* argument, int64_t stride, int64_t length, int64_t batch, int64_t size) {
    if (stride != 0 && stride < length) {
        refuse_value("%s is %" PRId64 ", expected 0 or at least %" PRId64, argument, stride, length);
    }
    int64_t elements, bytes;
    if (!multiply_add(batch - 1, stride, length, &elements) || !multiply_add(elements, size, 0, &bytes)) {
        refuse_value("%s is %" PRId64 " and batchCount %" PRId64 ", expected a batch of at most 2^56 bytes", argument,
                     stride, batch);
    }
}

void check_batch(const Stored& stored, int64_t batch, int64_t offsets_stride, int64_t indices_stride,
                 int64_t values_stride) {
    at_least("rowOffsetsStride", offsets_stride, 0);
    at_least("colIndicesStride", indices_stride, 0);
    at_least("valuesStride", values_stride, 0);
    if ((offsets_stride == 0) != (indices_stride == 0) && stored.capacity > 0) {
        refuse_value("rowOffsetsStride is %" PRId64 " and colIndicesStride %" PRId64
                     ", expected both to be 0 (a shared pattern) or neither",
                     offsets_stride, indices_stride);
    }
    check_stride("rowOffsetsStride", offsets_stride, stored.block_rows + 1, batch, bytes_of(stored.offsets_wide));
    check_stride("colIndicesStride", indices_stride, stored.capacity, batch, bytes_of(stored.indices_wide));
    check_stride("valuesStride", values_stride, stored.capacity * stored.bm * stored.bk, batch,
                 data_type(stored.type)->size);
}

bsblasStatus_t set_pointers(const char* function, bsblasSpMatDescr_t A, bsblasFormat_t format, const Names& names,
                            int64_t capacity, void* offsets, void* indices, void* values) {
    return guard(function, [&] {
        bsblasSpMatDescr& descriptor = changeable(of_format(A, format));
        not_const(descriptor);
        Stored stored = descriptor.stored;
        stored.capacity = capacity;
        stored.offsets = offsets;
        stored.indices = indices;
        stored.values = values;
        check_capacity(names, stored);
        check_arrays(stored);
        check_batch(stored, descriptor.batch, descriptor.offsets_stride, descriptor.indices_stride,
                    descriptor.values_stride);
        descriptor.stored = stored;
        descriptor.analysis.reset();
    });
}

// The attribute's place in a descriptor, and the largest value it may have.
struct Logical {
    const char* name;
    int64_t* value;
    int64_t blocks, block_size;
};

Logical logical(bsblasSpMatDescr& descriptor, bsblasSpMatAttribute_t attribute) {
    listed("attribute", attribute, {BSBLAS_SPMAT_LOGICAL_ROWS, BSBLAS_SPMAT_LOGICAL_COLS},
           "BSBLAS_SPMAT_LOGICAL_ROWS (1) or _COLS (2)");
    Stored& stored = descriptor.stored;
    if (attribute == BSBLAS_SPMAT_LOGICAL_ROWS) {
        return {"BSBLAS_SPMAT_LOGICAL_ROWS", &stored.rows, stored.block_rows, stored.bm};
    }
    return {"BSBLAS_SPMAT_LOGICAL_COLS", &stored.cols, stored.block_cols, stored.bk};
}

void check_attribute_size(size_t size) {
    if (size != sizeof(int64_t)) {
        refuse_value("size is %zu, expected %zu, the size of the attribute's int64_t", size, sizeof(int64_t));
    }
}

}  // namespace

bsblasStatus_t bsblasCreateBsr(bsblasSpMatDescr_t* A, int64_t blockRows, int64_t blockCols, int64_t nnzBlocks,
                               int64_t rowBlockSize, int64_t colBlockSize, void* rowOffsets, void* colIndices,
                               void* values, bsblasIndexType_t rowOffsetsType, bsblasIndexType_t colIndicesType,
                               bsblasIndexBase_t indexBase, bsblasDataType_t valueType, bsblasOrder_t blockOrder) {
    return create(
        __func__, A, BSBLAS_FORMAT_BSR, false, bsr_names,
        sizes_and_arrays(blockRows, blockCols, nnzBlocks, rowBlockSize, colBlockSize, rowOffsets, colIndices, values),
        {rowOffsetsType, colIndicesType, indexBase, valueType, blockOrder});
}

bsblasStatus_t bsblasCreateConstBsr(bsblasConstSpMatDescr_t* A, int64_t blockRows, int64_t blockCols, int64_t nnzBlocks,
                                    int64_t rowBlockSize, int64_t colBlockSize, const void* rowOffsets,
                                    const void* colIndices, const void* values, bsblasIndexType_t rowOffsetsType,
                                    bsblasIndexType_t colIndicesType, bsblasIndexBase_t indexBase,
                                    bsblasDataType_t valueType, bsblasOrder_t blockOrder) {
    return create(
        __func__, A, BSBLAS_FORMAT_BSR, true, bsr_names,
        sizes_and_arrays(blockRows, blockCols, nnzBlocks, rowBlockSize, colBlockSize, rowOffsets, colIndices, values),
        {rowOffsetsType, colIndicesType, indexBase, valueType, blockOrder});
}

bsblasStatus_t bsblasBsrGet(bsblasSpMatDescr_t A, int64_t* blockRows, int64_t* blockCols, int64_t* nnzBlocks,
                            int64_t* rowBlockSize, int64_t* colBlockSize, void** rowOffsets, void** colIndices,
                            void** values, bsblasIndexType_t* rowOffsetsType, bsblasIndexType_t* colIndicesType,
                            bsblasIndexBase_t* indexBase, bsblasDataType_t* valueType, bsblasOrder_t* blockOrder) {
    return guard(__func__, [&] {
        const bsblasSpMatDescr& descriptor = of_format(A, BSBLAS_FORMAT_BSR);
        not_const(descriptor);
        get_sizes(descriptor.stored, blockRows, blockCols, nnzBlocks);
        get_block(descriptor.stored, rowBlockSize, colBlockSize, blockOrder);
        get_arrays(descriptor.stored, rowOffsets, colIndices, values);
        get_traits(descriptor.stored, rowOffsetsType, colIndicesType, indexBase, valueType);
    });
}

bsblasStatus_t bsblasConstBsrGet(bsblasConstSpMatDescr_t A, int64_t* blockRows, int64_t* blockCols, int64_t* nnzBlocks,
                                 int64_t* rowBlockSize, int64_t* colBlockSize, const void** rowOffsets,
                                 const void** colIndices, const void** values, bsblasIndexType_t* rowOffsetsType,
                                 bsblasIndexType_t* colIndicesType, bsblasIndexBase_t* indexBase,
                                 bsblasDataType_t* valueType, bsblasOrder_t* blockOrder) {
    return guard(__func__, [&] {
        const Stored& stored = of_format(A, BSBLAS_FORMAT_BSR).stored;
        get_sizes(stored, blockRows, blockCols, nnzBlocks);
        get_block(stored, rowBlockSize, colBlockSize, blockOrder);
        get_arrays(stored, rowOffsets, colIndices, values);
        get_traits(stored, rowOffsetsType, colIndicesType, indexBase, valueType);
    });
}

bsblasStatus_t bsblasBsrSetPointers(bsblasSpMatDescr_t A, int64_t nnzBlocks, void* rowOffsets, void* colIndices,
                                    void* values) {
    return set_pointers(__func__, A, BSBLAS_FORMAT_BSR, bsr_names, nnzBlocks, rowOffsets, colIndices, values);
}

bsblasStatus_t bsblasBsrSetStridedBatch(bsblasConstSpMatDescr_t A, int64_t batchCount, int64_t rowOffsetsStride,
                                        int64_t colIndicesStride, int64_t valuesStride) {
    return guard(__func__, [&] {
        bsblasSpMatDescr& descriptor = changeable(of_format(A, BSBLAS_FORMAT_BSR));
        const Stored& stored = descriptor.stored;
        at_least("batchCount", batchCount, 1);
        check_batch(stored, batchCount, rowOffsetsStride, colIndicesStride, valuesStride);
        descriptor.batch = batchCount;
        descriptor.offsets_stride = rowOffsetsStride;
        descriptor.indices_stride = colIndicesStride;
        descriptor.values_stride = valuesStride;
        descriptor.analysis.reset();
    });
}

bsblasStatus_t bsblasBsrGetStridedBatch(bsblasConstSpMatDescr_t A, int64_t* batchCount, int64_t* rowOffsetsStride,
                                        int64_t* colIndicesStride, int64_t* valuesStride) {
    return guard(__func__, [&] {
        const bsblasSpMatDescr& descriptor = of_format(A, BSBLAS_FORMAT_BSR);
        put(batchCount, descriptor.batch);
        put(rowOffsetsStride, descriptor.offsets_stride);
        put(colIndicesStride, descriptor.indices_stride);
        put(valuesStride, descriptor.values_stride);
    });
}

bsblasStatus_t bsblasCreateCsr(bsblasSpMatDescr_t* A, int64_t rows, int64_t cols, int64_t nnz, void* rowOffsets,
                               void* colIndices, void* values, bsblasIndexType_t rowOffsetsType,
                               bsblasIndexType_t colIndicesType, bsblasIndexBase_t indexBase,
                               bsblasDataType_t valueType) {
    return create(__func__, A, BSBLAS_FORMAT_CSR, false, csr_names,
                  sizes_and_arrays(rows, cols, nnz, 1, 1, rowOffsets, colIndices, values),
                  {rowOffsetsType, colIndicesType, indexBase, valueType, BSBLAS_ORDER_ROW});
}

bsblasStatus_t bsblasCreateConstCsr(bsblasConstSpMatDescr_t* A, int64_t rows, int64_t cols, int64_t nnz,
                                    const void* rowOffsets, const void* colIndices, const void* values,
                                    bsblasIndexType_t rowOffsetsType, bsblasIndexType_t colIndicesType,
                                    bsblasIndexBase_t indexBase, bsblasDataType_t valueType) {
    return create(__func__, A, BSBLAS_FORMAT_CSR, true, csr_names,
                  sizes_and_arrays(rows, cols, nnz, 1, 1, rowOffsets, colIndices, values),
                  {rowOffsetsType, colIndicesType, indexBase, valueType, BSBLAS_ORDER_ROW});
}

bsblasStatus_t bsblasCsrGet(bsblasSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz, void** rowOffsets,
                            void** colIndices, void** values, bsblasIndexType_t* rowOffsetsType,
                            bsblasIndexType_t* colIndicesType, bsblasIndexBase_t* indexBase,
                            bsblasDataType_t* valueType) {
    return guard(__func__, [&] {
        const bsblasSpMatDescr& descriptor = of_format(A, BSBLAS_FORMAT_CSR);
        not_const(descriptor);
        get_sizes(descriptor.stored, rows, cols, nnz);
        get_arrays(descriptor.stored, rowOffsets, colIndices, values);
        get_traits(descriptor.stored, rowOffsetsType, colIndicesType, indexBase, valueType);
    });
}

bsblasStatus_t bsblasConstCsrGet(bsblasConstSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz,
                                 const void** rowOffsets, const void** colIndices, const void** values,
                                 bsblasIndexType_t* rowOffsetsType, bsblasIndexType_t* colIndicesType,
                                 bsblasIndexBase_t* indexBase, bsblasDataType_t* valueType) {
    return guard(__func__, [&] {
        const Stored& stored = of_format(A, BSBLAS_FORMAT_CSR).stored;
        get_sizes(stored, rows, cols, nnz);
        get_arrays(stored, rowOffsets, colIndices, values);
        get_traits(stored, rowOffsetsType, colIndicesType, indexBase, valueType);
    });
}

bsblasStatus_t bsblasCsrSetPointers(bsblasSpMatDescr_t A, int64_t nnz, void* rowOffsets, void* colIndices,
                                    void* values) {
    return set_pointers(__func__, A, BSBLAS_FORMAT_CSR, csr_names, nnz, rowOffsets, colIndices, values);
}

bsblasStatus_t bsblasDestroySpMat(bsblasConstSpMatDescr_t A) {
    if (!A) return BSBLAS_STATUS_SUCCESS;
    return guard(__func__, [&] { Pool<bsblasSpMatDescr>::destroy(&changeable(sparse("A", A))); });
}

bsblasStatus_t bsblasSpMatGetFormat(bsblasConstSpMatDescr_t A, bsblasFormat_t* format) {
    return guard(__func__, [&] { put(format, sparse("A", A).format); });
}

bsblasStatus_t bsblasSpMatGetSize(bsblasConstSpMatDescr_t A, int64_t* rows, int64_t* cols, int64_t* nnz) {
    return guard(__func__, [&] {
        const Stored& stored = sparse("A", A).stored;
        put(rows, stored.rows);
        put(cols, stored.cols);
        put(nnz, stored.capacity * stored.bm * stored.bk);
    });
}

bsblasStatus_t bsblasSpMatSetValues(bsblasSpMatDescr_t A, void* values) {
    return guard(__func__, [&] {
        bsblasSpMatDescr& descriptor = changeable(sparse("A", A));
        not_const(descriptor);
        aligned("values", values, data_type(descriptor.stored.type)->alignment);
        descriptor.stored.values = values;
    });
}

bsblasStatus_t bsblasSpMatGetValues(bsblasSpMatDescr_t A, void** values) {
    return guard(__func__, [&] {
        const bsblasSpMatDescr& descriptor = sparse("A", A);
        not_const(descriptor);
        put(values, descriptor.stored.values);
    });
}

bsblasStatus_t bsblasConstSpMatGetValues(bsblasConstSpMatDescr_t A, const void** values) {
    return guard(__func__, [&] { put(values, sparse("A", A).stored.values); });
}

bsblasStatus_t bsblasSpMatSetAttribute(bsblasConstSpMatDescr_t A, bsblasSpMatAttribute_t attribute, const void* data,
                                       size_t size) {
    return guard(__func__, [&] {
        bsblasSpMatDescr& descriptor = changeable(of_format(A, BSBLAS_FORMAT_BSR));
        const Logical place = logical(descriptor, attribute);
        check_attribute_size(size);
        not_null("data", data);
        int64_t value;
        std::memcpy(&value, data, sizeof value);
        const int64_t largest = place.blocks * place.block_size;
        const int64_t smallest = largest - place.block_size + 1;
        if (place.blocks == 0 && value != 0) {
            refuse_value("%s is %" PRId64 ", expected 0 for no blocks", place.name, value);
        }
        if (value < smallest || value > largest) {
            refuse_value("%s is %" PRId64 ", expected %" PRId64 " to %" PRId64 " for %" PRId64 " blocks of %" PRId64,
                         place.name, value, smallest, largest, place.blocks, place.block_size);
        }
        *place.value = value;
    });
}

bsblasStatus_t bsblasSpMatGetAttribute(bsblasConstSpMatDescr_t A, bsblasSpMatAttribute_t attribute, void* data,
                                       size_t size) {
    return guard(__func__, [&] {
        const Logical place = logical(changeable(of_format(A, BSBLAS_FORMAT_BSR)), attribute);
        check_attribute_size(size);
        not_null("data", data);
        std::memcpy(data, place.value, sizeof *place.value);
    });
}
