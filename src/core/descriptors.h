// The objects behind the public descriptors.
#pragma once

#include "core/pattern_problem.h"
#include "core/transposed_index.h"

#include <bsblas/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace bsblas {

// What bsblasBsrAnalyze left with a descriptor.
struct Analysis {
    bsblasBackend_t backend;
    int ordinal;                              // of the device
    std::vector<TransposedIndex> transposed;  // of each matrix of the batch, or of the one pattern they share
};

}  // namespace bsblas

struct bsblasSpMatDescr {
    static constexpr uint64_t alive = 0x6273626c61735331;
    uint64_t magic = 0;
    bsblasFormat_t format = BSBLAS_FORMAT_BSR;
    bool read_only = false;  // made Const
    bsblas::Stored stored;   // the first matrix of the batch
    int64_t batch = 1;
    int64_t offsets_stride = 0, indices_stride = 0, values_stride = 0;
    std::optional<bsblas::Analysis> analysis;

    bool shares_pattern() const { return batch == 1 || (offsets_stride == 0 && indices_stride == 0); }
    bsblas::Stored matrix(int64_t j) const;  // of the batch
};

struct bsblasDnMatDescr {
    static constexpr uint64_t alive = 0x6273626c61734431;
    uint64_t magic = 0;
    bool read_only = false;
    int64_t rows = 0, cols = 0, ld = 0;
    void* values = nullptr;
    bsblasDataType_t type = BSBLAS_R_32F;
    bsblasOrder_t order = BSBLAS_ORDER_COL;
    int64_t batch = 1, batch_stride = 0;

    bool empty() const { return rows == 0 || cols == 0; }
    // op(matrix j) by strides; conjugated when op is H and the type complex.
    bsblas::Dense matrix(bsblasOperation_t op, int64_t j) const;
};

struct bsblasOpDescr {
    static constexpr uint64_t alive = 0x6273626c61734f31;
    uint64_t magic = 0;
    std::optional<bsblasComputeType_t> compute;
    std::optional<bsblasDeterminism_t> determinism;
    bsblasAlgorithm_t algorithm = BSBLAS_ALG_DEFAULT;
    const float* scale_a = nullptr;
    const float* scale_b = nullptr;
};
