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
// use
//   it. The rows of a panel beyond B are zero.
// - Where few threads share many panels, each thread packs its own; else all are packed first and then used by all.
// - The tile goes to C with alpha and beta, several block rows at a time, so that column-major C gets whole cache
// lines.
// - Blocks are used where they lie, whichever their order, with two exceptions. Those on a ragged edge are copied
// without
//   their padding, which may hold anything. Transposed blocks of bfloat16 are copied to row-major, all of them, first.
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

int64_t ceil_div(int64_t x, int64_t y) {
    return (x + y - 1) / y;
}

size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

// How a problem is cut: a pure function of sizes, types, strides and the device.
template <class In>
struct Plan {
    int64_t lanes, units, panels;  // of one matrix; a unit is as many columns as a vector has lanes
    int64_t depth;                 // rows of a panel
    int64_t group;                 // block rows in a tile
    int64_t blocks_per_sum;
    bool copies_a, shares_panels;
    int64_t a_copies;

    size_t panel_bytes, a_bytes, tile_bytes, edge_bytes, thread_bytes, workspace_bytes;

    Plan(const SpmmProblem& problem, const Device& device) {
        const Sparse& a = problem.a;
        lanes = host::lanes<In>(device.cpu_level);
        units = ceil_div(problem.c.cols, lanes);
        depth = a.pattern.cols * a.bk;
        panels = std::max<int64_t>(1, ceil_div(units * lanes, best_width(a)));
        group = std::max<int64_t>(1, tile_rows / a.bm);
        const int64_t piece_bytes = a.bk * width(0) * int64_t(sizeof(In));
        blocks_per_sum = piece_bytes > 16384
                             ? max_blocks
                             : std::clamp<int64_t>(16384 / std::max<int64_t>(1, piece_bytes), 1, max_blocks);
        copies_a = std::is_same_v<In, Bfloat16> && a.col_stride != 1;
        a_copies = a.values_stride == 0 ? 1 : problem.batch;
        shares_panels = problem.batch * panels < 4 * device.threads && device.threads > 1;

        const size_t block_bytes = sizeof(In) * a.block_stride;
        a_bytes = copies_a ? aligned(block_bytes * a.pattern.capacity) * a_copies : 0;
        panel_bytes = aligned(sizeof(In) * depth * width(0));
        tile_bytes = aligned(sizeof(Accumulator<In>) * group * a.bm * width(0));
        edge_bytes = aligned(block_bytes * edge_slots);
        thread_bytes = tile_bytes + edge_bytes + (shares_panels ? 0 : panel_bytes);
        workspace_bytes =
            a_bytes + device.threads * thread_bytes + (shares_panels ? problem.batch * panels * panel_bytes : 0);
    }

    static int64_t best_width(const Sparse& a) { return a.bm < 32 ? 48 : 128; }

    // Panels differ by one unit at most, the wider ones first.
    int64_t first_col(int64_t panel) const {
        return (panel * (units / panels) + std::min(panel, units % panels)) * lanes;
    }
    int64_t width(int64_t panel) const { return (units / panels + (panel < units % panels)) * lanes; }
};

// The generated code for one width of panels.
template <class In>
struct Gemms {
    Gemm<In> first, next;

    Gemms(const Sparse& a, int64_t width) {
        const bool transposed = a.col_stride != 1 && !std::is_same_v<In, Bfloat16>;
        GemmShape shape{a.bm, width, a.bk, transposed ? a.bm : a.bk, width, width, transposed, false};
        first = make_gemm<In>(shape);
        shape.accumulate = true;
        next = make_gemm<In>(shape);
    }
    explicit operator bool() const { return first && next; }
};

template <class In, class Out>
class Run {
    using Wide = Accumulator<In>;

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
          wide_(a_, plan_.width(0)),
          narrow_(a_, plan_.width(plan_.panels - 1)),
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
                In* panel = reinterpret_cast<In*>(scratch(thread) + plan_.tile_bytes + plan_.edge_bytes);
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
    int64_t rows_until(int64_t block_row) const { return std::min(a_.rows, block_row * a_.bm); }

    char* scratch(int thread) const { return scratch_ + thread * plan_.thread_bytes; }
    In* shared_panel(int64_t index) const { return reinterpret_cast<In*>(shared_panels_ + index * plan_.panel_bytes); }
    In* copy_of_a(int64_t matrix) const {
        return reinterpret_cast<In*>(a_copy_ + (a_.values_stride == 0 ? 0 : matrix) * (plan_.a_bytes / plan_.a_copies));
    }

    Strided<Out> c_at(int64_t matrix, int64_t block_row, int64_t col) const {
        Out* values = static_cast<Out*>(c_.values) + matrix * c_.batch_stride;
        return {values + block_row * a_.bm * c_.row_stride + col * c_.col_stride, c_.row_stride, c_.col_stride};
    }

    Strided<const In> block(int64_t matrix, int64_t slot) const {
        const In* values = static_cast<const In*>(a_.values) + matrix * a_.values_stride;
        return {values + slot * a_.block_stride, a_.row_stride, a_.col_stride};
    }

    // Copies a block without its padding, in its own order or to row-major.
    void copy_block(In* out, Strided<const In> in, int64_t row, int64_t col, bool to_row_major) const {
        int64_t rows = std::min(a_.bm, a_.rows - row * a_.bm), cols = std::min(a_.bk, a_.cols - col * a_.bk);
        int64_t height = a_.bm, width = a_.bk;
        if (in.col_stride != 1 && !to_row_major) {
            std::swap(in.row_stride, in.col_stride);
            std::swap(rows, cols);
            std::swap(height, width);
        }
        pack_rows(out, width, in, rows, cols, width);
        std::memset(out + rows * width, 0, (height - rows) * width * sizeof(In));
    }

    void copy_a() {
        const int64_t rows = a_.pattern.rows;
        parallel_for(parallel_, plan_.a_copies * rows, [&](int64_t item, int) {
            const int64_t matrix = item / rows, i = item % rows;
            const Pattern pattern = a_.pattern.of_batch(matrix);
            for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
                copy_block(copy_of_a(matrix) + p * a_.block_stride, block(matrix, pattern.slot(p)), i, pattern.col(p),
                           true);
            }
        });
    }

    // Rows first .. last - 1 of a panel; both are even for Bfloat16.
    void pack(In* panel, int64_t index, int64_t first, int64_t last) const {
        const int64_t matrix = index / plan_.panels, col = plan_.first_col(index % plan_.panels);
        const int64_t width = plan_.width(index % plan_.panels), cols = std::min(width, c_.cols - col);
        const int64_t rows = std::clamp<int64_t>(b_.rows - first, 0, last - first);
        const In* values = static_cast<const In*>(b_.values) + matrix * b_.batch_stride;
        const Strided<const In> in{values + first * b_.row_stride + col * b_.col_stride, b_.row_stride, b_.col_stride};
        In* out = panel + first * width;
        int64_t packed = rows;
        if constexpr (std::is_same_v<In, Bfloat16>) {
            pack_row_pairs(out, width, in, rows, cols, width);
            packed += rows % 2;
        } else {
            pack_rows(out, width, in, rows, cols, width);
        }
        std::memset(out + packed * width, 0, (last - first - packed) * width * sizeof(In));
    }

    // C's columns of a panel, in the block rows of some groups.
    void multiply(const In* panel, int64_t index, int64_t first_group, int64_t last_group, int thread) const {
        const int64_t matrix = index / plan_.panels, col = plan_.first_col(index % plan_.panels);
        const int64_t width = plan_.width(index % plan_.panels), cols = std::min(width, c_.cols - col);
        const Gemms<In>& gemms = width == plan_.width(0) ? wide_ : narrow_;
        const Pattern pattern = a_.pattern.of_batch(matrix);
        Wide* tile = reinterpret_cast<Wide*>(scratch(thread));
        In* edges = reinterpret_cast<In*>(scratch(thread) + plan_.tile_bytes);

        for (int64_t group = first_group; group < last_group; ++group) {
            const int64_t first = group * plan_.group, last = std::min(pattern.rows, first + plan_.group);
            int64_t unstored = first;  // block rows from here on are in the tile
            const auto store_until = [&](int64_t row) {
                if (unstored == row) return;
                store_tile(tile + (unstored - first) * a_.bm * width, width, c_at(matrix, unstored, col),
                           rows_until(row) - rows_until(unstored), cols, alpha_, beta_);
            };
            for (int64_t i = first; i < last; ++i) {
                if (pattern.begin(i) == pattern.end(i)) {
                    store_until(i);
                    scale(c_at(matrix, i, col), rows_until(i + 1) - rows_until(i), cols, beta_);
                    unstored = i + 1;
                } else {
                    sum(gemms, tile + (i - first) * a_.bm * width, width, panel, pattern, matrix, i, edges);
                }
            }
            store_until(last);
        }
    }

    // tile = block row i of A times the panel.
    void sum(const Gemms<In>& gemms, Wide* tile, int64_t width, const In* panel, const Pattern& pattern, int64_t matrix,
             int64_t i, In* edges) const {
        const bool edge_row = (i + 1) * a_.bm > a_.rows;
        const bool edge_col = a_.pattern.cols * a_.bk > a_.cols;
        const In *right[max_blocks], *left[max_blocks];
        unsigned long long count = 0;
        int64_t copied = 0;
        Gemm<In> gemm = gemms.first;
        const int64_t total = pattern.end(a_.pattern.rows - 1);
        for (int64_t p = pattern.begin(i); p < pattern.end(i); ++p) {
            const int64_t col = pattern.col(p);
            if (a_.transposed && p + 16 < total) {
                const char* ahead = reinterpret_cast<const char*>(block(matrix, pattern.slot(p + 16)).values);
                for (int64_t l = 0; l < std::min<int64_t>(1024, a_.block_stride * sizeof(In)); l += 64) __builtin_prefetch(ahead + l);
            }
            right[count] = panel + col * a_.bk * width;
            if (plan_.copies_a) {
                left[count] = copy_of_a(matrix) + p * a_.block_stride;
            } else {
                const Strided<const In> stored = block(matrix, pattern.slot(p));
                left[count] = stored.values;
                if (edge_row || (edge_col && col == pattern.cols - 1)) {
                    In* edge = edges + copied++ * a_.block_stride;
                    copy_block(edge, stored, i, col, false);
                    left[count] = edge;
                }
            }
            ++count;
            if (int64_t(count) == plan_.blocks_per_sum || copied == edge_slots || p + 1 == pattern.end(i)) {
                gemm(right, left, tile, &count);
                end_generated_code();
                gemm = gemms.next;
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
    const Gemms<In> wide_, narrow_;
    char *const a_copy_, *const scratch_, *const shared_panels_;
};

template <class In>
std::string refuses(const SpmmProblem& problem, const Device& device, bsblasDataType_t type, CpuLevel needed) {
    const Sparse& a = problem.a;
    if (a.type != type || problem.b.type != type) return "A or B has another type";
    if (problem.c.type != type && !(std::is_same_v<In, Bfloat16> && problem.c.type == BSBLAS_R_32F)) {
        return "C has another type";
    }
    if (device.cpu_level < needed) return std::string("the CPU level is below ") + cpu_level_name(needed);
    if (std::min(a.bm, a.bk) < 8) return "blocks have a side below 8";
    if (std::is_same_v<In, Bfloat16> && a.bk % 2 == 1) return "blocks of bfloat16 have an odd number of columns";
    const Plan<In> plan(problem, device);
    if (plan.units == 0) return "";
    if (!Gemms<In>(a, plan.width(0)) || !Gemms<In>(a, plan.width(plan.panels - 1))) {
        return "libxsmm generates no code for this block size, or none in this process";
    }
    return "";
}

template <class In>
size_t workspace(const SpmmProblem& problem, const Device& device) {
    return Plan<In>(problem, device).workspace_bytes;
}

std::string refuses_f32(const SpmmProblem& problem, const Device& device) {
    return refuses<float>(problem, device, BSBLAS_R_32F, cpu_avx2);
}
std::string refuses_f64(const SpmmProblem& problem, const Device& device) {
    return refuses<double>(problem, device, BSBLAS_R_64F, cpu_avx2);
}
std::string refuses_bf16(const SpmmProblem& problem, const Device& device) {
    return refuses<Bfloat16>(problem, device, BSBLAS_R_16BF, cpu_avx512_bf16);
}

double cost(const SpmmProblem&, const Device&) {
    return 0;
}

template <class In, class Out>
int launch(const SpmmProblem& problem, const Launch& launch) {
    Run<In, Out> run(problem, launch);
    run();
    return 0;
}

int launch_bf16(const SpmmProblem& problem, const Launch& where) {
    return problem.c.type == BSBLAS_R_32F ? launch<Bfloat16, float>(problem, where)
                                          : launch<Bfloat16, Bfloat16>(problem, where);
}

}  // namespace

const SpmmKernel spmm_bsr_f32__host_libxsmm = {"spmm_bsr_f32__host_libxsmm", refuses_f32, workspace<float>, cost,
                                               launch<float, float>};
const SpmmKernel spmm_bsr_f64__host_libxsmm = {"spmm_bsr_f64__host_libxsmm", refuses_f64, workspace<double>, cost,
                                               launch<double, double>};
const SpmmKernel spmm_bsr_bf16__host_libxsmm = {"spmm_bsr_bf16__host_libxsmm", refuses_bf16, workspace<Bfloat16>, cost,
                                                launch_bf16};

}  // namespace bsblas::host
