#include "number.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace bsblas::test {
namespace {

// A small floating-point format: sign, exponent, mantissa; no infinity: the all-ones code alone is NaN, as in e4m3.
struct SmallFloat {
    int exponent_bits, mantissa_bits;
    bool infinity;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int least_exponent() const { return 1 - bias(); }
    uint32_t infinity_code() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    uint32_t nan_code() const {
        return infinity ? infinity_code() | 1u << (mantissa_bits - 1) : (1u << (bits() - 1)) - 1;
    }
    uint32_t largest_code() const { return (infinity ? infinity_code() : nan_code()) - 1; }

    double decode(uint32_t code) const {
        const uint32_t magnitude = code & ((1u << (bits() - 1)) - 1);
        const double sign = code >> (bits() - 1) ? -1.0 : 1.0;
        if (magnitude > largest_code()) {
            const bool is_infinity = infinity && magnitude == infinity_code();
            return is_infinity ? sign * std::numeric_limits<double>::infinity() : std::nan("");
        }
        const int exponent = static_cast<int>(magnitude >> mantissa_bits);
        const int mantissa = static_cast<int>(magnitude & ((1u << mantissa_bits) - 1));
        const int hidden = exponent == 0 ? 0 : 1 << mantissa_bits;
        return sign * std::ldexp(mantissa + hidden, std::max(exponent, 1) - bias() - mantissa_bits);
    }

    uint32_t encode(double value) const {
        const uint32_t sign = std::signbit(value) ? 1u << (bits() - 1) : 0;
        const double magnitude = std::fabs(value);
        if (std::isnan(value)) return sign | nan_code();
        const uint32_t overflow = infinity ? infinity_code() : nan_code();
        if (std::isinf(value)) return sign | overflow;
        if (magnitude == 0) return sign;
        // In units of the last place of value's binade, or of the subnormals; codes ascend with the numbers they stand
        // for, so a mantissa that rounds up to the next binade carries into the exponent by itself.
        const int exponent = std::max(std::ilogb(magnitude), least_exponent());
        if (exponent > bias() + 1) return sign | overflow;
        const double units = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
        const uint32_t code =
            (static_cast<uint32_t>(exponent - least_exponent()) << mantissa_bits) + static_cast<uint32_t>(units);
        return sign | std::min(code, overflow);
    }
};

const SmallFloat* small_float(bsblasDataType_t type) {
    static const SmallFloat f16{5, 10, true}, bf16{8, 7, true}, e4m3{4, 3, false}, e5m2{5, 2, true};
    switch (type) {
        case BSBLAS_R_16F:
            return &f16;
        case BSBLAS_R_16BF:
            return &bf16;
        case BSBLAS_R_8F_E4M3:
            return &e4m3;
        case BSBLAS_R_8F_E5M2:
            return &e5m2;
        default:
            return nullptr;
    }
}

std::vector<double> decode_table(const SmallFloat& format) {
    std::vector<double> table(size_t{1} << format.bits());
    for (size_t code = 0; code < table.size(); ++code) table[code] = format.decode(static_cast<uint32_t>(code));
    return table;
}

const double* decoded(bsblasDataType_t type) {
    static const std::vector<double> f16 = decode_table(*small_float(BSBLAS_R_16F));
    static const std::vector<double> bf16 = decode_table(*small_float(BSBLAS_R_16BF));
    static const std::vector<double> e4m3 = decode_table(*small_float(BSBLAS_R_8F_E4M3));
    static const std::vector<double> e5m2 = decode_table(*small_float(BSBLAS_R_8F_E5M2));
    switch (type) {
        case BSBLAS_R_16F:
            return f16.data();
        case BSBLAS_R_16BF:
            return bf16.data();
        case BSBLAS_R_8F_E4M3:
            return e4m3.data();
        default:
            return e5m2.data();
    }
}

// By memcpy: test arrays are shifted off their natural alignment's multiples, and complex ones need only half of
// theirs.
template <class T>
T load(const void* array, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(array) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

template <class T>
void store(void* array, int64_t index, T value) {
    std::memcpy(static_cast<char*>(array) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

[[noreturn]] void unknown(bsblasDataType_t type) {
    throw std::invalid_argument("no element type has the number " + std::to_string(static_cast<int>(type)));
}

}  // namespace

double uniform(Random& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

int64_t below(Random& random, int64_t n) {
    return static_cast<int64_t>(uniform(random) * static_cast<double>(n));
}

size_t size_of(bsblasIndexType_t type) {
    return type == BSBLAS_INDEX_64I ? 8 : 4;
}

size_t size_of(bsblasDataType_t type) {
    return alignment_of(type) * (is_complex(type) ? 2 : 1);
}

size_t alignment_of(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_8I:
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return 1;
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return 2;
        case BSBLAS_R_32F:
        case BSBLAS_R_32I:
        case BSBLAS_C_32F:
            return 4;
        case BSBLAS_R_64F:
        case BSBLAS_C_64F:
            return 8;
        default:
            unknown(type);
    }
}

bool is_complex(bsblasDataType_t type) {
    return type == BSBLAS_C_32F || type == BSBLAS_C_64F;
}
bool is_integer(bsblasDataType_t type) {
    return type == BSBLAS_R_8I || type == BSBLAS_R_32I;
}
bool is_fp8(bsblasDataType_t type) {
    return type == BSBLAS_R_8F_E4M3 || type == BSBLAS_R_8F_E5M2;
}

bsblasDataType_t scalar_type(bsblasDataType_t input, bsblasDataType_t output) {
    if (input == BSBLAS_R_8I) return output;
    return is_complex(input) || input == BSBLAS_R_64F ? input : BSBLAS_R_32F;
}

Limits limits(bsblasDataType_t type) {
    if (const SmallFloat* f = small_float(type))
        return {std::ldexp(1.0, -f->mantissa_bits - 1), f->decode(1), f->decode(f->largest_code())};
    switch (type) {
        case BSBLAS_R_32F:
        case BSBLAS_C_32F:
            return {0x1p-24, 0x1p-149, std::numeric_limits<float>::max()};
        case BSBLAS_R_64F:
        case BSBLAS_C_64F:
            return {0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()};
        case BSBLAS_R_8I:
            return {0, 0, 127};
        case BSBLAS_R_32I:
            return {0, 0, 2147483647};
        default:
            unknown(type);
    }
}

void put(void* array, int64_t index, bsblasDataType_t type, Complex value) {
    switch (type) {
        case BSBLAS_R_32F:
            return store(array, index, static_cast<float>(value.real()));
        case BSBLAS_R_64F:
            return store(array, index, value.real());
        case BSBLAS_C_32F:
            store(array, 2 * index, static_cast<float>(value.real()));
            return store(array, 2 * index + 1, static_cast<float>(value.imag()));
        case BSBLAS_C_64F:
            store(array, 2 * index, value.real());
            return store(array, 2 * index + 1, value.imag());
        case BSBLAS_R_8I:
            return store(array, index, static_cast<int8_t>(value.real()));
        case BSBLAS_R_32I:
            return store(array, index, static_cast<int32_t>(value.real()));
        default:
            break;
    }
    const SmallFloat* format = small_float(type);
    if (!format) unknown(type);
    const uint32_t code = format->encode(value.real());
    if (format->bits() == 8)
        store(array, index, static_cast<uint8_t>(code));
    else
        store(array, index, static_cast<uint16_t>(code));
}

Complex get(const void* array, int64_t index, bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_32F:
            return load<float>(array, index);
        case BSBLAS_R_64F:
            return load<double>(array, index);
        case BSBLAS_C_32F:
            return {load<float>(array, 2 * index), load<float>(array, 2 * index + 1)};
        case BSBLAS_C_64F:
            return {load<double>(array, 2 * index), load<double>(array, 2 * index + 1)};
        case BSBLAS_R_8I:
            return load<int8_t>(array, index);
        case BSBLAS_R_32I:
            return load<int32_t>(array, index);
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return decoded(type)[load<uint16_t>(array, index)];
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return decoded(type)[load<uint8_t>(array, index)];
        default:
            unknown(type);
    }
}

Complex rounded(Complex value, bsblasDataType_t type) {
    unsigned char element[16] = {};
    put(element, 0, type, value);
    return get(element, 0, type);
}

Complex random_value(Random& random, bsblasDataType_t type) {
    if (is_integer(type)) return static_cast<double>(below(random, 256) - 128);
    const double real = 2 * uniform(random) - 1;
    return rounded({real, is_complex(type) ? 2 * uniform(random) - 1 : 0}, type);
}

}  // namespace bsblas::test
