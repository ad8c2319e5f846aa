#include "core/transposed_index.h"

namespace bsblas {

namespace {

size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

bool needs_wide(int64_t block_rows, int64_t block_cols, int64_t capacity) {
    return block_rows > INT32_MAX || block_cols > INT32_MAX || capacity > INT32_MAX;
}

}  // namespace

TransposedIndex TransposedIndex::in(void* buffer, int64_t block_rows, int64_t block_cols, int64_t capacity) {
    TransposedIndex index;
    index.columns = block_cols;
    index.capacity = capacity;
    index.wide = needs_wide(block_rows, block_cols, capacity);
    if (buffer) {
        const size_t number = index.wide ? 8 : 4;
        const size_t entries = aligned(capacity * number);
        char* at = static_cast<char*>(buffer);
        index.offsets = at;
        index.rows = at += aligned((block_cols + 1) * number);
        index.slots = at + entries;
    }
    return index;
}

size_t TransposedIndex::bytes(int64_t block_rows, int64_t block_cols, int64_t capacity) {
    const size_t number = needs_wide(block_rows, block_cols, capacity) ? 8 : 4;
    return aligned((block_cols + 1) * number) + 2 * aligned(capacity * number);
}

}  // namespace bsblas
