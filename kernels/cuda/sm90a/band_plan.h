// The order in which spmm_band.h takes a sparse matrix, which a small kernel writes before each product.
//
//              panel: 128 columns
//        +-------------+-------------+----
//   band | [u][ ][u]   |    [ ][u]   |       unit: 16 x 16 or 32 x 32, multiplied at once: a block, or a part of one
//        |    [u]   [u]| [u]         |       part: the units of as many rows
//        +-------------+-------------+----   group: 128 rows, those of a warpgroup
//                                            band: up to three groups, those of a multiprocessor
//
// A band's steps: its panels that are not empty, from left to right; of each its units, by part, from left to right.
// Blocks that a row has several times make a panel several steps, in the order of the pattern.
#pragma once

#include "core/kernel.h"
#include "kernels/cuda/common/carver.h"

#include <cstdint>

namespace bsblas::cuda {

constexpr int panel_columns = 128;
constexpr int group_rows = 128, band_groups = 3;

struct alignas(16) BandStep {
    int panel;
    int first, units;            // among the band's units; how many
    int groups_at[band_groups];  // where those of each group begin among them
    // Of each group, a bit for each part and unit of the panel: panel_units bits a part.
    uint32_t present[band_groups][2];
};
static_assert(sizeof(BandStep) == 48);

struct Band {
    int number;  // from the top
    int steps;
    int64_t first_unit;  // in BandPlan::units, and the first step in BandPlan::steps
};

struct BandShape {
    int side;               // of a unit: 16 or 32
    int parts_m, parts_k;   // of a block: units down and across
    int parts;              // of all block rows
    int band_parts, bands;  // of a band; of the matrix
    int panels, panel_units;
    int patterns;   // of the batch: 1 when its matrices share one
    int64_t units;  // room for those of a pattern
    // From a block, a part or a unit to the next, in 16 bytes of values.
    int block_step, part_step, unit_step;
    int line_step;  // the same, from one line of values to the next
};

// In the row's workspace.
struct BandPlan {
    uint32_t* units;      // of each band in turn, by step: where its values begin, in 16 bytes
    BandStep* steps;      // of each band, from where its units begin: it has no more steps than units
    Band* bands;          // those with the most units first
    unsigned* next_item;  // 0, to count what is taken

    BSBLAS_HD BandPlan of_pattern(const BandShape& shape, int pattern) const {
        return {units + pattern * shape.units, steps + pattern * shape.units,
                bands + static_cast<int64_t>(pattern) * shape.bands, next_item};
    }
};

// How many units come before a part.
BSBLAS_HD int64_t first_unit(const Pattern& pattern, const BandShape& shape, int part) {
    if (part >= shape.parts) return pattern.begin(pattern.rows) * shape.parts_m * shape.parts_k;
    const int row = part / shape.parts_m;
    const int64_t begin = pattern.begin(row);
    return (begin * shape.parts_m + (part - row * shape.parts_m) * (pattern.end(row) - begin)) * shape.parts_k;
}

BandPlan carve_band_plan(const BandShape& shape, Carver& carver);
// Enqueues the plan's making.
int make_band_plan(const Pattern& pattern, const BandShape& shape, const BandPlan& plan, const Launch& launch);
// Enqueues the copying of A's values to `packed`, by unit in the order of the plan: each unit as square_operand wants
// it, for each of `packs` matrices shape.units of them.
int pack_units(const Sparse& a, const BandShape& shape, const BandPlan& plan, int packs, void* packed,
               const Launch& launch);
int load_band_plan();

}  // namespace bsblas::cuda
