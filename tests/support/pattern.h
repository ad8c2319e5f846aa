// Block patterns: which blocks a sparse matrix stores. The same spec gives the same pattern on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace bsblas::test {

enum class PatternKind {
    uniform,        // the same number of blocks in each row, at random columns
    bernoulli,      // each block with probability `density`
    full,           // every block
    empty,          // none
    diagonal,       // one block a row, along the diagonal
    banded,         // a band along the diagonal
    longrow,        // one full row, one block in each other one
    zipf,           // row lengths fall as 1 / rank
    blockdiagonal,  // full squares along the diagonal
    smallworld,     // Watts-Strogatz: a ring lattice, a tenth of its edges rewired
    scalefree,      // Barabasi-Albert: edges go where edges are
};

struct PatternSpec {
    PatternKind kind = PatternKind::uniform;
    double density = 0.25;  // of the blocks, where the kind has a choice
    int64_t blocks = -1;    // uniform only: exactly that many instead of the density
    uint64_t seed = 1;
    double duplicates = 0;  // as many more slots, of the present ones, at a place that the row already has
    bool sorted = true;     // columns ascend in each row
    double empty_rows = 0;  // share of the rows that lose their blocks
    double empty_cols = 0;
    bool operator==(const PatternSpec&) const = default;
};

struct BlockPattern {
    int64_t rows = 0, cols = 0;    // in blocks
    std::vector<int64_t> offsets;  // rows + 1, from 0
    std::vector<int64_t> columns;  // from 0
    int64_t blocks() const { return static_cast<int64_t>(columns.size()); }
};

BlockPattern make_pattern(const PatternSpec& spec, int64_t rows, int64_t cols);

}  // namespace bsblas::test
