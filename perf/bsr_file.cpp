#include "bsr_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

// Little-endian, as are all machines that the project runs on.
template <class T>
void read_array(std::istream& in, std::vector<T>& array, int64_t size) {
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
    if (!known || file.row_block < 1 || file.col_block < 1 || blocks < 0)
        throw std::runtime_error(path + " is missing or is not a .bsr file");
    read_array(in, file.row_offsets, file.rows / file.row_block + 1);
    read_array(in, file.col_indices, blocks);
    read_array(in, file.values, blocks * file.row_block * file.col_block);
    if (!in) throw std::runtime_error(path + " is cut short");
    return file;
}
