#include "api/check.h"

#include "core/workspace.h"

namespace bsblas::api {
namespace {

bool may_be_empty(const bsblasSpMatDescr& descriptor) {
    return descriptor.stored.capacity == 0;
}

}  // namespace

void not_null(const char* argument, const void* pointer) {
    if (!pointer) refuse_value("%s is NULL, expected a pointer", argument);
}

void aligned(const char* argument, const void* pointer, int64_t alignment) {
    if (reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(alignment) != 0) {
        refuse_value("%s is %p, expected an address that is a multiple of %" PRId64, argument, pointer, alignment);
    }
}

void at_least(const char* argument, int64_t value, int64_t smallest) {
    if (value < smallest) {
        refuse_value("%s is %" PRId64 ", expected at least %" PRId64, argument, value, smallest);
    }
}

void check_determinism(const char* argument, bsblasDeterminism_t determinism) {
    listed(argument, determinism, {BSBLAS_DETERMINISM_RELAXED, BSBLAS_DETERMINISM_REQUIRED},
           "BSBLAS_DETERMINISM_RELAXED (0) or _REQUIRED (1)");
}

void check_op(const char* argument, bsblasOperation_t op) {
    listed(argument, op, {BSBLAS_OP_N, BSBLAS_OP_T, BSBLAS_OP_H}, "BSBLAS_OP_N (0), _T (1) or _H (2)");
}

const DataType& check_type(const char* argument, bsblasDataType_t type) {
    const DataType* known = data_type(type);
    if (!known) refuse_value("%s is %d, expected a constant of bsblasDataType_t", argument, static_cast<int>(type));
    return *known;
}

const bsblasSpMatDescr& sparse(const char* argument, bsblasConstSpMatDescr_t descriptor) {
    return live(argument, descriptor, "sparse matrix descriptor");
}

const bsblasSpMatDescr& bsr(const char* argument, bsblasConstSpMatDescr_t descriptor) {
    const bsblasSpMatDescr& matrix = sparse(argument, descriptor);
    if (matrix.format != BSBLAS_FORMAT_BSR) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED, "%s is in CSR format, expected BSR", argument);
    }
    return matrix;
}

const bsblasSpMatDescr& csr(const char* argument, bsblasConstSpMatDescr_t descriptor) {
    const bsblasSpMatDescr& matrix = sparse(argument, descriptor);
    if (matrix.format != BSBLAS_FORMAT_CSR) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED, "%s is in BSR format, expected CSR", argument);
    }
    return matrix;
}

const bsblasDnMatDescr& dense(const char* argument, bsblasConstDnMatDescr_t descriptor) {
    return live(argument, descriptor, "dense matrix descriptor");
}

namespace {
constinit const bsblasOpDescr defaults{};
}

const bsblasOpDescr& options(bsblasConstOpDescr_t descriptor) {
    return descriptor ? live("descr", descriptor, "operation descriptor") : defaults;
}

void writable(const char* argument, const bsblasSpMatDescr& descriptor) {
    if (descriptor.read_only) refuse_value("%s was made Const, expected a matrix that may be written", argument);
    if (descriptor.batch > 1 && descriptor.values_stride == 0 && !may_be_empty(descriptor)) {
        refuse_value("%s is a batch of %" PRId64 " with valuesStride 0, expected matrices that do not overlap",
                     argument, descriptor.batch);
    }
}

void writable(const char* argument, const bsblasDnMatDescr& descriptor) {
    if (descriptor.read_only) refuse_value("%s was made Const, expected a matrix that may be written", argument);
    const bool by_rows = descriptor.order == BSBLAS_ORDER_ROW;
    const int64_t minor = by_rows ? descriptor.cols : descriptor.rows;
    const int64_t major = by_rows ? descriptor.rows : descriptor.cols;
    if (descriptor.batch == 1 || minor == 0 || major == 0) return;
    // One after the other, or side by side within the leading dimension.
    const bool apart = descriptor.batch_stride >= (major - 1) * descriptor.ld + minor;
    const bool interleaved =
        descriptor.batch_stride >= minor && descriptor.batch_stride <= (descriptor.ld - minor) / (descriptor.batch - 1);
    if (!apart && !interleaved) {
        refuse_value("%s is a batch of %" PRId64 " with stride %" PRId64 ", expected matrices that do not overlap",
                     argument, descriptor.batch, descriptor.batch_stride);
    }
}

void has_pattern(const char* argument, const bsblasSpMatDescr& descriptor) {
    if (may_be_empty(descriptor)) return;
    if (!descriptor.stored.offsets) refuse_value("the rowOffsets of %s are NULL, expected an array", argument);
    if (!descriptor.stored.indices) refuse_value("the colIndices of %s are NULL, expected an array", argument);
}

void has_values(const char* argument, const bsblasSpMatDescr& descriptor) {
    if (may_be_empty(descriptor)) return;
    if (!descriptor.stored.values) refuse_value("the values of %s are NULL, expected an array", argument);
}

void has_values(const char* argument, const bsblasDnMatDescr& descriptor) {
    if (descriptor.empty()) return;
    if (!descriptor.values) refuse_value("the values of %s are NULL, expected an array", argument);
}

void batch_serves(const char* argument, int64_t have, const char* of, int64_t count) {
    if (have != count && have != 1) {
        if (count == 1) refuse_value("%s is a batch of %" PRId64 ", expected 1, as %s has", argument, have, of);
        refuse_value("%s is a batch of %" PRId64 ", expected 1 or, as %s has, %" PRId64, argument, have, of, count);
    }
}

std::string size_of(const char* argument, const bsblasSpMatDescr& descriptor) {
    const Stored& a = descriptor.stored;
    std::string text = std::string(argument) + " is " + std::to_string(a.rows) + " x " + std::to_string(a.cols);
    if (descriptor.format == BSBLAS_FORMAT_BSR) {
        text += " (" + std::to_string(a.block_rows) + " x " + std::to_string(a.block_cols) + " blocks of " +
                std::to_string(a.bm) + " x " + std::to_string(a.bk) + ")";
    }
    return text;
}

std::string size_of(const char* argument, const bsblasDnMatDescr& descriptor) {
    return std::string(argument) + " is " + std::to_string(descriptor.rows) + " x " + std::to_string(descriptor.cols);
}

size_t buffer_size(const bsblasHandle& handle, size_t needed) {
    if (needed == 0 || handle.backend->id() == BSBLAS_BACKEND_CUDA) return needed;
    return needed > SIZE_MAX - Workspace::alignment ? SIZE_MAX : needed + Workspace::alignment - 1;
}

void* checked_buffer(const bsblasHandle& handle, void* buffer, size_t size, size_t needed) {
    const size_t expected = buffer_size(handle, needed);
    if (size < expected) {
        refuse(BSBLAS_STATUS_INSUFFICIENT_WORKSPACE, "bufferSize is %zu, expected at least %zu", size, expected);
    }
    if (expected == 0) return nullptr;
    not_null("buffer", buffer);
    if (handle.backend->id() == BSBLAS_BACKEND_CUDA) {
        aligned("buffer", buffer, Workspace::alignment);
        return buffer;
    }
    const uintptr_t address = reinterpret_cast<uintptr_t>(buffer);
    return static_cast<char*>(buffer) + (-address & (Workspace::alignment - 1));
}

}  // namespace bsblas::api
