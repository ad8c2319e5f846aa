// Moving whole blocks.
//
// Transposing works on pieces of at most 32 x 32 micro tiles; a thread block takes as many pieces at a time as shared
// memory holds: one of a large block, many of small blocks. Where sides and alignment allow it, elements of 1, 2 and 4
// bytes make words of V = 4, 2 and 2 elements, and a thread turns a micro tile, V x V of them, in registers:
//
//   source block, C fast            shared memory               target block, R fast
//   row r   | w w w w ...           [r/V of column c]           column c | w w ...
//   row r+1 | w w w w ...   ---->   words are stored   ---->    a warp writes words that follow
//   a warp reads words that         with an odd pitch           each other
//   follow each other
#include "kernels/cuda/common/turn.cuh"
#include "kernels/cuda/generic/pattern_blocks.cuh"

#include <type_traits>

namespace bsblas::cuda {

namespace {

// 16 bytes that are loaded at once.
struct alignas(16) Quad {
    uint32_t part[4];
};

template <class Word>
constexpr bool is_pair = std::is_same_v<Word, Pair<uint32_t>> || std::is_same_v<Word, Pair<uint64_t>>;

// The imaginary part is the element's upper half, so its sign is the highest bit.
template <class Word>
__device__ Word conjugate(Word word) {
    if constexpr (is_pair<Word>)
        word.im ^= decltype(word.im)(1) << (8 * sizeof(word.im) - 1);
    else if constexpr (std::is_same_v<Word, Quad>)
        word.part[3] ^= 0x80000000u;
    else if constexpr (sizeof(Word) == 8)
        word ^= Word(1) << 63;
    return word;
}

// How much of block p of a is inside the logical matrix.
struct Extent {
    int64_t height, width;
    __device__ Extent(const Stored& a, const PatternReader& pattern, int64_t p) {
        const int64_t last = a.block_rows - 1;
        height = rows_in(a, p < pattern.begin(last) ? 0 : last);
        width = cols_in(a, pattern.col(p));
    }
};

// f(Word()) with the word that holds one element: complex ones are loaded at once where `both` pointers allow it.
template <class F>
void with_word(bsblasDataType_t type, uintptr_t both, const F& f) {
    if (type == BSBLAS_C_32F && both % 8 == 0) return f(uint64_t());
    if (type == BSBLAS_C_64F && both % 16 == 0) return f(Quad());
    with_element(type, f);
}

// A multiple of each power of two that both pointers are multiples of.
uintptr_t both_of(const void* x, const void* y) {
    return reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
}

bool is_ragged(const Stored& a) {
    return a.rows != a.block_rows * a.bm || a.cols != a.block_cols * a.bk;
}

// ---- Transposing -------------------------------------------------------------------------------------------------

// x / divisor for x and divisor below 2^16.
struct Divider {
    uint32_t divisor, magic;
    explicit Divider(uint32_t divisor) : divisor(divisor), magic(divisor > 1 ? 0xffffffffu / divisor + 1 : 0) {}
    __device__ uint32_t operator()(uint32_t x) const { return divisor > 1 ? __umulhi(x, magic) : x; }
};

// A micro tile is the V x V elements that one thread turns.
constexpr int kMostTogether = kThreads;
template <class Word, int V>
constexpr int kMicroTiles = sizeof(Word) * V > 4 ? 1024 : 2048;  // that a thread block takes at a time

struct TransposePlan {
    Stored to;
    const char* from;
    Indices order;
    bool slow_is_row;  // of `to`
    bool conjugate, ragged;
    int64_t slow, fast;                // of a source block, in elements
    int64_t pieces_slow, pieces_fast;  // that make up a block
    uint32_t together;                 // pieces at a time
    uint32_t tile_slow, tile_fast;     // of a piece, in micro tiles
    Divider by_tile, by_stored_tile, by_tile_slow, by_tile_fast;

    TransposePlan(const Stored& a, const Stored& to, bool conjugate, const Indices& order, int v, int micro_tiles)
        : to(to),
          from(static_cast<const char*>(a.values)),
          order(order),
          slow_is_row(!a.row_major_blocks),
          conjugate(conjugate),
          ragged(is_ragged(to)),
          slow(a.row_major_blocks ? a.bm : a.bk),
          fast(a.row_major_blocks ? a.bk : a.bm),
          pieces_slow(ceil_div(slow / v, 32)),
          pieces_fast(ceil_div(fast / v, 32)),
          tile_slow(slow / v < 32 ? slow / v : 32),
          tile_fast(fast / v < 32 ? fast / v : 32),
          by_tile(tile_slow * tile_fast),
          by_stored_tile(tile_slow * tile_fast * v),
          by_tile_slow(tile_slow),
          by_tile_fast(tile_fast) {
        together = micro_tiles / (tile_slow * tile_fast);
        if (together > kMostTogether) together = kMostTogether;
    }
};

struct Piece {
    int64_t from, to;                  // bytes from the start of the values
    uint32_t slow, fast;               // micro tiles of it that exist
    int32_t slow_inside, fast_inside;  // elements, counted from the piece's first, that are not padding

    __device__ Piece(const TransposePlan& plan, const PatternReader& pattern, int64_t number, int v, int element) {
        const Split by_block = split(number, plan.pieces_slow * plan.pieces_fast);
        const Split within = split(by_block.rest, plan.pieces_fast);
        const int64_t p = by_block.quotient, r = within.quotient * 32 * v, c = within.rest * 32 * v;
        const int64_t block = plan.slow * plan.fast;
        from = (plan.order[p] * block + r * plan.fast + c) * element;
        to = (p * block + c * plan.slow + r) * element;
        slow = static_cast<uint32_t>(limit((plan.slow - r) / v, 32));
        fast = static_cast<uint32_t>(limit((plan.fast - c) / v, 32));
        slow_inside = fast_inside = 32 * v;
        if (plan.ragged) {
            const Extent inside(plan.to, pattern, p);
            slow_inside = static_cast<int32_t>(limit((plan.slow_is_row ? inside.height : inside.width) - r, 32 * v));
            fast_inside = static_cast<int32_t>(limit((plan.slow_is_row ? inside.width : inside.height) - c, 32 * v));
        }
    }
    __device__ static int64_t limit(int64_t x, int64_t most) { return x < 0 ? 0 : x < most ? x : most; }
};

// The first `inside` of V elements; the others become zero.
template <class Word, int V>
__device__ Word without_padding(Word word, int inside) {
    if (inside <= 0) return Word{};
    if constexpr (V > 1)
        if (inside < V) return word & ((Word(1) << (inside * 8 * sizeof(Word) / V)) - 1);
    return word;
}

// Tile is the tile's sides where they are equal and known when this is compiled, else 0.
template <class Word, int V, int Tile>
__global__ void __launch_bounds__(kThreads, 4) transpose_pieces(TransposePlan plan) {
    constexpr int element = sizeof(Word) / V, rounds = kMicroTiles<Word, V> / kThreads;
    constexpr uint32_t nowhere = ~0u;
    // An odd pitch takes at most half as much again, with tiles 2 words high.
    __shared__ Word words[kMicroTiles<Word, V> * V * 3 / 2];
    alignas(Piece) __shared__ char piece_memory[kMostTogether * sizeof(Piece)];
    Piece* const pieces = reinterpret_cast<Piece*>(piece_memory);

    const PatternReader pattern(plan.to);
    const uint32_t tile_slow = Tile ? Tile : plan.tile_slow, tile_fast = Tile ? Tile : plan.tile_fast;
    const uint32_t tile = tile_slow * tile_fast, pitch = tile_slow | 1;
    const int64_t all = pattern.live * plan.pieces_slow * plan.pieces_fast;
    const int64_t row_bytes = plan.fast * element, column_bytes = plan.slow * element;
    const char* const from = plan.from;
    char* const to = static_cast<char*>(plan.to.values);

    for (int64_t first = int64_t(blockIdx.x) * plan.together; first < all;
         first += int64_t(gridDim.x) * plan.together) {
        const uint32_t count = static_cast<uint32_t>(Piece::limit(all - first, plan.together));
        if (threadIdx.x < count) pieces[threadIdx.x] = Piece(plan, pattern, first + threadIdx.x, V, element);
        __syncthreads();

        // All loads are under way before the first word is needed.
        Word w[rounds][V];
        uint32_t target[rounds];
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            const uint32_t m = threadIdx.x + round * kThreads;
            const uint32_t b = Tile ? m / tile : plan.by_tile(m), rest = m - b * tile;
            const uint32_t r = Tile ? rest / tile_fast : plan.by_tile_fast(rest), c = rest - r * tile_fast;
            target[round] = nowhere;
            if (b >= count || r >= pieces[b].slow || c >= pieces[b].fast) continue;
            target[round] = (b * V * tile_fast + c) * pitch + r;
            const char* const at = from + pieces[b].from + int64_t(r * V) * row_bytes + c * sizeof(Word);
#pragma unroll
            for (int v = 0; v < V; ++v) w[round][v] = *reinterpret_cast<const Word*>(at + v * row_bytes);
            if (V == 1 && plan.conjugate) w[round][0] = conjugate(w[round][0]);
            if (plan.ragged)
                for (int v = 0; v < V; ++v) {
                    const bool inside = int(r * V + v) < pieces[b].slow_inside;
                    w[round][v] =
                        without_padding<Word, V>(w[round][v], inside ? pieces[b].fast_inside - int(c * V) : 0);
                }
        }
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
            if (target[round] == nowhere) continue;
            turn<Word, V>(w[round]);
#pragma unroll
            for (int v = 0; v < V; ++v) words[target[round] + v * tile_fast * pitch] = w[round][v];
        }
        __syncthreads();

#pragma unroll
        for (int round = 0; round < rounds * V; ++round) {
            const uint32_t m = threadIdx.x + round * kThreads;
            const uint32_t b = Tile ? m / (tile * V) : plan.by_stored_tile(m), rest = m - b * tile * V;
            const uint32_t column = Tile ? rest / tile_slow : plan.by_tile_slow(rest), r = rest - column * tile_slow;
            const uint32_t c = column / V, v = column % V;
            if (b >= count || r >= pieces[b].slow || c >= pieces[b].fast) continue;
            char* const at = to + pieces[b].to + int64_t(column) * column_bytes + r * sizeof(Word);
            *reinterpret_cast<Word*>(at) = words[((b * V + v) * tile_fast + c) * pitch + r];
        }
        __syncthreads();
    }
}

template <class Word, int V>
void launch_transpose(Queue& queue, const Stored& a, const Stored& to, bool conjugate, const Indices& order) {
    const TransposePlan plan(a, to, conjugate, order, V, kMicroTiles<Word, V>);
    const int64_t blocks = ceil_div(a.capacity * plan.pieces_slow * plan.pieces_fast, plan.together);
    const uint32_t side = plan.tile_slow == plan.tile_fast ? plan.tile_slow : 0;
    if (side == 32)
        queue.launch(transpose_pieces<Word, V, 32>, blocks, plan);
    else if (side == 16)
        queue.launch(transpose_pieces<Word, V, 16>, blocks, plan);
    else if (side == 8)
        queue.launch(transpose_pieces<Word, V, 8>, blocks, plan);
    else
        queue.launch(transpose_pieces<Word, V, 0>, blocks, plan);
}

// ---- Copying -----------------------------------------------------------------------------------------------------

constexpr int kWordsAThread = 4;

struct CopyPlan {
    Stored a;  // whose live count, and padding if there is any, this is about
    const void* from;
    void* to;
    Indices order;
    int64_t words;  // in a block
    bool conjugate, ragged;
};

__device__ bool is_padding(const Stored& a, const PatternReader& pattern, int64_t p, int64_t element) {
    const Extent inside(a, pattern, p);
    const Split place = split(element, a.row_major_blocks ? a.bk : a.bm);
    const int64_t i = a.row_major_blocks ? place.quotient : place.rest;
    const int64_t j = a.row_major_blocks ? place.rest : place.quotient;
    return i >= inside.height || j >= inside.width;
}

template <class Word>
__global__ void __launch_bounds__(kThreads) copy(CopyPlan plan) {
    const Stored& a = plan.a;
    const PatternReader pattern(a);
    const int64_t all = pattern.live * plan.words, step = kThreads * kWordsAThread;
    const Word* const from = static_cast<const Word*>(plan.from);
    Word* const to = static_cast<Word*>(plan.to);

    for (int64_t first = blockIdx.x * step; first < all; first += gridDim.x * step) {
        const Split start = split(first, plan.words);
        Word words[kWordsAThread];  // all loads are under way before the first word is stored
#pragma unroll
        for (int k = 0; k < kWordsAThread; ++k) {
            const int64_t ahead = threadIdx.x + k * kThreads;
            if (first + ahead >= all) break;
            const Split at = split(start.rest + ahead, plan.words);
            const int64_t p = start.quotient + at.quotient;
            words[k] = from[(plan.order.data ? plan.order[p] : p) * plan.words + at.rest];
            if (plan.conjugate) words[k] = conjugate(words[k]);
            if (plan.ragged && is_padding(a, pattern, p, at.rest)) words[k] = Word{};
        }
#pragma unroll
        for (int k = 0; k < kWordsAThread; ++k) {
            const int64_t ahead = threadIdx.x + k * kThreads;
            if (first + ahead >= all) break;
            to[first + ahead] = words[k];
        }
    }
}

template <class Word>
void launch_copy(Queue& queue, const CopyPlan& plan) {
    queue.launch(copy<Word>, ceil_div(plan.a.capacity * plan.words, kThreads * kWordsAThread), plan);
}

}  // namespace

void transpose_blocks(Queue& queue, const Stored& from, const Stored& to, bool conjugate, const Indices& order) {
    if (from.capacity == 0) return;
    conjugate = conjugate && is_complex(from.type);
    const int64_t block = from.bm * from.bk;
    const uintptr_t both = both_of(from.values, to.values);
    if (from.row_major_blocks != to.row_major_blocks) {  // a transposed block in the other order is the block itself
        if (!conjugate && !is_ragged(to)) return copy_blocks(queue, to, from.values, to.values, order);
        return with_word(from.type, both, [&](auto word) {
            launch_copy<decltype(word)>(queue, {to, from.values, to.values, order, block, conjugate, is_ragged(to)});
        });
    }
    const auto takes = [&](int v, int word) { return from.bm % v == 0 && from.bk % v == 0 && both % word == 0; };
    with_word(from.type, both, [&](auto word) {
        using Word = decltype(word);
        if (sizeof(Word) == 1 && takes(4, 4))
            launch_transpose<uint32_t, 4>(queue, from, to, conjugate, order);
        else if (sizeof(Word) == 2 && takes(2, 4))
            launch_transpose<uint32_t, 2>(queue, from, to, conjugate, order);
        else if (sizeof(Word) == 4 && takes(2, 8))
            launch_transpose<uint64_t, 2>(queue, from, to, conjugate, order);
        else
            launch_transpose<Word, 1>(queue, from, to, conjugate, order);
    });
}

void copy_blocks(Queue& queue, const Stored& a, const void* from, void* to, const Indices& order) {
    const int64_t bytes = a.bm * a.bk * size_of(a.type);
    const uintptr_t all = both_of(from, to) | static_cast<uintptr_t>(bytes);
    const auto by_words_of = [&](auto word) {
        launch_copy<decltype(word)>(queue, {a, from, to, order, bytes / int64_t(sizeof word), false, false});
    };
    if (all % 16 == 0)
        by_words_of(Quad());
    else if (all % 8 == 0)
        by_words_of(uint64_t());
    else if (all % 4 == 0)
        by_words_of(uint32_t());
    else if (all % 2 == 0)
        by_words_of(uint16_t());
    else
        by_words_of(uint8_t());
}

}  // namespace bsblas::cuda
