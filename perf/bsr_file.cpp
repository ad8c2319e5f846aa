#include "bsr_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

// Little-endian, as are all machines that the project runs on. Fails before it takes memory for what is not there.
template <class T>
void read_array(std::istream& in, std::vector<T>& array, int64_t size) {
    const auto here = in.tellg();
    const int64_t left = in.seekg(0, std::ios::end).tellg() - here;
    in.seekg(here);
    if (size > left / int64_t(sizeof(T))) return in.setstate(std::ios::failbit);
    array.resize(size);
    in.read(reinterpret_cast<char*>(array.data()), static_cast<std::streamsize>(size * sizeof(T)));
}

}  // namespace

BsrFile read_bsr_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    BsrFile file;
    int64_t blocks = -1;
    std::string line;
    bool known = std::getline(in, line) && line == "%%BSR 1";
    while (known && std::getline(in, line) && !line.empty()) {
        if (line[0] == '%') continue;
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "rows")
            words >> file.rows;
        else if (key == "cols")
            words >> file.cols;
        else if (key == "block")
            words >> file.row_block >> file.col_block;
        else if (key == "blocks")
            words >> blocks;
        else
            known = false;
        known = known && !words.fail();
    }
    constexpr int64_t most = 1 << 30;  // of anything: far above what the disk has, far below an overflow
    const auto within = [&](int64_t least, int64_t value) { return value >= least && value <= most; };
    if (!known || !within(0, file.rows) || !within(0, file.cols) || !within(1, file.row_block) ||
        !within(1, file.col_block) || !within(0, blocks)) {
        throw std::runtime_error(path + " is missing or is not a .bsr file");
    }
    if (file.rows % file.row_block != 0 || file.cols % file.col_block != 0 ||
        blocks > file.rows / file.row_block * (file.cols / file.col_block)) {
        throw std::runtime_error(path + ": its blocks do not make up its rows and columns");
    }
    read_array(in, file.row_offsets, file.rows / file.row_block + 1);
    read_array(in, file.col_indices, blocks);
    read_array(in, file.values, blocks * file.row_block * file.col_block);
    if (!in) throw std::runtime_error(path + " is cut short");
    if (in.peek() != std::istream::traits_type::eof()) throw std::runtime_error(path + " goes on after its values");
    const std::vector<int32_t>& offsets = file.row_offsets;
    if (offsets.front() != 0 || offsets.back() != blocks || !std::is_sorted(offsets.begin(), offsets.end()))
        throw std::runtime_error(path + ": its row offsets do not ascend from 0 to its blocks");
    const int64_t cols = file.cols / file.col_block;
    if (std::any_of(file.col_indices.begin(), file.col_indices.end(), [&](int32_t c) { return c < 0 || c >= cols; }))
        throw std::runtime_error(path + " has a block outside the matrix");
    return file;
}
