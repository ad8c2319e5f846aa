// The kernel behind sddmm_tile.h: one block, or one warp, of threads for each tile of sddmm_place.cuh.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/generic/sddmm_place.cuh"
#include "kernels/cuda/generic/tile_loop.cuh"

namespace bsblas::cuda {

template <class In, int Rows>
__global__ void __launch_bounds__((TileLoop<In, Rows>::threads), (tile_min_blocks(sizeof(In), Rows)))
    sddmm_tile(const __grid_constant__ SddmmProblem problem, const __grid_constant__ SddmmTile tile,
               const __grid_constant__ Origin origin) {
    wait_for_predecessor();
    using Loop = TileLoop<In, Rows>;
    __shared__ typename Loop::Shared shared;
    __shared__ SddmmPlace<Rows, Loop::columns, Loop::threads> place;

    const Dense &x = problem.x, &y = problem.y;
    const int64_t batch = origin.z + blockIdx.z, split = origin.y + blockIdx.y;
    if (!place.find(problem, tile, batch, origin.x + blockIdx.x)) return;
    Loop::synchronize();

    Loop loop;
    if (Epilogue<typename Loop::Acc>(problem.arithmetic).multiplies()) {
        const int64_t begin = split * tile.split.tokens;
        typename Loop::X from_x(static_cast<const In*>(x.values) + batch * x.batch_stride + begin * x.col_stride,
                                x.col_stride, place.x_from, tile.x, x.type, x.conjugate != y.conjugate);
        typename Loop::Y from_y(static_cast<const In*>(y.values) + batch * y.batch_stride + begin * y.row_stride,
                                y.row_stride, place.y_from, tile.y, y.type, false);
        loop.run(from_x, from_y, min(x.cols - begin, tile.split.tokens), shared.stage);
    }
    loop.share(shared.sums);
    place.template write<In>(problem, tile, batch, split, shared.sums);
}

template <class In, class Body>
void for_each_sddmm_tile(Body body) {
    body(std::integral_constant<int, 4>{});
    body(std::integral_constant<int, 8>{});
    body(std::integral_constant<int, 16>{});
    body(std::integral_constant<int, 32>{});
    if constexpr (has_tile(sizeof(In), 64)) body(std::integral_constant<int, 64>{});
}

template <class In>
int launch_sddmm_tile(const SddmmProblem& problem, const SddmmTile& tile, int rows, const Launch& launch) {
    int result = cudaErrorInvalidDeviceFunction;
    for_each_sddmm_tile<In>([&](auto Rows) {
        if (Rows.value != rows) return;
        result =
            cover(tile.slots * tile.parts_m * tile.parts_n, tile.split.splits, problem.batch,
                  [&](dim3 blocks, Origin origin) {
                      return cuda::launch_early(sddmm_tile<In, Rows.value>, blocks, TileLoop<In, Rows.value>::threads,
                                                0, launch, problem, tile, origin);
                  });
    });
    if (result == cudaSuccess && tile.split.partial) return launch_sddmm_reduce<In>(problem, tile.split, launch);
    return result;
}

template <class In>
int load_sddmm_tile() {
    int result = cudaSuccess;
    for_each_sddmm_tile<In>([&](auto Rows) { result = first_error({result, load(sddmm_tile<In, Rows.value>)}); });
    return result;
}

}  // namespace bsblas::cuda
