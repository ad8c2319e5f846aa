// Elements of every type as doubles, and random ones. Written apart from the library's conversions, which it checks.
#pragma once

#include <bsblas/types.h>

#include <complex>
#include <cstdint>
#include <random>

namespace bsblas::test {

using Complex = std::complex<double>;
using Random = std::mt19937_64;

// In [0, 1) and in [0, n); unlike the standard's distributions the same everywhere.
double uniform(Random& random);
int64_t below(Random& random, int64_t n);

size_t size_of(bsblasDataType_t type);       // of an element
size_t size_of(bsblasIndexType_t type);      // of an index
size_t alignment_of(bsblasDataType_t type);  // of its real part
bool is_complex(bsblasDataType_t type);
bool is_integer(bsblasDataType_t type);
bool is_fp8(bsblasDataType_t type);

// Of alpha and beta, by the types of the inputs and the output: the table in multiply.h.
bsblasDataType_t scalar_type(bsblasDataType_t input, bsblasDataType_t output);

// Half the distance from 1 to the next number, the smallest number above 0, and the largest; integers: 0, 0, their
// largest.
struct Limits {
    double unit_roundoff, tiny, largest;
};
Limits limits(bsblasDataType_t type);

// Rounds to the nearest, ties to even. Beyond the largest: infinity, NaN in e4m3; integers must be in range.
void put(void* array, int64_t index, bsblasDataType_t type, Complex value);
Complex get(const void* array, int64_t index, bsblasDataType_t type);
inline double get_real(const void* array, int64_t index, bsblasDataType_t type) {
    return get(array, index, type).real();
}

// Value rounded to the type.
Complex rounded(Complex value, bsblasDataType_t type);

// In [-1, 1] by parts, already rounded; integers over the whole range of an int8.
Complex random_value(Random& random, bsblasDataType_t type);

}  // namespace bsblas::test
