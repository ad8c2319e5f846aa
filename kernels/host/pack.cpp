#include "kernels/host/pack.h"

#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

// Elements are moved as bytes, `size` of them each; steps are in bytes. Vectors of 16 bytes are native to every 64-bit
// target, so they need no CPU level.
template <int size>
struct Vectors;
template <>
struct Vectors<2> {
    typedef uint16_t Vector __attribute__((vector_size(16)));
};
template <>
struct Vectors<4> {
    typedef uint32_t Vector __attribute__((vector_size(16)));
};
template <>
struct Vectors<8> {
    typedef uint64_t Vector __attribute__((vector_size(16)));
};

template <class Vector>
Vector load(const char* from) {
    Vector vector;
    std::memcpy(&vector, from, 16);
    return vector;
}

template <class Vector>
void store(char* to, Vector vector) {
    std::memcpy(to, &vector, 16);
}

// out(r, c) = in(r, c) for a square of 16 bytes a side: in_step from column to column, out_step from row to row.
template <int size>
void transpose_square(const char* in, int64_t in_step, char* out, int64_t out_step);

template <>
void transpose_square<8>(const char* in, int64_t in_step, char* out, int64_t out_step) {
    using Vector = Vectors<8>::Vector;
    const Vector a = load<Vector>(in), b = load<Vector>(in + in_step);
    store(out, __builtin_shufflevector(a, b, 0, 2));
    store(out + out_step, __builtin_shufflevector(a, b, 1, 3));
}

template <>
void transpose_square<4>(const char* in, int64_t in_step, char* out, int64_t out_step) {
    using Vector = Vectors<4>::Vector;
    const Vector a = load<Vector>(in), b = load<Vector>(in + in_step);
    const Vector c = load<Vector>(in + 2 * in_step), d = load<Vector>(in + 3 * in_step);
    const Vector ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Vector cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(out, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
    store(out + out_step, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
    store(out + 2 * out_step, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
    store(out + 3 * out_step, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
}

template <>
void transpose_square<2>(const char* in, int64_t in_step, char* out, int64_t out_step) {
    using Vector = Vectors<2>::Vector;
    Vector x[8], y[8];
    for (int i = 0; i < 8; ++i) x[i] = load<Vector>(in + i * in_step);
    for (int round = 0; round < 3; ++round) {  // each interleaves vectors four apart
        for (int i = 0; i < 4; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        std::copy(y, y + 8, x);
    }
    for (int i = 0; i < 8; ++i) store(out + i * out_step, x[i]);
}

// out(r, c) = in(r, c), in's columns and out's rows contiguous.
template <int size>
void transpose(const void* in_values, int64_t in_step, void* out_values, int64_t out_step, int64_t rows, int64_t cols) {
    const char* in = static_cast<const char*>(in_values);
    char* out = static_cast<char*>(out_values);
    constexpr int64_t side = 16 / size;
    constexpr int64_t line = 64 / size;  // cache lines are read and written whole
    const int64_t whole_rows = rows - rows % side, whole_cols = cols - cols % side;
    for (int64_t r0 = 0; r0 < whole_rows; r0 += line) {
        for (int64_t c0 = 0; c0 < whole_cols; c0 += line) {
            for (int64_t c = c0; c < std::min(c0 + line, whole_cols); c += side) {
                for (int64_t r = r0; r < std::min(r0 + line, whole_rows); r += side) {
                    transpose_square<size>(in + r * size + c * in_step, in_step, out + r * out_step + c * size,
                                           out_step);
                }
            }
        }
    }
    for (int64_t c = 0; c < cols; ++c) {
        for (int64_t r = c < whole_cols ? whole_rows : 0; r < rows; ++r) {
            std::memcpy(out + r * out_step + c * size, in + r * size + c * in_step, size);
        }
    }
}

template <class Wide, class Out>
void store_run(const Wide* from, Out* out, int64_t n, Wide alpha, Wide beta) {
    if (beta == 0) {
        for (int64_t i = 0; i < n; ++i) out[i] = narrow<Out>(alpha * from[i]);
    } else {
        for (int64_t i = 0; i < n; ++i) out[i] = narrow<Out>(Wide(alpha * from[i] + beta * widen(out[i])));
    }
}

}  // namespace

template <class T>
void pack_rows(T* out, int64_t out_ld, Strided<const T> in, int64_t rows, int64_t cols, int64_t padded_cols) {
    constexpr int64_t size = sizeof(T);
    if (in.col_stride == 1) {
        for (int64_t r = 0; r < rows; ++r) std::memcpy(out + r * out_ld, in.at(r, 0), cols * size);
    } else {
        transpose<size>(in.values, in.col_stride * size, out, out_ld * size, rows, cols);
    }
    if (padded_cols > cols) {
        for (int64_t r = 0; r < rows; ++r) std::memset(out + r * out_ld + cols, 0, (padded_cols - cols) * size);
    }
}

template void pack_rows(float*, int64_t, Strided<const float>, int64_t, int64_t, int64_t);
template void pack_rows(double*, int64_t, Strided<const double>, int64_t, int64_t, int64_t);
template void pack_rows(Bfloat16*, int64_t, Strided<const Bfloat16>, int64_t, int64_t, int64_t);

void pack_row_pairs(Bfloat16* out, int64_t out_ld, Strided<const Bfloat16> in, int64_t rows, int64_t cols,
                    int64_t padded_cols) {
    const int64_t pairs = rows / 2;
    if (in.row_stride == 1) {  // a pair is contiguous
        transpose<4>(in.values, in.col_stride * 2, out, out_ld * 4, pairs, cols);
    } else {
        for (int64_t pair = 0; pair < pairs; ++pair) {
            const Bfloat16 *even = in.at(2 * pair, 0), *odd = in.at(2 * pair + 1, 0);
            Bfloat16* to = out + pair * 2 * out_ld;
            for (int64_t c = 0; c < cols; ++c) {
                to[2 * c] = even[c];
                to[2 * c + 1] = odd[c];
            }
        }
    }
    if (rows % 2 == 1) {
        Bfloat16* to = out + pairs * 2 * out_ld;
        for (int64_t c = 0; c < cols; ++c) {
            to[2 * c] = *in.at(rows - 1, c);
            to[2 * c + 1] = {0};
        }
    }
    if (padded_cols > cols) {
        for (int64_t pair = 0; pair < (rows + 1) / 2; ++pair) {
            std::memset(out + (pair * out_ld + cols) * 2, 0, (padded_cols - cols) * 4);
        }
    }
}

template <class Wide, class Out>
void store_tile(const Wide* tile, int64_t tile_ld, Strided<Out> out, int64_t rows, int64_t cols, Wide alpha,
                Wide beta) {
    if (out.col_stride == 1) {
        for (int64_t r = 0; r < rows; ++r) store_run(tile + r * tile_ld, out.at(r, 0), cols, alpha, beta);
        return;
    }
    constexpr int64_t side = 16 / sizeof(Wide), strip = 64;
    Wide runs[side * strip];  // columns of the tile, for as long as it takes to store them
    for (int64_t c = 0; c < cols; c += side) {
        for (int64_t r = 0; r < rows; r += strip) {
            const int64_t width = std::min(side, cols - c), height = std::min(strip, rows - r);
            transpose<sizeof(Wide)>(tile + r * tile_ld + c, tile_ld * sizeof(Wide), runs, strip * sizeof(Wide), width,
                                    height);
            for (int64_t i = 0; i < width; ++i) store_run(runs + i * strip, out.at(r, c + i), height, alpha, beta);
        }
    }
}

template void store_tile(const float*, int64_t, Strided<float>, int64_t, int64_t, float, float);
template void store_tile(const double*, int64_t, Strided<double>, int64_t, int64_t, double, double);
template void store_tile(const float*, int64_t, Strided<Bfloat16>, int64_t, int64_t, float, float);

template <class Wide, class Out>
void scale(Strided<Out> out, int64_t rows, int64_t cols, Wide beta) {
    if (beta == 1) return;
    if (out.col_stride != 1) {
        std::swap(out.row_stride, out.col_stride);
        std::swap(rows, cols);
    }
    for (int64_t r = 0; r < rows; ++r) {
        Out* run = out.at(r, 0);
        if (beta == 0) {
            std::fill(run, run + cols, Out{});
        } else {
            for (int64_t c = 0; c < cols; ++c) run[c] = narrow<Out>(Wide(beta * widen(run[c])));
        }
    }
}

template void scale(Strided<float>, int64_t, int64_t, float);
template void scale(Strided<double>, int64_t, int64_t, double);
template void scale(Strided<Bfloat16>, int64_t, int64_t, float);

}  // namespace bsblas::host
