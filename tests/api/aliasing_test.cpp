// Calls that get the same array twice: refused where one of the two is written, and then nothing is.
#include <bsblas/bsblas.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace bsblas::test {
namespace {

constexpr bsblasStatus_t success = BSBLAS_STATUS_SUCCESS;

// An array of a call: 2 x 2 blocks of 2 x 2 floats at (0, 0) and (1, 1), or what has room for them.
struct Array {
    const char* name;  // as a message says it
    bool written;
    alignas(256) std::array<char, 4096> bytes;
};

template <class Number>
Array array(const char* name, bool written, std::initializer_list<Number> numbers) {
    Array array{name, written, {}};
    std::memcpy(array.bytes.data(), numbers.begin(), numbers.size() * sizeof(Number));
    return array;
}

// Of two block rows, or of four rows with an element each.
Array offsets(const char* name, bool written) {
    return array<int32_t>(name, written, {0, 1, 2, 3, 4});
}

Array indices(const char* name, bool written) {
    return array<int32_t>(name, written, {0, 1, 2, 3});
}

// Or a dense matrix with these blocks.
Array values(const char* name, bool written) {
    return array<float>(name, written, {1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 5, 6});
}

Array room(const char* name) {
    return {name, true, {}};
}

struct Call {
    const char* name;
    std::vector<Array> arrays;
    std::function<bsblasStatus_t(bsblasHandle_t, const std::vector<void*>&)> run;
};

// A descriptor that is destroyed with its scope.
struct Sparse {
    bsblasSpMatDescr_t descriptor = nullptr;
    Sparse(void* offsets, void* indices, void* values, bool csr = false) {
        EXPECT_EQ(csr ? bsblasCreateCsr(&descriptor, 4, 4, 8, offsets, indices, values, BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F)
                      : bsblasCreateBsr(&descriptor, 2, 2, 2, 2, 2, offsets, indices, values, BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW),
                  success);
    }
    ~Sparse() { bsblasDestroySpMat(descriptor); }
    operator bsblasSpMatDescr_t() const { return descriptor; }
};

struct Dense {
    bsblasDnMatDescr_t descriptor = nullptr;
    explicit Dense(void* values) {
        EXPECT_EQ(bsblasCreateDnMat(&descriptor, 4, 4, 4, values, BSBLAS_R_32F, BSBLAS_ORDER_ROW), success);
    }
    ~Dense() { bsblasDestroyDnMat(descriptor); }
    operator bsblasDnMatDescr_t() const { return descriptor; }
};

std::vector<Call> calls() {
    constexpr size_t size = sizeof(Array::bytes);
    const auto count = [](void* p) { return static_cast<int64_t*>(p); };
    return {
        {"sort",
         {offsets("rowOffsets of A", true), indices("colIndices of A", true), values("values of A", true), room("map"),
          room("buffer")},
         [](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasBsrSort(handle, Sparse(p[0], p[1], p[2]), p[3], p[4], size);
         }},
        {"transpose",
         {offsets("rowOffsets of A", false), indices("colIndices of A", false), values("values of A", false),
          room("rowOffsets of At"), room("colIndices of At"), room("values of At"), room("map"), room("buffer")},
         [](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasBsrTranspose(handle, BSBLAS_OP_T, Sparse(p[0], p[1], p[2]), Sparse(p[3], p[4], p[5]), p[6],
                                       p[7], size);
         }},
        {"dense to bsr",
         {values("values of D", false), room("rowOffsets of A"), room("colIndices of A"), room("values of A"),
          room("nnzBlocks"), room("buffer")},
         [=](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasDenseToBsr(handle, Dense(p[0]), Sparse(p[1], p[2], p[3]), count(p[4]), p[5], size);
         }},
        {"bsr to dense",
         {offsets("rowOffsets of A", false), indices("colIndices of A", false), values("values of A", false),
          room("values of D"), room("buffer")},
         [](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasBsrToDense(handle, Sparse(p[0], p[1], p[2]), Dense(p[3]), p[4], size);
         }},
        {"csr to bsr",
         {offsets("rowOffsets of S", false), indices("colIndices of S", false), values("values of S", false),
          room("rowOffsets of A"), room("colIndices of A"), room("values of A"), room("nnzBlocks"), room("buffer")},
         [=](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasCsrToBsr(handle, Sparse(p[0], p[1], p[2], true), Sparse(p[3], p[4], p[5]), count(p[6]), p[7],
                                   size);
         }},
        {"bsr to csr",
         {offsets("rowOffsets of A", false), indices("colIndices of A", false), values("values of A", false),
          room("rowOffsets of S"), room("colIndices of S"), room("values of S"), room("nnz"), room("buffer")},
         [=](bsblasHandle_t handle, const std::vector<void*>& p) {
             return bsblasBsrToCsr(handle, Sparse(p[0], p[1], p[2]), Sparse(p[3], p[4], p[5], true), count(p[6]), p[7],
                                   size);
         }},
    };
}

TEST(Aliasing, NoCallWritesAnArrayThatItHasTwice) {
    bsblasHandle_t handle = nullptr;
    ASSERT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), success);
    for (Call& call : calls()) {
        std::vector<void*> pointers;
        for (Array& array : call.arrays) pointers.push_back(array.bytes.data());
        std::vector<std::array<char, 4096>> before;
        for (const Array& array : call.arrays) before.push_back(array.bytes);
        for (size_t i = 0; i < pointers.size(); ++i) {
            for (size_t j = 0; j < pointers.size(); ++j) {
                const Array &one = call.arrays[i], &other = call.arrays[j];
                if (i == j || !(one.written || other.written)) continue;
                std::vector<void*> twice = pointers;
                twice[i] = pointers[j];
                const std::string what = std::string(call.name) + ": " + one.name + " = " + other.name;
                ASSERT_EQ(call.run(handle, twice), BSBLAS_STATUS_INVALID_VALUE) << what;
                const std::string message = bsblasGetLastErrorMessage();
                EXPECT_NE(message.find(one.name), std::string::npos) << what << ": " << message;
                EXPECT_NE(message.find(other.name), std::string::npos) << what << ": " << message;
                for (size_t k = 0; k < before.size(); ++k) {
                    ASSERT_EQ(call.arrays[k].bytes, before[k]) << what << " wrote " << call.arrays[k].name;
                }
            }
        }
        EXPECT_EQ(call.run(handle, pointers), success) << call.name << ": " << bsblasGetLastErrorMessage();
    }
    bsblasDestroy(handle);
}

// As an empty list's data() is in some languages.
TEST(Aliasing, ArraysWithoutElementsMayShareAnAddress) {
    bsblasHandle_t handle = nullptr;
    ASSERT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), success);
    alignas(8) char nothing[8];
    int32_t rows[] = {0, 0, 0}, rows_at[] = {7, 7, 7}, rows_csr[] = {0, 0, 0, 0, 0};
    const auto empty = [&](int32_t* offsets, bool csr = false) {
        bsblasSpMatDescr_t matrix = nullptr;
        EXPECT_EQ(csr ? bsblasCreateCsr(&matrix, 4, 4, 0, offsets, nothing, nothing, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F)
                      : bsblasCreateBsr(&matrix, 2, 2, 0, 2, 2, offsets, nothing, nothing, BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW),
                  success);
        return matrix;
    };
    const bsblasSpMatDescr_t a = empty(rows), at = empty(rows_at), s = empty(rows_csr, true);
    float zeros[16] = {};
    const Dense d(zeros);
    alignas(256) char buffer[4096];
    int64_t count = -1;
    EXPECT_EQ(bsblasBsrSort(handle, a, nothing, nothing, 0), success) << bsblasGetLastErrorMessage();
    EXPECT_EQ(bsblasBsrTranspose(handle, BSBLAS_OP_T, a, at, nothing, buffer, sizeof buffer), success)
        << bsblasGetLastErrorMessage();
    EXPECT_EQ(rows_at[2], 0);
    EXPECT_EQ(bsblasDenseToBsr(handle, d, at, &count, buffer, sizeof buffer), success) << bsblasGetLastErrorMessage();
    EXPECT_EQ(bsblasBsrToDense(handle, a, d, buffer, sizeof buffer), success) << bsblasGetLastErrorMessage();
    EXPECT_EQ(bsblasCsrToBsr(handle, s, at, &count, buffer, sizeof buffer), success) << bsblasGetLastErrorMessage();
    EXPECT_EQ(bsblasBsrToCsr(handle, a, s, &count, buffer, sizeof buffer), success) << bsblasGetLastErrorMessage();
    EXPECT_EQ(count, 0);
    for (bsblasSpMatDescr_t matrix : {a, at, s}) bsblasDestroySpMat(matrix);
    bsblasDestroy(handle);
}

TEST(Aliasing, CountsAreAligned) {
    bsblasHandle_t handle = nullptr;
    ASSERT_EQ(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST), success);
    for (Call& call : calls()) {
        std::vector<void*> pointers;
        size_t count = 0;
        for (Array& array : call.arrays) {
            if (std::strncmp(array.name, "nnz", 3) == 0) count = pointers.size();
            pointers.push_back(array.bytes.data());
        }
        if (count == 0) continue;
        const auto before = call.arrays[count].bytes;
        pointers[count] = static_cast<char*>(pointers[count]) + 1;
        EXPECT_EQ(call.run(handle, pointers), BSBLAS_STATUS_INVALID_VALUE) << call.name;
        EXPECT_NE(std::string(bsblasGetLastErrorMessage()).find(call.arrays[count].name), std::string::npos);
        EXPECT_EQ(call.arrays[count].bytes, before);
    }
    bsblasDestroy(handle);
}

}  // namespace
}  // namespace bsblas::test
