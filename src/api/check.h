// Checks of arguments. Each refuses with a sentence that names the argument, what it was and what was expected.
#pragma once

#include "api/guard.h"
#include "core/descriptors.h"
#include "core/types.h"

#include <cinttypes>
#include <initializer_list>
#include <string>

namespace bsblas::api {

void not_null(const char* argument, const void* pointer);

// NULL is fine as well as an aligned address.
void aligned(const char* argument, const void* pointer, int64_t alignment);

void at_least(const char* argument, int64_t value, int64_t smallest);

template <class Enum>
void listed(const char* argument, Enum value, std::initializer_list<Enum> all, const char* expected) {
    for (Enum one : all) {
        if (value == one) return;
    }
    refuse_value("%s is %d, expected %s", argument, static_cast<int>(value), expected);
}

void check_determinism(const char* argument, bsblasDeterminism_t determinism);
void check_op(const char* argument, bsblasOperation_t op);
const DataType& check_type(const char* argument, bsblasDataType_t type);

// Live objects, of the right kind.
const bsblasSpMatDescr& sparse(const char* argument, bsblasConstSpMatDescr_t descriptor);
const bsblasSpMatDescr& bsr(const char* argument, bsblasConstSpMatDescr_t descriptor);
const bsblasSpMatDescr& csr(const char* argument, bsblasConstSpMatDescr_t descriptor);
const bsblasDnMatDescr& dense(const char* argument, bsblasConstDnMatDescr_t descriptor);
const bsblasOpDescr& options(bsblasConstOpDescr_t descriptor);  // NULL: the defaults

// As outputs: not made Const, and no two matrices of the batch at the same place.
void writable(const char* argument, const bsblasSpMatDescr& descriptor);
void writable(const char* argument, const bsblasDnMatDescr& descriptor);

// The arrays that an operation reads or writes are there.
void has_pattern(const char* argument, const bsblasSpMatDescr& descriptor);
void has_values(const char* argument, const bsblasSpMatDescr& descriptor);
void has_values(const char* argument, const bsblasDnMatDescr& descriptor);

// A batch of `count` made of `have` matrices: all, or one for all.
void batch_serves(const char* argument, int64_t have, const char* of, int64_t count);

// Writes an output that the caller may not want.
template <class To, class From>
void put(To* to, From value) {
    if (to) *to = static_cast<To>(value);
}

// "A is 64 x 32 (4 x 2 blocks of 16 x 16)", "B is 32 x 8".
std::string size_of(const char* argument, const bsblasSpMatDescr& descriptor);
std::string size_of(const char* argument, const bsblasDnMatDescr& descriptor);

// bufferSize functions and buffers: kernels see 256-byte aligned memory on both backends, so the host, whose callers
// may pass any address, asks for as much more.
size_t buffer_size(const bsblasHandle& handle, size_t needed);
void* checked_buffer(const bsblasHandle& handle, void* buffer, size_t size, size_t needed);

}  // namespace bsblas::api
