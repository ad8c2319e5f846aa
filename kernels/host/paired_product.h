// Blocks of 8 binary32 columns, which fill only half a vector of AVX-512: two steps of the inner dimension share one.
//
//   right, paired      (2t, 0) (2t+1, 0) (2t, 1) (2t+1, 1) ...  (2t, 7) (2t+1, 7)      one vector
//   left, row r        (r, 2t) (r, 2t+1) (r, 2t) (r, 2t+1) ...                         one broadcast of 64 bits
//   sum                even and odd terms of (r, 0), of (r, 1), ...                    added at the end
//
// Needs cpu_avx512.
#pragma once

#include <cstdint>

namespace bsblas::host {

constexpr int64_t paired_cols = 8;
constexpr int64_t paired_rows = 8;  // of left, in one call

// From `depth` rows of 8 to the paired layout, with a row of zeros after an odd last one.
void pair_rows(const float* rows, int64_t depth, float* paired);

// out[b] (rows x 8) = left (rows x depth, rows <= paired_rows) right[b], for b = 0 and, unless right[1] is null, 1.
void paired_product(const float* left, int64_t left_ld, int64_t rows, int64_t depth, const float* const right[2],
                    float* const out[2], int64_t out_ld);

}  // namespace bsblas::host
