#include "malformed_pattern.h"

#include <bsblas/bsblas.h>

#include "support/call_parts.h"
#include "support/operand.h"

namespace bsblas::test {
namespace {

struct Finding {
    bsblasDefect_t defect = BSBLAS_DEFECT_NONE;
    int64_t row = -1, slot = -1;
    bool operator==(const Finding&) const = default;
};

// What the header says of the first defect, word by word. Numbers have the base removed.
Finding first_defect(const BlockPattern& p, int64_t capacity) {
    if (p.offsets[0] != 0) return {BSBLAS_DEFECT_FIRST_OFFSET, 0, -1};
    for (int64_t row = 0; row < p.rows; ++row) {
        if (p.offsets[row + 1] < p.offsets[row]) return {BSBLAS_DEFECT_OFFSETS_DECREASE, row, -1};
        if (p.offsets[row + 1] > capacity) return {BSBLAS_DEFECT_ABOVE_CAPACITY, row, -1};
    }
    for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t slot = p.offsets[row]; slot < p.offsets[row + 1]; ++slot)
            if (p.columns[slot] < 0 || p.columns[slot] >= p.cols) return {BSBLAS_DEFECT_COLUMN, row, slot};
    return {};
}

}  // namespace

std::string check_malformed_pattern(Random& random, Memory& memory) {
    const int64_t rows = 1 + below(random, 300), cols = 1 + below(random, 40), tail = below(random, 4);
    SparseLayout layout;
    layout.batch = 1;
    layout.base = below(random, 2);
    layout.offsets = below(random, 2) ? BSBLAS_INDEX_32I : BSBLAS_INDEX_64I;
    layout.columns = below(random, 2) ? BSBLAS_INDEX_32I : BSBLAS_INDEX_64I;
    PatternSpec spec;
    spec.kind = PatternKind::bernoulli;
    spec.density = uniform(random);
    spec.seed = random();
    BlockPattern pattern = make_pattern(spec, rows, cols);
    const int64_t live = pattern.blocks(), capacity = live + tail;
    pattern.columns.resize(static_cast<size_t>(capacity), cols + 5);
    for (int64_t spoiled = below(random, 4); spoiled > 0; --spoiled) {
        const int64_t numbers[] = {-1, 0, 1, cols - 1, cols, capacity, capacity + 1, INT32_MAX - 1, -INT32_MAX};
        const int64_t number = numbers[below(random, 9)];
        if (live > 0 && below(random, 2))
            pattern.columns[static_cast<size_t>(below(random, live))] = number;
        else
            pattern.offsets[static_cast<size_t>(below(random, rows + 1))] = number;
    }

    SparseMatrix a(memory, {rows * 2, cols * 3, 2, 3, BSBLAS_R_32F}, layout, capacity, false);
    a.set_pattern(0, pattern);
    a.upload();
    bsblasHandle_t handle = nullptr;
    require(bsblasCreateWithBackend(&handle, memory.backend()));
    require(bsblasSetStream(handle, memory.stream()));
    Workspace workspace;
    require(workspace.make(memory, false,
                           [&](size_t* size) { return bsblasBsrValidate_bufferSize(handle, a.descriptor(), size); }));
    Finding found;
    const bsblasStatus_t status = bsblasBsrValidate(handle, a.descriptor(), &found.defect, &found.row, &found.slot,
                                                    workspace.data(), workspace.size());
    bsblasDestroy(handle);
    const Finding expected = first_defect(pattern, capacity);
    const auto text = [](const Finding& f) {
        return "defect " + std::to_string(f.defect) + ", row " + std::to_string(f.row) + ", slot " +
               std::to_string(f.slot);
    };
    if (found != expected) return "found " + text(found) + "; expected " + text(expected);
    if ((status == BSBLAS_STATUS_SUCCESS) != (expected.defect == BSBLAS_DEFECT_NONE))
        return bsblasGetStatusName(status);
    const std::string damage = a.download("A", SparseMatrix::Written::nothing);
    return damage.empty() ? workspace.damage() : damage;
}

}  // namespace bsblas::test
