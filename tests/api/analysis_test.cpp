// When an analysis is used, forgotten and detached: seen from the workspace that op T still asks for.
#include <gtest/gtest.h>

#include "support/call_parts.h"
#include "world.h"

namespace bsblas::test {
namespace {

class Analysis : public testing::TestWithParam<bsblasBackend_t> {
protected:
    Analysis() : world(memory_of(GetParam())) { world.bury_the_dead(); }

    // What A' C needs; less with an analysis than without.
    size_t needed() {
        size_t size = 0;
        require(bsblasSpMM_bufferSize(world.handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, world.a->descriptor(),
                                      world.x->descriptor(), world.b->descriptor(), nullptr, &size));
        return size;
    }
    void analyze() {
        size_t size = 0;
        require(bsblasBsrAnalyze_bufferSize(world.handle, world.a->descriptor(), &size));
        ASSERT_LE(size, World::workspace_size);
        ASSERT_GT(size, 0u);
        require(bsblasBsrAnalyze(world.handle, world.a->descriptor(), world.workspace.data(), size));
        world.memory.wait();
    }

    World world;
};

TEST_P(Analysis, LastsUntilThePatternChanges) {
    const bsblasSpMatDescr_t a = world.a->descriptor();
    const size_t without = needed();
    analyze();
    const size_t with = needed();
    EXPECT_LT(with, without);

    require(bsblasSpMatSetValues(a, world.a->values.data()));
    EXPECT_EQ(needed(), with) << "values may change";
    require(bsblasBsrSetPointers(a, 4, world.a->offsets.data(), world.a->columns.data(), world.a->values.data()));
    EXPECT_EQ(needed(), without) << "new pointers forget it";

    analyze();
    require(bsblasBsrSetStridedBatch(a, 1, 0, 0, 0));
    EXPECT_EQ(needed(), without) << "a batch forgets it";

    analyze();
    require(bsblasBsrAnalyze(world.handle, a, nullptr, 0));
    EXPECT_EQ(needed(), without) << "bufferSize 0 detaches it";

    analyze();
    require(bsblasBsrSort(world.handle, a, nullptr, world.workspace.data(), World::workspace_size));
    EXPECT_EQ(needed(), without) << "sorting changes the pattern";
}

// Here the result finds no room, which leaves A empty.
TEST_P(Analysis, IsForgottenByAConversionHoweverItEnds) {
    const bsblasSpMatDescr_t a = world.a->descriptor();
    const bsblasDnMatDescr_t d = world.d->descriptor();
    const size_t without = needed();
    analyze();
    EXPECT_EQ(bsblasDenseToBsr(world.handle, d, a, nullptr, nullptr, 0), BSBLAS_STATUS_INSUFFICIENT_WORKSPACE);
    EXPECT_LT(needed(), without) << "a refused call changes nothing";

    Workspace workspace;
    require(workspace.make(world.memory, false,
                           [&](size_t* size) { return bsblasDenseToBsr_bufferSize(world.handle, d, a, size); }));
    EXPECT_EQ(bsblasDenseToBsr(world.handle, d, a, nullptr, workspace.data(), workspace.size()),
              GetParam() == BSBLAS_BACKEND_HOST ? BSBLAS_STATUS_INSUFFICIENT_CAPACITY : BSBLAS_STATUS_SUCCESS);
    world.memory.wait();
    EXPECT_EQ(needed(), without);
}

TEST_P(Analysis, ServesOtherHandlesOfTheSameBackend) {
    const size_t without = needed();
    analyze();
    World other(world.memory);
    size_t size = 0;
    require(bsblasSpMM_bufferSize(other.handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, world.a->descriptor(),
                                  world.x->descriptor(), world.b->descriptor(), nullptr, &size));
    EXPECT_LT(size, without);
    other.bury_the_dead();
}

INSTANTIATE_TEST_SUITE_P(All, Analysis, testing::ValuesIn(backends_here()));

}  // namespace
}  // namespace bsblas::test
