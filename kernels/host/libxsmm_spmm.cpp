// SpMM by libxsmm's batch-reduce GEMM. B is cut into panels of columns, each copied to row-major memory of its own; a
// block row of C in a panel is one sum of products of stored blocks with pieces of the panel:
//
//               B (depth x n)                     panel j, packed            C
//            width                                  +-------+
//          +--------+--------+-----                 |       |          +--------+--------+---
//          |        |        |                      |=======| <-+      |        |        |
//          |   0    |   1    |  ...    -- pack -->  |       |   |      |        |        |
//          |        |        |                      |=======| <-+----> |########| tile   |    block row i
//          +--------+--------+-----                 +-------+   |      |        |        |
//                                                               |
//   A, block row i:   [ bm x bk ]   [ bm x bk ]   ------------- +      ## = sum of block x piece
//
// Vector lanes are columns of C. They are its rows where the blocks of op(A), as those of a transposed A, and C lie by
// column: then the same runs on C^T = B^T op(A)^T, whose blocks are read as vectors, and C is summed in place:
//
//            B^T (n x depth)            panel j, packed                C^T
//          +-------+-------+--        +---+---+---+---+--        +-----+-----+-----+--
//          |       |       |   copy   |   |###|   |###|   x A's  |     |     |#####|      panel j
//          +-------+-------+--  -->   +---+---+---+---+-- blocks +-----+-----+-----+--
//          |       |       |                                     |     |     |     |
//                                                                         block row i
//
// - All layouts of B and C run at the speed of the panel, which stays in the second-level cache while all block rows
//   use it. The rows of a panel beyond B are zero. A panel that is too tall for the cache is cut into passes, which add
//   to C one after the other.
// - Where few threads share many panels, each thread packs its own; else all are packed first and then used by all.
// - The tile goes to C with alpha and beta, several block rows at a time, so that column-major C gets whole cache
//   lines. Where C lies along the lanes, it is summed in place when alpha is 1 and beta 0 or 1.
// - Blocks are used where they lie, in either order; those on a ragged edge are copied without their padding, which may
//   hold anything. 16-bit types are computed in binary32: panels are widened as they are packed, A before anything.
#include "kernels/host/cost.h"
#include "kernels/host/cpu_level.h"
#include "kernels/host/libxsmm_gemm.h"
#include "kernels/host/pack.h"
#include "kernels/host/parallel_for.h"
#include "kernels/host/sizes.h"
#include "kernels/host/table.h"

#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

constexpr int64_t max_blocks = 256;  // in one sum: addresses on the stack
constexpr int64_t edge_slots = 4;    // copies of edge blocks in one sum
constexpr int64_t tile_rows = 64;    // in a tile, or one block row if that is more
constexpr int64_t pack_blocks = 16;  // block columns of a panel that are packed as one item when threads share panels

// The share of a panel that a sum reads for each row of its tile: what stays in the first-level cache meanwhile.
// Measured at b = 16: 0.89 of sgemm, all blocks of a row in one sum 0.84; larger pieces gain nothing from smaller sums.
constexpr int64_t sum_bytes = 16384;

// Of a panel in a pass. Measured at b = 8, density 0.1, 16384 columns: one pass 54 GFLOP/s, passes of this size 86.
constexpr int64_t pass_bytes = 1 << 20;

// The blocks of a transposed index are scattered: op(A) = T at b = 8 ran at 0.33 of sgemm without a look ahead, at 0.72
// with it.
constexpr int64_t blocks_ahead = 16, prefetched_bytes = 1024;

// How a problem is cut: a pure function of sizes, types, strides and the device.
template <class In>
struct Plan {
    using Wide = Working<In>;

    static constexpr int64_t lanes = host::lanes<Wide>;
    bool lanes_are_rows;
    int64_t unit;           // columns that panels come in
    int64_t units, panels;  // of one matrix
    int64_t pass_blocks;    // block columns in a pass
    int64_t passes;         // at least one
    int64_t group;          // block rows in a tile
    int64_t tile_height;
    int64_t blocks_per_sum;
    static constexpr bool copies_a = !std::is_same_v<In, Wide>;
    bool shares_panels;
    int64_t a_copies;

    size_t panel_bytes, a_bytes, tile_bytes, edge_bytes, thread_bytes, workspace_bytes;

    explicit Plan(const SpmmProblem& problem, const Device& device, bool whole_sums = false) {
        const Sparse& a = problem.a;
        lanes_are_rows = runs_on_rows(problem, device);
        unit = lanes_are_rows ? 1 : lanes;
        units = ceil_div(problem.c.cols, unit);
        panels = std::max<int64_t>(1, ceil_div(units, best_units(a, device)));
        group = std::max<int64_t>(1, tile_rows / a.bm);
        tile_height = group * a.bm;
        const int64_t piece_bytes = std::max<int64_t>(1, a.bk * width(0) * sizeof(Wide));
        blocks_per_sum = best_blocks(a, piece_bytes);
        // C holds the sum of the passes, so it must be as wide as sums are.
        const bool one_pass = whole_sums || problem.c.type != type_of<Wide>;
        pass_blocks = std::max<int64_t>(1, one_pass ? a.pattern.cols : pass_bytes / piece_bytes);
        passes = std::max<int64_t>(1, ceil_div(a.pattern.cols, pass_blocks));
        a_copies = a.values_stride == 0 ? 1 : problem.batch;
        shares_panels = problem.batch * panels < 4 * device.threads && device.threads > 1;

        const size_t block_bytes = sizeof(Wide) * a.block_stride;
        a_bytes = copies_a ? aligned(block_bytes * a.pattern.capacity) * a_copies : 0;
        panel_bytes = aligned(piece_bytes * a.pattern.cols);  // whatever alpha is
        tile_bytes = aligned(sizeof(Wide) * (lanes_are_rows ? width(0) : tile_height) * tile_ld(width(0)));
        edge_bytes = aligned(block_bytes * edge_slots);
        thread_bytes = tile_bytes + edge_bytes + (shares_panels ? 0 : panel_bytes);
        workspace_bytes =
            a_bytes + device.threads * thread_bytes + (shares_panels ? problem.batch * panels * panel_bytes : 0);
    }

    // Half-filled vectors cost more than packing does. With AVX2 one pair of vectors is too few: at b = 16, 47 ms where
    // lanes that are columns took 36.
    static bool runs_on_rows(const SpmmProblem& problem, const Device& device) {
        const Sparse& a = problem.a;
        const int64_t step = device.cpu_level >= cpu_avx512 ? lanes : 2 * lanes;
        return a.col_stride != 1 && problem.c.col_stride != 1 && a.bm % step == 0;
    }

    // What lies along the lanes stays in the first-level cache: pieces of the panel, or else blocks. Measured with
    // blocks, 64 columns, as shares of sgemm:
    //              1 block    2     4     8    16
    //   b = 16       0.55   0.64  0.73  0.76  0.73
    //   b = 32       0.77   0.83  0.93  0.91  0.85
    //   b = 64       0.90   0.90  0.92  0.87  0.85
    //   b = 128      0.92   0.91  0.92  0.87  0.90
    int64_t best_blocks(const Sparse& a, int64_t piece_bytes) const {
        const int64_t block_bytes = std::max<int64_t>(1, a.block_stride * sizeof(Wide));
        if (lanes_are_rows) return std::clamp<int64_t>(sum_bytes / block_bytes, 1, max_blocks);
        return piece_bytes > sum_bytes ? max_blocks : std::min(max_blocks, sum_bytes / piece_bytes);
    }

    // Of a panel. Measured shares of sgemm, B and C by row and by column (AVX-512, 2048 x 2048 x 1024, density 0.25):
    //              2 units      3 units      4 units      6 units      8 units
    //   b = 8    0.74 0.79    0.87 0.88    0.80 0.76    0.81 0.75    0.84 0.80
    //   b = 16   0.80 0.86    0.91 0.93    0.90 0.91    0.89 0.83    0.96 0.88
    //   b = 32   0.72 0.82    0.86 0.91    0.91 0.91    0.91 0.85    1.01 0.91
    //   b = 64   0.75 0.83    0.88 0.91    0.93 0.93    0.94 0.91    1.01 0.94
    // With AVX2, 8 units are best at all sizes: 0.94 of its sgemm at b = 8, where 3 units make 0.78.
    //
    // With lanes that are rows, op(A) = T, B and C by column; AVX2 is best at 64 and 96 columns as well:
    //             32 columns    48    64    80    96   128
    //   b = 16       0.71     0.75  0.80  0.78  0.69  0.69
    //   b = 32       0.83     0.85  0.90  0.86  0.87  0.83
    //   b = 64       0.86     0.89  0.95  0.92  0.90  0.96
    //   b = 128      0.83     0.83  0.92  0.92  0.91  0.88
    int64_t best_units(const Sparse& a, const Device& device) const {
        if (lanes_are_rows) return 64;
        return device.cpu_level >= cpu_avx512 && a.bm < 16 ? 3 : 8;
    }

    // Panels differ by one unit at most, the wider ones first.
    int64_t first_col(int64_t panel) const {
        return (panel * (units / panels) + std::min(panel, units % panels)) * unit;
    }
    // One vector more, as lines of a power of two would fall into few sets of the first-level cache: storing them by
    // column took 3 times as long.
    int64_t tile_ld(int64_t width) const { return (lanes_are_rows ? tile_height : width) + lanes; }
    int64_t width(int64_t panel) const { return (units / panels + (panel < units % panels)) * unit; }
};

// The generated code for one width of panels, with or without adding to what is there.
template <class Wide>
struct Gemms {
    Gemm<Wide> first, next;

    Gemms(const Sparse& a, int64_t width, int64_t out_ld, bool callers_ld, bool lanes_are_rows) {
        const bool transposed = a.col_stride != 1;
        GemmShape shape{a.bm, width, a.bk, transposed ? a.bm : a.bk, width, out_ld, transposed, false, callers_ld};
        if (lanes_are_rows) shape = {width, a.bm, a.bk, a.bk, a.bm, out_ld, false, false, callers_ld};
        first = make_gemm<Wide>(shape);
        shape.accumulate = true;
        next = make_gemm<Wide>(shape);
    }
    explicit operator bool() const { return first && next; }
};

template <class In, class Out>
class Run {
    using Wide = Working<In>;

public:
    Run(const SpmmProblem& problem, const Launch& launch)
        : a_(problem.a),
          b_(problem.b),
          c_(problem.c),
          batch_(problem.batch),
          threads_(launch.device.threads),
          parallel_(*launch.parallel),
          alpha_(problem.arithmetic.alpha.get<Wide>()),
          plan_(problem, launch.device, needs_whole_sums(alpha_)),
          beta_(problem.arithmetic.beta.get<Wide>()),
          in_place_(std::is_same_v<Out, Wide> && (plan_.lanes_are_rows || c_.col_stride == 1) && alpha_ == 1 &&
                    (beta_ == 0 || beta_ == 1)),
          wide_(targets(plan_.width(0))),
          narrow_(targets(plan_.width(plan_.panels - 1))),
          a_copy_(static_cast<char*>(launch.workspace)),
          scratch_(a_copy_ + plan_.a_bytes),
          shared_panels_(scratch_ + threads_ * plan_.thread_bytes) {}

    void operator()() {
        if (c_.rows == 0 || c_.cols == 0) return;
        if (alpha_ == 0 || !a_.pattern.offsets || !b_.values) {
            parallel_for(parallel_, batch_ * a_.pattern.rows, [&](int64_t item, int) {
                const int64_t i = item % a_.pattern.rows;
                scale(c_at(item / a_.pattern.rows, i, 0), rows_until(i + 1) - rows_until(i), c_.cols, beta_);
            });
            return;
        }
        if (plan_.copies_a) copy_a();
        const int64_t panels = batch_ * plan_.panels, groups = ceil_div(a_.pattern.rows, plan_.group);
        if (!plan_.shares_panels) {
            parallel_for(parallel_, panels, [&](int64_t item, int thread) {
                Wide* values = reinterpret_cast<Wide*>(scratch(thread) + plan_.tile_bytes + plan_.edge_bytes);
                for (int64_t pass = 0; pass < plan_.passes; ++pass) {
                    const Panel panel = panel_of(item, pass, values);
                    pack(panel, panel.first_block, panel.last_block);
                    multiply(panel, 0, groups, thread);
                }
            });
            return;
        }
        const int64_t cuts = ceil_div(std::min(plan_.pass_blocks, a_.pattern.cols), pack_blocks);
        const int64_t shares = std::min(groups, ceil_div(8 * threads_, panels));
        for (int64_t pass = 0; pass < plan_.passes; ++pass) {
            parallel_for(parallel_, panels * cuts, [&](int64_t item, int) {
                const Panel panel = panel_of(item / cuts, pass, shared_panel(item / cuts));
                const int64_t first = panel.first_block + item % cuts * pack_blocks;
                pack(panel, first, std::min(panel.last_block, first + pack_blocks));
            });
            parallel_for(parallel_, panels * shares, [&](int64_t item, int thread) {
                const int64_t share = item % shares;
                multiply(panel_of(item / shares, pass, shared_panel(item / shares)), groups * share / shares,
                         groups * (share + 1) / shares, thread);
            });
        }
    }

private:
    // For output to a tile, and in place.
    struct Targets {
        Gemms<Wide> tile, in_place;
    };

    // One pass of a panel.
    struct Panel {
        Wide* values;
        int64_t matrix, col, width, cols;  // its columns of B and C; those from `cols` on are padding
        int64_t first_block, last_block;   // its block columns of A
        bool first_pass;
    };

    Panel panel_of(int64_t index, int64_t pass, Wide* values) const {
        const int64_t panel = index % plan_.panels, col = plan_.first_col(panel), width = plan_.width(panel);
        const int64_t first_block = pass * plan_.pass_blocks;
        return {values,
                index / plan_.panels,
                col,
                width,
                std::min(width, c_.cols - col),
                first_block,
                std::min(a_.pattern.cols, first_block + plan_.pass_blocks),
                pass == 0};
    }

    Targets targets(int64_t width) const {
        const bool on_rows = plan_.lanes_are_rows;
        const int64_t c_ld = on_rows ? c_.col_stride : c_.row_stride;
        return {{a_, width, plan_.tile_ld(width), false, on_rows}, {a_, width, in_place_ ? c_ld : 0, true, on_rows}};
    }

    int64_t rows_until(int64_t block_row) const { return std::min(a_.rows, block_row * a_.bm); }

    char* scratch(int thread) const { return scratch_ + thread * plan_.thread_bytes; }
    Wide* shared_panel(int64_t index) const {
        return reinterpret_cast<Wide*>(shared_panels_ + index * plan_.panel_bytes);
    }
    Wide* copy_of_a(int64_t matrix) const {
        return reinterpret_cast<Wide*>(a_copy_ +
                                       (a_.values_stride == 0 ? 0 : matrix) * (plan_.a_bytes / plan_.a_copies));
    }

    // From a block row and column on.
    Strided<Out> c_at(int64_t matrix, int64_t block_row, int64_t col) const {
        Out* values = static_cast<Out*>(c_.values) + matrix * c_.batch_stride;
        return {values + block_row * a_.bm * c_.row_stride + col * c_.col_stride, c_.row_stride, c_.col_stride};
    }
    Strided<Out> c_at(const Panel& panel, int64_t block_row) const { return c_at(panel.matrix, block_row, panel.col); }

    Strided<const In> block(int64_t matrix, int64_t slot) const {
        const In* values = static_cast<const In*>(a_.values) + matrix * a_.values_stride;
        return {values + slot * a_.block_stride, a_.row_stride, a_.col_stride};
    }

    // Copies a block in its own order, with zeros for its padding.
    void copy_block(Wide* out, Strided<const In> in, int64_t row, int64_t col) const {
        int64_t rows = std::min(a_.bm, a_.rows - row * a_.bm), cols = std::min(a_.bk, a_.cols - col * a_.bk);
        int64_t height = a_.bm, width = a_.bk;
        if (in.col_stride != 1) {
            std::swap(in.row_stride, in.col_stride);
            std::swap(rows, cols);
            std::swap(height, width);
        }
        pack_rows(out, width, in, rows, cols, width);
        std::fill(out + rows * width, out + height * width, 0);
    }

    void copy_a() {
        const int64_t rows = a_.pattern.rows;
        parallel_for(parallel_, plan_.a_copies * rows, [&](int64_t item, int) {
            const int64_t matrix = item / rows, i = item % rows;
            const Pattern pattern = a_.pattern.of_batch(matrix);
            for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
                copy_block(copy_of_a(matrix) + p * a_.block_stride, block(matrix, pattern.slot(p)), i, pattern.col(p));
            }
        });
    }

    // The rows of block columns first .. last - 1.
    void pack(const Panel& panel, int64_t first, int64_t last) const {
        const int64_t row = first * a_.bk, height = (last - first) * a_.bk;
        const int64_t rows = std::clamp<int64_t>(b_.rows - row, 0, height);
        const In* values = static_cast<const In*>(b_.values) + panel.matrix * b_.batch_stride;
        const Strided<const In> in{values + row * b_.row_stride + panel.col * b_.col_stride, b_.row_stride,
                                   b_.col_stride};
        Wide* out = panel.values + (first - panel.first_block) * a_.bk * panel.width;
        if (plan_.lanes_are_rows) {
            for (int64_t done = 0; done < height; done += a_.bk, out += a_.bk * panel.width) {
                const Strided<const In> piece{in.at(done, 0), in.row_stride, in.col_stride};
                pack_rows(out, a_.bk, piece.transposed(), panel.cols, std::clamp<int64_t>(rows - done, 0, a_.bk),
                          a_.bk);
            }
            return;
        }
        pack_rows(out, panel.width, in, rows, panel.cols, panel.width);
        std::fill(out + rows * panel.width, out + height * panel.width, 0);
    }

    // C's columns of a panel, in the block rows of some groups.
    void multiply(const Panel& panel, int64_t first_group, int64_t last_group, int thread) const {
        const Pattern pattern = a_.pattern.of_batch(panel.matrix);
        const Targets& gemms = panel.width == plan_.width(0) ? wide_ : narrow_;
        const Wide beta = panel.first_pass ? beta_ : 1;
        const int64_t tile_ld = plan_.tile_ld(panel.width);
        const int64_t block_row_step = a_.bm * (plan_.lanes_are_rows ? 1 : tile_ld);  // in the tile
        Wide* tile = reinterpret_cast<Wide*>(scratch(thread));
        Wide* edges = reinterpret_cast<Wide*>(scratch(thread) + plan_.tile_bytes);

        for (int64_t group = first_group; group < last_group; ++group) {
            const int64_t first = group * plan_.group, last = std::min(pattern.rows, first + plan_.group);
            if (!gemms.in_place) prefetch(c_at(panel, first), rows_until(last) - rows_until(first), panel.cols);
            int64_t unstored = first;  // block rows from here on are in the tile
            const auto store_until = [&](int64_t row) {
                if (unstored == row) return;
                const Wide* from = tile + (unstored - first) * block_row_step;
                const Strided<Out> to = c_at(panel, unstored);
                const int64_t rows = rows_until(row) - rows_until(unstored);
                if (plan_.lanes_are_rows) {
                    store_tile(from, tile_ld, to.transposed(), panel.cols, rows, alpha_, beta);
                } else {
                    store_tile(from, tile_ld, to, rows, panel.cols, alpha_, beta);
                }
            };
            for (int64_t i = first; i < last; ++i) {
                const int64_t rows = rows_until(i + 1) - rows_until(i);
                bool in_tile = false, summed;
                if (in_place_ && panel.cols == panel.width && rows == a_.bm) {
                    summed = sum_in_place(gemms, panel, pattern, i, beta == 1, edges, tile, tile_ld);
                } else {
                    Wide* out = tile + (i - first) * block_row_step;
                    summed = in_tile = sum(gemms.tile.first, gemms.tile.next, out, panel, pattern, i, edges);
                }
                if (in_tile) continue;
                store_until(i);
                unstored = i + 1;
                if (!summed) scale(c_at(panel, i), rows, panel.cols, beta);
            }
            store_until(last);
        }
    }

    // C = [C +] block row i of A times the panel, where nothing is left but to sum. Without code for C's leading
    // dimension it is summed in the tile, with the same roundings: no block row of a group waits there before this one.
    bool sum_in_place(const Targets& gemms, const Panel& panel, const Pattern& pattern, int64_t i, bool adds,
                      Wide* edges, Wide* tile, int64_t tile_ld) const {
        const Strided<Out> c = plan_.lanes_are_rows ? c_at(panel, i).transposed() : c_at(panel, i);
        Wide* const out = static_cast<Wide*>(static_cast<void*>(c.values));
        const Gemms<Wide>& in_place = gemms.in_place;
        if (in_place) return sum(adds ? in_place.next : in_place.first, in_place.next, out, panel, pattern, i, edges);
        const int64_t rows = plan_.lanes_are_rows ? panel.width : a_.bm;
        const int64_t cols = plan_.lanes_are_rows ? a_.bm : panel.width;
        if (adds) pack_rows(tile, tile_ld, Strided<const Wide>{out, c.row_stride, 1}, rows, cols, cols);
        if (!sum(adds ? gemms.tile.next : gemms.tile.first, gemms.tile.next, tile, panel, pattern, i, edges)) {
            return false;
        }
        pack_rows(out, c.row_stride, Strided<const Wide>{tile, tile_ld, 1}, rows, cols, cols);
        return true;
    }

    // The start of a block; the rest follows it in the hardware's prefetchers. Both prefetches are inlined by force:
    // GCC takes functions that only prefetch for functions without effect, and drops calls of them.
    [[gnu::always_inline]] inline void prefetch(Strided<const In> block) const {
        const char* from = reinterpret_cast<const char*>(block.values);
        const int64_t bytes = std::min(prefetched_bytes, a_.block_stride * int64_t(sizeof(In)));
        for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
    }

    // Towards the second-level cache.
    [[gnu::always_inline]] static inline void prefetch(Strided<Out> out, int64_t rows, int64_t cols) {
        if (out.col_stride != 1) {
            std::swap(out.row_stride, out.col_stride);
            std::swap(rows, cols);
        }
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < cols; c += 64 / int64_t(sizeof(Out))) __builtin_prefetch(out.at(r, c), 0, 2);
        }
    }

    // out = [out +] block row i of A times the panel; `first` says whether it adds, `next` does. False when there are
    // no blocks, and out is as it was.
    bool sum(Gemm<Wide> first, Gemm<Wide> next, Wide* out, const Panel& panel, const Pattern& pattern, int64_t i,
             Wide* edges) const {
        const bool edge_row = (i + 1) * a_.bm > a_.rows;
        const bool edge_col = a_.pattern.cols * a_.bk > a_.cols;
        const int64_t live = pattern.end(pattern.rows - 1);
        const Wide *pieces[max_blocks], *blocks[max_blocks];
        const Wide** const right = plan_.lanes_are_rows ? blocks : pieces;
        const Wide** const left = plan_.lanes_are_rows ? pieces : blocks;
        unsigned long long count = 0;
        int64_t copied = 0;
        bool any = false;
        const auto flush = [&] {
            if (count == 0) return;
            (any ? next : first)(right, left, out, &count);
            end_generated_code();
            any = true;
            count = 0;
            copied = 0;
        };
        for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
            const int64_t col = pattern.col(p);
            if (col < panel.first_block || col >= panel.last_block) continue;
            pieces[count] = panel.values + (col - panel.first_block) * a_.bk * panel.width;
            if constexpr (std::is_same_v<In, Wide>) {
                const Strided<const In> stored = block(panel.matrix, pattern.slot(p));
                blocks[count] = stored.values;
                if (a_.transposed && p + blocks_ahead < live) {
                    prefetch(block(panel.matrix, pattern.slot(p + blocks_ahead)));
                }
                if (edge_row || (edge_col && col == pattern.cols - 1)) {
                    Wide* edge = edges + copied++ * a_.block_stride;
                    copy_block(edge, stored, i, col);
                    blocks[count] = edge;
                }
            } else {
                blocks[count] = copy_of_a(panel.matrix) + p * a_.block_stride;
            }
            ++count;
            if (int64_t(count) == plan_.blocks_per_sum || copied == edge_slots) flush();
        }
        flush();
        return any;
    }

    const Sparse& a_;
    const Dense &b_, &c_;
    const int64_t batch_;
    const int threads_;
    Parallel& parallel_;
    const Wide alpha_;
    const Plan<In> plan_;
    const Wide beta_;
    const bool in_place_;
    const Targets wide_, narrow_;
    char *const a_copy_, *const scratch_, *const shared_panels_;
};

template <class In>
std::string refuses(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    constexpr bsblasDataType_t type = type_of<In>;
    if (a.type != type || problem.b.type != type) return "A or B has another type";
    if (problem.c.type != type && problem.c.type != type_of<Working<In>>) return "C has another type";
    if (device.cpu_level < cpu_avx2) return "the CPU level is below avx2";
    if (std::min(a.bm, a.bk) < 8) return "blocks have a side below 8";
    const double matrices = double(problem.batch);
    if (matrices * std::max({double(a.pattern.capacity) * double(a.block_stride),
                             double(problem.b.rows) * double(problem.b.cols),
                             double(problem.c.rows) * double(problem.c.cols)}) >
        max_elements) {
        return "an operand has more than 2^54 elements";
    }
    const Plan<In> plan(problem, device);
    if (plan.units == 0) return "";
    for (int64_t width : {plan.width(0), plan.width(plan.panels - 1)}) {
        if (!Gemms<Working<In>>(a, width, plan.tile_ld(width), false, plan.lanes_are_rows)) {
            return "libxsmm generates no code for this block size, or none in this process";
        }
    }
    return "";
}

template <class In>
size_t workspace(const SpmmProblem& problem, const Device& device) {
    return Plan<In>(problem, device).workspace_bytes;
}

template <class In>
double cost(const SpmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Plan<In> plan(problem, device);
    const double cols = double(ceil_div(problem.c.cols, plan.lanes) * plan.lanes) * double(problem.batch);
    const double products = double(a.pattern.capacity) * double(a.block_stride) * cols;
    return libxsmm_us(products, std::min(a.bm, a.bk), type_of<In>, double(problem.b.rows) * cols, device);
}

template <class In>
int launch(const SpmmProblem& problem, const Launch& where) {
    if (problem.c.type == type_of<In>) {
        Run<In, In>(problem, where)();
    } else {
        Run<In, Working<In>>(problem, where)();
    }
    return 0;
}

template <class In>
constexpr SpmmKernel row(const char* name) {
    return {name, refuses<In>, workspace<In>, cost<In>, launch<In>};
}

}  // namespace

const SpmmKernel spmm_bsr_f32__host_libxsmm = row<float>("spmm_bsr_f32__host_libxsmm");
const SpmmKernel spmm_bsr_f64__host_libxsmm = row<double>("spmm_bsr_f64__host_libxsmm");
const SpmmKernel spmm_bsr_f16__host_libxsmm = row<Float16>("spmm_bsr_f16__host_libxsmm");
const SpmmKernel spmm_bsr_bf16__host_libxsmm = row<Bfloat16>("spmm_bsr_bf16__host_libxsmm");

}  // namespace bsblas::host
