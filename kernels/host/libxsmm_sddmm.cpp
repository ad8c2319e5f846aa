// SDDMM by libxsmm's batch-reduce GEMM. One dimension of a block runs along vectors, the fast one: that which is
// contiguous in A, unless it does not fill a vector. The operand along it is packed into panels, one a line of blocks;
// the other operand, the slow one, is used where it lies if the inner dimension is contiguous there, else copied so
// that it is:
//
//            fast panels (inner x bf each)               a row-major block: slow = X, fast = Y
//           +----+ +----+ +----+ +----+                     A_ij (bm x bk) = X_i (bm x inner) Y_j (inner x bk)
//           |    | |    | |    | |    |
//           |  0 | |  1 | |  2 | |  3 |  ...             a column-major block: slow = Y, fast = X
//           |    | |    | |    | |    |                     A_ij' = Y_j' X_i'
//           +----+ +----+ +----+ +----+
//
// - Blocks are visited by groups of block columns whose operand fits in the second-level cache, and within a group by
//   block rows. The inner dimension is cut into passes: so much of it is packed, multiplied and added to A at a time.
// - Where columns are fast and one block does not fill a vector, several blocks of a row are computed at a time, from a
//   panel gathered of theirs; blocks of 8 binary32 columns by a product of their own with AVX-512 (paired_product.h).
// - A block goes straight to A when alpha is 1, beta is 0 or 1 and no edge cuts it, else by way of a tile.
#include "kernels/host/cost.h"
#include "kernels/host/cpu_level.h"
#include "kernels/host/libxsmm_gemm.h"
#include "kernels/host/pack.h"
#include "kernels/host/paired_product.h"
#include "kernels/host/parallel_for.h"
#include "kernels/host/sizes.h"
#include "kernels/host/table.h"

#include <algorithm>
#include <cstring>

namespace bsblas::host {

namespace {

constexpr int64_t max_gathered = 64;        // blocks
constexpr int64_t max_direct_ld = 1 << 22;  // of a slow operand: generated code has 32-bit offsets
constexpr int64_t pack_side = 128;          // lines and inner indices that are packed together

// Of the inner dimension: in a pass, in one product of a sum, in one when blocks are gathered. From half to twice
// these, shares of sgemm at b = 8 .. 64 stay within 0.02.
constexpr int64_t pass_depth = 1024, step_depth = 256, gather_depth = 64;

// The widest gathered panel. Shares of sgemm at b = 8: block by block 0.38, gathered 0.45, paired 0.67; with AVX2 0.35
// and 0.52.
constexpr int64_t gather_vectors = 4;

// Of the operand along a group of block columns. Measured at b = 8, shares of sgemm a thread, on one and on two:
// 128 KiB 0.53 0.54, 256 KiB 0.62 0.60, 512 KiB 0.68 0.67, 1 MiB 0.68 0.71, 2 MiB 0.66 0.60. Not all second-level
// caches have as much as this machine's 2 MiB.
constexpr int64_t group_bytes = 1 << 19;

// An operand: its lines run along the output, `inner` along the sum.
struct Side {
    const Dense* dense;
    int64_t line_stride, inner_stride;
    int64_t lines, block, blocks;  // lines in elements, of one block, blocks

    Side(const Dense& dense, bool lines_are_rows, int64_t block, int64_t blocks)
        : dense(&dense),
          line_stride(lines_are_rows ? dense.row_stride : dense.col_stride),
          inner_stride(lines_are_rows ? dense.col_stride : dense.row_stride),
          lines(lines_are_rows ? dense.rows : dense.cols),
          block(block),
          blocks(blocks) {}

    int64_t lines_in(int64_t index) const { return std::min(block, lines - index * block); }
    int64_t last_lines() const { return blocks > 0 ? lines_in(blocks - 1) : block; }
    int64_t copies(int64_t batch) const { return dense->batch_stride == 0 ? 1 : batch; }
};

// How a problem is cut: a pure function of sizes, types, strides and the device.
template <class In>
struct Plan {
    using Wide = Working<In>;

    bool fast_is_cols;
    Side fast, slow;
    int64_t inner, depth, passes, step;
    static constexpr int64_t lanes = host::lanes<Wide>;
    bool paired;
    int64_t gathered;  // blocks at a time
    int64_t group;     // block columns
    bool copies_slow, keeps_sums;
    size_t panel_elements, fast_matrix_bytes, fast_bytes, slow_matrix_bytes, slow_bytes;
    size_t sum_bytes, tile_bytes, gather_bytes, thread_bytes, workspace_bytes;

    explicit Plan(const SddmmProblem& problem, const Device& device, bool whole_sums = false)
        : fast_is_cols(problem.a.col_stride == 1 || problem.a.bm < lanes),
          fast(fast_is_cols ? Side(problem.y, false, problem.a.bk, problem.a.pattern.cols)
                            : Side(problem.x, true, problem.a.bm, problem.a.pattern.rows)),
          slow(fast_is_cols ? Side(problem.x, true, problem.a.bm, problem.a.pattern.rows)
                            : Side(problem.y, false, problem.a.bk, problem.a.pattern.cols)),
          inner(problem.x.cols) {
        depth = std::min(inner, pass_depth);
        passes = inner > 0 ? ceil_div(inner, depth) : 0;
        paired =
            std::is_same_v<Wide, float> && fast_is_cols && fast.block == paired_cols && device.cpu_level >= cpu_avx512;
        gathered = 1;
        if (paired) {
            gathered = 2;
        } else if (fast_is_cols && fast.block < lanes) {
            gathered = std::min(max_gathered, gather_vectors * lanes / fast.block);
        }
        step = gathered > 1 ? gather_depth : step_depth;
        const int64_t column_bytes = sizeof(Wide) * std::max<int64_t>(1, depth) * problem.a.bk;
        group = std::max<int64_t>(1, group_bytes / column_bytes);
        copies_slow = !std::is_same_v<In, Wide> || slow.inner_stride != 1 || slow.line_stride > max_direct_ld ||
                      slow.line_stride < inner;
        keeps_sums = passes > 1 && (whole_sums || problem.a.type != type_of<Wide>);

        panel_elements = round_up(depth, 2) * fast.block;
        fast_matrix_bytes = aligned(sizeof(Wide) * panel_elements * fast.blocks);
        fast_bytes = fast_matrix_bytes * fast.copies(problem.batch);
        slow_matrix_bytes = copies_slow ? aligned(sizeof(Wide) * depth * slow.lines) : 0;
        slow_bytes = slow_matrix_bytes * slow.copies(problem.batch);
        sum_bytes = passes > 1 ? aligned(sizeof(Wide) * problem.a.block_stride * problem.a.pattern.capacity) : 0;
        const int64_t width = gathered > 1 ? gather_vectors * lanes : fast.block;  // at most
        tile_bytes = aligned(sizeof(Wide) * slow.block * width);
        gather_bytes = gathered > 1 ? aligned(sizeof(Wide) * step * width) : 0;
        const size_t line_bytes = copies_slow || paired ? 0 : aligned(sizeof(Wide) * slow.block * depth);
        thread_bytes = tile_bytes + gather_bytes + line_bytes;
        workspace_bytes = fast_bytes + slow_bytes + sum_bytes * problem.batch + device.threads * thread_bytes;
    }

    int64_t slow_ld() const { return copies_slow ? depth : slow.line_stride; }
    // What is left after whole steps: at the end of the last pass.
    int64_t tail() const { return depth_of(passes - 1) % step; }
    int64_t depth_of(int64_t pass) const { return std::min(depth, inner - pass * depth); }
    int64_t width(int64_t blocks) const { return gathered > 1 ? round_up(blocks * fast.block, lanes) : fast.block; }
};

// The generated code for one size of tile.
template <class Wide>
struct Gemms {
    Gemm<Wide> first[2] = {}, next[2] = {};  // of a whole step, of the tail

    // False when libxsmm does not generate it.
    template <class In>
    bool make(const Plan<In>& plan, int64_t slow_ld, bool callers_ld, int64_t rows, int64_t width) {
        const int64_t depths[] = {plan.depth < plan.step ? 0 : plan.step, plan.tail()};
        for (int tail = 0; tail < 2; ++tail) {
            if (depths[tail] == 0) continue;
            GemmShape shape{rows, width, depths[tail], slow_ld, width, width, false, false, callers_ld};
            first[tail] = make_gemm<Wide>(shape);
            shape.accumulate = true;
            next[tail] = make_gemm<Wide>(shape);
            if (!first[tail] || !next[tail]) return false;
        }
        return true;
    }
};

// For inner and edge lines of blocks, by the number of vectors in a gathered panel; for slow lines where they lie or,
// without code for their leading dimension, for copies.
template <class In>
struct AllGemms {
    Gemms<Working<In>> gemms[2][gather_vectors];
    bool complete = true, copies_lines = false;

    explicit AllGemms(const Plan<In>& plan) {
        if (plan.fast.blocks == 0 || plan.slow.blocks == 0 || plan.inner == 0 || plan.paired) return;
        if (!plan.copies_slow) {
            make(plan, plan.slow.line_stride, true);
            if (complete) return;
            copies_lines = true;
        }
        make(plan, plan.depth, false);
    }
    const Gemms<Working<In>>& of(const Plan<In>& plan, bool edge, int64_t width) const {
        return gemms[edge][plan.gathered > 1 ? width / plan.lanes - 1 : 0];
    }

private:
    void make(const Plan<In>& plan, int64_t slow_ld, bool callers_ld) {
        complete = true;
        const int64_t rows[] = {plan.slow.block, plan.slow.last_lines()};
        for (int edge = 0; edge < 2; ++edge) {
            for (int vectors = 1; vectors <= (plan.gathered > 1 ? gather_vectors : 1); ++vectors) {
                const int64_t width = plan.gathered > 1 ? vectors * plan.lanes : plan.fast.block;
                complete = complete && gemms[edge][vectors - 1].make(plan, slow_ld, callers_ld, rows[edge], width);
            }
        }
    }
};

template <class In, class Out>
class Run {
    using Wide = Working<In>;

    // A block that a scan has found, and where the scan is.
    struct Found {
        int64_t col, slot;
    };
    struct Place {
        int64_t pass, matrix, row;
        int thread;
    };

public:
    Run(const SddmmProblem& problem, const Launch& launch)
        : a_(problem.a),
          batch_(problem.batch),
          threads_(launch.device.threads),
          parallel_(*launch.parallel),
          alpha_(problem.arithmetic.alpha.get<Wide>()),
          plan_(problem, launch.device, needs_whole_sums(alpha_)),
          beta_(problem.arithmetic.beta.get<Wide>()),
          gemms_(plan_),
          fast_(static_cast<char*>(launch.workspace)),
          slow_(fast_ + plan_.fast_bytes),
          sums_(slow_ + plan_.slow_bytes),
          scratch_(sums_ + batch_ * plan_.sum_bytes) {}

    void operator()() {
        const int64_t rows = a_.pattern.rows, cols = a_.pattern.cols;
        if (!a_.pattern.offsets || rows == 0 || cols == 0) return;
        if (alpha_ == 0 || plan_.inner == 0) {
            parallel_for(parallel_, batch_ * rows, [&](int64_t item, int) { scale_row(item / rows, item % rows); });
            return;
        }
        const int64_t groups = ceil_div(cols, plan_.group);
        const int64_t shares = std::min(rows, ceil_div(8 * threads_, batch_ * groups));
        for (int64_t pass = 0; pass < plan_.passes; ++pass) {
            pack(pass);
            parallel_for(parallel_, batch_ * groups * shares, [&](int64_t item, int thread) {
                const int64_t share = item % shares, group = item / shares % groups;
                multiply(pass, item / shares / groups, group * plan_.group, std::min(cols, (group + 1) * plan_.group),
                         rows * share / shares, rows * (share + 1) / shares, thread);
            });
        }
    }

private:
    Wide* fast_panel(int64_t matrix, int64_t index) const {
        const size_t copy = plan_.fast.dense->batch_stride == 0 ? 0 : matrix;
        return reinterpret_cast<Wide*>(fast_ + copy * plan_.fast_matrix_bytes) + index * plan_.panel_elements;
    }
    const Wide* slow_lines(int64_t pass, int64_t matrix, int64_t index) const {
        const Side& slow = plan_.slow;
        const int64_t first = index * slow.block;
        if constexpr (std::is_same_v<In, Wide>) {
            if (!plan_.copies_slow) return operand(slow, matrix) + first * slow.line_stride + pass * plan_.depth;
        }
        return slow_copy(matrix) + first * plan_.slow_ld();
    }
    Wide* slow_copy(int64_t matrix) const {
        const size_t copy = plan_.slow.dense->batch_stride == 0 ? 0 : matrix;
        return reinterpret_cast<Wide*>(slow_ + copy * plan_.slow_matrix_bytes);
    }
    static const In* operand(const Side& side, int64_t matrix) {
        return static_cast<const In*>(side.dense->values) + matrix * side.dense->batch_stride;
    }

    // Of a block, while passes are not done.
    Strided<Wide> kept_sum(int64_t matrix, int64_t slot) const {
        char* matrix_sums = sums_ + matrix * plan_.sum_bytes;
        return {reinterpret_cast<Wide*>(matrix_sums) + slot * a_.block_stride, plan_.fast.block, 1};
    }

    // A stored block, by slow and fast lines.
    Strided<Out> block(int64_t matrix, int64_t slot) const {
        Out* values = static_cast<Out*>(a_.values) + matrix * a_.values_stride + slot * a_.block_stride;
        if (plan_.fast_is_cols) return {values, a_.row_stride, a_.col_stride};
        return {values, a_.col_stride, a_.row_stride};
    }

    // beta A where A is, zero in its padding.
    void scale_row(int64_t matrix, int64_t i) const {
        const Pattern pattern = a_.pattern.of_batch(matrix);
        for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
            const int64_t j = pattern.col(p);
            const Strided<Out> out = block(matrix, pattern.slot(p));
            const int64_t slow = plan_.slow.lines_in(plan_.fast_is_cols ? i : j);
            const int64_t fast = plan_.fast.lines_in(plan_.fast_is_cols ? j : i);
            scale(out, slow, fast, beta_);
            clear_padding(out, slow, fast);
        }
    }

    void clear_padding(Strided<Out> out, int64_t slow, int64_t fast) const {
        for (int64_t r = 0; r < plan_.slow.block; ++r) {
            for (int64_t c = r < slow ? fast : 0; c < plan_.fast.block; ++c) *out.at(r, c) = Out{};
        }
    }

    void pack(int64_t pass) const {
        const Side &fast = plan_.fast, &slow = plan_.slow;
        const int64_t first = pass * plan_.depth, depth = plan_.depth_of(pass);
        const int64_t together = std::max<int64_t>(1, pack_side / fast.block);
        const int64_t fast_items = ceil_div(fast.blocks, together);
        const int64_t slow_items = plan_.copies_slow ? ceil_div(slow.lines, pack_side) : 0;
        const int64_t fast_total = fast_items * fast.copies(batch_), slow_total = slow_items * slow.copies(batch_);
        parallel_for(parallel_, fast_total + slow_total, [&](int64_t item, int) {
            if (item < fast_total) {
                const int64_t panel = item % fast_items * together;
                pack_fast(item / fast_items, panel, std::min(fast.blocks, panel + together), first, depth);
            } else {
                const int64_t line = (item - fast_total) % slow_items * pack_side;
                pack_slow((item - fast_total) / slow_items, line, std::min(slow.lines, line + pack_side), first, depth);
            }
        });
    }

    void pack_fast(int64_t matrix, int64_t panel, int64_t last_panel, int64_t first, int64_t depth) const {
        const Side& fast = plan_.fast;
        for (int64_t k = 0; k < depth; k += pack_side) {
            const int64_t rows = std::min(pack_side, depth - k);
            for (int64_t f = panel; f < last_panel; ++f) {
                const In* from =
                    operand(fast, matrix) + f * fast.block * fast.line_stride + (first + k) * fast.inner_stride;
                const Strided<const In> in{from, fast.inner_stride, fast.line_stride};
                Wide* out = fast_panel(matrix, f) + k * fast.block;
                if constexpr (std::is_same_v<Wide, float>) {
                    if (plan_.paired) {
                        float unpaired[pack_side * paired_cols];
                        pack_rows(unpaired, paired_cols, in, rows, fast.lines_in(f), paired_cols);
                        pair_rows(unpaired, rows, out);
                        continue;
                    }
                }
                pack_rows(out, fast.block, in, rows, fast.lines_in(f), fast.block);
            }
        }
    }

    void pack_slow(int64_t matrix, int64_t line, int64_t last_line, int64_t first, int64_t depth) const {
        const Side& slow = plan_.slow;
        const In* from = operand(slow, matrix) + line * slow.line_stride + first * slow.inner_stride;
        pack_rows(slow_copy(matrix) + line * plan_.slow_ld(), plan_.slow_ld(),
                  Strided<const In>{from, slow.line_stride, slow.inner_stride}, last_line - line, depth, depth);
    }

    // The blocks in some rows and columns of blocks.
    void multiply(int64_t pass, int64_t matrix, int64_t first_col, int64_t last_col, int64_t first_row,
                  int64_t last_row, int thread) const {
        const Pattern pattern = a_.pattern.of_batch(matrix);
        Found found[max_gathered];
        int64_t copied = -1;  // the slow block lines whose copy the thread has
        for (int64_t i = first_row; i < last_row; ++i) {
            const Place place{pass, matrix, i, thread};
            int64_t count = 0;
            for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
                const int64_t j = pattern.col(p);
                if (j < first_col || j >= last_col) continue;
                found[count++] = {j, pattern.slot(p)};
                if (count < plan_.gathered) continue;
                compute(place, found, count, copied);
                count = 0;
            }
            if (count > 0) compute(place, found, count, copied);
        }
    }

    int64_t slow_index(const Place& place, const Found& block) const {
        return plan_.fast_is_cols ? place.row : block.col;
    }
    int64_t fast_index(const Place& place, const Found& block) const {
        return plan_.fast_is_cols ? block.col : place.row;
    }

    // Blocks of one block row: a single one, or some that share their slow lines.
    void compute(const Place& place, const Found* found, int64_t count, int64_t& copied) const {
        const int64_t index = slow_index(place, found[0]), rows = plan_.slow.lines_in(index);
        char* const scratch = scratch_ + place.thread * plan_.thread_bytes;
        Wide* tile = reinterpret_cast<Wide*>(scratch);
        const Wide* left = slow_lines(place.pass, place.matrix, index);
        if (gemms_.copies_lines) {
            Wide* copy = reinterpret_cast<Wide*>(scratch + plan_.tile_bytes + plan_.gather_bytes);
            if (copied != index) {
                const int64_t depth = plan_.depth_of(place.pass);
                pack_rows(copy, plan_.depth, Strided<const Wide>{left, plan_.slow.line_stride, 1}, rows, depth, depth);
                copied = index;
            }
            left = copy;
        }
        if constexpr (std::is_same_v<Wide, float>) {
            if (plan_.paired) {
                compute_paired(place, found, count, left, rows, tile);
                return;
            }
        }
        const int64_t width = plan_.width(count);
        const Gemms<Wide>& gemms = gemms_.of(plan_, rows < plan_.slow.block, width);
        if (plan_.gathered > 1) {
            gather_and_sum(gemms, place, left, found, count, width, tile);
            for (int64_t q = 0; q < count; ++q) store(place, found[q], tile + q * plan_.fast.block, width);
            return;
        }
        const Wide* panel = fast_panel(place.matrix, fast_index(place, found[0]));
        if (Wide* out = sum_in_place(place, found[0])) {
            sum(gemms, place.pass, left, panel, out, beta(place.pass) == 1);
            if (plan_.keeps_sums) finish(place, found[0]);
        } else {
            sum(gemms, place.pass, left, panel, tile, false);
            store(place, found[0], tile, width);
        }
    }

    void compute_paired(const Place& place, const Found* found, int64_t count, const float* left, int64_t rows,
                        float* tile) const {
        const float* panels[2] = {};
        for (int64_t q = 0; q < count; ++q) panels[q] = fast_panel(place.matrix, found[q].col);
        const int64_t tile_elements = plan_.slow.block * paired_cols;
        for (int64_t r = 0; r < rows; r += paired_rows) {
            float* out[2] = {tile + r * paired_cols, tile + tile_elements + r * paired_cols};
            paired_product(left + r * plan_.slow_ld(), plan_.slow_ld(), std::min(paired_rows, rows - r),
                           plan_.depth_of(place.pass), panels, out, paired_cols);
        }
        for (int64_t q = 0; q < count; ++q) store(place, found[q], tile + q * tile_elements, paired_cols);
    }

    // What is added to this pass's product: the factor of the output, or of the kept sum.
    Wide beta(int64_t pass) const { return pass > 0 ? 1 : plan_.keeps_sums ? 0 : beta_; }

    // Where a block can be summed without a tile; null where it cannot.
    Wide* sum_in_place(const Place& place, const Found& found) const {
        if (plan_.keeps_sums) return kept_sum(place.matrix, found.slot).values;
        if constexpr (std::is_same_v<Out, Wide>) {
            const Strided<Out> out = block(place.matrix, found.slot);
            const bool whole = plan_.slow.lines_in(slow_index(place, found)) == plan_.slow.block &&
                               plan_.fast.lines_in(fast_index(place, found)) == plan_.fast.block;
            const Wide factor = beta(place.pass);
            if (whole && out.col_stride == 1 && alpha_ == 1 && (factor == 0 || factor == 1)) return out.values;
        }
        return nullptr;
    }

    // From a tile to A or the kept sum.
    void store(const Place& place, const Found& found, const Wide* tile, int64_t tile_ld) const {
        const int64_t slow = plan_.slow.lines_in(slow_index(place, found));
        const int64_t fast = plan_.fast.lines_in(fast_index(place, found));
        if (plan_.keeps_sums) {
            store_tile(tile, tile_ld, kept_sum(place.matrix, found.slot), slow, fast, Wide(1), beta(place.pass));
            finish(place, found);
        } else {
            const Strided<Out> out = block(place.matrix, found.slot);
            store_tile(tile, tile_ld, out, slow, fast, alpha_, beta(place.pass));
            clear_padding(out, slow, fast);
        }
    }

    // A kept sum becomes the output after the last pass.
    void finish(const Place& place, const Found& found) const {
        if (place.pass + 1 < plan_.passes) return;
        const int64_t slow = plan_.slow.lines_in(slow_index(place, found));
        const int64_t fast = plan_.fast.lines_in(fast_index(place, found));
        const Strided<Out> out = block(place.matrix, found.slot);
        store_tile(kept_sum(place.matrix, found.slot).values, plan_.fast.block, out, slow, fast, alpha_, beta_);
        clear_padding(out, slow, fast);
    }

    // out = [out +] left panel.
    void sum(const Gemms<Wide>& gemms, int64_t pass, const Wide* left, const Wide* panel, Wide* out,
             bool accumulate) const {
        const int64_t depth = plan_.depth_of(pass);
        const Wide *right[pass_depth / step_depth], *lefts[pass_depth / step_depth];
        unsigned long long count = depth / plan_.step;
        for (unsigned long long q = 0; q < count; ++q) {
            right[q] = panel + int64_t(q) * plan_.step * plan_.fast.block;
            lefts[q] = left + int64_t(q) * plan_.step;
        }
        if (count > 0) {
            (accumulate ? gemms.next : gemms.first)[0](right, lefts, out, &count);
            accumulate = true;
        }
        if (depth % plan_.step > 0) {
            const int64_t done = depth - depth % plan_.step;
            right[0] = panel + done * plan_.fast.block;
            lefts[0] = left + done;
            count = 1;
            (accumulate ? gemms.next : gemms.first)[1](right, lefts, out, &count);
        }
        end_generated_code();
    }

    // `count` runs, one after the other in `from`, `line` apart in `to`.
    [[gnu::target("avx2")]] static void copy_runs(Wide* to, int64_t line, const Wide* from, int64_t run,
                                                  int64_t count) {
        constexpr int64_t eight_words = 32 / sizeof(Wide);  // of 8 x 8 blocks of binary32: worth a loop without calls
        if (run == eight_words) {
            for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * line, from + i * eight_words, 32);
        } else {
            for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * line, from + i * run, run * sizeof(Wide));
        }
    }

    // out = left times several panels side by side. Lanes beyond them hold anything.
    void gather_and_sum(const Gemms<Wide>& gemms, const Place& place, const Wide* left, const Found* found,
                        int64_t count, int64_t width, Wide* out) const {
        char* scratch = scratch_ + place.thread * plan_.thread_bytes;
        Wide* gathered = reinterpret_cast<Wide*>(scratch + plan_.tile_bytes);
        const int64_t depth = plan_.depth_of(place.pass), run = plan_.fast.block;
        for (int64_t k = 0; k < depth; k += plan_.step) {
            const int64_t rows = std::min(plan_.step, depth - k);
            for (int64_t q = 0; q < count; ++q) {
                const Wide* panel = fast_panel(place.matrix, fast_index(place, found[q]));
                copy_runs(gathered + q * run, width, panel + k * run, run, rows);
            }
            const Wide *right = gathered, *lefts = left + k;
            const unsigned long long one = 1;
            (k > 0 ? gemms.next : gemms.first)[rows < plan_.step](&right, &lefts, out, &one);
            end_generated_code();
        }
    }

    const Sparse& a_;
    const int64_t batch_;
    const int threads_;
    Parallel& parallel_;
    const Wide alpha_;
    const Plan<In> plan_;
    const Wide beta_;
    const AllGemms<In> gemms_;
    char *const fast_, *const slow_, *const sums_, *const scratch_;
};

template <class In>
std::string refuses(const SddmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    constexpr bsblasDataType_t type = type_of<In>;
    if (problem.x.type != type || problem.y.type != type) return "X or Y has another type";
    if (a.type != type && a.type != type_of<Working<In>>) return "A has another type";
    if (device.cpu_level < cpu_avx2) return "the CPU level is below avx2";
    if (std::min(a.bm, a.bk) < 8) return "blocks have a side below 8";
    const double matrices = double(problem.batch);
    if (matrices * std::max({double(a.pattern.capacity) * double(a.block_stride),
                             double(problem.x.rows) * double(problem.x.cols),
                             double(problem.y.rows) * double(problem.y.cols)}) >
        max_elements) {
        return "an operand has more than 2^54 elements";
    }
    if (!AllGemms<In>(Plan<In>(problem, device)).complete) {
        return "libxsmm generates no code for this block size, or none in this process";
    }
    return "";
}

template <class In>
size_t workspace(const SddmmProblem& problem, const Device& device) {
    return Plan<In>(problem, device).workspace_bytes;
}

template <class In>
double cost(const SddmmProblem& problem, const Device& device) {
    const Sparse& a = problem.a;
    const Plan<In> plan(problem, device);
    const double inner = double(plan.inner) * double(problem.batch);
    const double products = double(a.pattern.capacity) * double(a.block_stride) * inner;
    const double packed = (double(plan.fast.lines) + (plan.copies_slow ? double(plan.slow.lines) : 0)) * inner;
    return libxsmm_us(products, std::min(a.bm, a.bk), type_of<In>, packed, device);
}

template <class In>
int launch(const SddmmProblem& problem, const Launch& where) {
    if (problem.a.type == type_of<In>) {
        Run<In, In>(problem, where)();
    } else {
        Run<In, Working<In>>(problem, where)();
    }
    return 0;
}

template <class In>
constexpr SddmmKernel row(const char* name) {
    return {name, refuses<In>, workspace<In>, cost<In>, launch<In>};
}

}  // namespace

const SddmmKernel sddmm_bsr_f32__host_libxsmm = row<float>("sddmm_bsr_f32__host_libxsmm");
const SddmmKernel sddmm_bsr_f64__host_libxsmm = row<double>("sddmm_bsr_f64__host_libxsmm");
const SddmmKernel sddmm_bsr_f16__host_libxsmm = row<Float16>("sddmm_bsr_f16__host_libxsmm");
const SddmmKernel sddmm_bsr_bf16__host_libxsmm = row<Bfloat16>("sddmm_bsr_bf16__host_libxsmm");

}  // namespace bsblas::host
