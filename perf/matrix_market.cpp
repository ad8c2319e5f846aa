#include "matrix_market.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <tuple>

CsrMatrix read_matrix_market(const std::string& path) {
    auto refuse = [&](const char* why) { throw std::runtime_error(path + " " + why); };
    std::ifstream in(path);
    std::string line, banner, object, format, field, symmetry;
    if (!std::getline(in, line)) refuse("cannot be read");
    std::istringstream(line) >> banner >> object >> format >> field >> symmetry;
    if (banner != "%%MatrixMarket" || object != "matrix" || format != "coordinate")
        refuse("is not a Matrix Market coordinate matrix");
    if (field != "real" && field != "integer") refuse("is not real");
    if (symmetry != "general" && symmetry != "symmetric") refuse("is neither general nor symmetric");
    do line.clear();
    while (std::getline(in, line) && line[0] == '%');

    CsrMatrix matrix;
    int64_t stored = 0;
    constexpr int64_t most = 1 << 30;  // rows, columns
    if (!(std::istringstream(line) >> matrix.rows >> matrix.cols >> stored) || matrix.rows < 1 || matrix.cols < 1 ||
        matrix.rows > most || matrix.cols > most || stored < 0) {
        refuse("has no line of sizes, or impossible ones");
    }
    std::vector<std::tuple<int32_t, int32_t, double>> entries;
    for (int64_t p = 0; p < stored; ++p) {
        int32_t i = 0, j = 0;
        double value = 0;
        if (!(in >> i >> j >> value)) refuse("is cut short");
        if (i < 1 || i > matrix.rows || j < 1 || j > matrix.cols) refuse("has an entry outside the matrix");
        entries.emplace_back(i - 1, j - 1, value);
        if (symmetry == "symmetric" && i != j) entries.emplace_back(j - 1, i - 1, value);
    }
    std::sort(entries.begin(), entries.end());
    matrix.row_offsets.assign(matrix.rows + 1, 0);
    for (const auto& [i, j, value] : entries) {
        ++matrix.row_offsets[i + 1];
        matrix.col_indices.push_back(j);
        matrix.values.push_back(value);
    }
    for (int64_t i = 0; i < matrix.rows; ++i) matrix.row_offsets[i + 1] += matrix.row_offsets[i];
    return matrix;
}
