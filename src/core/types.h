// Facts about the public enumerations.
#pragma once

#include <bsblas/types.h>

#include <cstdint>
#include <optional>

namespace bsblas {

struct DataType {
    bsblasDataType_t id;
    const char* name;   // as in the problem grammar
    int64_t size;       // bytes of an element
    int64_t alignment;  // bytes; of the real part for complex types
    bool complex;
    bool converts;  // the conversions take it
};

// Null for a value that the header does not list.
const DataType* data_type(bsblasDataType_t id);

// As in the problem grammar, or "?".
const char* name_of(bsblasComputeType_t compute);
const char* name_of(bsblasOperation_t op);
const char* name_of(bsblasOrder_t order);

// How inputs, output and the options decide the arithmetic: the table of multiply.h. Empty: the table lacks it.
struct ArithmeticTypes {
    bsblasDataType_t scalar;
    bsblasComputeType_t compute;
    bool scales;  // allowed
};
std::optional<ArithmeticTypes> arithmetic_types(bsblasDataType_t a, bsblasDataType_t b, bsblasDataType_t out,
                                                std::optional<bsblasComputeType_t> wanted, bsblasMathMode_t math);

// No array or dimension is larger: more than any machine addresses, and so little that buffers, which are a few times
// as large as arrays, stay within 64 bits.
inline constexpr int64_t max_bytes = int64_t{1} << 56;

// *out = a b + c, for sizes that are not negative; false above max_bytes.
inline bool multiply_add(int64_t a, int64_t b, int64_t c, int64_t* out) {
    return !__builtin_mul_overflow(a, b, out) && !__builtin_add_overflow(*out, c, out) && *out <= max_bytes;
}

}  // namespace bsblas
