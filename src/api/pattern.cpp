#include "api/check.h"
#include "api/guard.h"
#include "core/workspace.h"

#include <bsblas/pattern.h>

#include <algorithm>
#include <array>

using namespace bsblas;
using namespace bsblas::api;

namespace {

template <class Input, class Output>
void check_batches(const Input& input, const char* input_name, const Output& output, const char* output_name) {
    batch_serves(input_name, input.batch, output_name, output.batch);
}

void check_same_type(bsblasDataType_t input, const char* input_name, bsblasDataType_t output, const char* output_name) {
    if (input != output) {
        refuse_value("%s is %s and %s %s, expected the same type", input_name, data_type(input)->name, output_name,
                     data_type(output)->name);
    }
}

void check_converts(bsblasDataType_t type, const char* name) {
    if (!data_type(type)->converts) {
        refuse(BSBLAS_STATUS_NOT_SUPPORTED, "%s is %s, expected f16, bf16, f32, f64, c32 or c64", name,
               data_type(type)->name);
    }
}

template <class First, class Second>
void check_same_size(const First& first, const char* first_name, int64_t first_rows, int64_t first_cols,
                     const Second& second, const char* second_name, int64_t second_rows, int64_t second_cols) {
    if (first_rows != second_rows || first_cols != second_cols) {
        refuse_value("%s, %s, expected the same size", size_of(first_name, first).c_str(),
                     size_of(second_name, second).c_str());
    }
}

// As the output of a pattern: its arrays are there, do not overlap, and can say every column.
void check_output(const char* argument, const bsblasSpMatDescr& matrix) {
    has_pattern(argument, matrix);
    has_values(argument, matrix);
    const Stored& stored = matrix.stored;
    if (matrix.batch > 1 && matrix.offsets_stride == 0 && stored.offsets) {
        refuse_value("%s is a batch with rowOffsetsStride 0, expected patterns that do not overlap", argument);
    }
    const int64_t last_column = stored.base + stored.block_cols - 1;
    if (stored.capacity > 0 && !stored.indices_wide && last_column > INT32_MAX) {
        refuse_value("the last block column of %s is %" PRId64 ", expected one that its 32-bit colIndices can hold",
                     argument, last_column);
    }
}

// What a pattern that is about to change must not keep, however the call ends. const speaks of the arrays; the analysis
// belongs to the descriptor.
void forget_analysis(const bsblasSpMatDescr& matrix) {
    const_cast<bsblasSpMatDescr&>(matrix).analysis.reset();
}

// The arrays of a call: what it writes must not be another of them. Arrays without elements may be anywhere: in some
// languages all have one address.
class Arrays {
public:
    void reads(const bsblasSpMatDescr& matrix, const char* name) { add(matrix, name, false); }
    void writes(const bsblasSpMatDescr& matrix, const char* name) { add(matrix, name, true); }
    void reads(const char* name, const void* array, bool has_elements = true) {
        if (has_elements) add({"", name, array, false});
    }
    void writes(const char* name, const void* array, bool has_elements = true) {
        if (has_elements) add({"", name, array, true});
    }

private:
    struct Array {
        const char *matrix, *name;
        const void* start;
        bool written;
    };

    void add(const bsblasSpMatDescr& matrix, const char* name, bool written) {
        add({name, "rowOffsets", matrix.stored.offsets, written});
        if (matrix.stored.capacity == 0) return;
        add({name, "colIndices", matrix.stored.indices, written});
        add({name, "values", matrix.stored.values, written});
    }
    void add(const Array& array) {
        if (!array.start) return;
        for (int i = 0; i < count_; ++i) {
            const Array& other = arrays_[i];
            if (other.start == array.start && (other.written || array.written)) {
                const auto of = [](const Array& one) { return *one.matrix ? " of " : ""; };
                refuse_value("%s%s%s and %s%s%s are the same array %p, expected different ones", array.name, of(array),
                             array.matrix, other.name, of(other), other.matrix, array.start);
            }
        }
        arrays_[count_++] = array;
    }

    std::array<Array, 9> arrays_;  // two matrices, map or count, buffer
    int count_ = 0;
};

CountOut count_of(const bsblasHandle& handle, int64_t* count, int64_t j) {
    if (!count) return {};
    return {count + j, handle.pointer_mode == BSBLAS_POINTER_MODE_HOST};
}

void check_map(const void* map, const bsblasSpMatDescr& written) {
    aligned("map", map, written.stored.offsets_wide ? 8 : 4);
}

// map of matrix j: maps of a batch lie one after the other.
template <class Pointer>
Pointer map_of(Pointer map, int64_t j, int64_t capacity, bool wide) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const char, char>;
    return map ? static_cast<Byte*>(map) + j * capacity * (wide ? 8 : 4) : nullptr;
}

// A batch goes on after a matrix whose result found no room: each of them is either converted or left empty.
template <class Convert>
void convert_batch(int64_t batch, Convert&& convert) {
    bsblasStatus_t outcome = BSBLAS_STATUS_SUCCESS;
    for (int64_t j = 0; j < batch; ++j) {
        const bsblasStatus_t status = convert(j);
        if (status != BSBLAS_STATUS_INSUFFICIENT_CAPACITY) succeed_or_refuse(status);
        if (outcome == BSBLAS_STATUS_SUCCESS) outcome = status;
    }
    succeed_or_refuse(outcome);
}

// ---- Analysis

size_t index_bytes(const Stored& a) {
    return TransposedIndex::bytes(a.block_rows, a.block_cols, a.capacity);
}

int64_t patterns_of(const bsblasSpMatDescr& a) {
    return a.shares_pattern() ? 1 : a.batch;
}

size_t analysis_bytes(const bsblasHandle& handle, const bsblasSpMatDescr& a) {
    if (a.stored.capacity == 0) return 0;
    Workspace workspace(nullptr);
    workspace.take(index_bytes(a.stored), static_cast<size_t>(patterns_of(a)));
    workspace.take(handle.backend->transposed_index_workspace(a.stored));
    return workspace.used();
}

// ---- Transposition

void check_transpose(bsblasOperation_t op, const bsblasSpMatDescr& a, const bsblasSpMatDescr& at) {
    check_op("op", op);
    if (op == BSBLAS_OP_N) refuse_value("op is BSBLAS_OP_N, expected BSBLAS_OP_T or BSBLAS_OP_H");
    check_same_type(a.stored.type, "A", at.stored.type, "At");
    const Stored &from = a.stored, &to = at.stored;
    if (to.block_rows != from.block_cols || to.block_cols != from.block_rows || to.bm != from.bk || to.bk != from.bm ||
        to.rows != from.cols || to.cols != from.rows) {
        refuse_value("%s, %s, expected the transposed size and blocks", size_of("A", a).c_str(),
                     size_of("At", at).c_str());
    }
    if (to.capacity < from.capacity) {
        refuse_value("At has a capacity of %" PRId64 " blocks, expected at least A's %" PRId64, to.capacity,
                     from.capacity);
    }
    if (to.room() < from.room()) {
        refuse_value("A can hold %" PRId64 " blocks, expected at most %" PRId64 ", as At's 32-bit rowOffsets can count",
                     from.room(), to.room());
    }
    check_batches(a, "A", at, "At");
}

bool conjugates(bsblasOperation_t op, const bsblasSpMatDescr& a) {
    return op == BSBLAS_OP_H && data_type(a.stored.type)->complex;
}

// ---- Conversions: what bufferSize, count and the conversion itself check alike

void check_dense_and_bsr(const bsblasDnMatDescr& d, const bsblasSpMatDescr& a) {
    check_same_type(d.type, "D", a.stored.type, "A");
    check_converts(d.type, "D");
    check_same_size(d, "D", d.rows, d.cols, a, "A", a.stored.rows, a.stored.cols);
}

void check_csr_and_bsr(const bsblasSpMatDescr& s, const bsblasSpMatDescr& a) {
    check_same_type(s.stored.type, "S", a.stored.type, "A");
    check_converts(s.stored.type, "S");
    check_same_size(s, "S", s.stored.rows, s.stored.cols, a, "A", a.stored.rows, a.stored.cols);
}

}  // namespace

bsblasStatus_t bsblasBsrAnalyze_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        *bufferSize = buffer_size(live, analysis_bytes(live, bsr("A", A)));
    });
}

bsblasStatus_t bsblasBsrAnalyze(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        // const speaks of the arrays; the analysis belongs to the descriptor.
        bsblasSpMatDescr& a = const_cast<bsblasSpMatDescr&>(bsr("A", A));
        const size_t needed = analysis_bytes(live, a);
        if (bufferSize == 0 || needed == 0) {
            a.analysis.reset();
            return;
        }
        has_pattern("A", a);
        Workspace workspace(checked_buffer(live, buffer, bufferSize, needed));
        Analysis analysis{live.backend->id(), live.backend->ordinal(), {}};
        char* place = static_cast<char*>(workspace.take(index_bytes(a.stored), static_cast<size_t>(patterns_of(a))));
        void* scratch = workspace.take(live.backend->transposed_index_workspace(a.stored));
        a.analysis.reset();
        for (int64_t j = 0; j < patterns_of(a); ++j, place += index_bytes(a.stored)) {
            const Stored one = a.matrix(j);
            analysis.transposed.push_back(TransposedIndex::in(place, one.block_rows, one.block_cols, one.capacity));
            succeed_or_refuse(live.backend->transposed_index(one, analysis.transposed.back(), live.execution, scratch));
        }
        a.analysis = std::move(analysis);
    });
}

bsblasStatus_t bsblasBsrValidate_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        *bufferSize = buffer_size(live, live.backend->validate_workspace(sparse("A", A).stored));
    });
}

bsblasStatus_t bsblasBsrValidate(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasDefect_t* defect, int64_t* row,
                                 int64_t* slot, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr& a = sparse("A", A);
        const bool empty = a.stored.capacity == 0 && !a.stored.offsets;
        has_pattern("A", a);
        void* workspace = checked_buffer(live, buffer, bufferSize, live.backend->validate_workspace(a.stored));
        Defect found;
        int64_t at = 0;
        for (; at < patterns_of(a) && !empty; ++at) {
            succeed_or_refuse(live.backend->validate(a.matrix(at), &found, live.execution, workspace));
            if (found.kind != BSBLAS_DEFECT_NONE) break;
        }
        put(defect, found.kind);
        put(row, found.row);
        put(slot, found.slot);
        const auto invalid = [&](const char* format, auto... values) {
            refuse(BSBLAS_STATUS_INVALID_PATTERN, format, values...);
        };
        const std::string matrix = a.batch > 1 ? " of matrix " + std::to_string(at) + " of A" : " of A";
        const char* of = matrix.c_str();
        switch (found.kind) {
            case BSBLAS_DEFECT_NONE:
                return;
            case BSBLAS_DEFECT_FIRST_OFFSET:
                return invalid("rowOffsets[0]%s is %" PRId64 ", expected the index base %" PRId64, of, found.value,
                               a.stored.base);
            case BSBLAS_DEFECT_OFFSETS_DECREASE:
                return invalid("rowOffsets[%" PRId64 "]%s is %" PRId64 ", expected at least the offset before it",
                               found.row + 1, of, found.value);
            case BSBLAS_DEFECT_ABOVE_CAPACITY:
                return invalid("rowOffsets[%" PRId64 "]%s is %" PRId64 ", expected at most %" PRId64
                               ", the base and a capacity of %" PRId64,
                               found.row + 1, of, found.value, a.stored.capacity + a.stored.base, a.stored.capacity);
            default:
                if (a.stored.block_cols == 0) {
                    return invalid("colIndices[%" PRId64 "]%s (row %" PRId64 ") is %" PRId64
                                   ", expected no index, for lack of columns",
                                   found.slot, of, found.row, found.value);
                }
                return invalid(
                    "colIndices[%" PRId64 "]%s (row %" PRId64 ") is %" PRId64 ", expected %" PRId64 " to %" PRId64,
                    found.slot, of, found.row, found.value, a.stored.base, a.stored.base + a.stored.block_cols - 1);
        }
    });
}

bsblasStatus_t bsblasBsrSort_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const Stored& stored = bsr("A", A).stored;
        *bufferSize = buffer_size(live, stored.capacity == 0 ? 0 : live.backend->sort_workspace(stored));
    });
}

bsblasStatus_t bsblasBsrSort(bsblasHandle_t handle, bsblasSpMatDescr_t A, void* map, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr& a = bsr("A", A);
        writable("A", a);
        check_map(map, a);
        if (a.stored.capacity == 0) return;
        has_pattern("A", a);
        has_values("A", a);
        if (a.batch > 1 && a.offsets_stride == 0) {
            refuse(BSBLAS_STATUS_NOT_SUPPORTED, "A is a batch that shares one pattern, expected patterns of their own");
        }
        Arrays arrays;
        arrays.writes(a, "A");
        arrays.writes("map", map);
        arrays.writes("buffer", buffer, bufferSize > 0);
        void* workspace = checked_buffer(live, buffer, bufferSize, live.backend->sort_workspace(a.stored));
        forget_analysis(a);
        for (int64_t j = 0; j < a.batch; ++j) {
            void* map_j = map_of(map, j, a.stored.capacity, a.stored.offsets_wide);
            succeed_or_refuse(live.backend->sort(a.matrix(j), map_j, live.execution, workspace));
        }
    });
}

bsblasStatus_t bsblasBsrTranspose_bufferSize(bsblasHandle_t handle, bsblasOperation_t op, bsblasConstSpMatDescr_t A,
                                             bsblasConstSpMatDescr_t At, size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr &a = bsr("A", A), &at = bsr("At", At);
        check_transpose(op, a, at);
        *bufferSize = buffer_size(live, live.backend->transpose_workspace(a.stored, at.stored));
    });
}

bsblasStatus_t bsblasBsrTranspose(bsblasHandle_t handle, bsblasOperation_t op, bsblasConstSpMatDescr_t A,
                                  bsblasSpMatDescr_t At, void* map, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr &a = bsr("A", A), &at = bsr("At", At);
        check_transpose(op, a, at);
        writable("At", at);
        check_map(map, at);
        has_pattern("A", a);
        has_values("A", a);
        check_output("At", at);
        Arrays arrays;
        arrays.reads(a, "A");
        arrays.writes(at, "At");
        arrays.writes("map", map, a.stored.capacity > 0);
        arrays.writes("buffer", buffer, bufferSize > 0);
        void* workspace =
            checked_buffer(live, buffer, bufferSize, live.backend->transpose_workspace(a.stored, at.stored));
        forget_analysis(at);
        if (!at.stored.offsets) return;  // no rows, and a batch of them may be of any size
        for (int64_t j = 0; j < at.batch; ++j) {
            void* map_j = map_of(map, j, a.stored.capacity, at.stored.offsets_wide);
            succeed_or_refuse(live.backend->transpose(a.matrix(a.batch == 1 ? 0 : j), at.matrix(j), conjugates(op, a),
                                                      map_j, live.execution, workspace));
        }
    });
}

bsblasStatus_t bsblasBsrTransposeValues(bsblasHandle_t handle, bsblasOperation_t op, bsblasConstSpMatDescr_t A,
                                        bsblasSpMatDescr_t At, const void* map) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr &a = bsr("A", A), &at = bsr("At", At);
        check_transpose(op, a, at);
        writable("At", at);
        if (a.stored.capacity == 0) return;
        not_null("map", map);
        check_map(map, at);
        has_values("A", a);
        has_pattern("At", at);
        has_values("At", at);
        Arrays arrays;
        arrays.reads("map", map);
        arrays.reads("values of A", a.stored.values);
        arrays.writes("values of At", at.stored.values);
        for (int64_t j = 0; j < at.batch; ++j) {
            const void* map_j = map_of(map, j, a.stored.capacity, at.stored.offsets_wide);
            succeed_or_refuse(live.backend->transpose_values(a.matrix(a.batch == 1 ? 0 : j), at.matrix(j),
                                                             conjugates(op, a), map_j, live.execution));
        }
    });
}

bsblasStatus_t bsblasDenseToBsr_bufferSize(bsblasHandle_t handle, bsblasConstDnMatDescr_t D, bsblasConstSpMatDescr_t A,
                                           size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasDnMatDescr& d = dense("D", D);
        const bsblasSpMatDescr& a = bsr("A", A);
        check_dense_and_bsr(d, a);
        *bufferSize = buffer_size(live, live.backend->dense_to_bsr_workspace(d.matrix(BSBLAS_OP_N, 0), a.stored));
    });
}

namespace {

void dense_to_bsr(bsblasHandle& handle, const bsblasDnMatDescr& d, const bsblasSpMatDescr& a, bool count_only,
                  int64_t* count, void* buffer, size_t size) {
    aligned("nnzBlocks", count, alignof(int64_t));
    check_dense_and_bsr(d, a);
    check_batches(d, "D", a, "A");
    has_values("D", d);
    if (!count_only) {
        writable("A", a);
        check_output("A", a);
        Arrays arrays;
        arrays.reads("values of D", d.values, !d.empty());
        arrays.writes(a, "A");
        arrays.writes("nnzBlocks", count);
        arrays.writes("buffer", buffer, size > 0);
    }
    const size_t needed = handle.backend->dense_to_bsr_workspace(d.matrix(BSBLAS_OP_N, 0), a.stored);
    void* workspace = checked_buffer(handle, buffer, size, needed);
    if (!count_only) forget_analysis(a);
    convert_batch(a.batch, [&](int64_t j) {
        return handle.backend->dense_to_bsr(d.matrix(BSBLAS_OP_N, d.batch == 1 ? 0 : j), a.matrix(j), count_only,
                                            count_of(handle, count, j), handle.execution, workspace);
    });
}

void csr_to_bsr(bsblasHandle& handle, const bsblasSpMatDescr& s, const bsblasSpMatDescr& a, bool count_only,
                int64_t* count, void* buffer, size_t size) {
    aligned("nnzBlocks", count, alignof(int64_t));
    check_csr_and_bsr(s, a);
    check_batches(s, "S", a, "A");
    has_pattern("S", s);
    if (!count_only) {
        has_values("S", s);
        writable("A", a);
        check_output("A", a);
        Arrays arrays;
        arrays.reads(s, "S");
        arrays.writes(a, "A");
        arrays.writes("nnzBlocks", count);
        arrays.writes("buffer", buffer, size > 0);
    }
    void* workspace = checked_buffer(handle, buffer, size, handle.backend->csr_to_bsr_workspace(s.stored, a.stored));
    if (!count_only) forget_analysis(a);
    convert_batch(a.batch, [&](int64_t j) {
        return handle.backend->csr_to_bsr(s.matrix(s.batch == 1 ? 0 : j), a.matrix(j), count_only,
                                          count_of(handle, count, j), handle.execution, workspace);
    });
}

void bsr_to_csr(bsblasHandle& handle, const bsblasSpMatDescr& a, const bsblasSpMatDescr& s, bool count_only,
                int64_t* count, void* buffer, size_t size) {
    aligned("nnz", count, alignof(int64_t));
    check_csr_and_bsr(s, a);
    check_batches(a, "A", s, "S");
    has_pattern("A", a);
    if (!count_only) {
        has_values("A", a);
        writable("S", s);
        check_output("S", s);
        Arrays arrays;
        arrays.reads(a, "A");
        arrays.writes(s, "S");
        arrays.writes("nnz", count);
        arrays.writes("buffer", buffer, size > 0);
    }
    void* workspace = checked_buffer(handle, buffer, size, handle.backend->bsr_to_csr_workspace(a.stored, s.stored));
    convert_batch(s.batch, [&](int64_t j) {
        return handle.backend->bsr_to_csr(a.matrix(a.batch == 1 ? 0 : j), s.matrix(j), count_only,
                                          count_of(handle, count, j), handle.execution, workspace);
    });
}

}  // namespace

bsblasStatus_t bsblasDenseToBsr_count(bsblasHandle_t handle, bsblasConstDnMatDescr_t D, bsblasConstSpMatDescr_t A,
                                      int64_t* nnzBlocks, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("nnzBlocks", nnzBlocks);
        dense_to_bsr(live, dense("D", D), bsr("A", A), true, nnzBlocks, buffer, bufferSize);
    });
}

bsblasStatus_t bsblasDenseToBsr(bsblasHandle_t handle, bsblasConstDnMatDescr_t D, bsblasSpMatDescr_t A,
                                int64_t* nnzBlocks, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        dense_to_bsr(live, dense("D", D), bsr("A", A), false, nnzBlocks, buffer, bufferSize);
    });
}

bsblasStatus_t bsblasBsrToDense_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasConstDnMatDescr_t D,
                                           size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr& a = bsr("A", A);
        const bsblasDnMatDescr& d = dense("D", D);
        check_dense_and_bsr(d, a);
        *bufferSize = buffer_size(live, live.backend->bsr_to_dense_workspace(a.stored, d.matrix(BSBLAS_OP_N, 0)));
    });
}

bsblasStatus_t bsblasBsrToDense(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasDnMatDescr_t D, void* buffer,
                                size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        const bsblasSpMatDescr& a = bsr("A", A);
        const bsblasDnMatDescr& d = dense("D", D);
        check_dense_and_bsr(d, a);
        check_batches(a, "A", d, "D");
        writable("D", d);
        has_pattern("A", a);
        has_values("A", a);
        has_values("D", d);
        Arrays arrays;
        arrays.reads(a, "A");
        arrays.writes("values of D", d.values, !d.empty());
        arrays.writes("buffer", buffer, bufferSize > 0);
        const size_t needed = live.backend->bsr_to_dense_workspace(a.stored, d.matrix(BSBLAS_OP_N, 0));
        void* workspace = checked_buffer(live, buffer, bufferSize, needed);
        if (d.empty()) return;
        for (int64_t j = 0; j < d.batch; ++j) {
            succeed_or_refuse(live.backend->bsr_to_dense(a.matrix(a.batch == 1 ? 0 : j), d.matrix(BSBLAS_OP_N, j),
                                                         live.execution, workspace));
        }
    });
}

bsblasStatus_t bsblasCsrToBsr_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t S, bsblasConstSpMatDescr_t A,
                                         size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr &s = csr("S", S), &a = bsr("A", A);
        check_csr_and_bsr(s, a);
        *bufferSize = buffer_size(live, live.backend->csr_to_bsr_workspace(s.stored, a.stored));
    });
}

bsblasStatus_t bsblasCsrToBsr_count(bsblasHandle_t handle, bsblasConstSpMatDescr_t S, bsblasConstSpMatDescr_t A,
                                    int64_t* nnzBlocks, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("nnzBlocks", nnzBlocks);
        csr_to_bsr(live, csr("S", S), bsr("A", A), true, nnzBlocks, buffer, bufferSize);
    });
}

bsblasStatus_t bsblasCsrToBsr(bsblasHandle_t handle, bsblasConstSpMatDescr_t S, bsblasSpMatDescr_t A,
                              int64_t* nnzBlocks, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        csr_to_bsr(live, csr("S", S), bsr("A", A), false, nnzBlocks, buffer, bufferSize);
    });
}

bsblasStatus_t bsblasBsrToCsr_bufferSize(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasConstSpMatDescr_t S,
                                         size_t* bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("bufferSize", bufferSize);
        const bsblasSpMatDescr &a = bsr("A", A), &s = csr("S", S);
        check_csr_and_bsr(s, a);
        *bufferSize = buffer_size(live, live.backend->bsr_to_csr_workspace(a.stored, s.stored));
    });
}

bsblasStatus_t bsblasBsrToCsr_count(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasConstSpMatDescr_t S,
                                    int64_t* nnz, void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("nnz", nnz);
        bsr_to_csr(live, bsr("A", A), csr("S", S), true, nnz, buffer, bufferSize);
    });
}

bsblasStatus_t bsblasBsrToCsr(bsblasHandle_t handle, bsblasConstSpMatDescr_t A, bsblasSpMatDescr_t S, int64_t* nnz,
                              void* buffer, size_t bufferSize) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        bsr_to_csr(live, bsr("A", A), csr("S", S), false, nnz, buffer, bufferSize);
    });
}
