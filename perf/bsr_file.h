// Reads the block-sparse matrices of tests/data; its README.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct BsrFile {
    int64_t rows = 0, cols = 0, row_block = 0, col_block = 0;
    std::vector<int32_t> row_offsets, col_indices;
    std::vector<float> values;
};

// Throws std::runtime_error with the file's name.
BsrFile read_bsr_file(const std::string& path);
