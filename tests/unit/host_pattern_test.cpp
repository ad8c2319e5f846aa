// The host's pattern operations against naive references: lists of blocks and dense expansions, made by loops of their
// own.
#include "kernels/host/number.h"
#include "kernels/host/pattern.h"
#include "kernels/host/pattern_sort_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

namespace bsblas {
namespace {

using Number = std::complex<double>;
using Bytes = std::vector<unsigned char>;

constexpr unsigned char poison = 0xa5;

class Threads : public Parallel {
public:
    void run(int64_t items, void (*body)(void*, int64_t, int), void* context) override {
        std::vector<std::thread> threads;
        for (int t = 0; t < count; ++t)
            threads.emplace_back([=] {
                for (int64_t item = t; item < items; item += count) body(context, item, t);
            });
        for (std::thread& thread : threads) thread.join();
    }
    static constexpr int count = 3;
} parallel;
constexpr int threads = Threads::count;

// ---- Elements ----------------------------------------------------------------------------------------------------

const bsblasDataType_t all_types[] = {BSBLAS_R_8I,  BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_16F, BSBLAS_R_16BF,
                                      BSBLAS_R_32F, BSBLAS_R_32I,     BSBLAS_R_64F,     BSBLAS_C_32F, BSBLAS_C_64F};
const bsblasDataType_t conversion_types[] = {BSBLAS_R_16F, BSBLAS_R_16BF, BSBLAS_R_32F,
                                             BSBLAS_R_64F, BSBLAS_C_32F,  BSBLAS_C_64F};

bool is_complex(bsblasDataType_t type) {
    return type == BSBLAS_C_32F || type == BSBLAS_C_64F;
}

size_t size_of(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return 2;
        case BSBLAS_R_32F:
        case BSBLAS_R_32I:
            return 4;
        case BSBLAS_R_64F:
        case BSBLAS_C_32F:
            return 8;
        case BSBLAS_C_64F:
            return 16;
        default:
            return 1;
    }
}

template <class T>
T load(const void* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// 8-bit types only move, so their bytes stand for themselves.
Number get(const Bytes& array, int64_t i, bsblasDataType_t type) {
    const unsigned char* at = array.data() + i * size_of(type);
    switch (type) {
        case BSBLAS_R_16F:
            return host::widen(load<host::Float16>(at));
        case BSBLAS_R_16BF:
            return host::widen(load<host::Bfloat16>(at));
        case BSBLAS_R_32F:
            return load<float>(at);
        case BSBLAS_R_32I:
            return load<int32_t>(at);
        case BSBLAS_R_64F:
            return load<double>(at);
        case BSBLAS_C_32F:
            return load<std::complex<float>>(at);
        case BSBLAS_C_64F:
            return load<Number>(at);
        default:
            return *at;
    }
}

template <class T>
void store(void* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

void put(Bytes& array, int64_t i, bsblasDataType_t type, Number x) {
    unsigned char* at = array.data() + i * size_of(type);
    switch (type) {
        case BSBLAS_R_16F:
            return store(at, host::narrow<host::Float16>(float(x.real())));
        case BSBLAS_R_16BF:
            return store(at, host::narrow<host::Bfloat16>(float(x.real())));
        case BSBLAS_R_32F:
            return store(at, float(x.real()));
        case BSBLAS_R_32I:
            return store(at, int32_t(x.real()));
        case BSBLAS_R_64F:
            return store(at, x.real());
        case BSBLAS_C_32F:
            return store(at, std::complex<float>(x));
        case BSBLAS_C_64F:
            return store(at, x);
        default:
            return store(at, static_cast<unsigned char>(x.real()));
    }
}

int64_t get_index(const Bytes& array, int64_t i, bool wide) {
    return wide ? load<int64_t>(array.data() + 8 * i) : load<int32_t>(array.data() + 4 * i);
}

void put_index(Bytes& array, int64_t i, bool wide, int64_t value) {
    if (wide)
        store(array.data() + 8 * i, value);
    else
        store(array.data() + 4 * i, int32_t(value));
}

// ---- Matrices ----------------------------------------------------------------------------------------------------

using Random = std::mt19937_64;

int64_t pick(Random& random, int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
}

// Small whole numbers: sums of a few of them are exact in every type.
Number random_number(Random& random, bsblasDataType_t type) {
    const double re = double(pick(random, size_of(type) == 1 ? 1 : -9, 9));
    return {re == 0 ? 3 : re, is_complex(type) ? double(pick(random, -9, 9)) : 0};
}

void expect_poison(const Bytes& array, size_t from) {
    for (size_t b = from; b < array.size(); ++b) ASSERT_EQ(array[b], poison);
}

// A Stored with its arrays, each a whole allocation, so that sanitizers see any step outside.
struct Matrix {
    Stored stored;
    Bytes offsets, indices, values;

    explicit Matrix(const Stored& shape) : stored(shape) {
        const size_t block = shape.bm * shape.bk * size_of(shape.type);
        offsets.assign((shape.block_rows + 1) * (shape.offsets_wide ? 8 : 4), poison);
        indices.assign(shape.capacity * (shape.indices_wide ? 8 : 4), poison);
        values.assign(shape.capacity * block, poison);
        stored.offsets = offsets.data();
        stored.indices = indices.data();
        stored.values = values.data();
    }
    Matrix(const Matrix& other)
        : stored(other.stored), offsets(other.offsets), indices(other.indices), values(other.values) {
        stored.offsets = offsets.data();
        stored.indices = indices.data();
        stored.values = values.data();
    }

    int64_t begin(int64_t row) const { return get_index(offsets, row, stored.offsets_wide) - stored.base; }
    int64_t col(int64_t p) const { return get_index(indices, p, stored.indices_wide) - stored.base; }
    int64_t live() const { return begin(stored.block_rows); }
    int64_t element(int64_t p, int64_t i, int64_t j) const {
        return p * stored.bm * stored.bk + i * stored.row_stride() + j * stored.col_stride();
    }
    Number at(int64_t p, int64_t i, int64_t j) const { return get(values, element(p, i, j), stored.type); }
    bool is_padding(int64_t row, int64_t c, int64_t i, int64_t j) const {
        return row * stored.bm + i >= stored.rows || c * stored.bk + j >= stored.cols;
    }

    void expect_tail_untouched() const {
        const size_t block = stored.bm * stored.bk * size_of(stored.type);
        expect_poison(indices, live() * (stored.indices_wide ? 8 : 4));
        expect_poison(values, live() * block);
    }
    void expect_empty_and_untouched() const {
        for (int64_t row = 0; row <= stored.block_rows; ++row) ASSERT_EQ(begin(row), 0);
        expect_tail_untouched();
    }
};

Stored random_layout(Random& random, bsblasDataType_t type) {
    Stored shape;
    shape.offsets_wide = pick(random, 0, 1);
    shape.indices_wide = pick(random, 0, 1);
    shape.base = pick(random, 0, 1);
    shape.row_major_blocks = pick(random, 0, 1);
    shape.type = type;
    return shape;
}

// Few columns, so that duplicates are common; every fourth row is empty; padding holds NaN where there is one.
Matrix random_matrix(Random& random, bsblasDataType_t type, bool blocks = true) {
    Stored shape = random_layout(random, type);
    shape.block_rows = pick(random, 0, 12);
    shape.block_cols = pick(random, 0, 9);
    shape.bm = blocks ? pick(random, 1, 5) : 1;
    shape.bk = blocks ? pick(random, 1, 20) : 1;
    shape.rows = shape.block_rows ? shape.block_rows * shape.bm - pick(random, 0, shape.bm - 1) : 0;
    shape.cols = shape.block_cols ? shape.block_cols * shape.bk - pick(random, 0, shape.bk - 1) : 0;
    std::vector<std::vector<int64_t>> rows(shape.block_rows);
    int64_t live = 0;
    for (auto& row : rows) {
        row.resize(shape.block_cols && pick(random, 0, 3) ? pick(random, 0, pick(random, 0, 7) ? 8 : 90) : 0);
        for (int64_t& c : row) c = pick(random, 0, shape.block_cols - 1);
        live += row.size();
    }
    shape.capacity = live + pick(random, 0, 5);

    Matrix a(shape);
    int64_t p = 0;
    put_index(a.offsets, 0, shape.offsets_wide, shape.base);
    for (int64_t r = 0; r < shape.block_rows; ++r) {
        for (int64_t c : rows[r]) {
            put_index(a.indices, p, shape.indices_wide, c + shape.base);
            for (int64_t i = 0; i < shape.bm; ++i)
                for (int64_t j = 0; j < shape.bk; ++j)
                    put(a.values, a.element(p, i, j), type,
                        a.is_padding(r, c, i, j) && size_of(type) > 1 && type != BSBLAS_R_32I
                            ? Number(NAN)
                            : random_number(random, type));
            ++p;
        }
        put_index(a.offsets, r + 1, shape.offsets_wide, p + shape.base);
    }
    return a;
}

struct Block {
    int64_t row, col, slot;
    bool operator==(const Block& o) const { return row == o.row && col == o.col && slot == o.slot; }
};

std::vector<Block> blocks_of(const Matrix& a) {
    std::vector<Block> blocks;
    for (int64_t r = 0; r < a.stored.block_rows; ++r)
        for (int64_t p = a.begin(r); p < a.begin(r + 1); ++p) blocks.push_back({r, a.col(p), p});
    return blocks;
}

std::vector<Number> dense_of(const Matrix& a) {
    std::vector<Number> dense(a.stored.rows * a.stored.cols);
    for (const Block& b : blocks_of(a))
        for (int64_t i = 0; i < a.stored.bm; ++i)
            for (int64_t j = 0; j < a.stored.bk; ++j)
                if (!a.is_padding(b.row, b.col, i, j))
                    dense[(b.row * a.stored.bm + i) * a.stored.cols + b.col * a.stored.bk + j] += a.at(b.slot, i, j);
    return dense;
}

void expect_padding_zero(const Matrix& a) {
    for (const Block& b : blocks_of(a))
        for (int64_t i = 0; i < a.stored.bm; ++i)
            for (int64_t j = 0; j < a.stored.bk; ++j)
                if (a.is_padding(b.row, b.col, i, j)) {
                    ASSERT_EQ(a.at(b.slot, i, j), Number());
                }
}

struct DenseMatrix {
    Dense dense;
    Bytes values;

    DenseMatrix(Random& random, int64_t rows, int64_t cols, bsblasDataType_t type) {
        const bool row_major = pick(random, 0, 1);
        const int64_t ld = std::max<int64_t>(1, row_major ? cols : rows) + pick(random, 0, 3);
        dense.rows = rows;
        dense.cols = cols;
        dense.row_stride = row_major ? ld : 1;
        dense.col_stride = row_major ? 1 : ld;
        dense.type = type;
        values.assign(ld * (row_major ? rows : cols) * size_of(type), poison);
        dense.values = values.data();
    }
    Number at(int64_t r, int64_t c) const {
        return get(values, r * dense.row_stride + c * dense.col_stride, dense.type);
    }
    void put(int64_t r, int64_t c, Number x) {
        bsblas::put(values, r * dense.row_stride + c * dense.col_stride, dense.type, x);
    }
    void expect_gap_untouched() const {
        const size_t size = size_of(dense.type);
        for (size_t b = 0; b < values.size(); ++b) {
            const int64_t element = b / size, ld = std::max(dense.row_stride, dense.col_stride);
            if (element % ld >= (dense.col_stride == 1 ? dense.cols : dense.rows)) {
                ASSERT_EQ(values[b], poison);
            }
        }
    }
};

constexpr int rounds = 60;

// ---- The transposed index ----------------------------------------------------------------------------------------

TEST(TransposedIndexLayout, is_narrow_until_a_count_needs_more) {
    const int64_t big = int64_t(1) << 31;
    EXPECT_FALSE(TransposedIndex::in(nullptr, big - 1, 5, 7).wide);
    EXPECT_TRUE(TransposedIndex::in(nullptr, big, 5, 7).wide);
    EXPECT_TRUE(TransposedIndex::in(nullptr, 5, big, 7).wide);
    EXPECT_TRUE(TransposedIndex::in(nullptr, 5, 7, big).wide);
    EXPECT_EQ(TransposedIndex::bytes(3, 63, 64), 3 * 256u);
    EXPECT_EQ(TransposedIndex::bytes(3, 64, 65), 3 * 512u);
    EXPECT_EQ(TransposedIndex::bytes(big, 63, 64), 3 * 512u);
    EXPECT_EQ(TransposedIndex::bytes(0, 0, 0), 256u);

    alignas(256) static char buffer[8192];
    const TransposedIndex index = TransposedIndex::in(buffer, 3, 64, 65);
    EXPECT_EQ(index.columns, 64);
    EXPECT_EQ(index.capacity, 65);
    EXPECT_EQ(index.offsets, buffer);
    EXPECT_EQ(index.rows, buffer + 512);
    EXPECT_EQ(index.slots, buffer + 1024);
}

TEST(TransposedIndex, lists_each_column_by_row_and_slot) {
    Random random(1);
    for (int round = 0; round < rounds; ++round) {
        const Matrix a = random_matrix(random, BSBLAS_R_8I);
        const Stored& s = a.stored;
        Bytes buffer(TransposedIndex::bytes(s.block_rows, s.block_cols, s.capacity), poison);
        const TransposedIndex index = TransposedIndex::in(buffer.data(), s.block_rows, s.block_cols, s.capacity);
        Bytes workspace(host::transposed_index_workspace(s));
        host::transposed_index(s, index, parallel, threads, workspace.data());

        const Indices offsets{index.offsets, index.wide}, rows{index.rows, index.wide}, slots{index.slots, index.wide};
        int64_t q = 0;
        for (int64_t c = 0; c < s.block_cols; ++c) {
            ASSERT_EQ(offsets[c], q);
            for (const Block& b : blocks_of(a)) {
                if (b.col != c) continue;
                ASSERT_EQ(rows[q], b.row);
                ASSERT_EQ(slots[q], b.slot);
                ++q;
            }
        }
        ASSERT_EQ(offsets[s.block_cols], q);
        ASSERT_EQ(q, a.live());
    }
}

// ---- Validation --------------------------------------------------------------------------------------------------

std::tuple<int, int64_t, int64_t, int64_t> defect_of(const Stored& a) {
    Defect found;
    found.row = 77;
    host::validate(a, &found, parallel, threads, nullptr);
    return {found.kind, found.row, found.slot, found.value};
}

TEST(Validate, accepts_every_valid_pattern) {
    Random random(2);
    for (int round = 0; round < rounds; ++round)
        EXPECT_EQ(defect_of(random_matrix(random, BSBLAS_R_8I).stored), std::tuple(BSBLAS_DEFECT_NONE, -1, -1, 0));
}

TEST(Validate, finds_the_first_defect) {
    for (const bool wide : {false, true})
        for (const int64_t base : {0, 1}) {
            Stored shape;
            shape.block_rows = 4;
            shape.block_cols = 5;
            shape.capacity = 6;
            shape.offsets_wide = shape.indices_wide = wide;
            shape.base = base;
            const auto defect = [&](std::vector<int64_t> offsets, std::vector<int64_t> columns) {
                Matrix a(shape);
                for (int i = 0; i < 5; ++i) put_index(a.offsets, i, wide, offsets[i] + base);
                for (int p = 0; p < 6; ++p) put_index(a.indices, p, wide, columns[p] + base);
                return defect_of(a.stored);
            };
            const int64_t lowest = wide ? INT64_MIN : INT32_MIN, highest = (wide ? INT64_MAX : INT32_MAX) - base;
            EXPECT_EQ(defect({0, 2, 2, 5, 6}, {4, 0, 1, 1, 0, 3}), std::tuple(BSBLAS_DEFECT_NONE, -1, -1, 0));
            EXPECT_EQ(defect({1, 2, 2, 5, 6}, {9, 0, 1, 1, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_FIRST_OFFSET, 0, -1, 1 + base));
            EXPECT_EQ(defect({-1, 2, 2, 5, 6}, {4, 0, 1, 1, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_FIRST_OFFSET, 0, -1, base - 1));
            EXPECT_EQ(defect({0, 3, 2, 1, 6}, {4, 0, 1, 9, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_OFFSETS_DECREASE, 1, -1, 2 + base));
            EXPECT_EQ(defect({0, lowest - std::min<int64_t>(base, 0), 2, 5, 6}, {4, 0, 1, 1, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_OFFSETS_DECREASE, 0, -1, lowest + base));
            EXPECT_EQ(defect({0, 2, 2, 7, 6}, {9, 0, 1, 1, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_ABOVE_CAPACITY, 2, -1, 7 + base));
            EXPECT_EQ(defect({0, 2, 2, 5, highest}, {4, 0, 1, 1, 0, 3}),
                      std::tuple(BSBLAS_DEFECT_ABOVE_CAPACITY, 3, -1, highest + base));
            EXPECT_EQ(defect({0, 2, 2, 5, 6}, {4, 0, -1, 1, 5, 3}), std::tuple(BSBLAS_DEFECT_COLUMN, 2, 2, base - 1));
            EXPECT_EQ(defect({0, 2, 2, 5, 6}, {4, 0, 1, 1, 5, 3}), std::tuple(BSBLAS_DEFECT_COLUMN, 2, 4, 5 + base));
            EXPECT_EQ(defect({0, 2, 2, 5, 6}, {4, 0, 1, 1, 4, highest}),
                      std::tuple(BSBLAS_DEFECT_COLUMN, 3, 5, highest + base));
            EXPECT_EQ(defect({0, 2, 2, 5, 5}, {4, 0, 1, 1, 4, -9}), std::tuple(BSBLAS_DEFECT_NONE, -1, -1, 0));
        }
}

// ---- Sorting -----------------------------------------------------------------------------------------------------

TEST(Sort, is_stable_and_moves_values_along) {
    Random random(3);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : all_types) {
            const Matrix before = random_matrix(random, type);
            Matrix a = before;
            const bool wants_map = pick(random, 0, 1), wide = a.stored.offsets_wide;
            Bytes map(a.stored.capacity * (wide ? 8 : 4), poison), workspace(host::sort_workspace(a.stored));
            host::sort(a.stored, wants_map ? map.data() : nullptr, parallel, threads, workspace.data());

            std::vector<Block> expected = blocks_of(before);
            std::stable_sort(expected.begin(), expected.end(), [](const Block& x, const Block& y) {
                return std::tie(x.row, x.col) < std::tie(y.row, y.col);
            });
            ASSERT_EQ(a.offsets, before.offsets);
            const size_t block = a.stored.bm * a.stored.bk * size_of(type);
            for (int64_t p = 0; p < a.live(); ++p) {
                ASSERT_EQ(a.col(p), expected[p].col);
                ASSERT_EQ(std::memcmp(&a.values[p * block], &before.values[expected[p].slot * block], block), 0);
                if (wants_map) {
                    ASSERT_EQ(get_index(map, p, wide), expected[p].slot);
                }
            }
            a.expect_tail_untouched();
            expect_poison(map, wants_map ? a.live() * (wide ? 8 : 4) : 0);
        }
}

// ---- Transposition -----------------------------------------------------------------------------------------------

Matrix output_for_transpose(Random& random, const Stored& a) {
    Stored shape = random_layout(random, a.type);
    shape.block_rows = a.block_cols;
    shape.block_cols = a.block_rows;
    shape.bm = a.bk;
    shape.bk = a.bm;
    shape.rows = a.cols;
    shape.cols = a.rows;
    shape.capacity = a.capacity + pick(random, 0, 3);
    return Matrix(shape);
}

void expect_transposed(const Matrix& a, const Matrix& at, bool conjugate, const Bytes* map) {
    std::vector<Block> expected = blocks_of(a);
    std::stable_sort(expected.begin(), expected.end(), [](const Block& x, const Block& y) { return x.col < y.col; });
    const std::vector<Block> found = blocks_of(at);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t p = 0; p < found.size(); ++p) {
        ASSERT_EQ(found[p].row, expected[p].col);
        ASSERT_EQ(found[p].col, expected[p].row);
        if (map) {
            ASSERT_EQ(get_index(*map, p, at.stored.offsets_wide), expected[p].slot);
        }
        for (int64_t i = 0; i < a.stored.bm; ++i)
            for (int64_t j = 0; j < a.stored.bk; ++j)
                if (!a.is_padding(expected[p].row, expected[p].col, i, j)) {
                    const Number x = a.at(expected[p].slot, i, j);
                    ASSERT_EQ(at.at(p, j, i), conjugate && is_complex(a.stored.type) ? std::conj(x) : x);
                }
    }
    expect_padding_zero(at);
    at.expect_tail_untouched();
}

TEST(Transpose, equals_the_list_of_transposed_blocks) {
    Random random(4);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : all_types) {
            Matrix a = random_matrix(random, type);
            Matrix at = output_for_transpose(random, a.stored);
            const bool conjugate = pick(random, 0, 1), wants_map = pick(random, 0, 1);
            Bytes map(a.stored.capacity * (at.stored.offsets_wide ? 8 : 4), poison);
            Bytes workspace(host::transpose_workspace(a.stored, at.stored));
            host::transpose(a.stored, at.stored, conjugate, wants_map ? map.data() : nullptr, parallel, threads,
                            workspace.data());
            expect_transposed(a, at, conjugate, wants_map ? &map : nullptr);
            if (!wants_map) continue;

            for (int64_t e = 0; e < a.live() * a.stored.bm * a.stored.bk; ++e)
                put(a.values, e, type, random_number(random, type));
            host::transpose_values(a.stored, at.stored, !conjugate, map.data(), parallel, threads);
            expect_transposed(a, at, !conjugate, &map);
        }
}

// ---- Dense and BSR -----------------------------------------------------------------------------------------------

Stored random_output(Random& random, int64_t rows, int64_t cols, bsblasDataType_t type) {
    Stored shape = random_layout(random, type);
    shape.bm = pick(random, 1, 6);
    shape.bk = pick(random, 1, 6);
    shape.rows = rows;
    shape.cols = cols;
    shape.block_rows = (rows + shape.bm - 1) / shape.bm;
    shape.block_cols = (cols + shape.bk - 1) / shape.bk;
    return shape;
}

// The places of blocks that hold any element for which `stored` is true, by row and column.
template <class IsStored>
std::vector<std::pair<int64_t, int64_t>> places(const Stored& shape, const IsStored& stored) {
    std::vector<std::pair<int64_t, int64_t>> result;
    for (int64_t r = 0; r < shape.block_rows; ++r)
        for (int64_t c = 0; c < shape.block_cols; ++c) {
            bool any = false;
            for (int64_t i = r * shape.bm; i < std::min((r + 1) * shape.bm, shape.rows); ++i)
                for (int64_t j = c * shape.bk; j < std::min((c + 1) * shape.bk, shape.cols); ++j) any |= stored(i, j);
            if (any) result.emplace_back(r, c);
        }
    return result;
}

void expect_blocks_at(const Matrix& a, const std::vector<std::pair<int64_t, int64_t>>& expected) {
    const std::vector<Block> found = blocks_of(a);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t p = 0; p < found.size(); ++p) {
        ASSERT_EQ(found[p].row, expected[p].first);
        ASSERT_EQ(found[p].col, expected[p].second);
    }
}

TEST(DenseToBsr, stores_the_blocks_that_are_not_zero) {
    Random random(5);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : conversion_types) {
            const int64_t rows = pick(random, 0, 25), cols = pick(random, 0, 25);
            DenseMatrix d(random, rows, cols, type);
            const int64_t one_in = pick(random, 1, 60);
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = 0; c < cols; ++c)
                    d.put(r, c,
                          pick(random, 1, one_in) == 1 ? random_number(random, type)
                          : pick(random, 0, 1)         ? Number(-0.0)
                                                       : Number());
            Stored shape = random_output(random, rows, cols, type);
            const auto expected = places(shape, [&](int64_t r, int64_t c) { return d.at(r, c) != Number(); });
            const int64_t needed = expected.size();
            const Bytes d_before = d.values;

            Bytes workspace(host::dense_to_bsr_workspace(d.dense, shape));
            EXPECT_EQ(host::dense_to_bsr(d.dense, shape, true, parallel, threads, workspace.data()), needed);
            for (const int64_t room : {needed - 1, needed, needed + 3}) {
                if (room < 0) continue;
                shape.capacity = room;
                Matrix a(shape);
                EXPECT_EQ(host::dense_to_bsr(d.dense, a.stored, false, parallel, threads, workspace.data()), needed);
                if (room < needed) {
                    a.expect_empty_and_untouched();
                    continue;
                }
                expect_blocks_at(a, expected);
                const std::vector<Number> dense = dense_of(a);
                for (int64_t r = 0; r < rows; ++r)
                    for (int64_t c = 0; c < cols; ++c) ASSERT_EQ(dense[r * cols + c], d.at(r, c));
                expect_padding_zero(a);
                a.expect_tail_untouched();
            }
            ASSERT_EQ(d.values, d_before);
        }
}

TEST(DenseToBsr, takes_nan_for_a_number_and_minus_zero_for_none) {
    Random random(6);
    for (const bsblasDataType_t type : conversion_types) {
        DenseMatrix d(random, 2, 6, type);
        for (int64_t r = 0; r < 2; ++r)
            for (int64_t c = 0; c < 6; ++c) d.put(r, c, {-0.0, -0.0});
        d.put(1, 5, NAN);
        Stored shape = random_layout(random, type);
        shape.bm = shape.bk = 2;
        shape.rows = 2;
        shape.cols = 6;
        shape.block_rows = 1;
        shape.block_cols = 3;
        shape.capacity = 3;
        Matrix a(shape);
        Bytes workspace(host::dense_to_bsr_workspace(d.dense, shape));
        EXPECT_EQ(host::dense_to_bsr(d.dense, a.stored, false, parallel, threads, workspace.data()), 1);
        expect_blocks_at(a, {{0, 2}});
        EXPECT_TRUE(std::isnan(a.at(0, 1, 1).real()));
        EXPECT_TRUE(std::signbit(a.at(0, 0, 0).real()));

        for (int64_t r = 0; r < 2; ++r)
            for (int64_t c = 0; c < 6; ++c) d.put(r, c, 5.);
        workspace.resize(host::bsr_to_dense_workspace(a.stored, d.dense));
        host::bsr_to_dense(a.stored, d.dense, parallel, threads, workspace.data());
        EXPECT_TRUE(std::signbit(d.at(0, 4).real()));
        EXPECT_FALSE(std::signbit(d.at(0, 0).real()));
    }
}

TEST(BsrToDense, writes_every_element_and_adds_duplicates) {
    Random random(7);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : conversion_types) {
            const Matrix a = random_matrix(random, type);
            const Stored& s = a.stored;
            DenseMatrix d(random, s.rows, s.cols, type);
            Bytes workspace(host::bsr_to_dense_workspace(s, d.dense));
            host::bsr_to_dense(s, d.dense, parallel, threads, workspace.data());
            const std::vector<Number> expected = dense_of(a);
            for (int64_t r = 0; r < s.rows; ++r)
                for (int64_t c = 0; c < s.cols; ++c) ASSERT_EQ(d.at(r, c), expected[r * s.cols + c]);
            d.expect_gap_untouched();
        }
}

// ---- CSR and BSR -------------------------------------------------------------------------------------------------

TEST(CsrToBsr, stores_the_blocks_that_have_an_entry) {
    Random random(8);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : conversion_types) {
            Matrix s = random_matrix(random, type, false);
            for (int64_t e = 0; e < s.live(); ++e)
                if (pick(random, 0, 4) == 0) put(s.values, e, type, Number());
            Stored shape = random_output(random, s.stored.rows, s.stored.cols, type);
            std::vector<bool> has(shape.rows * shape.cols);
            for (const Block& entry : blocks_of(s)) has[entry.row * shape.cols + entry.col] = true;
            const auto expected = places(shape, [&](int64_t r, int64_t c) { return has[r * shape.cols + c]; });
            const int64_t needed = expected.size();

            Bytes workspace(host::csr_to_bsr_workspace(s.stored, shape));
            EXPECT_EQ(host::csr_to_bsr(s.stored, shape, true, parallel, threads, workspace.data()), needed);
            for (const int64_t room : {needed - 1, needed, needed + 3}) {
                if (room < 0) continue;
                shape.capacity = room;
                Matrix a(shape);
                EXPECT_EQ(host::csr_to_bsr(s.stored, a.stored, false, parallel, threads, workspace.data()), needed);
                if (room < needed) {
                    a.expect_empty_and_untouched();
                    continue;
                }
                expect_blocks_at(a, expected);
                EXPECT_EQ(dense_of(a), dense_of(s));
                expect_padding_zero(a);
                a.expect_tail_untouched();
            }
        }
}

// pytorch/pytorch#90910
TEST(CsrToBsr, makes_the_blocks_of_pytorch_90910) {
    const std::vector<int64_t> rows = {0, 0, 4, 6, 7, 7, 7, 7, 7, 11, 14},
                               cols = {2, 3, 4, 9, 3, 9, 9, 2, 3, 5, 7, 1, 5, 7};
    Stored csr;
    csr.block_rows = csr.block_cols = csr.rows = csr.cols = 10;
    csr.capacity = 14;
    csr.type = BSBLAS_R_64F;
    Matrix s(csr);
    for (int i = 0; i < 11; ++i) put_index(s.offsets, i, false, rows[i]);
    for (int e = 0; e < 14; ++e) {
        put_index(s.indices, e, false, cols[e]);
        put(s.values, e, BSBLAS_R_64F, double(e + 1));
    }
    Stored bsr = csr;
    bsr.block_rows = bsr.block_cols = 5;
    bsr.bm = bsr.bk = 2;
    bsr.capacity = 9;
    Matrix a(bsr);
    Bytes workspace(host::csr_to_bsr_workspace(csr, bsr));
    EXPECT_EQ(host::csr_to_bsr(s.stored, a.stored, false, parallel, threads, workspace.data()), 9);
    expect_blocks_at(a, {{0, 1}, {0, 2}, {0, 4}, {1, 1}, {1, 4}, {4, 0}, {4, 1}, {4, 2}, {4, 3}});
    const double last_row[4][4] = {{0, 0, 0, 12}, {8, 9, 0, 0}, {0, 10, 0, 13}, {0, 11, 0, 14}};
    for (int b = 0; b < 4; ++b)
        for (int e = 0; e < 4; ++e) EXPECT_EQ(a.at(5 + b, e / 2, e % 2), last_row[b][e]);
}

TEST(CsrToBsr, adds_in_the_order_of_the_entries) {
    // In binary16, 2048 + 1 + 1 is 2048 and 1 + 1 + 2048 is 2050.
    for (const bool large_first : {false, true}) {
        Stored csr;
        csr.block_rows = csr.block_cols = csr.rows = csr.cols = 2;
        csr.capacity = 4;
        csr.type = BSBLAS_R_16F;
        Matrix s(csr);
        const int64_t offsets[] = {0, 4, 4}, cols[] = {1, 1, 0, 1};
        const double values[] = {large_first ? 2048. : 1., 1, 7, large_first ? 1. : 2048.};
        for (int i = 0; i < 3; ++i) put_index(s.offsets, i, false, offsets[i]);
        for (int e = 0; e < 4; ++e) {
            put_index(s.indices, e, false, cols[e]);
            put(s.values, e, BSBLAS_R_16F, values[e]);
        }
        Stored bsr = csr;
        bsr.block_rows = bsr.block_cols = 1;
        bsr.bm = bsr.bk = 2;
        bsr.capacity = 1;
        Matrix a(bsr);
        Bytes workspace(host::csr_to_bsr_workspace(csr, bsr));
        host::csr_to_bsr(s.stored, a.stored, false, parallel, threads, workspace.data());
        EXPECT_EQ(a.at(0, 0, 0), 7.);
        EXPECT_EQ(a.at(0, 0, 1), large_first ? 2048. : 2050.);

        DenseMatrix d = [] {
            Random random(9);
            return DenseMatrix(random, 2, 2, BSBLAS_R_16F);
        }();
        Bytes dense_workspace(host::bsr_to_dense_workspace(csr, d.dense));
        host::bsr_to_dense(s.stored, d.dense, parallel, threads, dense_workspace.data());
        EXPECT_EQ(d.at(0, 1), large_first ? 2048. : 2050.);
    }
}

TEST(BsrToCsr, lists_every_element_of_every_block) {
    Random random(10);
    for (int round = 0; round < rounds; ++round)
        for (const bsblasDataType_t type : conversion_types) {
            const Matrix a = random_matrix(random, type);
            const Stored& b = a.stored;
            std::vector<std::vector<std::pair<int64_t, Number>>> expected(b.rows);
            int64_t needed = 0;
            for (const Block& block : blocks_of(a))
                for (int64_t i = 0; i < b.bm; ++i)
                    for (int64_t j = 0; j < b.bk; ++j)
                        if (!a.is_padding(block.row, block.col, i, j)) {
                            expected[block.row * b.bm + i].emplace_back(block.col * b.bk + j, a.at(block.slot, i, j));
                            ++needed;
                        }
            Stored shape = random_layout(random, type);
            shape.block_rows = shape.rows = b.rows;
            shape.block_cols = shape.cols = b.cols;
            Bytes workspace(host::bsr_to_csr_workspace(b, shape));
            EXPECT_EQ(host::bsr_to_csr(b, shape, true, parallel, threads, workspace.data()), needed);
            for (const int64_t room : {needed - 1, needed, needed + 3}) {
                if (room < 0) continue;
                shape.capacity = room;
                Matrix s(shape);
                EXPECT_EQ(host::bsr_to_csr(b, s.stored, false, parallel, threads, workspace.data()), needed);
                if (room < needed) {
                    s.expect_empty_and_untouched();
                    continue;
                }
                for (int64_t r = 0; r < b.rows; ++r) {
                    ASSERT_EQ(s.begin(r + 1) - s.begin(r), int64_t(expected[r].size()));
                    for (size_t k = 0; k < expected[r].size(); ++k) {
                        ASSERT_EQ(s.col(s.begin(r) + k), expected[r][k].first);
                        ASSERT_EQ(s.at(s.begin(r) + k, 0, 0), expected[r][k].second);
                    }
                }
                s.expect_tail_untouched();
            }
        }
}

// ---- Edges -------------------------------------------------------------------------------------------------------

TEST(Pattern, may_have_no_arrays_when_it_holds_nothing) {
    Random random(11);
    for (const int64_t block_rows : {0, 3}) {
        Stored a;
        a.block_rows = block_rows;
        a.block_cols = 2;
        a.bm = a.bk = 2;
        a.rows = 2 * block_rows;
        a.cols = 4;
        Bytes buffer(TransposedIndex::bytes(block_rows, 2, 0), poison);
        const TransposedIndex index = TransposedIndex::in(buffer.data(), block_rows, 2, 0);
        host::transposed_index(a, index, parallel, threads, nullptr);
        for (int64_t c = 0; c <= 2; ++c) EXPECT_EQ((Indices{index.offsets, index.wide}[c]), 0);
        EXPECT_EQ(defect_of(a), std::tuple(BSBLAS_DEFECT_NONE, -1, -1, 0));
        host::sort(a, nullptr, parallel, threads, nullptr);

        Matrix at = output_for_transpose(random, a);
        host::transpose(a, at.stored, false, nullptr, parallel, threads, nullptr);
        EXPECT_EQ(at.live(), 0);
        Stored nowhere = at.stored;
        nowhere.offsets = nowhere.indices = nowhere.values = nullptr;
        host::transpose(a, nowhere, false, nullptr, parallel, threads, nullptr);

        DenseMatrix d(random, a.rows, a.cols, a.type);
        host::bsr_to_dense(a, d.dense, parallel, threads, nullptr);
        for (int64_t r = 0; r < a.rows; ++r)
            for (int64_t c = 0; c < a.cols; ++c) EXPECT_EQ(d.at(r, c), 0.);

        Stored csr = a;
        csr.bm = csr.bk = 1;
        csr.block_rows = a.rows;
        csr.block_cols = a.cols;
        Bytes workspace(256);
        EXPECT_EQ(host::dense_to_bsr(d.dense, a, false, parallel, threads, workspace.data()), 0);
        EXPECT_EQ(host::csr_to_bsr(csr, a, false, parallel, threads, workspace.data()), 0);
        EXPECT_EQ(host::bsr_to_csr(a, csr, false, parallel, threads, workspace.data()), 0);
        if (block_rows == 0) continue;
        d.put(0, 0, 1.);
        EXPECT_EQ(host::dense_to_bsr(d.dense, a, false, parallel, threads, workspace.data()), 1);
    }
}

// The sanitizers watch the arrays; what is counted here is that the first `capacity` slots are still served.
TEST(Pattern, that_claims_more_than_it_holds_stays_within_its_arrays) {
    Random random(12);
    for (int round = 0; round < rounds; ++round) {
        Matrix a = random_matrix(random, BSBLAS_R_32F);
        if (a.live() == 0) continue;
        const int64_t held = a.live() / 2;
        a.stored.capacity = held;
        a.indices.resize(held * (a.stored.indices_wide ? 8 : 4));
        a.values.resize(held * a.stored.bm * a.stored.bk * 4);
        a.indices.shrink_to_fit();
        a.values.shrink_to_fit();
        a.stored.indices = a.indices.data();
        a.stored.values = a.values.data();

        const Stored& s = a.stored;
        Bytes buffer(TransposedIndex::bytes(s.block_rows, s.block_cols, held), poison);
        const TransposedIndex index = TransposedIndex::in(buffer.data(), s.block_rows, s.block_cols, held);
        host::transposed_index(s, index, parallel, threads, nullptr);
        EXPECT_EQ((Indices{index.offsets, index.wide}[s.block_cols]), held);

        Matrix at = output_for_transpose(random, s);
        Bytes workspace(host::transpose_workspace(s, at.stored));
        host::transpose(s, at.stored, false, nullptr, parallel, threads, workspace.data());
        EXPECT_EQ(at.live(), held);

        DenseMatrix d(random, s.rows, s.cols, s.type);
        workspace.resize(host::bsr_to_dense_workspace(s, d.dense));
        host::bsr_to_dense(s, d.dense, parallel, threads, workspace.data());

        Stored csr = random_layout(random, s.type);
        csr.block_rows = csr.rows = s.rows;
        csr.block_cols = csr.cols = s.cols;
        csr.capacity = held * s.bm * s.bk;
        Matrix out(csr);
        workspace.resize(host::bsr_to_csr_workspace(s, csr));
        EXPECT_LE(host::bsr_to_csr(s, out.stored, false, parallel, threads, workspace.data()), csr.capacity);

        workspace.resize(host::sort_workspace(s));
        host::sort(s, nullptr, parallel, threads, workspace.data());
        for (int64_t r = 0; r < s.block_rows; ++r)
            for (int64_t p = a.begin(r) + 1; p < std::min(held, a.begin(r + 1)); ++p) EXPECT_LE(a.col(p - 1), a.col(p));
    }
}

TEST(Stored, has_no_room_for_what_narrow_offsets_cannot_count) {
    Stored a;
    a.capacity = int64_t(1) << 40;
    EXPECT_EQ(a.room(), INT32_MAX);
    a.base = 1;
    EXPECT_EQ(a.room(), INT32_MAX - 1);
    a.offsets_wide = true;
    EXPECT_EQ(a.room(), a.capacity);
}

TEST(StableSort, takes_any_length_and_key) {
    Random random(13);
    for (const int64_t n : {0, 1, 2, 47, 48, 49, 300, 5000})
        for (const int64_t largest :
             {int64_t(0), int64_t(5), int64_t(255), int64_t(256), int64_t(70000), int64_t(1) << 40, INT64_MAX}) {
            std::vector<host::Keyed> entries, scratch(n);
            for (int64_t i = 0; i < n; ++i) entries.push_back({pick(random, 0, largest), i});
            std::vector<host::Keyed> expected = entries;
            std::stable_sort(expected.begin(), expected.end(),
                             [](const host::Keyed& x, const host::Keyed& y) { return x.key < y.key; });
            host::stable_sort(entries.data(), scratch.data(), n);
            for (int64_t i = 0; i < n; ++i) {
                ASSERT_EQ(entries[i].key, expected[i].key);
                ASSERT_EQ(entries[i].item, expected[i].item);
            }
        }
}

}  // namespace
}  // namespace bsblas
