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
// - All layouts of B and C run at the speed of the panel, which stays in the second-level cache while all block rows
//   use it. The rows of a panel beyond B are zero.
// - Where few threads share many panels, each thread packs its own; else all are packed first and then used by all.
// - The tile goes to C with alpha and beta, several block rows at a time, so that column-major C gets whole cache
//   lines. Row-major C is summed in place when alpha is 1 and beta 0 or 1.
// - Blocks are used where they lie, in either order; those on a ragged edge are copied without their padding, which may
//   hold anything. 16-bit types are computed in binary32: panels are widened as they are packed, A before anything.
#include "kernels/host/cost.h"
#include "kernels/host/cpu_level.h"
#include "kernels/host/libxsmm_gemm.h"
#include "kernels/host/pack.h"
#include "kernels/host/parallel_for.h"
#include "kernels/host/table.h"

#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

constexpr int64_t max_blocks = 256;  // in one sum: addresses on the stack
constexpr int64_t edge_slots = 4;    // copies of edge blocks in one sum
constexpr int64_t tile_rows = 64;    // in a tile, or one block row if that is more
constexpr int64_t pack_depth = 512;  // rows of a panel that are packed as one item when threads share panels

// The blocks of a transposed index are scattered: op(A) = T at b = 8 ran at 0.33 of sgemm without a look ahead, at 0.72
// with it.
constexpr int64_t blocks_ahead = 16, prefetched_bytes = 1024;

int64_t ceil_div(int64_t x, int64_t y) {
    return (x + y - 1) / y;
}

size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

// How a problem is cut: a pure function of sizes, types, strides and the device.
template <class In>
struct Plan {
    using Wide = Working<In>;

    int64_t lanes, units, panels;  // of one matrix; a unit is as many columns as a vector has lanes
    int64_t depth;                 // rows of a panel
    int64_t group;                 // block rows in a tile
    int64_t blocks_per_sum;
    bool copies_a, shares_panels;
    int64_t a_copies;

    size_t panel_bytes, a_bytes, tile_bytes, edge_bytes, thread_bytes, workspace_bytes;

    Plan(const SpmmProblem& problem, const Device& device) {
        const Sparse& a = problem.a;
        lanes = host::lanes<Wide>(device.cpu_level);
        units = ceil_div(problem.c.cols, lanes);
        depth = a.pattern.cols * a.bk;
        panels = std::max<int64_t>(1, ceil_div(units, best_vectors(a, device)));
        group = std::max<int64_t>(1, tile_rows / a.bm);
        const int64_t piece_bytes = a.bk * width(0) * int64_t(sizeof(Wide));
        blocks_per_sum = piece_bytes > 16384
                             ? max_blocks
                             : std::clamp<int64_t>(16384 / std::max<int64_t>(1, piece_bytes), 1, max_blocks);
        copies_a = !std::is_same_v<In, Wide>;
        a_copies = a.values_stride == 0 ? 1 : problem.batch;
        shares_panels = problem.batch * panels < 4 * device.threads && device.threads > 1;

        const size_t block_bytes = sizeof(Wide) * a.block_stride;
        a_bytes = copies_a ? aligned(block_bytes * a.pattern.capacity) * a_copies : 0;
        panel_bytes = aligned(sizeof(Wide) * depth * width(0));
        tile_bytes = aligned(sizeof(Wide) * group * a.bm * tile_ld(width(0)));
        edge_bytes = aligned(block_bytes * edge_slots);
        thread_bytes = tile_bytes + edge_bytes + (shares_panels ? 0 : panel_bytes);
        workspace_bytes =
            a_bytes + device.threads * thread_bytes + (shares_panels ? problem.batch * panels * panel_bytes : 0);
    }

    static int64_t best_vectors(const Sparse& a, const Device&) { return a.bm < 32 ? 3 : 8; }

    // Panels differ by one unit at most, the wider ones first.
    int64_t first_col(int64_t panel) const {
        return (panel * (units / panels) + std::min(panel, units % panels)) * lanes;
    }
    // One vector more, as lines of a power of two would fall into few sets of the first-level cache: storing them by
    // column took 3 times as long.
    int64_t tile_ld(int64_t width) const { return width + lanes; }
    int64_t width(int64_t panel) const { return (units / panels + (panel < units % panels)) * lanes; }
};

// The generated code for one width of panels, with or without adding to what is there.
template <class Wide>
struct Gemms {
    Gemm<Wide> first, next;

    Gemms(const Sparse& a, int64_t width, int64_t out_ld) {
        const bool transposed = a.col_stride != 1;
        GemmShape shape{a.bm, width, a.bk, transposed ? a.bm : a.bk, width, out_ld, transposed, false};
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
          plan_(problem, launch.device),
          alpha_(problem.arithmetic.alpha.get<Wide>()),
          beta_(problem.arithmetic.beta.get<Wide>()),
          in_place_(std::is_same_v<Out, Wide> && c_.col_stride == 1 && alpha_ == 1 && (beta_ == 0 || beta_ == 1)),
          wide_{{a_, plan_.width(0), plan_.tile_ld(plan_.width(0))},
                {a_, plan_.width(0), in_place_ ? c_.row_stride : 0}},
          narrow_{{a_, last_width(), plan_.tile_ld(last_width())}, {a_, last_width(), in_place_ ? c_.row_stride : 0}},
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
        const int64_t groups = ceil_div(a_.pattern.rows, plan_.group);
        if (!plan_.shares_panels) {
            parallel_for(parallel_, batch_ * plan_.panels, [&](int64_t item, int thread) {
                Wide* panel = reinterpret_cast<Wide*>(scratch(thread) + plan_.tile_bytes + plan_.edge_bytes);
                pack(panel, item, 0, plan_.depth);
                multiply(panel, item, 0, groups, thread);
            });
            return;
        }
        const int64_t cuts = ceil_div(plan_.depth, pack_depth);
        parallel_for(parallel_, batch_ * plan_.panels * cuts, [&](int64_t item, int) {
            const int64_t first = item % cuts * pack_depth;
            pack(shared_panel(item / cuts), item / cuts, first, std::min(plan_.depth, first + pack_depth));
        });
        const int64_t shares = std::min(groups, ceil_div(8 * threads_, batch_ * plan_.panels));
        parallel_for(parallel_, batch_ * plan_.panels * shares, [&](int64_t item, int thread) {
            const int64_t share = item % shares;
            multiply(shared_panel(item / shares), item / shares, groups * share / shares, groups * (share + 1) / shares,
                     thread);
        });
    }

private:
    // For output to a tile, and in place.
    struct Targets {
        Gemms<Wide> tile, in_place;
    };

    int64_t last_width() const { return plan_.width(plan_.panels - 1); }
    int64_t rows_until(int64_t block_row) const { return std::min(a_.rows, block_row * a_.bm); }

    char* scratch(int thread) const { return scratch_ + thread * plan_.thread_bytes; }
    Wide* shared_panel(int64_t index) const {
        return reinterpret_cast<Wide*>(shared_panels_ + index * plan_.panel_bytes);
    }
    Wide* copy_of_a(int64_t matrix) const {
        return reinterpret_cast<Wide*>(a_copy_ +
                                       (a_.values_stride == 0 ? 0 : matrix) * (plan_.a_bytes / plan_.a_copies));
    }

    Strided<Out> c_at(int64_t matrix, int64_t block_row, int64_t col) const {
        Out* values = static_cast<Out*>(c_.values) + matrix * c_.batch_stride;
        return {values + block_row * a_.bm * c_.row_stride + col * c_.col_stride, c_.row_stride, c_.col_stride};
    }

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

    // Rows first .. last - 1 of a panel.
    void pack(Wide* panel, int64_t index, int64_t first, int64_t last) const {
        const int64_t matrix = index / plan_.panels, col = plan_.first_col(index % plan_.panels);
        const int64_t width = plan_.width(index % plan_.panels), cols = std::min(width, c_.cols - col);
        const int64_t rows = std::clamp<int64_t>(b_.rows - first, 0, last - first);
        const In* values = static_cast<const In*>(b_.values) + matrix * b_.batch_stride;
        const Strided<const In> in{values + first * b_.row_stride + col * b_.col_stride, b_.row_stride, b_.col_stride};
        Wide* out = panel + first * width;
        pack_rows(out, width, in, rows, cols, width);
        std::fill(out + rows * width, out + (last - first) * width, 0);
    }

    // C's columns of a panel, in the block rows of some groups.
    void multiply(const Wide* panel, int64_t index, int64_t first_group, int64_t last_group, int thread) const {
        const int64_t matrix = index / plan_.panels, col = plan_.first_col(index % plan_.panels);
        const int64_t width = plan_.width(index % plan_.panels), cols = std::min(width, c_.cols - col);
        const Targets& gemms = width == plan_.width(0) ? wide_ : narrow_;
        const Pattern pattern = a_.pattern.of_batch(matrix);
        Wide* tile = reinterpret_cast<Wide*>(scratch(thread));
        const int64_t tile_ld = plan_.tile_ld(width);
        Wide* edges = reinterpret_cast<Wide*>(scratch(thread) + plan_.tile_bytes);

        for (int64_t group = first_group; group < last_group; ++group) {
            const int64_t first = group * plan_.group, last = std::min(pattern.rows, first + plan_.group);
            if (!gemms.in_place) prefetch(c_at(matrix, first, col), rows_until(last) - rows_until(first), cols);
            int64_t unstored = first;  // block rows from here on are in the tile
            const auto store_until = [&](int64_t row) {
                if (unstored == row) return;
                store_tile(tile + (unstored - first) * a_.bm * tile_ld, tile_ld, c_at(matrix, unstored, col),
                           rows_until(row) - rows_until(unstored), cols, alpha_, beta_);
            };
            for (int64_t i = first; i < last; ++i) {
                if (pattern.begin(i) == pattern.end(i)) {
                    store_until(i);
                    scale(c_at(matrix, i, col), rows_until(i + 1) - rows_until(i), cols, beta_);
                    unstored = i + 1;
                } else if (gemms.in_place && cols == width && rows_until(i + 1) == (i + 1) * a_.bm) {
                    if constexpr (std::is_same_v<Out, Wide>) {
                        store_until(i);
                        sum(beta_ == 1 ? gemms.in_place.next : gemms.in_place.first, gemms.in_place.next,
                            c_at(matrix, i, col).values, panel, width, pattern, matrix, i, edges);
                        unstored = i + 1;
                    }
                } else {
                    sum(gemms.tile.first, gemms.tile.next, tile + (i - first) * a_.bm * tile_ld, panel, width, pattern,
                        matrix, i, edges);
                }
            }
            store_until(last);
        }
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

    // out = [out +] block row i of A times the panel; `first` says whether it adds, `next` does.
    void sum(Gemm<Wide> first, Gemm<Wide> next, Wide* out, const Wide* panel, int64_t width, const Pattern& pattern,
             int64_t matrix, int64_t i, Wide* edges) const {
        const bool edge_row = (i + 1) * a_.bm > a_.rows;
        const bool edge_col = a_.pattern.cols * a_.bk > a_.cols;
        const Wide *right[max_blocks], *left[max_blocks];
        unsigned long long count = 0;
        int64_t copied = 0;
        Gemm<Wide> gemm = first;
        const int64_t live = pattern.end(a_.pattern.rows - 1);
        for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
            const int64_t col = pattern.col(p);
            right[count] = panel + col * a_.bk * width;
            if (plan_.copies_a) {
                left[count] = copy_of_a(matrix) + p * a_.block_stride;
            } else {
                const Strided<const In> stored = block(matrix, pattern.slot(p));
                if constexpr (std::is_same_v<In, Wide>) left[count] = stored.values;
                if (a_.transposed && p + blocks_ahead < live) prefetch(block(matrix, pattern.slot(p + blocks_ahead)));
                if (edge_row || (edge_col && col == pattern.cols - 1)) {
                    Wide* edge = edges + copied++ * a_.block_stride;
                    copy_block(edge, stored, i, col);
                    left[count] = edge;
                }
            }
            ++count;
            if (int64_t(count) == plan_.blocks_per_sum || copied == edge_slots || p + 1 == pattern.end(i)) {
                gemm(right, left, out, &count);
                end_generated_code();
                gemm = next;
                count = 0;
                copied = 0;
            }
        }
        end_generated_code();
    }

    const Sparse& a_;
    const Dense &b_, &c_;
    const int64_t batch_;
    const int threads_;
    Parallel& parallel_;
    const Plan<In> plan_;
    const Wide alpha_, beta_;
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
    const Plan<In> plan(problem, device);
    if (plan.units == 0) return "";
    for (int64_t width : {plan.width(0), plan.width(plan.panels - 1)}) {
        if (!Gemms<Working<In>>(a, width, plan.tile_ld(width))) {
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
    const double cols = double(plan.units * plan.lanes) * double(problem.batch);
    const double products = double(a.pattern.capacity) * double(a.block_stride) * cols;
    return libxsmm_us(products, std::min(a.bm, a.bk), type_of<In>, double(plan.depth) * cols, device);
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
