#include "kernels/cuda/generic/pattern_counts.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

namespace bsblas::cuda {

namespace {

__global__ void store(Stored out, const int64_t* starts, int64_t rows, int64_t* device_count) {
    const int64_t total = starts[rows];
    const bool fits = total <= out.room();
    const IndexWriter offsets{out.offsets, out.offsets_wide};
    if (offsets.data)
        for (int64_t i = global_thread(); i <= rows; i += all_threads())
            offsets.put(i, out.base + (fits ? starts[i] : 0));
    if (device_count && global_thread() == 0) *device_count = total;
}

}  // namespace

RowStarts::RowStarts(Carver& carver, int64_t rows) : rows(rows), starts(carver.take<int64_t>(rows + 1)) {
    cub::DeviceScan::ExclusiveSum(nullptr, temporary_bytes, starts, starts, rows + 1);
    temporary = carver.take<char>(temporary_bytes);
}

void RowStarts::sum_counts(Queue& queue) const {
    size_t bytes = temporary_bytes;
    queue.add([&](cudaStream_t stream) {
        // Before 2.7, CUB's scan counts in 32 bits.
        if (CUB_VERSION < 200700 && rows >= INT32_MAX) return cudaErrorInvalidValue;
        return cub::DeviceScan::ExclusiveSum(temporary, bytes, starts, starts, rows + 1, stream);
    });
}

void store_offsets(Queue& queue, const Stored& out, const RowStarts& rows, bool count_only, int64_t* device_count) {
    Stored target = out;
    if (count_only) target.offsets = nullptr;
    queue.launch(store, ceil_div(rows.rows + 1, kThreads), target, rows.starts, rows.rows, device_count);
}

}  // namespace bsblas::cuda
