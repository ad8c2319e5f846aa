#include "kernels/host/paired_product.h"

#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

#define BSBLAS_AVX512 [[gnu::target("avx512f,avx512vl")]]

typedef float Columns __attribute__((vector_size(32)));
typedef float Pairs __attribute__((vector_size(64)));

template <class Vector>
BSBLAS_AVX512 inline Vector load(const float* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

BSBLAS_AVX512 inline Pairs broadcast(const float* pair) {
    typedef int64_t Words __attribute__((vector_size(64)));
    int64_t word;
    std::memcpy(&word, pair, sizeof word);
    return reinterpret_cast<Pairs>(Words{word, word, word, word, word, word, word, word});
}

template <int blocks>
BSBLAS_AVX512 void product(const float* left, int64_t left_ld, int64_t rows, int64_t depth, const float* const* right,
                           float* const* out, int64_t out_ld) {
    const float* row[paired_rows];  // those beyond the last repeat it, and are not stored
    for (int64_t r = 0; r < paired_rows; ++r) row[r] = left + std::min(r, rows - 1) * left_ld;
    Pairs sum[blocks][paired_rows] = {};
    const int64_t even = depth - depth % 2;
    for (int64_t k = 0; k < even; k += 2) {
        Pairs columns[blocks];
        for (int b = 0; b < blocks; ++b) columns[b] = load<Pairs>(right[b] + k * paired_cols);
        for (int r = 0; r < paired_rows; ++r) {
            const Pairs factors = broadcast(row[r] + k);
            for (int b = 0; b < blocks; ++b) sum[b][r] += factors * columns[b];
        }
    }
    for (int r = 0; even < depth && r < paired_rows; ++r) {
        const float last[2] = {row[r][even], 0};
        for (int b = 0; b < blocks; ++b) sum[b][r] += broadcast(last) * load<Pairs>(right[b] + even * paired_cols);
    }
    for (int b = 0; b < blocks; ++b) {
        for (int64_t r = 0; r < rows; ++r) {
            const Pairs s = sum[b][r];
            const Columns total = __builtin_shufflevector(s, s, 0, 2, 4, 6, 8, 10, 12, 14) +
                                  __builtin_shufflevector(s, s, 1, 3, 5, 7, 9, 11, 13, 15);
            std::memcpy(out[b] + r * out_ld, &total, sizeof total);
        }
    }
}

}  // namespace

BSBLAS_AVX512 void pair_rows(const float* rows, int64_t depth, float* paired) {
    for (int64_t k = 0; k < depth; k += 2) {
        const Columns first = load<Columns>(rows + k * paired_cols);
        const Columns second = k + 1 < depth ? load<Columns>(rows + (k + 1) * paired_cols) : Columns{};
        const Pairs pairs =
            __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
        std::memcpy(paired + k * paired_cols, &pairs, sizeof pairs);
    }
}

void paired_product(const float* left, int64_t left_ld, int64_t rows, int64_t depth, const float* const right[2],
                    float* const out[2], int64_t out_ld) {
    if (right[1]) {
        product<2>(left, left_ld, rows, depth, right, out, out_ld);
    } else {
        product<1>(left, left_ld, rows, depth, right, out, out_ld);
    }
}

}  // namespace bsblas::host
