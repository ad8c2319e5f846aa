// Cases of conversions, transposition, sorting and validation.
#include <climits>

#include "case_tools.h"

namespace bsblas::test {
namespace {

using Written = SparseMatrix::Written;

constexpr bsblasDataType_t convertible[] = {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_C_32F,
                                            BSBLAS_C_64F, BSBLAS_R_16F, BSBLAS_R_16BF};

// Asks for the workspace, makes the call, waits.
template <class Query, class Operation>
bool with_workspace(Session& session, const std::string& what, Query query, Operation operation) {
    const Handle handle(session);
    Workspace workspace;
    require(workspace.make(session.memory(), false, [&](size_t* size) { return query(handle, size); }));
    const bool done = session.call(what, [&] { return operation(handle, workspace.data(), workspace.size()); });
    const std::string damage = workspace.damage();
    session.expect(damage.empty(), damage);
    return done && damage.empty();
}

SparseLayout sparse_layout(int64_t base, bsblasOrder_t order = BSBLAS_ORDER_ROW,
                           bsblasIndexType_t offsets = BSBLAS_INDEX_32I, bsblasIndexType_t columns = BSBLAS_INDEX_32I) {
    SparseLayout layout;
    layout.base = base;
    layout.order = order;
    layout.offsets = offsets;
    layout.columns = columns;
    layout.batch = 1;
    return layout;
}

// ---- 2 -----------------------------------------------------------------------------------------------------------

void csr_to_bsr_by_hand(Session& session) {
    const BlockPattern csr{10, 10, {0, 0, 4, 6, 7, 7, 7, 7, 7, 11, 14}, {2, 3, 4, 9, 3, 9, 9, 2, 3, 5, 7, 1, 5, 7}};
    const std::vector<int64_t> offsets = {0, 3, 5, 5, 5, 9}, columns = {1, 2, 4, 1, 4, 0, 1, 2, 3};
    const std::vector<double> last_row = {0, 0, 0, 12, 8, 9, 0, 0, 0, 10, 0, 13, 0, 11, 0, 14};
    for (bsblasDataType_t type : convertible)
        for (int64_t base : {0, 1})
            for (bsblasOrder_t order : {BSBLAS_ORDER_ROW, BSBLAS_ORDER_COL})
                for (bsblasIndexType_t index : {BSBLAS_INDEX_32I, BSBLAS_INDEX_64I}) {
                    SparseMatrix s(session.memory(), {10, 10, 1, 1, type, BSBLAS_FORMAT_CSR},
                                   sparse_layout(base, BSBLAS_ORDER_ROW, index, index), 14, false);
                    s.set_pattern(0, csr);
                    s.fill([](int64_t, int64_t slot, int64_t, int64_t) { return static_cast<double>(slot + 1); });
                    s.upload();
                    SparseMatrix a(session.memory(), {10, 10, 2, 2, type}, sparse_layout(1 - base, order), 9, false);
                    a.upload();
                    const std::string what = std::string(name_of(type)) + " base " + std::to_string(base);
                    if (!with_workspace(
                            session, what,
                            [&](bsblasHandle_t h, size_t* size) {
                                return bsblasCsrToBsr_bufferSize(h, s.descriptor(), a.descriptor(), size);
                            },
                            [&](bsblasHandle_t h, void* buffer, size_t size) {
                                return bsblasCsrToBsr(h, s.descriptor(), a.descriptor(), nullptr, buffer, size);
                            }))
                        return;
                    std::string wrong = a.download("A", Written::all);
                    if (wrong.empty()) wrong = a.adopt_pattern(0);
                    session.expect(wrong.empty(), what + ": " + wrong);
                    session.expect(a.pattern(0).offsets == offsets && a.pattern(0).columns == columns,
                                   what + ": wrong pattern");
                    for (int64_t e = 0; e < 16 && wrong.empty(); ++e)
                        session.expect(a.after(0).at(5 + e / 4, e / 2 % 2, e % 2) == last_row[static_cast<size_t>(e)],
                                       what + ": wrong element " + std::to_string(e) + " in the last row's blocks");
                }
    session.problems(
        "pairwise csr2bsr m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,32 type=f32,f64,c32,c64,f16,bf16 base=0,1 "
        "base2=0,1 offsets=32,64 offsets2=32,64 columns=32,64 columns2=32,64 order=row,col tail=0,3,-1 tail2=0,2 "
        "sorted=0,1 "
        "duplicates=0,0.3 density=0.1,0.5 emptyrows=0,0.3 mode=host,device batch=1,2 shift=0,1");
}

// ---- 5: dense -> BSR on random masks -----------------------------------------------------------------------------

void dense_to_bsr_random_masks(Session& session) {
    session.problems(
        "dense2bsr m=1024 k=1024 block=16 pattern=bernoulli density=0.02,0.2,0.7 seed=1,2\n"
        "pairwise dense2bsr m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,32 type=f32,f64,c32,c64,f16,bf16 "
        "base=0,1 "
        "offsets=32,64 columns=32,64 order=row,col orderd=row,col ldd=+0,+1,+7 tail=0,3,-1 density=0.1,0.5 "
        "emptyrows=0,0.3 mode=host,device batch=1,2 batchd=1 shift=0,1 pattern=bernoulli,uniform,empty,full\n"
        "pairwise dense2bsr batch=2,3 strided=+0,+5 stridea=+0,+3 strideo=+0,+2 stridei=+0,+1 m=40 k=33 block=4,8x3 "
        "type=f32,f64,bf16 mode=host,device tail=0,2,-1");

    // NaN is an element, -0 is none.
    for (bsblasDataType_t type : convertible) {
        std::vector<Complex> values(16, 0.0);
        values[3] = -0.0;
        values[9] = NAN;
        const auto d = make_dense(session, 4, 4, values, type);
        SparseMatrix a(session.memory(), {4, 4, 2, 2, type}, sparse_layout(0), 4, false);
        a.upload();
        if (!with_workspace(
                session, name_of(type),
                [&](bsblasHandle_t h, size_t* size) {
                    return bsblasDenseToBsr_bufferSize(h, d->descriptor(), a.descriptor(), size);
                },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasDenseToBsr(h, d->descriptor(), a.descriptor(), nullptr, buffer, size);
                }))
            return;
        std::string wrong = a.download("A", Written::all);
        if (wrong.empty()) wrong = a.adopt_pattern(0);
        session.expect(wrong.empty(), wrong);
        session.expect(
            a.pattern(0).offsets == std::vector<int64_t>{0, 0, 1} && a.pattern(0).columns == std::vector<int64_t>{0},
            std::string(name_of(type)) + ": NaN is stored, -0 is not");
    }
}

// ---- 8: all conversions chained ----------------------------------------------------------------------------------

void conversions_chained(Session& session) {
    const std::vector<Complex> numbers = {1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0, 7, 8};
    for (bsblasDataType_t type : convertible)
        for (int64_t base : {0, 1})
            for (bsblasOrder_t order : {BSBLAS_ORDER_ROW, BSBLAS_ORDER_COL}) {
                const std::string what = std::string(name_of(type)) + " base " + std::to_string(base);
                const auto d = make_dense(session, 4, 4, numbers, type);
                SparseMatrix a(session.memory(), {4, 4, 2, 2, type}, sparse_layout(base, order), 2, false);
                SparseMatrix s(session.memory(), {4, 4, 1, 1, type, BSBLAS_FORMAT_CSR}, sparse_layout(base), 8, false);
                SparseMatrix a2(session.memory(), {4, 4, 2, 2, type}, sparse_layout(base, order), 2, false);
                const auto d2 = make_dense(session, 4, 4, {}, type);
                for (SparseMatrix* m : {&a, &s, &a2}) m->upload();
                const bool done =
                    with_workspace(
                        session, what + " dense -> BSR",
                        [&](bsblasHandle_t h, size_t* size) {
                            return bsblasDenseToBsr_bufferSize(h, d->descriptor(), a.descriptor(), size);
                        },
                        [&](bsblasHandle_t h, void* buffer, size_t size) {
                            return bsblasDenseToBsr(h, d->descriptor(), a.descriptor(), nullptr, buffer, size);
                        }) &&
                    with_workspace(
                        session, what + " BSR -> CSR",
                        [&](bsblasHandle_t h, size_t* size) {
                            return bsblasBsrToCsr_bufferSize(h, a.descriptor(), s.descriptor(), size);
                        },
                        [&](bsblasHandle_t h, void* buffer, size_t size) {
                            return bsblasBsrToCsr(h, a.descriptor(), s.descriptor(), nullptr, buffer, size);
                        }) &&
                    with_workspace(
                        session, what + " CSR -> BSR",
                        [&](bsblasHandle_t h, size_t* size) {
                            return bsblasCsrToBsr_bufferSize(h, s.descriptor(), a2.descriptor(), size);
                        },
                        [&](bsblasHandle_t h, void* buffer, size_t size) {
                            return bsblasCsrToBsr(h, s.descriptor(), a2.descriptor(), nullptr, buffer, size);
                        }) &&
                    with_workspace(
                        session, what + " BSR -> dense",
                        [&](bsblasHandle_t h, size_t* size) {
                            return bsblasBsrToDense_bufferSize(h, a2.descriptor(), d2->descriptor(), size);
                        },
                        [&](bsblasHandle_t h, void* buffer, size_t size) {
                            return bsblasBsrToDense(h, a2.descriptor(), d2->descriptor(), buffer, size);
                        });
                if (!done) return;
                for (SparseMatrix* m : {&a, &s, &a2}) {
                    std::string wrong = m->download("output", Written::all);
                    if (wrong.empty()) wrong = m->adopt_pattern(0);  // which takes the base off
                    session.expect(wrong.empty(), what + ": " + wrong);
                }
                const std::string wrong = d2->download("D", true);
                session.expect(wrong.empty(), what + ": " + wrong);
                expect_elements(session, what, d2->after(0), numbers);
            }
    session.problems(
        "pairwise bsr2dense m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,32 type=f32,f64,c32,c64,f16,bf16 "
        "base=0,1 "
        "offsets=32,64 columns=32,64 order=row,col orderd=row,col ldd=+0,+1,+7 tail=0,3 sorted=0,1 duplicates=0,0.3 "
        "density=0.1,0.5 emptyrows=0,0.3 shift=0,1 pattern=uniform,empty,full,longrow\n"
        "pairwise bsr2dense batch=2,3 batcha=1 strided=+0,+5 m=40 k=33 block=4,8x3 type=f32,f64,bf16\n"
        "pairwise bsr2dense batch=2,3 strided=+0,+5 stridea=+0,+3 strideo=+0,+2 stridei=+0,+1 m=40 k=33 block=4,8x3 "
        "type=f32,f64,bf16\n"
        "pairwise bsr2csr m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,32 type=f32,f64,c32,c64,f16,bf16 base=0,1 "
        "base2=0,1 offsets=32,64 offsets2=32,64 columns=32,64 columns2=32,64 order=row,col tail=0,3 tail2=0,2,-1 "
        "sorted=0,1 "
        "duplicates=0,0.3 density=0.1,0.5 emptyrows=0,0.3 mode=host,device shift=0,1 "
        "pattern=uniform,empty,full,longrow");
}

// ---- 13: nothing is stored, and there are no arrays --------------------------------------------------------------

void null_arrays(Session& session) {
    for (bsblasDataType_t type : convertible)
        for (int64_t blocks : {0, 3}) {
            bsblasSpMatDescr_t a = nullptr, at = nullptr, s = nullptr;
            for (bsblasSpMatDescr_t* m : {&a, &at})
                require(bsblasCreateBsr(m, blocks, blocks, 0, 2, 2, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                                        BSBLAS_INDEX_64I, BSBLAS_INDEX_BASE_ONE, type, BSBLAS_ORDER_ROW));
            require(bsblasCreateCsr(&s, 2 * blocks, 2 * blocks, 0, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                                    BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, type));
            const auto d = make_dense(session, 2 * blocks, 2 * blocks, {}, type);
            const auto zero =
                make_dense(session, 2 * blocks, 2 * blocks, std::vector<Complex>(4 * blocks * blocks), type);
            const std::string what = std::string(name_of(type)) + ", " + std::to_string(blocks) + " block rows, ";
            using Size = size_t*;
            with_workspace(
                session, what + "transposition",
                [&](bsblasHandle_t h, Size size) { return bsblasBsrTranspose_bufferSize(h, BSBLAS_OP_T, a, at, size); },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasBsrTranspose(h, BSBLAS_OP_T, a, at, nullptr, buffer, size);
                });
            with_workspace(
                session, what + "sorting",
                [&](bsblasHandle_t h, Size size) { return bsblasBsrSort_bufferSize(h, a, size); },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasBsrSort(h, a, nullptr, buffer, size);
                });
            with_workspace(
                session, what + "analysis",
                [&](bsblasHandle_t h, Size size) { return bsblasBsrAnalyze_bufferSize(h, a, size); },
                [&](bsblasHandle_t h, void* buffer, size_t size) { return bsblasBsrAnalyze(h, a, buffer, size); });
            with_workspace(
                session, what + "dense -> BSR",
                [&](bsblasHandle_t h, Size size) {
                    return bsblasDenseToBsr_bufferSize(h, zero->descriptor(), a, size);
                },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasDenseToBsr(h, zero->descriptor(), a, nullptr, buffer, size);
                });
            with_workspace(
                session, what + "CSR -> BSR",
                [&](bsblasHandle_t h, Size size) { return bsblasCsrToBsr_bufferSize(h, s, a, size); },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasCsrToBsr(h, s, a, nullptr, buffer, size);
                });
            with_workspace(
                session, what + "BSR -> CSR",
                [&](bsblasHandle_t h, Size size) { return bsblasBsrToCsr_bufferSize(h, a, s, size); },
                [&](bsblasHandle_t h, void* buffer, size_t size) {
                    return bsblasBsrToCsr(h, a, s, nullptr, buffer, size);
                });
            if (with_workspace(
                    session, what + "BSR -> dense",
                    [&](bsblasHandle_t h, Size size) {
                        return bsblasBsrToDense_bufferSize(h, a, d->descriptor(), size);
                    },
                    [&](bsblasHandle_t h, void* buffer, size_t size) {
                        return bsblasBsrToDense(h, a, d->descriptor(), buffer, size);
                    })) {
                const std::string wrong = d->download("D", true);
                session.expect(wrong.empty(), what + wrong);
                expect_elements(session, what + "BSR -> dense", d->after(0), [](int64_t, int64_t) { return 0; });
            }
            for (bsblasSpMatDescr_t m : {a, at, s}) bsblasDestroySpMat(m);
        }
}

// ---- Transposition and sorting: the neighbours of 4, 8 and 10 ----------------------------------------------------

void transposition(Session& session) {
    session.problems(
        "pairwise transpose m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,4x8,32 opa=t,h base=0,1 base2=0,1 "
        "offsets=32,64 "
        "offsets2=32,64 columns=32,64 columns2=32,64 order=row,col order2=row,col tail=0,3 tail2=0,2 sorted=0,1 "
        "duplicates=0,0.3 density=0.1,0.5 emptyrows=0,0.3 emptycols=0,0.3 map=0,1 shift=0,1 "
        "type=f32,f64,c32,c64,f16,bf16,e4m3,e5m2,i8,i32 pattern=uniform,empty,full,longrow,zipf\n"
        "pairwise refresh m=1,10,64,100 k=1,10,65,90 block=1,2,3,5,8,16,8x4,4x8,32 opa=t,h base=0,1 base2=0,1 "
        "offsets=32,64 "
        "offsets2=32,64 columns=32,64 columns2=32,64 order=row,col order2=row,col tail=0,3 tail2=0,2 sorted=0,1 "
        "duplicates=0,0.3 density=0.1,0.5 shift=0,1 type=f32,f64,c32,c64,f16,bf16,e4m3,e5m2,i8,i32\n"
        "pairwise transpose batch=2,3 stridea=+0,+5 strideo=+0,+2 stridei=+0,+1 stride2=+0,+3 map=0,1 m=40 k=33 "
        "block=4,8x3 "
        "type=f32,c64,bf16 tail=0,1\n"
        "pairwise transpose batch=3 batcha=1 stride2=+0,+3 map=0,1 m=40 k=33 block=4,8x3 type=f32,bf16\n"
        "pairwise refresh batch=2,3 stridea=+0,+5 stride2=+0,+3 strideo=0 stridei=0 m=40 k=33 block=4,8x3 "
        "type=f32,bf16\n"
        "spmm m=64 k=64 n=8 block=16 opa=t analysis=1 pattern=zipf duplicates=0.3 sorted=0\n"
        "pairwise analyze m=64,100 k=65,90 block=1,8,16,8x4 base=0,1 offsets=32,64 columns=32,64 sorted=0,1 "
        "duplicates=0,0.3 tail=0,2 emptyrows=0,0.3 shift=0,1 batch=1,2");
}

void sorting(Session& session) {
    session.problems(
        "pairwise sort m=1,10,64,100 k=1,10,65,200 block=1,2,3,5,8,16,8x4,32 base=0,1 offsets=32,64 columns=32,64 "
        "order=row,col "
        "tail=0,3 sorted=0,1 duplicates=0,0.3,1 density=0.1,0.5,1 emptyrows=0,0.3 map=0,1 shift=0,1 "
        "type=f32,f64,c32,c64,f16,bf16,e4m3,e5m2,i8,i32 pattern=uniform,empty,full,longrow,zipf\n"
        "pairwise sort batch=2,3 stridea=+0,+5 strideo=+0,+2 stridei=+0,+1 map=0,1 sorted=0 m=40 k=33 block=4,8x3 "
        "type=f32,c64,bf16 tail=0,1\n"
        "sort m=4 k=5000 block=1 sorted=0 pattern=full,longrow type=f32,bf16");
}

// ---- 12: malformed patterns --------------------------------------------------------------------------------------

struct Malformed {
    const char* name;
    std::vector<int64_t> offsets, columns;  // base removed
    bsblasDefect_t defect;
    int64_t row, slot;
    bool wide_only = false;  // numbers that 32 bits do not hold
};

// 3 x 4 blocks, capacity 6. Sound: offsets 0 2 4 5, columns 0 3 1 2 0, and anything in the last slot.
const std::vector<Malformed>& malformed() {
    static const std::vector<int64_t> columns = {0, 3, 1, 2, 0, 77};
    static const std::vector<Malformed> all = {
        {"sound, whatever the slot behind the live ones says", {0, 2, 4, 5}, columns, BSBLAS_DEFECT_NONE, -1, -1},
        {"sound, with empty rows", {0, 0, 0, 0}, columns, BSBLAS_DEFECT_NONE, -1, -1},
        {"first offset too large", {1, 2, 4, 5}, columns, BSBLAS_DEFECT_FIRST_OFFSET, 0, -1},
        {"first offset too small", {-1, 2, 4, 5}, columns, BSBLAS_DEFECT_FIRST_OFFSET, 0, -1},
        {"offsets decrease", {0, 3, 2, 5}, columns, BSBLAS_DEFECT_OFFSETS_DECREASE, 1, -1},
        {"offsets become negative", {0, -1, 4, 5}, columns, BSBLAS_DEFECT_OFFSETS_DECREASE, 0, -1},
        {"last offset decreases", {0, 2, 4, 3}, columns, BSBLAS_DEFECT_OFFSETS_DECREASE, 2, -1},
        {"last offset above the capacity", {0, 2, 4, 7}, columns, BSBLAS_DEFECT_ABOVE_CAPACITY, 2, -1},
        {"an early offset above the capacity", {0, 9, 4, 5}, columns, BSBLAS_DEFECT_ABOVE_CAPACITY, 0, -1},
        {"an offset far above", {0, 2, INT32_MAX - 1, 5}, columns, BSBLAS_DEFECT_ABOVE_CAPACITY, 1, -1},
        {"an offset beyond 32 bits", {0, 2, INT64_MAX - 1, 5}, columns, BSBLAS_DEFECT_ABOVE_CAPACITY, 1, -1, true},
        {"an offset far below", {0, 2, INT64_MIN + 1, 5}, columns, BSBLAS_DEFECT_OFFSETS_DECREASE, 1, -1, true},
        {"column below 0", {0, 2, 4, 5}, {0, -1, 1, 2, 0, 77}, BSBLAS_DEFECT_COLUMN, 0, 1},
        {"column at the count", {0, 2, 4, 5}, {0, 3, 1, 2, 4, 77}, BSBLAS_DEFECT_COLUMN, 2, 4},
        {"column far above", {0, 2, 4, 5}, {0, 3, INT32_MAX - 1, 2, 0, 77}, BSBLAS_DEFECT_COLUMN, 1, 2},
        {"column beyond 32 bits", {0, 2, 4, 5}, {0, 3, 1, int64_t{1} << 32, 0, 77}, BSBLAS_DEFECT_COLUMN, 1, 3, true},
        {"two bad columns: the first", {0, 2, 4, 5}, {0, 3, -5, 2, 9, 77}, BSBLAS_DEFECT_COLUMN, 1, 2},
        {"two bad offsets: the first", {0, 3, 2, 9}, columns, BSBLAS_DEFECT_OFFSETS_DECREASE, 1, -1},
        {"a bad column before a bad offset: offsets first",
         {0, 2, 4, 7},
         {-1, 3, 1, 2, 0, 77},
         BSBLAS_DEFECT_ABOVE_CAPACITY,
         2,
         -1},
    };
    return all;
}

void expect_defect(Session& session, const Malformed& m, const std::string& what, bsblasConstSpMatDescr_t a) {
    const Handle handle(session);
    Workspace workspace;
    require(workspace.make(session.memory(), false,
                           [&](size_t* size) { return bsblasBsrValidate_bufferSize(handle, a, size); }));
    bsblasDefect_t defect = BSBLAS_DEFECT_MAX;
    int64_t row = -2, slot = -2;
    const bsblasStatus_t expected =
        m.defect == BSBLAS_DEFECT_NONE ? BSBLAS_STATUS_SUCCESS : BSBLAS_STATUS_INVALID_PATTERN;
    const bsblasStatus_t status =
        bsblasBsrValidate(handle, a, &defect, &row, &slot, workspace.data(), workspace.size());
    session.expect(status == expected && defect == m.defect && row == m.row && slot == m.slot,
                   what + ": found " + bsblasGetStatusName(status) + ", defect " + std::to_string(defect) + ", row " +
                       std::to_string(row) + ", slot " + std::to_string(slot));
    session.expect(
        bsblasBsrValidate(handle, a, nullptr, nullptr, nullptr, workspace.data(), workspace.size()) == expected,
        what + ": without outputs");
    if (m.defect == BSBLAS_DEFECT_NONE) return;
    const std::string sentence = bsblasGetLastErrorMessage();
    const std::string place = m.defect == BSBLAS_DEFECT_COLUMN ? "colIndices[" + std::to_string(m.slot) + "]"
                              : m.defect == BSBLAS_DEFECT_FIRST_OFFSET
                                  ? "rowOffsets[0]"
                                  : "rowOffsets[" + std::to_string(m.row + 1) + "]";
    session.expect(sentence.find(place) != std::string::npos, what + ": \"" + sentence + "\" does not name " + place);
    const std::string damage = workspace.damage();
    session.expect(damage.empty(), what + ": " + damage);
}

void malformed_patterns(Session& session) {
    for (int64_t base : {0, 1})
        for (bsblasIndexType_t offsets : {BSBLAS_INDEX_32I, BSBLAS_INDEX_64I})
            for (bsblasIndexType_t columns : {BSBLAS_INDEX_32I, BSBLAS_INDEX_64I})
                for (const Malformed& m : malformed()) {
                    if (m.wide_only && (offsets == BSBLAS_INDEX_32I || columns == BSBLAS_INDEX_32I)) continue;
                    const std::string what = std::string(m.name) + ", base " + std::to_string(base);
                    SparseMatrix a(session.memory(), {6, 12, 2, 3, BSBLAS_R_32F},
                                   sparse_layout(base, BSBLAS_ORDER_ROW, offsets, columns), 6, false);
                    a.set_pattern(0, {3, 4, m.offsets, m.columns});
                    a.upload();
                    expect_defect(session, m, what, a.descriptor());
                    const std::string damage = a.download("A", Written::nothing);
                    session.expect(damage.empty(), what + ": " + damage);

                    SparseMatrix s(session.memory(), {3, 4, 1, 1, BSBLAS_R_32F, BSBLAS_FORMAT_CSR},
                                   sparse_layout(base, BSBLAS_ORDER_ROW, offsets, columns), 6, false);
                    s.set_pattern(0, {3, 4, m.offsets, m.columns});
                    s.upload();
                    expect_defect(session, m, what + ", CSR", s.descriptor());

                    // The second of three matrices: the one that is reported.
                    SparseLayout layout = sparse_layout(base, BSBLAS_ORDER_ROW, offsets, columns);
                    layout.batch = 3;
                    SparseMatrix batch(session.memory(), {6, 12, 2, 3, BSBLAS_R_32F}, layout, 6, false);
                    const BlockPattern sound{3, 4, {0, 2, 4, 5}, {0, 3, 1, 2, 0}};
                    batch.set_pattern(0, sound);
                    batch.set_pattern(1, {3, 4, m.offsets, m.columns});
                    batch.set_pattern(2, sound);
                    batch.upload();
                    expect_defect(session, m, what + ", in a batch", batch.descriptor());
                }

    // Base 0 where base 1 was said, and the other way round.
    const BlockPattern sound{3, 4, {0, 2, 4, 5}, {0, 3, 1, 2, 0}};
    for (int64_t base : {0, 1}) {
        SparseMatrix a(session.memory(), {6, 12, 2, 3, BSBLAS_R_32F}, sparse_layout(base), 6, false);
        a.set_pattern(0, sound);
        a.upload();
        bsblasConstSpMatDescr_t mixed = nullptr;
        require(bsblasCreateConstBsr(&mixed, 3, 4, 6, 2, 3, a.offsets.data(), a.columns.data(), a.values.data(),
                                     BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, static_cast<bsblasIndexBase_t>(1 - base),
                                     BSBLAS_R_32F, BSBLAS_ORDER_ROW));
        expect_defect(session, {"", {}, {}, BSBLAS_DEFECT_FIRST_OFFSET, 0, -1}, "base mixed up", mixed);
        bsblasDestroySpMat(mixed);
    }
    session.problems(
        "pairwise validate m=1,0,100,5000 k=1,0,64,100 block=1,3,16 base=0,1 offsets=32,64 columns=32,64 tail=0,3 "
        "sorted=0,1 "
        "duplicates=0,0.5 pattern=uniform,empty,full,longrow density=0.1 batch=1,2 shift=0,1");
}

void sizes_that_no_matrix_has(Session& session) {
    const auto refused = [&](int64_t block_rows, int64_t block_cols, int64_t blocks, int64_t bm, int64_t bk,
                             const char* argument) {
        bsblasSpMatDescr_t a = reinterpret_cast<bsblasSpMatDescr_t>(8);
        const bsblasStatus_t status =
            bsblasCreateBsr(&a, block_rows, block_cols, blocks, bm, bk, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                            BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW);
        expect_refusal(session, status, BSBLAS_STATUS_INVALID_VALUE, argument);
        session.expect(a == nullptr, "A must be NULL after a failure");
    };
    refused(3, 4, 5, 0, 2, "rowBlockSize is 0");
    refused(3, 4, 5, 2, 0, "colBlockSize is 0");
    refused(3, 4, 5, -1, 2, "rowBlockSize is -1");
    refused(3, 4, 5, 2, -7, "colBlockSize is -7");
    refused(-1, 4, 5, 2, 2, "blockRows is -1");
    refused(3, -4, 5, 2, 2, "blockCols is -4");
    refused(3, 4, -5, 2, 2, "nnzBlocks is -5");
    refused(INT64_MAX / 2, 4, 5, 3, 2, "blockRows is");
    refused(3, INT64_MAX / 2, 5, 2, 3, "blockCols is");
    refused(3, 4, INT64_MAX / 8, 4, 4, "nnzBlocks is");
}

}  // namespace

std::vector<Case> pattern_cases() {
    return {
        {"case_02_csr_to_bsr_by_hand", csr_to_bsr_by_hand},
        {"case_05_dense_to_bsr_random_masks", dense_to_bsr_random_masks},
        {"case_08_conversions_chained", conversions_chained},
        {"case_12_malformed_patterns", malformed_patterns},
        {"case_12_sizes_that_no_matrix_has", sizes_that_no_matrix_has},
        {"case_13_null_arrays_of_patterns", null_arrays},
        {"transposition", transposition},
        {"sorting", sorting},
    };
}

}  // namespace bsblas::test
