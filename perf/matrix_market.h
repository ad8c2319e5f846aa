// Reads sparse matrices in Matrix Market's coordinate format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Compressed sparse rows, from 0, columns ascending in a row.
struct CsrMatrix {
    int64_t rows = 0, cols = 0;
    std::vector<int32_t> row_offsets, col_indices;
    std::vector<double> values;
};

// Real or integer, general or symmetric; of a symmetric one both triangles. Throws std::runtime_error with the file's
// name.
CsrMatrix read_matrix_market(const std::string& path);
