// The rows of kernels/host/table.inc: the reference against exact arithmetic, the others against the reference. Memory
// that must not be read holds NaN, memory that must not be written is compared.
#include "backend/host/thread_pool.h"
#include "kernels/host/cpu_level.h"
#include "kernels/host/number.h"
#include "kernels/host/table.h"
#include "support/problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace bsblas::host {
namespace {

using Number = std::complex<double>;
using Bytes = std::vector<unsigned char>;

class PoolThreads final : public Parallel {
public:
    explicit PoolThreads(int threads) : threads_(threads) {}
    void run(int64_t items, void (*body)(void*, int64_t, int), void* context) override {
        run_on_threads(threads_, items, body, context);
    }

private:
    int threads_;
};

int64_t size_of(bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_64F:
        case BSBLAS_C_32F:
            return 8;
        case BSBLAS_C_64F:
            return 16;
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            return 2;
        case BSBLAS_R_8I:
        case BSBLAS_R_8F_E4M3:
        case BSBLAS_R_8F_E5M2:
            return 1;
        default:
            return 4;
    }
}

// Rounds to nearest by searching: independent of number.h, and slow.
template <class T>
T nearest(double x, int bits) {
    T best{};
    double distance = std::numeric_limits<double>::infinity();
    for (uint32_t pattern = 0; pattern < 1u << bits; ++pattern) {
        T candidate;
        std::memcpy(&candidate, &pattern, sizeof candidate);
        const double d = std::abs(double(widen(candidate)) - x);
        if (d < distance) {
            distance = d;
            best = candidate;
        }
    }
    return best;
}

template <class T>
void put_as(unsigned char* at, T value) {
    std::memcpy(at, &value, sizeof value);
}
template <class T>
T get_as(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void put(unsigned char* at, bsblasDataType_t type, Number x) {
    const double re = x.real(), im = x.imag();
    switch (type) {
        case BSBLAS_R_32F:
            return put_as(at, float(re));
        case BSBLAS_R_64F:
            return put_as(at, re);
        case BSBLAS_C_32F:
            return put_as(at, std::complex<float>(float(re), float(im)));
        case BSBLAS_C_64F:
            return put_as(at, x);
        case BSBLAS_R_16F:
            return put_as(at, narrow<Float16>(float(re)));
        case BSBLAS_R_16BF:
            return put_as(at, narrow<Bfloat16>(float(re)));
        case BSBLAS_R_8F_E4M3:
            return put_as(at, std::isnan(re) ? E4m3{0x7f} : nearest<E4m3>(re, 8));
        case BSBLAS_R_8F_E5M2:
            return put_as(at, std::isnan(re) ? E5m2{0x7f} : nearest<E5m2>(re, 8));
        case BSBLAS_R_8I:
            return put_as(at, std::isnan(re) ? int8_t(99) : int8_t(re));
        default:
            return put_as(at, std::isnan(re) ? int32_t(0x77777777) : int32_t(re));
    }
}

Number get(const unsigned char* at, bsblasDataType_t type) {
    switch (type) {
        case BSBLAS_R_32F:
            return get_as<float>(at);
        case BSBLAS_R_64F:
            return get_as<double>(at);
        case BSBLAS_C_32F:
            return get_as<std::complex<float>>(at);
        case BSBLAS_C_64F:
            return get_as<Number>(at);
        case BSBLAS_R_16F:
            return widen(get_as<Float16>(at));
        case BSBLAS_R_16BF:
            return widen(get_as<Bfloat16>(at));
        case BSBLAS_R_8F_E4M3:
            return widen(get_as<E4m3>(at));
        case BSBLAS_R_8F_E5M2:
            return widen(get_as<E5m2>(at));
        case BSBLAS_R_8I:
            return get_as<int8_t>(at);
        default:
            return get_as<int32_t>(at);
    }
}

bool is_complex(bsblasDataType_t type) {
    return type == BSBLAS_C_32F || type == BSBLAS_C_64F;
}

struct Types {
    bsblasDataType_t sparse, dense, out, scalar;
};

struct Options {
    Types types{BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F};
    int64_t bm = 8, bk = 8, block_rows = 5, block_cols = 6, other = 37;  // other: columns of B, or the inner dimension
    int64_t short_rows = 0, short_cols = 0;  // how much of the last block row and column is padding
    double density = 0.4;
    bool duplicates = false, transposed = false, row_major_blocks = true, wide = false, conjugate = false;
    bool first_row_major = true, second_row_major = true;  // B and C; X and Y
    int64_t base = 0, gap = 3, tail = 2;                   // gap: of leading dimensions; tail: of the capacity
    int64_t batch = 1;
    bool one_pattern = false, one_dense = false;  // for the whole batch
    Number alpha = 1, beta = 0;
    float scale_a = 1, scale_b = 1;
    bool integers = false;  // small, so that sums are exact
    unsigned seed = 1;
};

// A problem and the memory that it points to.
struct Data {
    Options o;
    std::mt19937 random;
    Bytes values, first, second;
    std::vector<int64_t> offsets, indices, slots;
    std::vector<int32_t> offsets32, indices32, slots32;
    Sparse a;
    Dense b, c;  // or x, y
    Arithmetic arithmetic;
    const bool sddmm;

    Data(const Options& options, bool sddmm) : o(options), random(options.seed), sddmm(sddmm) {
        make_pattern();
        make_values();
        const int64_t rows = a.rows, cols = a.cols;
        if (sddmm) {
            b = make_dense(rows, o.other, o.first_row_major, o.one_dense, &first, true);
            c = make_dense(o.other, cols, o.second_row_major, o.one_dense, &second, true);
        } else {
            b = make_dense(cols, o.other, o.first_row_major, o.one_dense, &first, true);
            c = make_dense(rows, o.other, o.second_row_major, false, &second, false);
        }
        arithmetic.scalar_type = o.types.scalar;
        put(arithmetic.alpha.value, o.types.scalar, o.alpha);
        put(arithmetic.beta.value, o.types.scalar, o.beta);
        if (o.scale_a != 1) arithmetic.scale_a = &o.scale_a;
        if (o.scale_b != 1) arithmetic.scale_b = &o.scale_b;
    }

    Number number(bsblasDataType_t type) {
        const auto one = [&] {
            if (o.integers || type == BSBLAS_R_8I) return double(int(random() % 5) - 2);
            return std::uniform_real_distribution<double>(-1, 1)(random);
        };
        const double re = one();
        return {re, is_complex(type) ? one() : 0.0};
    }

    int64_t capacity() const { return a.pattern.capacity; }

    void make_pattern() {
        a.pattern.rows = o.block_rows;
        a.pattern.cols = o.block_cols;
        a.pattern.base = o.base;
        const int64_t matrices = o.one_pattern ? 1 : o.batch;
        std::vector<std::vector<std::vector<int64_t>>> columns(matrices);
        int64_t most = 0;
        for (auto& rows : columns) {
            int64_t count = 0;
            rows.resize(o.block_rows);
            for (int64_t i = 0; i < o.block_rows; ++i) {
                if (i % 4 == 2) continue;  // an empty row
                for (int64_t j = 0; j < o.block_cols; ++j) {
                    for (int copies = o.duplicates ? 2 : 1; copies > 0; --copies) {
                        if (std::uniform_real_distribution<double>(0, 1)(random) < o.density) rows[i].push_back(j);
                    }
                }
                std::shuffle(rows[i].begin(), rows[i].end(), random);
                count += rows[i].size();
            }
            most = std::max(most, count);
        }
        a.pattern.capacity = most + o.tail;
        for (const auto& rows : columns) {
            const size_t first = indices.size();
            offsets.push_back(o.base);
            for (const auto& row : rows) {
                for (int64_t j : row) indices.push_back(j + o.base);
                offsets.push_back(int64_t(indices.size() - first) + o.base);
            }
            indices.resize(first + capacity(), o.block_cols + 1000);  // the tail: out of range
            std::vector<int64_t> order(capacity());
            for (int64_t p = 0; p < capacity(); ++p) order[p] = p;
            // Any permutation of the live slots is a transposed index of some stored matrix.
            std::shuffle(order.begin(), order.begin() + (offsets.back() - o.base), random);
            slots.insert(slots.end(), order.begin(), order.end());
        }
        if (matrices > 1) {
            a.pattern.offsets_stride = o.block_rows + 1;
            a.pattern.indices_stride = a.pattern.slots_stride = capacity();
        }
        if (o.wide) {
            a.pattern.offsets = {offsets.data(), true};
            a.pattern.indices = {indices.data(), true};
            if (o.transposed) a.pattern.slots = {slots.data(), true};
        } else {
            offsets32.assign(offsets.begin(), offsets.end());
            indices32.assign(indices.begin(), indices.end());
            slots32.assign(slots.begin(), slots.end());
            a.pattern.offsets = {offsets32.data(), false};
            a.pattern.indices = {indices32.data(), false};
            if (o.transposed) a.pattern.slots = {slots32.data(), false};
        }
        a.transposed = o.transposed;
    }

    void make_values() {
        a.rows = o.block_rows * o.bm - o.short_rows;
        a.cols = o.block_cols * o.bk - o.short_cols;
        a.bm = o.bm;
        a.bk = o.bk;
        a.row_stride = o.row_major_blocks ? o.bk : 1;
        a.col_stride = o.row_major_blocks ? 1 : o.bm;
        a.block_stride = o.bm * o.bk;
        a.type = sddmm ? o.types.out : o.types.sparse;
        a.conjugate = o.conjugate && !sddmm;
        const int64_t matrix = capacity() * a.block_stride + (o.batch > 1 ? 5 : 0);
        a.values_stride = o.one_pattern && o.one_dense && !sddmm ? 0 : o.batch > 1 ? matrix : 0;
        const int64_t matrices = a.values_stride == 0 ? 1 : o.batch;
        fill_nan(&values, a.type, matrices * matrix);
        const bool output_is_read = !sddmm || o.beta != 0.0;
        for (int64_t m = 0; m < matrices; ++m) {
            for_each_element(m, [&](int64_t, int64_t, unsigned char* at, bool) {
                if (output_is_read) put(at, a.type, number(a.type));
            });
        }
        a.values = values.data();
    }

    // body(i, j, address, is padding) for what is stored; padding only when `padding`.
    template <class Body>
    void for_each_element(int64_t matrix, const Body& body, bool padding = false) {
        const Pattern pattern = a.pattern.of_batch(matrix);
        for (int64_t i = 0; i < pattern.rows; ++i) {
            for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
                for (int64_t r = 0; r < o.bm; ++r) {
                    for (int64_t c = 0; c < o.bk; ++c) {
                        const int64_t row = i * o.bm + r, col = pattern.col(p) * o.bk + c;
                        const bool outside = row >= a.rows || col >= a.cols;
                        if (outside && !padding) continue;
                        const int64_t at = matrix * a.values_stride + pattern.slot(p) * a.block_stride +
                                           r * a.row_stride + c * a.col_stride;
                        body(row, col, values.data() + at * size_of(a.type), outside);
                    }
                }
            }
        }
    }

    static void fill_nan(Bytes* bytes, bsblasDataType_t type, int64_t elements) {
        bytes->resize(elements * size_of(type));
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (int64_t i = 0; i < elements; ++i) put(bytes->data() + i * size_of(type), type, {nan, nan});
    }

    Dense make_dense(int64_t rows, int64_t cols, bool row_major, bool one, Bytes* bytes, bool input) {
        Dense dense;
        dense.rows = rows;
        dense.cols = cols;
        const int64_t ld = (row_major ? cols : rows) + o.gap;
        dense.row_stride = row_major ? ld : 1;
        dense.col_stride = row_major ? 1 : ld;
        dense.type = input ? o.types.dense : o.types.out;
        dense.conjugate = input && o.conjugate;
        const int64_t matrix = ld * (row_major ? rows : cols) + 7;
        dense.batch_stride = o.batch > 1 && !one ? matrix : 0;
        const int64_t matrices = dense.batch_stride == 0 ? 1 : o.batch;
        fill_nan(bytes, dense.type, matrices * matrix);
        for (int64_t m = 0; m < matrices; ++m) {
            for (int64_t i = 0; i < rows; ++i) {
                for (int64_t j = 0; j < cols && (input || o.beta != 0.0); ++j) {
                    put(address(dense, bytes, m, i, j), dense.type, number(dense.type));
                }
            }
        }
        dense.values = bytes->data();
        return dense;
    }

    static unsigned char* address(const Dense& dense, Bytes* bytes, int64_t m, int64_t i, int64_t j) {
        return bytes->data() +
               (m * dense.batch_stride + i * dense.row_stride + j * dense.col_stride) * size_of(dense.type);
    }

    SpmmProblem spmm() const { return {a, b, c, arithmetic, o.batch}; }
    SddmmProblem sddmm_problem() const { return {b, c, a, arithmetic, o.batch}; }

    Bytes& output() { return sddmm ? values : second; }
};

template <class Problem>
std::string run(const Kernel<Problem>& kernel, const Problem& problem, int threads) {
    Device device;
    device.cpu_level = cpu_level();
    device.threads = threads;
    if (std::string why = kernel.refuses(problem, device); !why.empty()) return why;
    const size_t bytes = kernel.workspace(problem, device);
    // Workspaces come with anything in them.
    std::vector<unsigned char> memory(bytes + 512, 0xff);
    void* workspace = memory.data();
    size_t space = memory.size();
    workspace = std::align(256, bytes + 1, workspace, space);
    PoolThreads parallel(threads);
    EXPECT_EQ(kernel.launch(problem, {device, workspace, nullptr, &parallel}), 0);
    EXPECT_EQ(static_cast<unsigned char*>(workspace)[bytes], 0xff) << "wrote behind its workspace";
    return "";
}

// What the row makes of the data's output; "why not" when it refuses.
std::string run(const char* name, Data& data, int threads, Bytes* output) {
    const Bytes before = data.output();
    std::string why = "no such row";
    if (data.sddmm) {
        for (const SddmmKernel* row : sddmm_table()) {
            if (std::strcmp(row->name, name) == 0) why = run(*row, data.sddmm_problem(), threads);
        }
    } else {
        for (const SpmmKernel* row : spmm_table()) {
            if (std::strcmp(row->name, name) == 0) why = run(*row, data.spmm(), threads);
        }
    }
    *output = data.output();
    data.output() = before;
    return why;
}

// ---- The reference ----

// Of all elements of the output's memory: the exact result where it is one, else what was there.
Bytes exact_output(Data& data) {
    Bytes expected = data.output();
    const Options& o = data.o;
    const auto finish = [&](Number sum, bool summed, unsigned char* at, bsblasDataType_t type) {
        Number result = o.beta == 0.0 ? 0.0 : o.beta * get(at, type);
        if (summed) result += o.alpha * double(o.scale_a) * double(o.scale_b) * sum;
        put(at, type, result);
    };
    const auto conj = [](bool conjugate, Number x) { return conjugate ? std::conj(x) : x; };
    if (data.sddmm) {
        Bytes* at_values = &data.values;
        for (int64_t m = 0; m < o.batch; ++m) {
            data.for_each_element(
                m,
                [&](int64_t row, int64_t col, unsigned char* at, bool padding) {
                    unsigned char* out = expected.data() + (at - at_values->data());
                    if (padding) return put(out, data.a.type, 0);
                    Number sum = 0;
                    for (int64_t k = 0; k < o.other && o.alpha != 0.0; ++k) {
                        sum += conj(data.b.conjugate, get(Data::address(data.b, &data.first, m, row, k), data.b.type)) *
                               conj(data.c.conjugate, get(Data::address(data.c, &data.second, m, k, col), data.c.type));
                    }
                    finish(sum, o.alpha != 0.0, out, data.a.type);
                },
                true);
        }
        return expected;
    }
    for (int64_t m = 0; m < o.batch; ++m) {
        for (int64_t j = 0; j < o.other; ++j) {
            std::vector<Number> column(data.a.rows);
            if (o.alpha != 0.0) {
                data.for_each_element(m, [&](int64_t row, int64_t k, unsigned char* at, bool) {
                    column[row] +=
                        conj(data.a.conjugate, get(at, data.a.type)) *
                        conj(data.b.conjugate, get(Data::address(data.b, &data.first, m, k, j), data.b.type));
                });
            }
            for (int64_t i = 0; i < data.a.rows; ++i) {
                finish(column[i], o.alpha != 0.0, Data::address(data.c, &expected, m, i, j), data.c.type);
            }
        }
    }
    return expected;
}

// Equal as numbers: -0 is 0, and NaN is NaN.
void expect_same_numbers(const Bytes& found, const Bytes& expected, bsblasDataType_t type) {
    ASSERT_EQ(found.size(), expected.size());
    int64_t wrong = 0;
    for (size_t at = 0; at < found.size(); at += size_of(type)) {
        const Number x = get(found.data() + at, type), y = get(expected.data() + at, type);
        const bool same = (x.real() == y.real() || (std::isnan(x.real()) && std::isnan(y.real()))) &&
                          (x.imag() == y.imag() || (std::isnan(x.imag()) && std::isnan(y.imag())));
        if (!same && ++wrong <= 3) ADD_FAILURE() << "element " << at / size_of(type) << " is " << x << ", not " << y;
    }
    EXPECT_EQ(wrong, 0) << "of " << found.size() / size_of(type);
}

std::string describe(const Options& o) {
    using test::name_of;
    std::string text = std::string("types ") + name_of(o.types.sparse) + " " + name_of(o.types.dense) + " " +
                       name_of(o.types.out) + ", block " + std::to_string(o.bm) + "x" + std::to_string(o.bk) +
                       ", blocks " + std::to_string(o.block_rows) + "x" + std::to_string(o.block_cols) + ", other " +
                       std::to_string(o.other) + ", short " + std::to_string(o.short_rows) + " " +
                       std::to_string(o.short_cols) + ", batch " + std::to_string(o.batch) + ", alpha " +
                       std::to_string(o.alpha.real()) + ", beta " + std::to_string(o.beta.real()) + ", seed " +
                       std::to_string(o.seed);
    const std::pair<bool, const char*> flags[] = {{o.duplicates, "duplicates"},
                                                  {o.transposed, "transposed"},
                                                  {!o.row_major_blocks, "column blocks"},
                                                  {o.wide, "64-bit"},
                                                  {!o.first_row_major, "first by column"},
                                                  {!o.second_row_major, "second by column"},
                                                  {o.one_pattern, "one pattern"},
                                                  {o.one_dense, "one dense"},
                                                  {o.conjugate, "conjugate"}};
    for (const auto& [is, name] : flags) text += is ? std::string(", ") + name : "";
    return text;
}

// Options drawn at random around the given ones.
Options drawn(Options o, std::mt19937& random) {
    const auto coin = [&] { return random() % 2 == 0; };
    const auto from = [&](std::initializer_list<int64_t> list) { return list.begin()[random() % list.size()]; };
    o.seed = random();
    o.duplicates = coin();
    o.transposed = coin();
    o.row_major_blocks = coin();
    o.wide = coin();
    o.first_row_major = coin();
    o.second_row_major = coin();
    o.base = random() % 2;
    o.gap = from({0, 1, 7});
    o.tail = from({0, 3});
    o.short_rows = from({0, 1, o.bm - 1});
    o.short_cols = from({0, 1, o.bk - 1});
    o.batch = from({1, 1, 3});
    if (o.batch > 1) {
        o.one_pattern = coin();
        o.one_dense = coin();
    }
    o.conjugate = is_complex(o.types.sparse) && coin();
    o.density = from({1, 2, 4}) * 0.2;
    return o;
}

constexpr Types spmm_types[] = {
    {BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_64F, BSBLAS_R_64F, BSBLAS_R_64F, BSBLAS_R_64F},
    {BSBLAS_C_32F, BSBLAS_C_32F, BSBLAS_C_32F, BSBLAS_C_32F},
    {BSBLAS_C_64F, BSBLAS_C_64F, BSBLAS_C_64F, BSBLAS_C_64F},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_32F},
    {BSBLAS_R_16F, BSBLAS_R_16F, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_32F},
    {BSBLAS_R_16BF, BSBLAS_R_16BF, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_16F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_16BF, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E4M3, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_16F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_16BF, BSBLAS_R_32F},
    {BSBLAS_R_8F_E4M3, BSBLAS_R_8F_E5M2, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_16F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_16BF, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E4M3, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_16F, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_16BF, BSBLAS_R_32F},
    {BSBLAS_R_8F_E5M2, BSBLAS_R_8F_E5M2, BSBLAS_R_32F, BSBLAS_R_32F},
    {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32I, BSBLAS_R_32I},
    {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32F, BSBLAS_R_32F},
};

bool goes_into_sddmm(const Types& types) {
    return size_of(types.sparse) > 1;
}

// Small integers: every sum is exact in every type of the table, so the reference must agree to the last bit.
void reference_is_exact(bool sddmm) {
    std::mt19937 random(7);
    const int64_t sides[][2] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 1}, {8, 8}};
    for (const Types& types : spmm_types) {
        if (sddmm && !goes_into_sddmm(types)) continue;
        for (int round = 0; round < 12; ++round) {
            Options o;
            o.types = types;
            o.integers = true;
            o.bm = sides[random() % 6][0];
            o.bk = sides[random() % 6][1];
            o.block_rows = 1 + random() % 5;
            o.block_cols = 1 + random() % 3;
            o.other = 1 + random() % 9;
            o = drawn(o, random);
            const double scalars[] = {1, 0, -1, 2};
            o.alpha = scalars[round % 4];
            o.beta = scalars[round / 4];
            if (is_complex(types.scalar)) o.alpha += Number(0, round % 3);
            if (types.scalar == BSBLAS_R_32F && types.sparse != BSBLAS_R_32F && !sddmm) {
                o.scale_a = round % 2 ? 0.5f : 1;
                o.scale_b = round % 3 ? 2 : 1;
            }
            SCOPED_TRACE(describe(o));
            Data data(o, sddmm);
            Bytes found;
            ASSERT_EQ(run(sddmm ? "sddmm_bsr_any__host_reference" : "spmm_bsr_any__host_reference", data, 1 + round % 3,
                          &found),
                      "");
            expect_same_numbers(found, exact_output(data), sddmm ? data.a.type : data.c.type);
        }
    }
}

TEST(HostReference, SpmmIsExactOnSmallIntegers) {
    reference_is_exact(false);
}
TEST(HostReference, SddmmIsExactOnSmallIntegers) {
    reference_is_exact(true);
}

TEST(HostReference, IntegersWrap) {
    Options o;
    o.types = {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32I, BSBLAS_R_32I};
    o.bm = o.bk = 1;
    o.block_rows = o.block_cols = o.other = 1;
    o.density = 1;
    o.tail = o.gap = 0;
    Data data(o, false);
    put(data.values.data(), BSBLAS_R_8I, -128);
    put(data.first.data(), BSBLAS_R_8I, -128);
    put(data.arithmetic.alpha.value, BSBLAS_R_32I, 300000);
    Bytes found;
    ASSERT_EQ(run("spmm_bsr_any__host_reference", data, 1, &found), "");
    EXPECT_EQ(get_as<int32_t>(found.data()), int32_t(uint32_t(16384) * 300000u));
}

TEST(HostReference, RefusesOtherTypes) {
    Options o;
    o.types = {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_R_32F, BSBLAS_R_32F};
    Data spmm(o, false);
    Bytes found;
    EXPECT_NE(run("spmm_bsr_any__host_reference", spmm, 1, &found), "");
    o.types = {BSBLAS_R_8I, BSBLAS_R_8I, BSBLAS_R_32I, BSBLAS_R_32I};
    Data sddmm(o, true);
    EXPECT_NE(run("sddmm_bsr_any__host_reference", sddmm, 1, &found), "");
}

// ---- The tuned rows ----

struct Tuned {
    const char* spmm;
    const char* sddmm;
    Types types;
    double sum_error;    // of a short sum of products of numbers below 1
    double store_error;  // of the result, relative
};

constexpr Tuned tuned[] = {
    {"spmm_bsr_f32__host_libxsmm", "sddmm_bsr_f32__host_libxsmm", spmm_types[0], 1e-5, 1e-6},
    {"spmm_bsr_f64__host_libxsmm", "sddmm_bsr_f64__host_libxsmm", spmm_types[1], 2e-14, 2e-15},
    {"spmm_bsr_f16__host_libxsmm", "sddmm_bsr_f16__host_libxsmm", spmm_types[4], 1e-5, 0.00098},
    {"spmm_bsr_f16__host_libxsmm", "sddmm_bsr_f16__host_libxsmm", spmm_types[5], 1e-5, 1e-6},
    {"spmm_bsr_bf16__host_libxsmm", "sddmm_bsr_bf16__host_libxsmm", spmm_types[6], 1e-5, 0.0079},
    {"spmm_bsr_bf16__host_libxsmm", "sddmm_bsr_bf16__host_libxsmm", spmm_types[7], 1e-5, 1e-6},
};

class HostTuned : public testing::TestWithParam<Tuned> {
protected:
    void SetUp() override {
        bool built = false;
        for (const SpmmKernel* row : spmm_table()) built = built || std::strcmp(row->name, GetParam().spmm) == 0;
        if (!built) GTEST_SKIP() << "built without libxsmm";
        if (cpu_level() < cpu_avx2) GTEST_SKIP() << "the CPU level is " << cpu_level_name(cpu_level());
    }
};

// GoogleTest would print the bytes, which differ from run to run.
void PrintTo(const Tuned& row, std::ostream* out) {
    *out << row.spmm << ", " << row.sddmm;
}

INSTANTIATE_TEST_SUITE_P(Rows, HostTuned, testing::ValuesIn(tuned), [](const auto& info) {
    return std::string(info.param.spmm + 9, std::strchr(info.param.spmm + 9, '_')) + "_to_" +
           test::name_of(info.param.types.out);
});

// Close where the reference has numbers, untouched where it has left the memory as it was.
void expect_close(const Bytes& found, const Bytes& reference, const Bytes& before, bsblasDataType_t type,
                  double absolute, double relative) {
    ASSERT_EQ(found.size(), reference.size());
    const size_t size = size_of(type);
    int64_t wrong = 0;
    for (size_t at = 0; at < found.size(); at += size) {
        if (std::memcmp(&found[at], &reference[at], size) == 0) continue;
        const bool untouched = std::memcmp(&reference[at], &before[at], size) == 0;
        const double x = get(&found[at], type).real(), y = get(&reference[at], type).real();
        const bool close = x == y || (!untouched && std::isnan(x) && std::isnan(y)) ||
                           std::abs(x - y) <= absolute + relative * std::abs(y);
        if (!close && ++wrong <= 3) ADD_FAILURE() << "element " << at / size << " is " << x << ", not " << y;
    }
    EXPECT_EQ(wrong, 0) << "of " << found.size() / size;
}

// The row agrees with the reference, and with itself on any number of threads. False when it refuses.
bool agrees(const Tuned& row, const Options& o, bool sddmm, std::string* why = nullptr) {
    SCOPED_TRACE(describe(o));
    Data data(o, sddmm);
    const Bytes before = data.output();
    Bytes reference, found, again;
    EXPECT_EQ(run(sddmm ? "sddmm_bsr_any__host_reference" : "spmm_bsr_any__host_reference", data, 2, &reference), "");
    const char* name = sddmm ? row.sddmm : row.spmm;
    const std::string refusal = run(name, data, 1, &found);
    if (why) *why = refusal;
    if (!refusal.empty()) return false;
    const double length = sddmm ? o.other : (o.duplicates ? 2 : 1) * o.block_cols * o.bk;
    expect_close(found, reference, before, sddmm ? data.a.type : data.c.type,
                 row.sum_error * std::abs(o.alpha) * (1 + length / 50), row.store_error);
    for (int threads : {2, 3, 7}) {
        EXPECT_EQ(run(name, data, threads, &again), "");
        EXPECT_EQ(found, again) << "on " << threads << " threads";
    }
    return true;
}

void sweep(const Tuned& row, bool sddmm) {
    std::mt19937 random(11);
    const int64_t sides[] = {8, 10, 12, 16, 24, 30, 32, 64, 100};
    const int64_t others[] = {1, 2, 7, 15, 16, 17, 31, 48, 63, 64, 65, 127, 130, 200};
    const double scalars[][2] = {{1, 0}, {1, 1}, {1, 0.5}, {-2, 0}, {0.5, 1}, {0, 0}, {0, 2}, {1, 0}};
    int ran = 0;
    for (int round = 0; round < 150; ++round) {
        Options o;
        o.types = row.types;
        o.bm = sides[random() % 9];
        o.bk = random() % 2 ? o.bm : sides[random() % 9];
        o.block_rows = 1 + random() % 9;
        o.block_cols = 1 + random() % 7;
        o.other = others[random() % 14];
        o = drawn(o, random);
        o.alpha = scalars[round % 8][0];
        o.beta = scalars[round % 8][1];
        if (sddmm) o.transposed = false;
        ran += agrees(row, o, sddmm);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(ran, 150);
}

TEST_P(HostTuned, SpmmAgreesWithTheReference) {
    sweep(GetParam(), false);
}
TEST_P(HostTuned, SddmmAgreesWithTheReference) {
    sweep(GetParam(), true);
}

// Beyond one pass over the inner dimension, and one sum of blocks.
TEST_P(HostTuned, LongSums) {
    for (int64_t inner : {1023, 1024, 1025, 2500}) {
        for (const int64_t side : {8, 32}) {
            Options o;
            o.types = GetParam().types;
            o.bm = o.bk = side;
            o.other = inner;
            o.short_rows = 3;
            o.short_cols = 1;
            o.alpha = 2;
            o.beta = 1;
            EXPECT_TRUE(agrees(GetParam(), o, true));
            o.alpha = 1;
            o.first_row_major = false;
            EXPECT_TRUE(agrees(GetParam(), o, true));
        }
    }
    Options o;
    o.types = GetParam().types;
    o.block_cols = 1100;
    o.other = 40;
    o.short_cols = 3;
    o.duplicates = true;
    for (double alpha : {1.0, 2.0}) {
        o.alpha = alpha;
        o.transposed = !o.transposed;
        EXPECT_TRUE(agrees(GetParam(), o, false));
    }
    o.bm = o.bk = 64;
    o.block_cols = 100;
    EXPECT_TRUE(agrees(GetParam(), o, false));
    // Vector lanes along the rows of C.
    o.transposed = true;
    o.row_major_blocks = o.second_row_major = false;
    o.other = 64;
    for (double alpha : {1.0, 2.0}) {
        o.alpha = alpha;
        EXPECT_TRUE(agrees(GetParam(), o, false));
    }
}

TEST_P(HostTuned, ManyColumns) {
    Options o;
    o.types = GetParam().types;
    o.other = 3000;
    EXPECT_TRUE(agrees(GetParam(), o, false));
    o.second_row_major = false;
    EXPECT_TRUE(agrees(GetParam(), o, false));
    o.row_major_blocks = false;
    o.bm = 32;
    EXPECT_TRUE(agrees(GetParam(), o, false));
}

// Generated code is bounded: from some leading dimension on products go by way of copies, with the same bits.
TEST_P(HostTuned, LeadingDimensionsDoNotChangeBits) {
    struct Product {
        bool sddmm;
        Options o;
    };
    std::vector<Product> products;
    for (double beta : {0.0, 1.0}) {
        for (int64_t side : {8, 16, 32}) {
            Options o;
            o.types = GetParam().types;
            o.bm = o.bk = side;
            o.other = 96;  // whole vectors: edges go by way of a tile in any case
            o.beta = beta;
            products.push_back({false, o});
            o.other = 300;
            products.push_back({true, o});
            o.other = 1100;
            products.push_back({true, o});
            o.other = 40;
            o.row_major_blocks = o.second_row_major = false;
            products.push_back({false, o});
        }
    }
    // The output's elements, without the gaps between its lines.
    const auto result = [&](Product product, int64_t gap) {
        product.o.gap = gap;
        Data data(product.o, product.sddmm);
        Bytes output, elements;
        EXPECT_EQ(run(product.sddmm ? GetParam().sddmm : GetParam().spmm, data, 2, &output), "");
        if (product.sddmm) return output;
        const int64_t size = size_of(data.c.type);
        for (int64_t i = 0; i < data.c.rows; ++i) {
            for (int64_t j = 0; j < data.c.cols; ++j) {
                const unsigned char* at = Data::address(data.c, &output, 0, i, j);
                elements.insert(elements.end(), at, at + size);
            }
        }
        return elements;
    };
    std::vector<Bytes> first;
    for (const Product& product : products) first.push_back(result(product, 0));
    Product small = products[0];
    small.o.block_rows = small.o.block_cols = 1;
    small.o.other = 16;
    constexpr int64_t more_than_are_kept = 1500;
    for (int64_t gap = 1; gap < more_than_are_kept; ++gap) result(small, gap);
    for (size_t i = 0; i < products.size(); ++i) {
        SCOPED_TRACE((products[i].sddmm ? "sddmm " : "spmm ") + describe(products[i].o));
        EXPECT_EQ(result(products[i], more_than_are_kept), first[i]);
    }
}

// A vector, whichever order it is said to have.
TEST_P(HostTuned, OneRowOrColumn) {
    for (bool sddmm : {false, true}) {
        for (bool row_major : {false, true}) {
            Options o;
            o.types = GetParam().types;
            o.gap = 0;
            o.first_row_major = o.second_row_major = row_major;
            Options row = o;
            row.block_rows = 1;
            row.short_rows = row.bm - 1;
            EXPECT_TRUE(agrees(GetParam(), row, sddmm));
            Options col = o;
            col.block_cols = 1;
            col.short_cols = col.bk - 1;
            EXPECT_TRUE(agrees(GetParam(), col, sddmm));
            o.other = 1;
            EXPECT_TRUE(agrees(GetParam(), o, sddmm));
        }
    }
}

TEST_P(HostTuned, EmptySizes) {
    for (bool sddmm : {false, true}) {
        Options o;
        o.types = GetParam().types;
        o.beta = 2;
        Options none = o;
        none.other = 0;
        EXPECT_TRUE(agrees(GetParam(), none, sddmm));
        none = o;
        none.density = 0;
        EXPECT_TRUE(agrees(GetParam(), none, sddmm));
        none = o;
        none.block_rows = 0;
        EXPECT_TRUE(agrees(GetParam(), none, sddmm));
        none = o;
        none.block_cols = 0;
        EXPECT_TRUE(agrees(GetParam(), none, sddmm));
    }
}

TEST_P(HostTuned, NoArraysMeanAnEmptyMatrix) {
    for (double beta : {0.0, 2.0}) {
        Options o;
        o.types = GetParam().types;
        o.beta = beta;
        Data data(o, false);
        data.a.pattern.offsets = data.a.pattern.indices = {};
        data.a.pattern.capacity = 0;
        data.a.values = data.b.values = nullptr;
        Bytes found, reference;
        ASSERT_EQ(run(GetParam().spmm, data, 2, &found), "");
        ASSERT_EQ(run("spmm_bsr_any__host_reference", data, 2, &reference), "");
        expect_same_numbers(found, reference, o.types.out);
    }
}

// alpha = 0 reads no input, so they may be missing or hold anything.
TEST_P(HostTuned, AlphaZeroReadsNoInput) {
    for (bool sddmm : {false, true}) {
        Options o;
        o.types = GetParam().types;
        o.alpha = 0;
        o.beta = 2;
        o.short_rows = o.short_cols = 3;
        Data data(o, sddmm);
        data.b.values = nullptr;
        if (sddmm) data.c.values = nullptr;
        Bytes found, reference;
        ASSERT_EQ(run(sddmm ? GetParam().sddmm : GetParam().spmm, data, 2, &found), "");
        ASSERT_EQ(run(sddmm ? "sddmm_bsr_any__host_reference" : "spmm_bsr_any__host_reference", data, 2, &reference),
                  "");
        expect_same_numbers(found, reference, o.types.out);
    }
}

// NaN in a row of B reaches exactly the rows of C that have a block there.
TEST_P(HostTuned, SpecialValuesReachOnlyRowsWithABlockThere) {
    for (double special : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Options o;
        o.types = GetParam().types;
        o.bm = 12;
        o.bk = 10;
        o.short_rows = 5;
        o.short_cols = 3;
        Data data(o, false);
        const int64_t k = 2 * o.bk + 1, last = data.a.cols - 1;
        for (int64_t j = 0; j < o.other; ++j) {
            put(Data::address(data.b, &data.first, 0, k, j), data.b.type, special);
            put(Data::address(data.b, &data.first, 0, last, j), data.b.type, special);
        }
        Bytes found;
        ASSERT_EQ(run(GetParam().spmm, data, 1, &found), "");
        const Pattern& pattern = data.a.pattern;
        int64_t touched = 0;
        for (int64_t i = 0; i < data.a.rows; ++i) {
            bool has_block = false;
            for (int64_t p = pattern.begin(i / o.bm); p < pattern.end(i / o.bm); ++p) {
                has_block = has_block || pattern.col(p) == 2 || pattern.col(p) == o.block_cols - 1;
            }
            touched += has_block;
            for (int64_t j = 0; j < o.other; ++j) {
                const double x = get(Data::address(data.c, &found, 0, i, j), data.c.type).real();
                EXPECT_EQ(std::isfinite(x), !has_block) << i << " " << j;
            }
        }
        EXPECT_GT(touched, 0);
        EXPECT_LT(touched, data.a.rows);
    }
}

// A special value in X reaches the elements of its row, and no padding.
TEST_P(HostTuned, SpecialValuesDoNotReachPadding) {
    for (bool row_major_blocks : {true, false}) {
        for (int64_t side : {8, 20}) {
            Options o;
            o.types = GetParam().types;
            o.bm = o.bk = side;
            o.row_major_blocks = row_major_blocks;
            o.short_rows = 3;
            o.short_cols = 5;
            o.density = 1;
            Data data(o, true);
            const int64_t last = data.a.rows - 1;
            put(Data::address(data.b, &data.first, 0, last, 4), data.b.type, std::numeric_limits<double>::infinity());
            Bytes found;
            ASSERT_EQ(run(GetParam().sddmm, data, 1, &found), "");
            data.output() = found;
            data.for_each_element(
                0,
                [&](int64_t row, int64_t col, unsigned char* at, bool padding) {
                    const double x = get(at, data.a.type).real();
                    if (padding) {
                        EXPECT_EQ(x, 0) << row << " " << col;
                    } else {
                        EXPECT_EQ(std::isfinite(x), row != last) << row << " " << col;
                    }
                },
                true);
        }
    }
}

TEST_P(HostTuned, RefusesSmallBlocksWithAReason) {
    Options o;
    o.types = GetParam().types;
    o.bm = 7;
    std::string why;
    EXPECT_FALSE(agrees(GetParam(), o, false, &why));
    EXPECT_NE(why.find("below 8"), std::string::npos) << why;
    EXPECT_FALSE(agrees(GetParam(), o, true, &why));
    EXPECT_NE(why.find("below 8"), std::string::npos) << why;
}

// Their buffers' sizes would not be numbers any more.
TEST_P(HostTuned, RefusesOperandsBeyondMeasure) {
    Device device;
    device.cpu_level = cpu_level();
    for (int64_t size : {int64_t(1) << 50, int64_t(1) << 60}) {
        Options o;
        o.types = GetParam().types;
        SpmmProblem spmm = Data(o, false).spmm();
        spmm.b.cols = spmm.c.cols = size;
        SddmmProblem sddmm = Data(o, true).sddmm_problem();
        sddmm.x.cols = sddmm.y.rows = size;
        for (const SpmmKernel* row : spmm_table()) {
            if (std::strcmp(row->name, GetParam().spmm) != 0) continue;
            EXPECT_NE(row->refuses(spmm, device), "");
        }
        for (const SddmmKernel* row : sddmm_table()) {
            if (std::strcmp(row->name, GetParam().sddmm) != 0) continue;
            EXPECT_NE(row->refuses(sddmm, device), "");
        }
    }
}

TEST(HostTable, ReferencesAreLast) {
    EXPECT_STREQ((*(spmm_table().end() - 1))->name, "spmm_bsr_any__host_reference");
    EXPECT_STREQ((*(sddmm_table().end() - 1))->name, "sddmm_bsr_any__host_reference");
}

TEST(CpuLevel, IsLimitedDownwards) {
    EXPECT_EQ(limited_cpu_level(cpu_avx512, nullptr), cpu_avx512);
    EXPECT_EQ(limited_cpu_level(cpu_avx512, "generic"), cpu_generic);
    EXPECT_EQ(limited_cpu_level(cpu_avx512, "avx2"), cpu_avx2);
    EXPECT_EQ(limited_cpu_level(cpu_avx512, "avx512"), cpu_avx512);
    EXPECT_EQ(limited_cpu_level(cpu_avx2, "avx512"), cpu_avx2);
    EXPECT_EQ(limited_cpu_level(cpu_avx512, "AVX2"), cpu_avx512);
    EXPECT_EQ(limited_cpu_level(cpu_avx512, ""), cpu_avx512);
}

}  // namespace
}  // namespace bsblas::host
