// The kernel behind spmm_wgmma.h. A block, one on each multiprocessor, computes tiles of C, 128 rows by 256 columns;
// each of two warpgroups has 64 of the rows: one block row, or a part of a higher one.
//
//                                256 columns             a stage:  b: 64 x 256   32 KB
//                            +-----------------+                   a: 64 x 64     8 KB, of each warpgroup
//       block row p  [ # ]   |                 | warpgroup 0
//       block row q  [ # ]   |                 | warpgroup 1       four stages
//                            +-----------------+
//
//   The producer, a warp, walks the columns that either block row has, in order where they are sorted, and
//   asks for b's rows once, and for the blocks of those that have it.
//        wait until a stage is empty | ask for b and a | next column ...
//   The warpgroups: each multiplies stages that have a block of its own, and lets the others pass.
//        wait until a stage is full | 4 products (64 x 256 x 16) | wait for those of the stage before, which is empty
//        now
//   At a tile's end sums become C's type in registers, and go to memory by 64 columns while the next tile's products
//   run.
//
// Tiles are taken in turn, down first: all blocks work on the same columns of b, which L2 then has.
#pragma once

#include "kernels/cuda/common/epilogue.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tensor_core.cuh"
#include "kernels/cuda/sm90a/bulk_copy.cuh"
#include "kernels/cuda/sm90a/registers.cuh"
#include "kernels/cuda/sm90a/spmm_wgmma.h"
#include "kernels/cuda/sm90a/wgmma.cuh"

#include <climits>
#include <type_traits>

namespace bsblas::cuda {

// Of a tile, for the warpgroups.
struct WgmmaStep {
    int groups;  // which have a block in this stage, as bits
    bool ends;   // the tile
    int part;    // of warpgroup 0; -1: there are no more tiles
    int columns, matrix;
};

struct WgmmaShared {
    static constexpr int stages = 4, groups = 2, buffers = 2;
    static constexpr int b_bytes = wgmma_k * wgmma_columns * 2, a_bytes = wgmma_k * 64 * 2;
    static constexpr int stage_bytes = b_bytes + groups * a_bytes;
    static constexpr int buffer_bytes = 64 * 64 * 2;
    static constexpr int threads = groups * 128 + 128;
    // 168 of each thread at the launch.
    static constexpr int producer_registers = 40, group_registers = 232;
    static_assert(groups * 128 * group_registers + 128 * producer_registers <= threads * 168);

    unsigned char stage[stages][stage_bytes];
    unsigned char buffer[groups][buffers][buffer_bytes];
    WgmmaStep step[stages];
    uint64_t full[stages], empty[stages];

    static constexpr int alignment = 1024;
};
constexpr size_t wgmma_shared_bytes = sizeof(WgmmaShared) + WgmmaShared::alignment;

// Where a tile stands.
struct WgmmaTile {
    int part, columns, matrix;  // as in WgmmaStep

    __device__ __forceinline__ WgmmaTile(const SpmmWgmma& plan, int64_t tile) {
        const int64_t rest = tile / plan.tile_rows;
        part = static_cast<int>(tile - rest * plan.tile_rows) * 2;
        matrix = static_cast<int>(rest / plan.tile_columns);
        columns = static_cast<int>(rest - static_cast<int64_t>(matrix) * plan.tile_columns);
    }
};

// A warp that walks the columns of both block rows of a tile: lanes 0 to 15 have entries of the first, the others of
// the second. What it reads first of a tile is asked for while the tile before is under way.
class WgmmaWalk {
public:
    __device__ __forceinline__ WgmmaWalk(const SpmmProblem& problem, const SpmmWgmma& plan, bool multiplies)
        : problem_(problem),
          plan_(plan),
          half_(threadIdx.x % 32 / own),
          lane_(threadIdx.x % own),
          empty_(!multiplies) {}

    // The entries of a tile, in two steps that each wait for memory once.
    __device__ __forceinline__ void fetch_range(int64_t tile) {
        next_ = next_end_ = 0;
        if (tile >= plan_.tiles || empty_) return;
        const WgmmaTile at(plan_, tile);
        const int part = at.part + half_, row = part / plan_.parts_m;
        next_shared_ = at.part / plan_.parts_m == (at.part + 1) / plan_.parts_m;
        next_matrix_ = at.matrix;
        if (part >= plan_.parts || (half_ == 1 && next_shared_)) return;
        const Pattern pattern = problem_.a.pattern.of_batch(at.matrix);
        next_ = pattern.begin(row);
        next_end_ = pattern.end(row);
    }
    __device__ __forceinline__ void fetch_entries() {
        const Pattern pattern = problem_.a.pattern.of_batch(next_matrix_);
        next_now_ = entry(pattern, next_ + lane_, next_end_);
        next_ahead_ = entry(pattern, next_ + own + lane_, next_end_);
    }

    // Begins with the tile that was fetched.
    __device__ __forceinline__ void begin() {
        at_ = next_;
        end_ = next_end_;
        shares_ = next_shared_;
        matrix_ = next_matrix_;
        now_ = next_now_;
        ahead_ = next_ahead_;
        place_ = 0;
        look();
    }

    // The least column ahead; INT_MAX when there is none. Of each half: whether it has it, and in which stored block.
    struct Column {
        int column;
        int groups;  // which have a block there, as bits
        int slots[2];
    };
    __device__ __forceinline__ Column take() {
        Column taken{least_, 0, {}};
        const bool takes = column_ == least_ && least_ != INT_MAX;
        const int slot = __shfl_sync(all, now_.slot, (threadIdx.x & own) + place_);
        const unsigned taking = __ballot_sync(all, takes);
        taken.groups = (taking & 1) | (taking >> own & 1) << 1;
        taken.slots[0] = __shfl_sync(all, slot, 0);
        taken.slots[1] = __shfl_sync(all, slot, own);
        if (shares_) {
            taken.slots[1] = taken.slots[0];
            taken.groups *= 3;
        }
        if (takes && ++place_ == own) {
            place_ = 0;
            at_ += own;
            now_ = ahead_;
            ahead_ = entry(problem_.a.pattern.of_batch(matrix_), at_ + own + lane_, end_);
        }
        look();
        return taken;
    }
    __device__ __forceinline__ bool more() const { return least_ != INT_MAX; }

private:
    static constexpr int own = 16;  // lanes of a half
    static constexpr unsigned all = 0xffffffffu;

    struct Entry {
        int column, slot;
    };
    static __device__ __forceinline__ Entry entry(const Pattern& pattern, int64_t p, int64_t end) {
        if (p >= end) return {INT_MAX, 0};
        return {static_cast<int>(pattern.col(p)), static_cast<int>(pattern.slot(p))};
    }
    __device__ __forceinline__ void look() {
        column_ = __shfl_sync(all, now_.column, (threadIdx.x & own) + place_);
        least_ = __reduce_min_sync(all, column_);
    }

    const SpmmProblem& problem_;
    const SpmmWgmma& plan_;
    const int half_, lane_;
    const bool empty_;
    int64_t at_, end_, next_ = 0, next_end_ = 0;
    Entry now_, ahead_, next_now_, next_ahead_;
    int place_, column_, least_, matrix_, next_matrix_ = 0;
    bool shares_, next_shared_ = false;
};

template <bool AAcrossK, bool BAcrossK>
__device__ __forceinline__ void produce(const SpmmProblem& problem, const SpmmWgmma& plan, bool multiplies,
                                        WgmmaShared& shared) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        prefetch_map(&plan.a);
        prefetch_map(&plan.b);
        prefetch_map(&plan.c);
    }
    WgmmaWalk walk(problem, plan, multiplies);
    int s = 0;
    uint32_t parity = 1;  // a stage that was never filled is empty
    const auto next_stage = [&] {
        if (++s == WgmmaShared::stages) {
            s = 0;
            parity ^= 1;
        }
    };
    int64_t tile = blockIdx.x;
    walk.fetch_range(tile);
    walk.fetch_entries();
    for (; tile < plan.tiles; tile += gridDim.x) {
        const WgmmaTile at(plan, tile);
        walk.begin();
        int fetched = 0;
        const auto fetch_next = [&] {
            if (fetched == 0) walk.fetch_range(tile + gridDim.x);
            if (fetched == 1) walk.fetch_entries();
            ++fetched;
        };
        do {
            const auto taken = walk.take();
            fetch_next();
            const int steps = taken.groups ? plan.parts_k : 1;  // one to end a tile without blocks
            for (int k = 0; k < steps; ++k, next_stage()) {
                unsigned char* const stage = shared.stage[s];
                barrier_wait(&shared.empty[s], parity);
                if (lane == 0) {
                    shared.step[s] = {taken.groups, !walk.more() && k == steps - 1, at.part, at.columns, at.matrix};
                    if (taken.groups == 0) {
                        barrier_arrive(&shared.full[s]);
                    } else {
                        barrier_expect(&shared.full[s],
                                       WgmmaShared::b_bytes + __popc(taken.groups) * WgmmaShared::a_bytes);
                        const int row = (taken.column * plan.parts_k + k) * wgmma_k,
                                  column = at.columns * wgmma_columns;
                        const int matrix = at.matrix * plan.b_matrices;
                        if constexpr (BAcrossK) {
#pragma unroll
                            for (int c = 0; c < wgmma_columns; c += 64) {
                                load_box(stage + c * wgmma_k * 2, &plan.b, column + c, row, matrix, &shared.full[s]);
                            }
                        } else {
                            load_box(stage, &plan.b, row, column, matrix, &shared.full[s]);
                        }
                    }
                }
                __syncwarp();
                if (lane < WgmmaShared::groups && taken.groups >> lane & 1) {
                    const int m = (at.part + lane) % plan.parts_m * 64,
                              slot = lane == 0 ? taken.slots[0] : taken.slots[1];
                    unsigned char* const to = stage + WgmmaShared::b_bytes + lane * WgmmaShared::a_bytes;
                    const int matrix = at.matrix * plan.a_matrices;
                    if constexpr (AAcrossK) {
                        load_box(to, &plan.a, m, (slot * plan.parts_k + k) * 64, matrix, &shared.full[s]);
                    } else {
                        load_box(to, &plan.a, k * 64, slot * plan.parts_m * 64 + m, matrix, &shared.full[s]);
                    }
                }
            }
        } while (walk.more());
        while (fetched < 2) fetch_next();
    }
    barrier_wait(&shared.empty[s], parity);
    if (lane == 0) {
        shared.step[s].part = -1;
        barrier_arrive(&shared.full[s]);
    }
}

template <class In, bool AAcrossK, bool BAcrossK, bool CByRow>
class WgmmaGroup {
public:
    __device__ __forceinline__ WgmmaGroup(const SpmmProblem& problem, const SpmmWgmma& plan,
                                          const Epilogue<float>& epilogue, WgmmaShared& shared)
        : problem_(problem),
          plan_(plan),
          epilogue_(epilogue),
          shared_(shared),
          group_(__shfl_sync(0xffffffffu, threadIdx.x / 128, 0)),
          packs_(plan.stores_boxes && !epilogue.adds()) {}

    __device__ __forceinline__ void run() {
        for (;;) {
            WgmmaStep step = next_step();
            if (step.part < 0) break;
            const bool any = multiply(step);
            step.part += group_;
            if (packs_) {
                pack(any);
                waiting_ = step;
                waiting_pieces_ = 0;
            } else {
                store(any, step);
            }
        }
        while (waiting_pieces_ < pieces) store_piece();
        if (leads()) store_wait_all();
    }

private:
    static constexpr int pieces = wgmma_columns / 64;

    __device__ __forceinline__ bool leads() const { return threadIdx.x % 128 == 0; }
    __device__ __forceinline__ void synchronize() const {
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group_) : "memory");
    }

    __device__ __forceinline__ WgmmaStep next_step() const {
        barrier_wait(&shared_.full[s_], parity_);
        // Read by the lane that will say that the stage is empty.
        WgmmaStep step = {};
        if (threadIdx.x % 32 == 0) step = shared_.step[s_];
        const auto of_first_lane = [](int x) { return __shfl_sync(0xffffffffu, x, 0); };
        return {of_first_lane(step.groups), of_first_lane(step.ends) != 0, of_first_lane(step.part),
                of_first_lane(step.columns), of_first_lane(step.matrix)};
    }
    __device__ __forceinline__ void release(int stage) const {
        if (threadIdx.x % 32 == 0) barrier_arrive(&shared_.empty[stage]);
    }

    // A tile's products. False when there are none; then the sums are whatever they were.
    __device__ __forceinline__ bool multiply(WgmmaStep& step) {
        bool any = false;
        int before = -1;  // the stage whose products may still run
        for (;;) {
            if (step.groups >> group_ & 1) {
                const unsigned char* const b_at = shared_.stage[s_];
                const unsigned char* const a_at = b_at + WgmmaShared::b_bytes + group_ * WgmmaShared::a_bytes;
                constexpr int panel = 64 * wgmma_k * 2;
                const uint64_t a = operand(a_at), b = operand(b_at, BAcrossK ? panel : 16);
                product_fence();
#pragma unroll
                for (int k = 0; k < wgmma_k / 16; ++k) {
                    multiply_256<In, AAcrossK, BAcrossK>(sum_, a + k * operand_step(AAcrossK ? 2048 : 32),
                                                         b + k * operand_step(BAcrossK ? 2048 : 32), any || k > 0);
                }
                product_commit();
                any = true;
                product_wait<1>();
                if (before >= 0) release(before);
                before = s_;
            } else {
                // A stage that is kept meanwhile might be the one that the producer waits for.
                release(s_);
                product_wait<0>();
                if (before >= 0) release(before);
                before = -1;
            }
            if (++s_ == WgmmaShared::stages) {
                s_ = 0;
                parity_ ^= 1;
            }
            if (waiting_pieces_ < pieces) store_piece();
            if (step.ends) break;
            step = next_step();
        }
        while (waiting_pieces_ < pieces) store_piece();
        product_wait<0>();
        if (before >= 0) release(before);
        return any;
    }

    // The sums as elements of C, two in a register.
    __device__ __forceinline__ void pack(bool any) {
        Epilogue<float> epilogue = epilogue_;
        if (!any) epilogue.leave_out_sum();
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            const Pack<In, 2> two{epilogue(sum_[2 * i], zero<In>()), epilogue(sum_[2 * i + 1], zero<In>())};
            memcpy(&packed_[i], &two, 4);
        }
    }

    // 64 columns of the tile before, by way of shared memory. Each is unrolled: registers have no addresses.
    __device__ __forceinline__ void store_piece() {
        switch (waiting_pieces_++) {
            case 0:
                return store_piece<0>();
            case 1:
                return store_piece<1>();
            case 2:
                return store_piece<2>();
            default:
                return store_piece<3>();
        }
    }
    template <int Piece>
    __device__ __forceinline__ void store_piece() {
        unsigned char* const to = shared_.buffer[group_][buffer_];
        buffer_ ^= 1;
        static_assert(WgmmaShared::buffers == 2);
        if (leads()) store_wait_read<1>();
        synchronize();
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            const uint32_t* const x = packed_ + Piece * 16 + j * 2;
            // Lines of 128 bytes in the box's swizzle: rows of C, or columns.
            const int along = j + (lane >> 4), across = warp * 2 + (lane >> 3 & 1), in = lane & 7;
            const int line = CByRow ? across * 8 + in : along * 8 + in, chunk = CByRow ? along : across;
            store_matrices<!CByRow>(to + line * 128 + ((chunk ^ in) << 4), x);
        }
        bulk_fence();
        synchronize();
        if (leads()) {
            const int row = waiting_.part * 64, column = waiting_.columns * wgmma_columns + Piece * 64;
            store_box(&plan_.c, CByRow ? column : row, CByRow ? row : column, waiting_.matrix, to);
            store_commit();
        }
    }

    // The sums to C, where it is added to, has another type or lies unfavourably.
    __device__ __forceinline__ void store(bool any, const WgmmaStep& step) {
        if (problem_.c.type == BSBLAS_R_32F) {
            store_as<float>(any, step);
        } else {
            store_as<In>(any, step);
        }
    }
    template <class Out>
    __device__ __forceinline__ void store_as(bool any, const WgmmaStep& step) {
        Epilogue<float> epilogue = epilogue_;
        if (!any) epilogue.leave_out_sum();
        const Dense& c = problem_.c;
        Out* const values = static_cast<Out*>(c.values) + step.matrix * c.batch_stride;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
        for (int i = 0; i < 128; ++i) {
            const int64_t row = step.part * int64_t{64} + warp * 16 + lane / 4 + i / 2 % 2 * 8;
            const int64_t column = step.columns * int64_t{wgmma_columns} + i / 4 * 8 + lane % 4 * 2 + i % 2;
            if (row >= c.rows || column >= c.cols) continue;
            Out* const at = values + row * c.row_stride + column * c.col_stride;
            *at = epilogue(sum_[i], epilogue.adds() ? *at : zero<Out>());
        }
    }

    const SpmmProblem& problem_;
    const SpmmWgmma& plan_;
    const Epilogue<float> epilogue_;
    WgmmaShared& shared_;
    const int group_;
    const bool packs_;

    float sum_[128];
    int s_ = 0;
    uint32_t parity_ = 0;
    uint32_t packed_[64] = {};
    WgmmaStep waiting_{};  // the tile that is in packed_, of this group
    int waiting_pieces_ = pieces, buffer_ = 0;
};

template <class In, bool AAcrossK, bool BAcrossK, bool CByRow>
__global__ void __launch_bounds__(WgmmaShared::threads, 1)
    spmm_wgmma(const __grid_constant__ SpmmProblem problem, const __grid_constant__ SpmmWgmma plan) {
    wait_for_predecessor();
    extern __shared__ unsigned char raw[];
    constexpr unsigned alignment = WgmmaShared::alignment;
    WgmmaShared& shared =
        *reinterpret_cast<WgmmaShared*>(raw + (alignment - shared_address(raw) % alignment) % alignment);
    if (threadIdx.x == 0) {
        for (int s = 0; s < WgmmaShared::stages; ++s) {
            barrier_init(&shared.full[s], 1);
            barrier_init(&shared.empty[s], WgmmaShared::groups * 4);
        }
        barrier_init_fence();
    }
    __syncthreads();
    const Epilogue<float> epilogue(problem.arithmetic);
    if (threadIdx.x >= WgmmaShared::groups * 128) {
        give_registers<WgmmaShared::producer_registers>();
        if (threadIdx.x < WgmmaShared::groups * 128 + 32) {
            produce<AAcrossK, BAcrossK>(problem, plan, epilogue.multiplies(), shared);
        }
        return;
    }
    take_registers<WgmmaShared::group_registers>();
    WgmmaGroup<In, AAcrossK, BAcrossK, CByRow>(problem, plan, epilogue, shared).run();
}

// Calls body(kernel) with the kernel of a layout.
template <class In, class Body>
int with_spmm_wgmma(WgmmaLayout layout, Body body) {
    const auto by_c = [&](auto a, auto b) {
        constexpr bool A = decltype(a)::value, B = decltype(b)::value;
        return layout.c_by_row ? body(spmm_wgmma<In, A, B, true>) : body(spmm_wgmma<In, A, B, false>);
    };
    const auto by_b = [&](auto a) {
        return layout.b_across_k ? by_c(a, std::true_type{}) : by_c(a, std::false_type{});
    };
    return layout.a_across_k ? by_b(std::true_type{}) : by_b(std::false_type{});
}

template <class In>
int launch_spmm_wgmma(const SpmmProblem& problem, const SpmmWgmma& plan, WgmmaLayout layout, const Launch& launch) {
    const int64_t blocks = std::min<int64_t>(plan.tiles, launch.device.multiprocessors);
    return with_spmm_wgmma<In>(layout, [&](auto* kernel) {
        return cuda::launch_early(kernel, dim3(static_cast<unsigned>(blocks)), WgmmaShared::threads, wgmma_shared_bytes,
                                  launch, problem, plan);
    });
}

template <class In>
int load_spmm_wgmma() {
    for (int i = 0; i < 8; ++i) {
        const WgmmaLayout layout{(i & 1) != 0, (i & 2) != 0, (i & 4) != 0};
        if (int result = with_spmm_wgmma<In>(layout, [](auto* kernel) { return load(kernel, wgmma_shared_bytes); })) {
            return result;
        }
    }
    return cudaSuccess;
}

}  // namespace bsblas::cuda
