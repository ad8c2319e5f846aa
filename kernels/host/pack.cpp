#include "kernels/host/pack.h"

#include <immintrin.h>
#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

#define BSBLAS_AVX2 [[gnu::target("avx2,f16c")]]

// Elements are moved as bytes, `size` of them each; steps are in bytes.
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
BSBLAS_AVX2 Vector load(const char* from) {
    Vector vector;
    std::memcpy(&vector, from, 16);
    return vector;
}

template <class Vector>
BSBLAS_AVX2 void store(char* to, Vector vector) {
    std::memcpy(to, &vector, 16);
}

// out(r, c) = in(r, c) for a square of 16 bytes a side: in_step from column to column, out_step from row to row.
template <int size>
BSBLAS_AVX2 void transpose_square(const char* in, int64_t in_step, char* out, int64_t out_step);

template <>
BSBLAS_AVX2 void transpose_square<8>(const char* in, int64_t in_step, char* out, int64_t out_step) {
    using Vector = Vectors<8>::Vector;
    const Vector a = load<Vector>(in), b = load<Vector>(in + in_step);
    store(out, __builtin_shufflevector(a, b, 0, 2));
    store(out + out_step, __builtin_shufflevector(a, b, 1, 3));
}

template <>
BSBLAS_AVX2 void transpose_square<4>(const char* in, int64_t in_step, char* out, int64_t out_step) {
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
BSBLAS_AVX2 void transpose_square<2>(const char* in, int64_t in_step, char* out, int64_t out_step) {
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
BSBLAS_AVX2 void transpose(const void* in_values, int64_t in_step, void* out_values, int64_t out_step, int64_t rows,
                           int64_t cols) {
    const char* in = static_cast<const char*>(in_values);
    char* out = static_cast<char*>(out_values);
    constexpr int64_t side = 16 / size;
    constexpr int64_t line = 64 / size;  // cache lines are read and written whole
    const int64_t whole_rows = rows - rows % side, whole_cols = cols - cols % side;
    for (int64_t c0 = 0; c0 < whole_cols; c0 += line) {
        for (int64_t r0 = 0; r0 < whole_rows; r0 += line) {
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

template <class T>
BSBLAS_AVX2 void widen_run(const T* from, Working<T>* to, int64_t n) {
    if constexpr (std::is_same_v<T, Working<T>>) {
        std::memcpy(to, from, n * sizeof(T));
    } else {
        for (int64_t i = 0; i < n; ++i) to[i] = widen(from[i]);
    }
}

template <>
BSBLAS_AVX2 void widen_run(const Float16* from, float* to, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    }
    for (; i < n; ++i) to[i] = widen(from[i]);
}

template <class Wide, class Out>
BSBLAS_AVX2 void narrow_run(const Wide* from, Out* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = narrow<Out>(from[i]);
}

template <>
BSBLAS_AVX2 void narrow_run(const float* from, Float16* to, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
    }
    for (; i < n; ++i) to[i] = narrow<Float16>(from[i]);
}

constexpr int64_t run = 64;  // elements that are converted at a time, on the stack

// to = alpha from + beta to.
template <class Wide, class Out>
BSBLAS_AVX2 void store_run(const Wide* from, Out* to, int64_t n, Wide alpha, Wide beta) {
    if constexpr (std::is_same_v<Out, Wide>) {
        if (beta == 0) {
            for (int64_t i = 0; i < n; ++i) to[i] = alpha * from[i];
        } else {
            for (int64_t i = 0; i < n; ++i) to[i] = alpha * from[i] + beta * to[i];
        }
        return;
    }
    for (int64_t first = 0; first < n; first += run) {
        const int64_t count = std::min(run, n - first);
        Wide sum[run], old[run];
        for (int64_t i = 0; i < count; ++i) sum[i] = alpha * from[first + i];
        if (beta != 0) {
            widen_run(to + first, old, count);
            for (int64_t i = 0; i < count; ++i) sum[i] += beta * old[i];
        }
        narrow_run(sum, to + first, count);
    }
}

}  // namespace

template <class T>
BSBLAS_AVX2 void pack_rows(Working<T>* out, int64_t out_ld, Strided<const T> in, int64_t rows, int64_t cols,
                           int64_t padded_cols) {
    constexpr int64_t size = sizeof(T);
    if (in.col_stride == 1) {
        for (int64_t r = 0; r < rows; ++r) widen_run(in.at(r, 0), out + r * out_ld, cols);
    } else if constexpr (std::is_same_v<T, Working<T>>) {
        transpose<size>(in.values, in.col_stride * size, out, out_ld * size, rows, cols);
    } else {
        T square[run * run];
        for (int64_t c = 0; c < cols; c += run) {
            for (int64_t r = 0; r < rows; r += run) {
                const int64_t width = std::min(run, cols - c), height = std::min(run, rows - r);
                transpose<size>(in.at(r, c), in.col_stride * size, square, run * size, height, width);
                for (int64_t i = 0; i < height; ++i) widen_run(square + i * run, out + (r + i) * out_ld + c, width);
            }
        }
    }
    for (int64_t r = 0; padded_cols > cols && r < rows; ++r) {
        std::fill(out + r * out_ld + cols, out + r * out_ld + padded_cols, 0);
    }
}

template void pack_rows(float*, int64_t, Strided<const float>, int64_t, int64_t, int64_t);
template void pack_rows(double*, int64_t, Strided<const double>, int64_t, int64_t, int64_t);
template void pack_rows(float*, int64_t, Strided<const Bfloat16>, int64_t, int64_t, int64_t);
template void pack_rows(float*, int64_t, Strided<const Float16>, int64_t, int64_t, int64_t);

template <class Out>
BSBLAS_AVX2 void store_tile(const Working<Out>* tile, int64_t tile_ld, Strided<Out> out, int64_t rows, int64_t cols,
                            Working<Out> alpha, Working<Out> beta) {
    using Wide = Working<Out>;
    if (out.col_stride == 1) {
        for (int64_t r = 0; r < rows; ++r) store_run(tile + r * tile_ld, out.at(r, 0), cols, alpha, beta);
        return;
    }
    constexpr int64_t size = sizeof(Wide), side = 64 / size;
    Wide columns[side * run];
    for (int64_t c = 0; c < cols; c += side) {
        for (int64_t r = 0; r < rows; r += run) {
            const int64_t width = std::min(side, cols - c), height = std::min(run, rows - r);
            transpose<size>(tile + r * tile_ld + c, tile_ld * size, columns, run * size, width, height);
            for (int64_t i = 0; i < width; ++i) store_run(columns + i * run, out.at(r, c + i), height, alpha, beta);
        }
    }
}

template void store_tile(const float*, int64_t, Strided<float>, int64_t, int64_t, float, float);
template void store_tile(const double*, int64_t, Strided<double>, int64_t, int64_t, double, double);
template void store_tile(const float*, int64_t, Strided<Bfloat16>, int64_t, int64_t, float, float);
template void store_tile(const float*, int64_t, Strided<Float16>, int64_t, int64_t, float, float);

template <class Out>
BSBLAS_AVX2 void scale(Strided<Out> out, int64_t rows, int64_t cols, Working<Out> beta) {
    if (beta == 1) return;
    if (out.col_stride != 1) {
        std::swap(out.row_stride, out.col_stride);
        std::swap(rows, cols);
    }
    for (int64_t r = 0; r < rows; ++r) {
        Out* to = out.at(r, 0);
        if (beta == 0) {
            std::fill(to, to + cols, Out{});
        } else {
            for (int64_t c = 0; c < cols; ++c) to[c] = narrow<Out>(Working<Out>(beta * widen(to[c])));
        }
    }
}

template void scale(Strided<float>, int64_t, int64_t, float);
template void scale(Strided<double>, int64_t, int64_t, double);
template void scale(Strided<Bfloat16>, int64_t, int64_t, float);
template void scale(Strided<Float16>, int64_t, int64_t, float);

}  // namespace bsblas::host
