// BSR to dense. A thread block writes one tile of D, within one block row:
//
//            c0        c0 + columns
//       +----+---------+----+
//   D   |    |  tile   |    |
//       +----+---------+----+
//
// It looks through the row's slots for the first block in each of its columns, and writes the tile from those, with
// zeros where there is none. While any column has further blocks, it looks for the next of each and adds them: so
// duplicates add in slot order.
//
// Every element of D is written once, and read never, but for duplicates.
#include "kernels/cuda/generic/pattern.h"
#include "kernels/cuda/generic/pattern_access.cuh"
#include "kernels/cuda/generic/pattern_sum.cuh"

namespace bsblas::cuda {

namespace {

constexpr int kMostColumns = 1024;   // block columns of a tile
constexpr int64_t kElements = 4096;  // of a tile, about

struct Tiles {
    int64_t height;         // rows of a tile
    int64_t block_columns;  // of a tile
    int64_t down, across;   // tiles in a block row
    bool by_rows;           // how D lies in memory

    Tiles(const Stored& a, const Dense& d) : by_rows(d.col_stride == 1) {
        // Long along D's memory.
        if (by_rows) {
            block_columns = between(kMostColumns / a.bk, a.block_cols);
            height = between(kElements / (block_columns * a.bk), a.bm);
        } else {
            height = between(kElements, a.bm);
            block_columns =
                between(kElements / (height * a.bk), a.block_cols < kMostColumns ? a.block_cols : kMostColumns);
        }
        down = ceil_div(a.bm, height);
        across = ceil_div(a.block_cols, block_columns);
    }
    static int64_t between(int64_t x, int64_t most) { return x > most ? most : x < 1 ? 1 : x; }
};

using Slot = unsigned long long;
constexpr Slot kNone = ~Slot(0);

template <class T>
__global__ void __launch_bounds__(kThreads) write_tiles(Stored a, Dense d, Tiles tiles) {
    __shared__ Slot next[kMostColumns];  // the slot to write now, for each block column of the tile
    __shared__ Slot past[kMostColumns];  // 1 + the last slot written, or kNone when there are no more
    __shared__ int more;

    const PatternReader pattern(a);
    const T* const values = static_cast<const T*>(a.values);
    T* const dense = static_cast<T*>(d.values);
    const int64_t block = a.bm * a.bk, all = a.block_rows * tiles.down * tiles.across;

    for (int64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
        const Split by_across = split(tile, tiles.across), by_down = split(by_across.quotient, tiles.down);
        const int64_t row = by_down.quotient, c0 = by_across.rest * tiles.block_columns;
        const int64_t i0 = by_down.rest * tiles.height, j0 = c0 * a.bk;
        int64_t height = rows_in(a, row) - i0, width = tiles.block_columns * a.bk;
        if (height > tiles.height) height = tiles.height;
        if (width > a.cols - j0) width = a.cols - j0;
        const int64_t elements = height > 0 ? height * width : 0, fast = tiles.by_rows ? width : height;
        const int64_t begin = pattern.begin(row), end = pattern.end(row);

        for (int c = threadIdx.x; c < tiles.block_columns; c += kThreads) past[c] = 0;
        bool first = true, again = true;
        while (again) {
            for (int c = threadIdx.x; c < tiles.block_columns; c += kThreads) next[c] = kNone;
            if (threadIdx.x == 0) more = 0;
            __syncthreads();
            for (int64_t p = begin + threadIdx.x; p < end; p += kThreads) {
                const int64_t c = pattern.col(p) - c0;
                if (c < 0 || c >= tiles.block_columns || Slot(p) < past[c]) continue;
                if (atomicMin(&next[c], Slot(p)) != kNone) more = 1;
            }
            __syncthreads();
            for (int64_t e = threadIdx.x; e < elements; e += kThreads) {
                const Split place = split(e, fast);
                const int64_t i = tiles.by_rows ? place.quotient : place.rest;
                const int64_t j = tiles.by_rows ? place.rest : place.quotient;
                const Split by_block = split(j, a.bk);
                const Slot p = next[by_block.quotient];
                T* const to = dense + (row * a.bm + i0 + i) * d.row_stride + (j0 + j) * d.col_stride;
                if (p != kNone) {
                    const T value =
                        values[int64_t(p) * block + (i0 + i) * a.row_stride() + by_block.rest * a.col_stride()];
                    *to = first ? value : sum(*to, value);
                } else if (first) {
                    *to = T{};
                }
            }
            for (int c = threadIdx.x; c < tiles.block_columns; c += kThreads)
                past[c] = next[c] == kNone ? kNone : next[c] + 1;
            again = more;
            first = false;
            __syncthreads();
        }
    }
}

}  // namespace

size_t bsr_to_dense_workspace(const Stored&, const Dense&) {
    return 0;
}

int bsr_to_dense(const Stored& a, const Dense& d, void* stream, void*) {
    if (d.rows == 0 || d.cols == 0) return cudaSuccess;
    Queue queue(stream);
    const Tiles tiles(a, d);
    with_summand(a.type, [&](auto summand) {
        queue.launch(write_tiles<decltype(summand)>, a.block_rows * tiles.down * tiles.across, a, d, tiles);
    });
    return queue.status();
}

}  // namespace bsblas::cuda
