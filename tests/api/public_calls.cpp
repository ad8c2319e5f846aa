#include "public_calls.h"

#include <type_traits>

namespace bsblas::test {
namespace {

constexpr bsblasStatus_t invalid = BSBLAS_STATUS_INVALID_VALUE;
constexpr bsblasStatus_t not_one = BSBLAS_STATUS_NOT_INITIALIZED;
constexpr bsblasStatus_t unsupported = BSBLAS_STATUS_NOT_SUPPORTED;
constexpr int unlisted = 99;

template <class T>
Bits bits(T value) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<uintptr_t>(value);
    else
        return static_cast<Bits>(value);
}

template <class T>
T from_bits(Bits value) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(static_cast<uintptr_t>(value));
    else
        return static_cast<T>(value);
}

template <class... Types, size_t... place>
bsblasStatus_t unpack(bsblasStatus_t (*function)(Types...), const std::vector<Bits>& values,
                      std::index_sequence<place...>) {
    return function(from_bits<Types>(values[place])...);
}

template <class... Types>
std::function<bsblasStatus_t(const std::vector<Bits>&)> erased(bsblasStatus_t (*function)(Types...)) {
    return [function](const std::vector<Bits>& values) {
        return unpack(function, values, std::index_sequence_for<Types...>());
    };
}

#define CALL(function) #function, erased(function)

// ---- Arguments ---------------------------------------------------------------------------------------------------

Argument plain(const char* name, Bits value) {
    return {name, value, {}};
}

template <class T>
Argument pointer(const char* name, T* value) {
    return {name, bits(value), {{"NULL", 0, invalid, std::string(name) + " is NULL"}}};
}

template <class T>
Argument choice(const char* name, T value) {
    return {name,
            bits(value),
            {{"unlisted", unlisted, invalid, std::string(name) + " is 99"},
             {"far off", bits(0x7ffffffe), invalid, std::string(name) + " is 2147483646"}}};
}

Argument size(const char* name, int64_t value, int64_t least, std::vector<int64_t> too_large = {}) {
    Argument argument{name, bits(value), {}};
    for (int64_t bad : {least - 1, int64_t{-5}, INT64_MIN})
        argument.mutations.push_back(
            {std::to_string(bad), bits(bad), invalid, std::string(name) + " is " + std::to_string(bad)});
    for (int64_t bad : too_large)
        argument.mutations.push_back(
            {std::to_string(bad), bits(bad), invalid, std::string(name) + " (is )?" + std::to_string(bad)});
    return argument;
}

Argument handle(World& w) {
    return {"handle",
            bits(w.handle),
            {{"NULL", 0, not_one, "handle is"},
             {"destroyed", bits(w.dead_handle), not_one, "handle is"},
             {"a sparse matrix", bits(w.a->descriptor()), not_one, "handle is"},
             {"a dense matrix", bits(w.b->descriptor()), not_one, "handle is"}}};
}

Argument options(World& w) {
    return {"descr",
            bits(w.options),
            {{"destroyed", bits(w.dead_options), not_one, "descr is"},
             {"a dense matrix", bits(w.b->descriptor()), not_one, "descr is"}}};
}

Argument own_options(World& w) {
    Argument argument = options(w);
    argument.mutations.push_back({"NULL", 0, not_one, "descr is"});
    return argument;
}

Argument any_sparse(World& w, const char* name, bsblasSpMatDescr_t value) {
    const std::string says = std::string(name) + " is";
    return {name,
            bits(value),
            {{"NULL", 0, not_one, says},
             {"destroyed", bits(w.dead_sparse), not_one, says},
             {"a dense matrix", bits(w.b->descriptor()), not_one, says},
             {"a handle", bits(w.handle), not_one, says}}};
}

Argument any_dense(World& w, const char* name, bsblasDnMatDescr_t value) {
    const std::string says = std::string(name) + " is";
    return {name,
            bits(value),
            {{"NULL", 0, not_one, says},
             {"destroyed", bits(w.dead_dense), not_one, says},
             {"a sparse matrix", bits(w.a->descriptor()), not_one, says},
             {"a handle", bits(w.handle), not_one, says}}};
}

// Of a descriptor function that wants one format.
Argument of_format(World& w, bsblasSpMatDescr_t value, bsblasSpMatDescr_t other) {
    Argument argument = any_sparse(w, "A", value);
    argument.mutations.push_back({"of the other format", bits(other), invalid, "A is"});
    return argument;
}

enum class Use { size_query, count, input, output };

// Of an operation. In size queries and counts the arrays are not looked at.
Argument operand(World& w, const char* name, const SparseMatrix& matrix, Use use, bsblasStatus_t wrong_type = invalid) {
    Argument argument = any_sparse(w, name, matrix.descriptor());
    const auto add = [&](const char* what, const World::Difference& difference, bsblasStatus_t status,
                         const std::string& says) {
        argument.mutations.push_back({what, bits(w.like(matrix, difference)), status, says});
    };
    const std::string is = std::string(name) + " is", of = " of " + std::string(name) + " are NULL";
    const bool csr = matrix.shape().format == BSBLAS_FORMAT_CSR;
    argument.mutations.push_back({csr ? "BSR" : "CSR", bits((csr ? w.a : w.s)->descriptor()), unsupported, is});
    add("f64", {BSBLAS_R_64F}, wrong_type, std::string(name) + " (is )?f64");
    add("a row too many", {BSBLAS_R_32F, 1}, invalid, is);
    if (use == Use::input || use == Use::output) {
        World::Difference without_values, without_columns, without_offsets;
        without_values.without_values = without_columns.without_columns = without_offsets.without_offsets = true;
        add("without values", without_values, invalid, "values" + of);
        add("without columns", without_columns, invalid, "colIndices" + of);
        add("without offsets", without_offsets, invalid, "rowOffsets" + of);
    }
    if (use == Use::output) {
        World::Difference read_only;
        read_only.read_only = true;
        add("Const", read_only, invalid, std::string(name) + " was made Const");
    }
    if (use == Use::input && !csr) {
        World::Difference batch;
        batch.more_batch = 1;
        add("a batch that nothing else is", batch, invalid, is + " a batch of 2");
    }
    return argument;
}

Argument operand(World& w, const char* name, const DenseMatrix& matrix, Use use, bsblasStatus_t wrong_type = invalid) {
    Argument argument = any_dense(w, name, matrix.descriptor());
    const auto add = [&](const char* what, const World::Difference& difference, bsblasStatus_t status,
                         const std::string& says) {
        argument.mutations.push_back({what, bits(w.like(matrix, difference)), status, says});
    };
    const std::string is = std::string(name) + " is";
    add("f64", {BSBLAS_R_64F}, wrong_type, std::string(name) + " (is )?f64");
    add("a row too many", {BSBLAS_R_32F, 1}, invalid, is);
    if (use != Use::size_query) {
        World::Difference without_values;
        without_values.without_values = true;
        add("without values", without_values, invalid, "values of " + std::string(name) + " are NULL");
    }
    if (use == Use::output) {
        World::Difference read_only;
        read_only.read_only = true;
        add("Const", read_only, invalid, std::string(name) + " was made Const");
    }
    if (use == Use::input) {
        World::Difference batch;
        batch.more_batch = 1;
        add("a batch that nothing else is", batch, invalid, is + " a batch of 2");
    }
    return argument;
}

// Of a writing descriptor function.
Argument with_const(Argument argument, Bits read_only) {
    argument.mutations.push_back({"Const", read_only, invalid, argument.name + " was made Const"});
    return argument;
}

// A host array for what a function hands out; NULL is refused.
Argument result(World& w, const char* name, int place) {
    return pointer(name, w.output(place));
}
// Likewise, but NULL means that it is not wanted.
Argument wish(World& w, const char* name, int place) {
    return plain(name, bits(w.output(place)));
}

// The last two arguments of an operation. `needed` is what its bufferSize function asks for.
std::vector<Argument> buffer(World& w, size_t needed) {
    Argument memory{"buffer", bits(w.workspace.data()), {}};
    Argument size{"bufferSize", bits(needed), {}};
    if (needed > 0) {
        memory.mutations.push_back({"NULL", 0, invalid, "buffer is NULL"});
        if (w.memory.backend() == BSBLAS_BACKEND_CUDA)
            memory.mutations.push_back({"off by 16 bytes", memory.value + 16, invalid, "buffer is"});
        for (size_t less : {needed - 1, size_t{0}})
            size.mutations.push_back(
                {std::to_string(less), less, BSBLAS_STATUS_INSUFFICIENT_WORKSPACE,
                 "bufferSize is " + std::to_string(less) + ", expected at least " + std::to_string(needed)});
    }
    return {memory, size};
}

template <class... More>
std::vector<Argument> join(std::vector<Argument> first, const More&... more) {
    (first.insert(first.end(), more.begin(), more.end()), ...);
    return first;
}

template <class Query>
size_t asked(Query query) {
    size_t needed = 0;
    require(query(&needed));
    return needed;
}

// ---- Functions ---------------------------------------------------------------------------------------------------

using Calls = std::vector<PublicCall>;

// What CreateBsr and CreateCsr end with.
std::vector<Argument> arrays_and_traits(const SparseMatrix& m) {
    const auto array = [](const char* name, const Array& a) {
        Argument argument = plain(name, bits(a.data()));
        argument.mutations.push_back({"misaligned", argument.value + 1, invalid, std::string(name) + " is"});
        return argument;
    };
    return {array("rowOffsets", m.offsets),
            array("colIndices", m.columns),
            array("values", m.values),
            choice("rowOffsetsType", BSBLAS_INDEX_32I),
            choice("colIndicesType", BSBLAS_INDEX_32I),
            choice("indexBase", BSBLAS_INDEX_BASE_ZERO),
            choice("valueType", BSBLAS_R_32F)};
}

std::vector<Argument> wishes(World& w, const std::vector<const char*>& names) {
    std::vector<Argument> arguments;
    for (const char* name : names) arguments.push_back(wish(w, name, static_cast<int>(arguments.size())));
    return arguments;
}

void add_handle_calls(World& w, Calls& calls) {
    const auto destroy_handle = [&w] { bsblasDestroy(*static_cast<bsblasHandle_t*>(w.output(0))); };
    Argument mortal = handle(w);
    mortal.mutations.erase(mortal.mutations.begin());  // NULL is a success
    Argument stream = plain("stream", bits(w.memory.stream()));
    if (w.memory.backend() == BSBLAS_BACKEND_HOST) stream.mutations = {{"a stream", 64, invalid, "stream is 0x40"}};
    const auto no_callback = plain("callback", 0), no_data = plain("userData", 0);
    calls.insert(
        calls.end(),
        {
            {CALL(bsblasGetVersion), {result(w, "version", 0)}},
            {CALL(bsblasGetProperty), {choice("property", BSBLAS_PROPERTY_MINOR), result(w, "value", 0)}},
            {CALL(bsblasGetBuildInfo), {result(w, "info", 0)}},
            {CALL(bsblasCreate), {result(w, "handle", 0)}, true, destroy_handle},
            {CALL(bsblasCreateWithBackend),
             {result(w, "handle", 0), choice("backend", w.memory.backend())},
             true,
             destroy_handle},
            {CALL(bsblasDestroy), {mortal}, false, [&w] { w.handle = nullptr; }},
            {CALL(bsblasGetBackend), {handle(w), result(w, "backend", 0)}},
            {CALL(bsblasSetStream), {handle(w), stream}},
            {CALL(bsblasGetStream), {handle(w), result(w, "stream", 0)}},
            {CALL(bsblasSetPointerMode), {handle(w), choice("mode", BSBLAS_POINTER_MODE_DEVICE)}},
            {CALL(bsblasGetPointerMode), {handle(w), result(w, "mode", 0)}},
            {CALL(bsblasSetMathMode), {handle(w), choice("mode", BSBLAS_MATH_TF32)}},
            {CALL(bsblasGetMathMode), {handle(w), result(w, "mode", 0)}},
            {CALL(bsblasSetDeterminism), {handle(w), choice("determinism", BSBLAS_DETERMINISM_RELAXED)}},
            {CALL(bsblasGetDeterminism), {handle(w), result(w, "determinism", 0)}},
            {CALL(bsblasSetSMCountTarget), {handle(w), {"smCount", 5, {{"-1", bits(-1), invalid, "smCount is -1"}}}}},
            {CALL(bsblasGetSMCountTarget), {handle(w), result(w, "smCount", 0)}},
            {CALL(bsblasSetNumThreads),
             {handle(w), {"numThreads", 2, {{"-1", bits(-1), invalid, "numThreads is -1"}}}}},
            {CALL(bsblasGetNumThreads), {handle(w), result(w, "numThreads", 0)}},
            {CALL(bsblasSetLogLevel), {handle(w), choice("level", BSBLAS_LOG_OFF)}},
            {CALL(bsblasGetLogLevel), {handle(w), result(w, "level", 0)}},
            {CALL(bsblasSetLogCallback), {handle(w), no_callback, no_data}},
            {CALL(bsblasGetLogCallback), {handle(w), result(w, "callback", 0), result(w, "userData", 1)}},
        });
}

void add_sparse_descriptor_calls(World& w, Calls& calls) {
    constexpr int64_t huge = INT64_MAX / 2 + 1;
    const auto destroy = [&w] { bsblasDestroySpMat(*static_cast<bsblasSpMatDescr_t*>(w.output(0))); };
    const bsblasSpMatDescr_t a = w.a->descriptor(), s = w.s->descriptor();
    World::Difference constant;
    constant.read_only = true;
    const Bits const_a = bits(w.like(*w.a, constant)), const_s = bits(w.like(*w.s, constant));

    const auto create_bsr =
        join({result(w, "A", 0), size("blockRows", 3, 0, {huge, INT64_MAX}), size("blockCols", 2, 0, {huge, INT64_MAX}),
              size("nnzBlocks", 4, 0, {huge, INT64_MAX}), size("rowBlockSize", 2, 1), size("colBlockSize", 2, 1)},
             arrays_and_traits(*w.a), std::vector{choice("blockOrder", BSBLAS_ORDER_ROW)});
    const auto create_csr = join(
        {result(w, "A", 0), size("rows", 6, 0, {INT64_MAX}), size("cols", 4, 0), size("nnz", 6, 0, {huge, INT64_MAX})},
        arrays_and_traits(*w.s));
    const std::vector<const char*> bsr_fields = {
        "blockRows", "blockCols",      "nnzBlocks",      "rowBlockSize", "colBlockSize", "rowOffsets", "colIndices",
        "values",    "rowOffsetsType", "colIndicesType", "indexBase",    "valueType",    "blockOrder"};
    const std::vector<const char*> csr_fields = {
        "rows",           "cols",           "nnz",       "rowOffsets", "colIndices", "values",
        "rowOffsetsType", "colIndicesType", "indexBase", "valueType"};
    const auto array = [](const char* name, const Array& of) {
        Argument argument = plain(name, bits(of.data()));
        argument.mutations.push_back({"misaligned", argument.value + 1, invalid, std::string(name) + " is"});
        return argument;
    };
    Argument mortal = any_sparse(w, "A", a);
    mortal.mutations.erase(mortal.mutations.begin());
    static const int64_t logical = 5, too_few = 4, too_many = 7;
    const auto attribute = [&] {
        return Argument{
            "attribute", bits(BSBLAS_SPMAT_LOGICAL_ROWS), {{"unlisted", unlisted, invalid, "attribute is 99"}}};
    };
    const auto attribute_size = [] {
        return Argument{
            "size",
            8,
            {{"4", 4, invalid, "size is 4"}, {"0", 0, invalid, "size is 0"}, {"9", 9, invalid, "size is 9"}}};
    };
    calls.insert(
        calls.end(),
        {
            {CALL(bsblasCreateBsr), create_bsr, true, destroy},
            {CALL(bsblasCreateConstBsr), create_bsr, true, destroy},
            {CALL(bsblasBsrGet), join({with_const(of_format(w, a, s), const_a)}, wishes(w, bsr_fields))},
            {CALL(bsblasConstBsrGet), join({of_format(w, a, s)}, wishes(w, bsr_fields))},
            {CALL(bsblasBsrSetPointers),
             {of_format(w, a, s), size("nnzBlocks", 4, 0, {huge, INT64_MAX}), array("rowOffsets", w.a->offsets),
              array("colIndices", w.a->columns), array("values", w.a->values)}},
            {CALL(bsblasBsrSetStridedBatch),
             {of_format(w, a, s),
              size("batchCount", 2, 1, {INT64_MAX}),
              {"rowOffsetsStride",
               4,
               {{"-1", bits(-1), invalid, "rowOffsetsStride is -1"},
                {"one too few", 3, invalid, "rowOffsetsStride is 3"},
                {"0, colIndicesStride not", 0, invalid, "rowOffsetsStride is 0"},
                {"huge", bits(INT64_MAX), invalid, "rowOffsetsStride is"}}},
              {"colIndicesStride",
               4,
               {{"-1", bits(-1), invalid, "colIndicesStride is -1"},
                {"one too few", 3, invalid, "colIndicesStride is 3"},
                {"0, rowOffsetsStride not", 0, invalid, "colIndicesStride"},
                {"huge", bits(INT64_MAX), invalid, "colIndicesStride is"}}},
              {"valuesStride",
               16,
               {{"-1", bits(-1), invalid, "valuesStride is -1"},
                {"one too few", 15, invalid, "valuesStride is 15"},
                {"huge", bits(INT64_MAX), invalid, "valuesStride is"}}}}},
            {CALL(bsblasBsrGetStridedBatch),
             join({of_format(w, a, s)},
                  wishes(w, {"batchCount", "rowOffsetsStride", "colIndicesStride", "valuesStride"}))},
            {CALL(bsblasCreateCsr), create_csr, true, destroy},
            {CALL(bsblasCreateConstCsr), create_csr, true, destroy},
            {CALL(bsblasCsrGet), join({with_const(of_format(w, s, a), const_s)}, wishes(w, csr_fields))},
            {CALL(bsblasConstCsrGet), join({of_format(w, s, a)}, wishes(w, csr_fields))},
            {CALL(bsblasCsrSetPointers),
             {of_format(w, s, a), size("nnz", 6, 0, {huge, INT64_MAX}), array("rowOffsets", w.s->offsets),
              array("colIndices", w.s->columns), array("values", w.s->values)}},
            {CALL(bsblasDestroySpMat), {mortal}},
            {CALL(bsblasSpMatGetFormat), {any_sparse(w, "A", a), wish(w, "format", 0)}},
            {CALL(bsblasSpMatGetSize), join({any_sparse(w, "A", a)}, wishes(w, {"rows", "cols", "nnz"}))},
            {CALL(bsblasSpMatSetValues), {with_const(any_sparse(w, "A", a), const_a), array("values", w.a->values)}},
            {CALL(bsblasSpMatGetValues), {with_const(any_sparse(w, "A", a), const_a), wish(w, "values", 0)}},
            {CALL(bsblasConstSpMatGetValues), {any_sparse(w, "A", a), wish(w, "values", 0)}},
            {CALL(bsblasSpMatSetAttribute),
             {of_format(w, a, s),
              attribute(),
              {"data",
               bits(&logical),
               {{"NULL", 0, invalid, "data is NULL"},
                {"an empty last block row", bits(&too_few), invalid, "is 4, expected 5 to 6"},
                {"more rows than blocks", bits(&too_many), invalid, "is 7, expected 5 to 6"}}},
              attribute_size()}},
            {CALL(bsblasSpMatGetAttribute), {of_format(w, a, s), attribute(), result(w, "data", 0), attribute_size()}},
        });
}

void add_dense_descriptor_calls(World& w, Calls& calls) {
    constexpr int64_t huge = INT64_MAX / 2 + 1;
    const auto destroy = [&w] { bsblasDestroyDnMat(*static_cast<bsblasDnMatDescr_t*>(w.output(0))); };
    const bsblasDnMatDescr_t b = w.b->descriptor();
    World::Difference constant;
    constant.read_only = true;
    const Bits const_b = bits(w.like(*w.b, constant));
    Argument values = plain("values", bits(w.b->values.data()));
    values.mutations.push_back({"misaligned", values.value + 1, invalid, "values is"});
    const std::vector<Argument> create = {result(w, "B", 0),
                                          size("rows", 4, 0, {huge, INT64_MAX}),
                                          size("cols", 3, 0),
                                          size("ld", 3, 3, {huge, INT64_MAX}),
                                          values,
                                          choice("valueType", BSBLAS_R_32F),
                                          choice("order", BSBLAS_ORDER_ROW)};
    const std::vector<const char*> fields = {"rows", "cols", "ld", "values", "valueType", "order"};
    Argument mortal = any_dense(w, "B", b);
    mortal.mutations.erase(mortal.mutations.begin());
    calls.insert(
        calls.end(),
        {
            {CALL(bsblasCreateDnMat), create, true, destroy},
            {CALL(bsblasCreateConstDnMat), create, true, destroy},
            {CALL(bsblasDestroyDnMat), {mortal}},
            {CALL(bsblasDnMatGet), join({with_const(any_dense(w, "B", b), const_b)}, wishes(w, fields))},
            {CALL(bsblasConstDnMatGet), join({any_dense(w, "B", b)}, wishes(w, fields))},
            {CALL(bsblasDnMatSetValues), {with_const(any_dense(w, "B", b), const_b), values}},
            {CALL(bsblasDnMatGetValues), {with_const(any_dense(w, "B", b), const_b), wish(w, "values", 0)}},
            {CALL(bsblasConstDnMatGetValues), {any_dense(w, "B", b), wish(w, "values", 0)}},
            {CALL(bsblasDnMatSetStridedBatch),
             {any_dense(w, "B", b), size("batchCount", 2, 1, {INT64_MAX}), size("stride", 12, 0, {INT64_MAX})}},
            {CALL(bsblasDnMatGetStridedBatch), join({any_dense(w, "B", b)}, wishes(w, {"batchCount", "stride"}))},
        });
}

void add_option_calls(World& w, Calls& calls) {
    static const bsblasComputeType_t compute = BSBLAS_COMPUTE_32F;
    static const int bad_value = unlisted;
    Argument mortal = options(w);
    calls.insert(calls.end(),
                 {
                     {CALL(bsblasCreateOpDescr),
                      {result(w, "descr", 0)},
                      true,
                      [&w] { bsblasDestroyOpDescr(*static_cast<bsblasOpDescr_t*>(w.output(0))); }},
                     {CALL(bsblasOpDescrSetAttribute),
                      {own_options(w),
                       {"attribute",
                        bits(BSBLAS_OP_COMPUTE_TYPE),
                        {{"unlisted", unlisted, invalid, "attribute is 99"},
                         {"reserved", 200, invalid, "attribute is 200"},
                         {"of another size", bits(BSBLAS_OP_SCALE_A), invalid, "size is 4"}}},
                       {"data",
                        bits(&compute),
                        {{"NULL", 0, invalid, "data is NULL"}, {"unlisted", bits(&bad_value), invalid, "data is 99"}}},
                       {"size", 4, {{"8", 8, invalid, "size is 8"}, {"0", 0, invalid, "size is 0"}}}}},
                     {CALL(bsblasOpDescrGetAttribute),
                      {own_options(w),
                       {"attribute",
                        bits(BSBLAS_OP_ALGORITHM),
                        {{"unlisted", unlisted, invalid, "attribute is 99"},
                         {"not set", bits(BSBLAS_OP_DETERMINISM), invalid, "attribute is 1"},
                         {"of another size", bits(BSBLAS_OP_SCALE_B), invalid, "size is 4"}}},
                       result(w, "data", 0),
                       {"size", 4, {{"8", 8, invalid, "size is 8"}, {"0", 0, invalid, "size is 0"}}}}},
                     {CALL(bsblasDestroyOpDescr), {mortal}, false, [&w] { w.options = nullptr; }},
                 });
}

void add_product_calls(World& w, Calls& calls) {
    const auto spmm_operands = [&](Use input, Use output) {
        return std::pair(
            std::vector{operand(w, "A", *w.a, input, unsupported), operand(w, "B", *w.b, input, unsupported)},
            operand(w, "C", *w.c, output, unsupported));
    };
    const auto sddmm_operands = [&](Use input, Use output) {
        return std::pair(
            std::vector{operand(w, "X", *w.x, input, unsupported), operand(w, "Y", *w.y, input, unsupported)},
            operand(w, "A", *w.a, output, unsupported));
    };
    const auto number = [](const char* name, const float& value) {
        Argument argument = pointer(name, &value);
        argument.mutations.push_back({"misaligned", argument.value + 1, invalid, std::string(name) + " is"});
        return argument;
    };
    // op T, so that a workspace is needed: A' is 4 x 6, and B and C change places.
    const auto transposed_spmm_size = asked([&](size_t* z) {
        return bsblasSpMM_bufferSize(w.handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, w.a->descriptor(),
                                     w.b->descriptor(), w.c->descriptor(), w.options, z);
    });
    const size_t sddmm_size = asked([&](size_t* z) {
        return bsblasSDDMM_bufferSize(w.handle, BSBLAS_OP_N, BSBLAS_OP_N, w.x->descriptor(), w.y->descriptor(),
                                      w.a->descriptor(), w.options, z);
    });
    const std::vector<Argument> spmm_choices = {handle(w), choice("side", BSBLAS_SIDE_LEFT), choice("opA", BSBLAS_OP_N),
                                                choice("opB", BSBLAS_OP_N)};
    const std::vector<Argument> sddmm_choices = {handle(w), choice("opX", BSBLAS_OP_N), choice("opY", BSBLAS_OP_N)};
    const auto [spmm_in, spmm_out] = spmm_operands(Use::input, Use::output);
    const auto [spmm_asked, spmm_asked_out] = spmm_operands(Use::size_query, Use::size_query);
    const auto [sddmm_in, sddmm_out] = sddmm_operands(Use::input, Use::output);
    const auto [sddmm_asked, sddmm_asked_out] = sddmm_operands(Use::size_query, Use::size_query);
    calls.insert(
        calls.end(),
        {
            {CALL(bsblasSpMM_bufferSize),
             join(spmm_choices, spmm_asked, std::vector{spmm_asked_out, options(w), result(w, "bufferSize", 0)})},
            {CALL(bsblasSpMM),
             join(spmm_choices, std::vector{number("alpha", World::one)}, spmm_in,
                  std::vector{number("beta", World::zero), spmm_out, options(w)}, buffer(w, transposed_spmm_size))},
            {CALL(bsblasSDDMM_bufferSize),
             join(sddmm_choices, sddmm_asked, std::vector{sddmm_asked_out, options(w), result(w, "bufferSize", 0)})},
            {CALL(bsblasSDDMM),
             join(sddmm_choices, std::vector{number("alpha", World::one)}, sddmm_in,
                  std::vector{number("beta", World::zero), sddmm_out, options(w)}, buffer(w, sddmm_size))},
        });
}

void add_pattern_calls(World& w, Calls& calls) {
    const bsblasHandle_t h = w.handle;
    const bsblasSpMatDescr_t a = w.a->descriptor(), at = w.at->descriptor(), s = w.s->descriptor();
    const bsblasSpMatDescr_t a_out = w.a_out->descriptor(), s_out = w.s_out->descriptor();
    const bsblasDnMatDescr_t d = w.d->descriptor(), d_out = w.d_out->descriptor();
    const auto alone = [&](Argument argument) {  // no other operand that its type or size could contradict
        std::erase_if(argument.mutations, [](const Mutation& m) {
            return m.what == "f64" || m.what == "a row too many" || m.what == "a batch that nothing else is";
        });
        return argument;
    };
    const auto any_format = [&](Argument argument) {
        std::erase_if(argument.mutations, [](const Mutation& m) { return m.what == "CSR"; });
        return argument;
    };
    const auto no_values = [&](Argument argument) {
        std::erase_if(argument.mutations, [](const Mutation& m) { return m.what == "without values"; });
        return argument;
    };
    Argument op = choice("op", BSBLAS_OP_T);
    op.mutations.push_back({"N", bits(BSBLAS_OP_N), invalid, "op is"});
    Argument map = plain("map", bits(w.map.data()));
    map.mutations.push_back({"misaligned", map.value + 1, invalid, "map is"});
    Argument needed_map = map;
    needed_map.mutations.push_back({"NULL", 0, invalid, "map is NULL"});
    const Argument count = result(w, "nnzBlocks", 1), csr_count = result(w, "nnz", 1);
    const Argument count_wish = wish(w, "nnzBlocks", 1), csr_count_wish = wish(w, "nnz", 1);
    const Argument buffer_size = result(w, "bufferSize", 0);
    const Use query = Use::size_query, counting = Use::count, in = Use::input, out = Use::output;

    // At may have room to spare, but not less than A.
    Argument at_out = operand(w, "At", *w.at, out);
    World::Difference small;
    small.more_capacity = -1;
    at_out.mutations.push_back({"a slot too few", bits(w.like(*w.at, small)), invalid, "At"});
    // A refresh takes A's values alone; how many there are, At's pattern says.
    Argument a_values = operand(w, "A", *w.a, in);
    std::erase_if(a_values.mutations,
                  [](const Mutation& m) { return m.what == "without columns" || m.what == "without offsets"; });
    // Only part of the arrays is needed to count.
    const auto pattern_alone = [&](Argument argument) { return no_values(argument); };

    const size_t analyze = asked([&](size_t* z) { return bsblasBsrAnalyze_bufferSize(h, a, z); });
    const size_t validate = asked([&](size_t* z) { return bsblasBsrValidate_bufferSize(h, a, z); });
    const size_t sort = asked([&](size_t* z) { return bsblasBsrSort_bufferSize(h, a, z); });
    const size_t transpose = asked([&](size_t* z) { return bsblasBsrTranspose_bufferSize(h, BSBLAS_OP_T, a, at, z); });
    const size_t from_dense = asked([&](size_t* z) { return bsblasDenseToBsr_bufferSize(h, d, a_out, z); });
    const size_t to_dense = asked([&](size_t* z) { return bsblasBsrToDense_bufferSize(h, a, d_out, z); });
    const size_t from_csr = asked([&](size_t* z) { return bsblasCsrToBsr_bufferSize(h, s, a_out, z); });
    const size_t to_csr = asked([&](size_t* z) { return bsblasBsrToCsr_bufferSize(h, a, s_out, z); });
    std::vector<Argument> analyze_buffer = buffer(w, analyze);
    std::erase_if(analyze_buffer[1].mutations, [](const Mutation& m) { return m.value == 0; });  // 0 detaches

    const Argument handle_ = handle(w);
    calls.insert(
        calls.end(),
        {
            {CALL(bsblasBsrAnalyze_bufferSize), {handle_, alone(operand(w, "A", *w.a, query)), buffer_size}},
            {CALL(bsblasBsrAnalyze), join({handle_, alone(pattern_alone(operand(w, "A", *w.a, in)))}, analyze_buffer)},
            {CALL(bsblasBsrValidate_bufferSize),
             {handle_, any_format(alone(operand(w, "A", *w.a, query))), buffer_size}},
            {CALL(bsblasBsrValidate), join({handle_, any_format(alone(pattern_alone(operand(w, "A", *w.a, in)))),
                                            wish(w, "defect", 1), wish(w, "row", 2), wish(w, "slot", 3)},
                                           buffer(w, validate))},
            {CALL(bsblasBsrSort_bufferSize), {handle_, alone(operand(w, "A", *w.a, query)), buffer_size}},
            {CALL(bsblasBsrSort), join({handle_, alone(operand(w, "A", *w.a, out)), map}, buffer(w, sort))},
            {CALL(bsblasBsrTranspose_bufferSize),
             {handle_, op, operand(w, "A", *w.a, query), operand(w, "At", *w.at, query), buffer_size}},
            {CALL(bsblasBsrTranspose),
             join({handle_, op, operand(w, "A", *w.a, in), at_out, map}, buffer(w, transpose))},
            {CALL(bsblasBsrTransposeValues), {handle_, op, a_values, operand(w, "At", *w.at, out), needed_map}},
            {CALL(bsblasDenseToBsr_bufferSize),
             {handle_, operand(w, "D", *w.d, query), operand(w, "A", *w.a_out, query), buffer_size}},
            {CALL(bsblasDenseToBsr_count),
             join({handle_, operand(w, "D", *w.d, in), operand(w, "A", *w.a_out, counting), count},
                  buffer(w, from_dense))},
            {CALL(bsblasDenseToBsr),
             join({handle_, operand(w, "D", *w.d, in), operand(w, "A", *w.a_out, out), count_wish},
                  buffer(w, from_dense))},
            {CALL(bsblasBsrToDense_bufferSize),
             {handle_, operand(w, "A", *w.a, query), operand(w, "D", *w.d_out, query), buffer_size}},
            {CALL(bsblasBsrToDense),
             join({handle_, operand(w, "A", *w.a, in), operand(w, "D", *w.d_out, out)}, buffer(w, to_dense))},
            {CALL(bsblasCsrToBsr_bufferSize),
             {handle_, operand(w, "S", *w.s, query), operand(w, "A", *w.a_out, query), buffer_size}},
            {CALL(bsblasCsrToBsr_count),
             join({handle_, pattern_alone(operand(w, "S", *w.s, in)), operand(w, "A", *w.a_out, counting), count},
                  buffer(w, from_csr))},
            {CALL(bsblasCsrToBsr),
             join({handle_, operand(w, "S", *w.s, in), operand(w, "A", *w.a_out, out), count_wish},
                  buffer(w, from_csr))},
            {CALL(bsblasBsrToCsr_bufferSize),
             {handle_, operand(w, "A", *w.a, query), operand(w, "S", *w.s_out, query), buffer_size}},
            {CALL(bsblasBsrToCsr_count),
             join({handle_, pattern_alone(operand(w, "A", *w.a, in)), operand(w, "S", *w.s_out, counting), csr_count},
                  buffer(w, to_csr))},
            {CALL(bsblasBsrToCsr),
             join({handle_, operand(w, "A", *w.a, in), operand(w, "S", *w.s_out, out), csr_count_wish},
                  buffer(w, to_csr))},
        });
}

}  // namespace

std::vector<PublicCall> public_calls(World& world) {
    Calls calls;
    add_handle_calls(world, calls);
    add_sparse_descriptor_calls(world, calls);
    add_dense_descriptor_calls(world, calls);
    add_option_calls(world, calls);
    add_product_calls(world, calls);
    add_pattern_calls(world, calls);
    world.bury_the_dead();
    return calls;
}

}  // namespace bsblas::test
