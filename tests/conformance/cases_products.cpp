// Cases of SpMM and SDDMM.
#include <cmath>
#include <cstdlib>

#include "case_tools.h"
#include "kernels.h"

namespace bsblas::test {
namespace {

constexpr bsblasSide_t left = BSBLAS_SIDE_LEFT, right = BSBLAS_SIDE_RIGHT;
constexpr bsblasOperation_t N = BSBLAS_OP_N, T = BSBLAS_OP_T, H = BSBLAS_OP_H;
constexpr bsblasOrder_t orders[] = {BSBLAS_ORDER_ROW, BSBLAS_ORDER_COL};
constexpr bsblasDataType_t float_types[] = {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_C_32F,
                                            BSBLAS_C_64F, BSBLAS_R_16F, BSBLAS_R_16BF};

DenseLayout dense_layout(bsblasOrder_t order, int64_t gap = 0) {
    DenseLayout layout;
    layout.order = order;
    layout.ld = {true, gap};
    layout.batch = 1;
    return layout;
}

Blocks full_blocks(int64_t rows, int64_t cols, int64_t b, Complex value) {
    Blocks blocks{rows, cols, b, b, {0}, {}, {}};
    for (int64_t i = 0; i < rows / b; ++i) {
        for (int64_t j = 0; j < cols / b; ++j) blocks.columns.push_back(j);
        blocks.offsets.push_back(static_cast<int64_t>(blocks.columns.size()));
    }
    blocks.values.assign(static_cast<size_t>(rows * cols), value);
    return blocks;
}

// ---- 1: sums that are exact in f32 and in no shorter format ------------------------------------------------------

void exact_sums(Session& session, int64_t block, bsblasDataType_t type, bool tolerate_refusal) {
    constexpr int64_t n = 256;
    const auto ones = make_sparse(session, full_blocks(n, n, block, 1), type);
    std::vector<Complex> numbers(n * n);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 65536;
    for (bsblasOperation_t opa : {N, T})
        for (bsblasOrder_t order : orders) {
            const auto b = make_dense(session, n, n, numbers, type, dense_layout(order));
            const auto c = make_dense(session, n, n, {}, type, dense_layout(order));
            try {
                if (!multiply(session, left, opa, N, *ones, *b, *c)) return;
            } catch (const std::runtime_error&) {  // a forced kernel that does not take this
                if (tolerate_refusal) continue;
                throw;
            }
            expect_elements(session,
                            "b=" + std::to_string(block) + ", opa=" + name_of(opa) + ", order " + name_of(order) +
                                (std::getenv("BSBLAS_KERNEL") ? std::string(", ") + std::getenv("BSBLAS_KERNEL") : ""),
                            c->after(0), [](int64_t, int64_t j) { return 127.5 + static_cast<double>(j) / 256; });
        }
}

void exact_f32_sums(Session& session) {
    for (int64_t block : {8, 16, 32, 64, 128}) exact_sums(session, block, BSBLAS_R_32F, false);
    exact_sums(session, 16, BSBLAS_R_64F, false);
    for (const std::string& name : kernel_names(session, Op::spmm)) {
        const ForcedKernel forced(name);
        for (int64_t block : {16, 64}) exact_sums(session, block, BSBLAS_R_32F, true);
    }
    // The gradient's sums: X and Y as above, sampled everywhere.
    constexpr int64_t n = 256;
    std::vector<Complex> ones(n * n, 1), numbers(n * n);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 65536;
    const auto x = make_dense(session, n, n, ones, BSBLAS_R_32F);
    const auto y = make_dense(session, n, n, numbers, BSBLAS_R_32F);
    const auto a = make_sparse(session, full_blocks(n, n, 16, 0), BSBLAS_R_32F);
    if (!sample(session, N, N, *x, *y, *a)) return;
    const SparseOperand result = a->after(0);
    for (int64_t slot = 0; slot < result.pattern->blocks(); ++slot)
        for (int64_t r = 0; r < 16; ++r)
            for (int64_t c = 0; c < 16; ++c) {
                const double expected = 127.5 + static_cast<double>(slot % 16 * 16 + c) / 256;
                if (result.at(slot, r, c) != expected) {
                    session.expect(false, "SDDMM: slot " + std::to_string(slot) + " is not exact");
                    return;
                }
            }
}

// TF32 when asked for on the handle, and not otherwise: a number of 12 bits tells.
void tf32_only_when_asked(Session& session) {
    const auto a = make_sparse(session, full_blocks(16, 16, 16, 1 + 0x1p-11), BSBLAS_R_32F);
    const auto b = make_dense(session, 16, 16, std::vector<Complex>(256, 1), BSBLAS_R_32F);
    const auto c = make_dense(session, 16, 16, {}, BSBLAS_R_32F);
    const double exact = 16 * (1 + 0x1p-11);
    if (multiply(session, left, N, N, *a, *b, *c))
        expect_elements(session, "default math mode", c->after(0), [&](int64_t, int64_t) { return exact; });

    const Handle handle(session);
    require(bsblasSetMathMode(handle, BSBLAS_MATH_TF32));
    Workspace workspace;
    require(workspace.make(session.memory(), false, [&](size_t* size) {
        return bsblasSpMM_bufferSize(handle, left, N, N, a->descriptor(), b->descriptor(), c->descriptor(), nullptr,
                                     size);
    }));
    const float one = 1, zero = 0;
    session.call("SpMM in math mode TF32", [&] {
        return bsblasSpMM(handle, left, N, N, &one, a->descriptor(), b->descriptor(), &zero, c->descriptor(), nullptr,
                          workspace.data(), workspace.size());
    });
    c->download("C", true);
    const double got = c->after(0).at(3, 5).real();
    session.expect(std::fabs(got - exact) <= exact * 0x1p-9, "math mode TF32 errs by " + std::to_string(got - exact));
    session.problems(
        "pairwise spmm compute=tf32 side=left,right opa=n,t opb=n,t block=1,7,8,16,32,64 orderb=row,col orderc=row,col "
        "order=row,col m=100 n=70 k=130 density=0.5\n"
        "pairwise sddmm compute=tf32 opx=n,t opy=n,t block=1,7,8,16,32,64 orderx=row,col ordery=row,col order=row,col "
        "m=100 n=70 k=130 density=0.5");
}

// ---- 3: one tiny block and a padded, transposed B ----------------------------------------------------------------

void tiny_transposed_padded(Session& session) {
    for (bsblasDataType_t type : float_types) {
        const auto a = make_sparse(session, {2, 2, 2, 2, {0, 1}, {0}, {1, 1, 1, 1}}, type);
        // op(B) = T and ld 2: B is 1 x 2 in column-major order with one poisoned element a column.
        const auto b = make_dense(session, 1, 2, {1, 1}, type, dense_layout(BSBLAS_ORDER_COL, 1));
        const auto c = make_dense(session, 2, 1, {}, type, dense_layout(BSBLAS_ORDER_COL));
        if (multiply(session, left, N, T, *a, *b, *c)) expect_elements(session, name_of(type), c->after(0), {2, 2});
    }
    session.problems(
        "pairwise spmm side=left,right opa=n,t,h opb=n,t,h orderb=row,col orderc=row,col order=row,col "
        "ldb=+0,+1,+7 ldc=+0,+1,+7 n=1,2,33 m=1,2,30 k=2,31 block=1,2,3,16 density=1 type=f32,f64,c64,bf16\n"
        "pairwise sddmm opx=n,t,h opy=n,t,h orderx=row,col ordery=row,col order=row,col ldx=+0,+1,+7 ldy=+0,+1,+7 "
        "n=1,2,33 m=1,2,30 k=1,2,31 block=1,2,3,16 density=1 type=f32,f64,c64,bf16");
}

// ---- 4: gradients ------------------------------------------------------------------------------------------------

double inner_product(const DenseOperand& x, const DenseOperand& y) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t j = 0; j < x.cols; ++j) sum += x.at(i, j).real() * y.at(i, j).real();
    return sum;
}

void gradient_identities(Session& session) {
    constexpr int64_t rows = 1024, cols = 768, n = 24;
    for (const char* kind : {"full", "uniform"})
        for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_R_64F}) {
            PatternSpec spec =
                parse(std::string("spmm density=0.5 emptyrows=0.1 emptycols=0.1 pattern=") + kind).pattern;
            SparseLayout layout;
            layout.batch = 1;
            const BlockPattern pattern = make_pattern(spec, rows / 64, cols / 64);
            Random random(4);
            SparseMatrix s(session.memory(), {rows, cols, 64, 64, type}, layout, pattern.blocks(), false);
            SparseMatrix g(session.memory(), {rows, cols, 64, 64, type}, layout, pattern.blocks(), false);
            s.set_pattern(0, pattern);
            g.set_pattern(0, pattern);
            s.fill(random);
            s.upload();
            g.upload();
            DenseMatrix x(session.memory(), cols, n, type, dense_layout(BSBLAS_ORDER_ROW), false);
            DenseMatrix y(session.memory(), rows, n, type, dense_layout(BSBLAS_ORDER_ROW), false);
            x.fill(random);
            y.fill(random);
            x.upload();
            y.upload();
            DenseMatrix sx(session.memory(), rows, n, type, dense_layout(BSBLAS_ORDER_ROW), false);
            DenseMatrix sty(session.memory(), cols, n, type, dense_layout(BSBLAS_ORDER_ROW), false);
            sx.upload();
            sty.upload();
            if (!multiply(session, left, N, N, s, x, sx) || !multiply(session, left, T, N, s, y, sty) ||
                !sample(session, N, T, y, x, g))
                return;
            const double forward = inner_product(sx.after(0), y.before(0));
            const double backward = inner_product(x.before(0), sty.after(0));
            double sampled = 0, scale = 0;
            for (int64_t slot = 0; slot < pattern.blocks(); ++slot)
                for (int64_t r = 0; r < 64; ++r)
                    for (int64_t c = 0; c < 64; ++c) {
                        const double product = s.before(0).at(slot, r, c).real() * g.after(0).at(slot, r, c).real();
                        sampled += product;
                        scale += std::fabs(product);
                    }
            const double bound = scale * limits(type).unit_roundoff * 64;
            const std::string what = std::string(kind) + " " + name_of(type) + ": <SX,Y> " + std::to_string(forward) +
                                     ", <X,S'Y> " + std::to_string(backward) + ", <S,SDDMM> " + std::to_string(sampled);
            session.expect(std::fabs(forward - backward) <= bound && std::fabs(forward - sampled) <= bound, what);
        }
    session.problems(
        "spmm m=1024 k=768 n=24 block=64 opa=n pattern=full,uniform density=0.5 emptyrows=0.1 emptycols=0.1\n"
        "spmm m=768 k=1024 n=24 block=64 opa=t pattern=full,uniform density=0.5 emptyrows=0.1 emptycols=0.1\n"
        "sddmm m=1024 n=768 k=24 block=64 opy=t pattern=full,uniform density=0.5 emptyrows=0.1 emptycols=0.1");
}

// Runs a problem `times` times and compares the bits.
void expect_same_bits(Session& session, const std::string& line, int times) {
    const Problem p = parse(line);
    const auto call = make_call(p, session.memory(), {session.graph()});
    call->fill(1);
    require(call->prepare());
    std::function<void()> again;
    bsblasStatus_t status = BSBLAS_STATUS_SUCCESS;
    const auto run = [&] { status = call->run(); };
    again = session.graph() ? session.memory().capture(run) : run;
    std::vector<Bytes> first;
    for (int time = 0; time < times; ++time) {
        again();
        require(status);
        call->download();
        if (time == 0) {
            first = call->bits();
            session.expect(call->verify().empty(), line);
        } else if (call->bits() != first) {
            session.expect(false, line + " # not the same bits in run " + std::to_string(time + 1));
            return;
        }
    }
}

void gradients_repeat(Session& session) {
    for (const char* line : {"spmm m=1024 k=768 n=24 block=64 density=0.5 emptyrows=0.1",
                             "spmm m=768 k=1024 n=24 block=64 opa=t density=0.5 emptyrows=0.1",
                             "sddmm m=1024 n=768 k=24 block=64 opy=t density=0.5 emptyrows=0.1"})
        expect_same_bits(session, line, 100);
}

// ---- 5, 6, 7 -----------------------------------------------------------------------------------------------------

void sddmm_random_masks(Session& session) {
    session.problems(
        "sddmm m=1024 n=1024 k=40 block=16 pattern=bernoulli density=0.02,0.2,0.7 seed=1,2\n"
        "sddmm m=1000 n=990 k=33 block=16 pattern=bernoulli density=0.1 opx=t opy=t order=col base=1 type=f64,bf16");
}

void imaginary_unit(Session& session) {
    const Complex i(0, 1);
    for (bsblasDataType_t type : float_types) {
        const bool complex = is_complex(type);
        const auto a = make_sparse(session, {1, 1, 1, 1, {0, 1}, {0}, {complex ? i : Complex(3)}}, type);
        const auto b = make_dense(session, 1, 1, {1}, type);
        for (bsblasSide_t side : {left, right})
            for (bsblasOperation_t op : {N, T, H}) {
                const auto c = make_dense(session, 1, 1, {}, type);
                if (!multiply(session, side, op, N, *a, *b, *c)) return;
                const Complex expected = !complex ? Complex(3) : op == H ? -i : i;
                expect_elements(session, std::string(name_of(type)) + " opa=" + name_of(op), c->after(0), {expected});
            }
        // The same in B and, for the gradient, in X and Y.
        const auto one = make_sparse(session, {1, 1, 1, 1, {0, 1}, {0}, {1}}, type);
        const auto unit = make_dense(session, 1, 1, {complex ? i : Complex(3)}, type);
        for (bsblasOperation_t op : {N, T, H}) {
            const Complex expected = !complex ? Complex(3) : op == H ? -i : i;
            const auto c = make_dense(session, 1, 1, {}, type);
            if (multiply(session, left, N, op, *one, *unit, *c))
                expect_elements(session, std::string(name_of(type)) + " opb=" + name_of(op), c->after(0), {expected});
            for (const bool first : {true, false}) {
                const auto result = make_sparse(session, {1, 1, 1, 1, {0, 1}, {0}, {0}}, type);
                if (!sample(session, first ? op : N, first ? N : op, first ? *unit : *b, first ? *b : *unit, *result))
                    return;
                session.expect(result->after(0).at(0, 0, 0) == expected,
                               std::string(name_of(type)) + (first ? " opx=" : " opy=") + name_of(op));
            }
        }
    }
}

void element_counts_for_block_counts(Session& session) {
    const std::vector<Complex> values = {1, 1, 1, 1, 2, 2, 2, 2};
    for (bsblasDataType_t type : float_types) {
        const auto a = make_sparse(session, {4, 4, 2, 2, {0, 1, 2}, {0, 1}, values}, type);
        const auto b = make_dense(session, 4, 2, std::vector<Complex>(8, 1), type);
        const auto c = make_dense(session, 4, 2, {}, type);
        if (multiply(session, left, N, N, *a, *b, *c))
            expect_elements(session, name_of(type), c->after(0), {2, 2, 2, 2, 4, 4, 4, 4});

        // 4 x 4 meant as elements is 8 x 8: it does not fit B and C, and the sentence says which size it took.
        bsblasSpMatDescr_t wrong = nullptr;
        require(bsblasCreateBsr(&wrong, 4, 4, 2, 2, 2, a->offsets.data(), a->columns.data(), a->values.data(),
                                BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, type, BSBLAS_ORDER_ROW));
        const Handle handle(session);
        const double one[2] = {1, 0}, zero[2] = {0, 0};
        c->fill_poison();
        c->upload();
        const bsblasStatus_t status =
            bsblasSpMM(handle, left, N, N, one, wrong, b->descriptor(), zero, c->descriptor(), nullptr, nullptr, 0);
        expect_refusal(session, status, BSBLAS_STATUS_INVALID_VALUE, "8 x 8 (4 x 4 blocks of 2 x 2)");
        size_t size = 0;
        expect_refusal(
            session, bsblasSpMM_bufferSize(handle, left, N, N, wrong, b->descriptor(), c->descriptor(), nullptr, &size),
            BSBLAS_STATUS_INVALID_VALUE, "8 x 8 (4 x 4 blocks of 2 x 2)");
        const std::string damage = c->download("C", false);
        session.expect(damage.empty(), damage);
        bsblasDestroySpMat(wrong);
    }
}

// ---- 9, 10, 11 ---------------------------------------------------------------------------------------------------

void every_matrix_of_a_batch(Session& session) {
    session.problems(
        "pairwise spmm batch=2,3 stridea=+0,+5 strideb=+0,+3 stridec=+0,+7 strideo=+0,+1 stridei=+0,+2 opa=n,t,h "
        "side=left,right opb=n,t orderb=row,col orderc=row,col base=0,1 block=2,8,16x8,32 type=f32,f64,c32,bf16 m=40 "
        "n=17 "
        "k=50 density=0.4 beta=0,1 tail=0,1 analysis=0,1\n"
        "pairwise spmm batch=3 stridea=+0,+5,0 strideo=0 stridei=0 opa=n,t,h side=left,right block=2,16,32 "
        "type=f32,f64,bf16 "
        "m=40 n=17 k=50 density=0.4 analysis=0,1\n"
        "pairwise spmm batch=3 batcha=1 strideb=+0,+3,0 opa=n,t side=left,right block=2,16,32 type=f32,f64,bf16 m=40 "
        "n=17 "
        "k=50 density=0.4 beta=0,1 analysis=0,1\n"
        "pairwise spmm batch=3 batchb=1 stridea=+0,+3 opa=n,t side=left,right block=2,16,32 type=f32,f64,bf16 m=40 "
        "n=17 k=50 "
        "density=0.4 beta=0,1\n"
        "spmm batch=70000 m=2 n=1 k=2 block=2 density=1 batcha=1\n"
        "pairwise sddmm batch=2,3 stridea=+0,+5 stridex=+0,+3,0 stridey=+0,+7,0 strideo=+0,+1 stridei=+0,+2 opx=n,t "
        "opy=n,t,h "
        "orderx=row,col ordery=row,col base=0,1 block=2,8,16x8,32 type=f32,f64,c32,bf16 m=40 n=50 k=17 density=0.4 "
        "beta=0,1 tail=0,1\n"
        "pairwise sddmm batch=3 strideo=0 stridei=0 batchx=1 batchy=1 block=2,16 type=f32,f64,bf16 m=40 n=50 k=17 "
        "density=0.4 opx=n,t");

    // The second matrix is twice the first, and so is its product.
    const auto expect_doubled = [&](const char* what, const DenseOperand& first, const DenseOperand& second) {
        expect_elements(session, what, second, [&](int64_t i, int64_t j) { return 2.0 * first.at(i, j); });
    };
    SparseLayout layout;
    layout.batch = 2;
    layout.values_stride = {true, 5};
    const BlockPattern pattern = make_pattern({}, 8, 8);
    SparseMatrix a(session.memory(), {32, 32, 4, 4, BSBLAS_R_32F}, layout, pattern.blocks(), false);
    a.set_pattern(0, pattern);
    a.set_pattern(1, pattern);
    Random random(9);
    a.fill([&](int64_t matrix, int64_t slot, int64_t r, int64_t c) {
        return static_cast<double>(matrix + 1) *
               (static_cast<double>(slot % 7) - 3 + static_cast<double>(r * 4 + c) / 16);
    });
    a.upload();
    DenseLayout dense = dense_layout(BSBLAS_ORDER_ROW);
    dense.batch = 2;
    dense.stride = {true, 3};
    DenseMatrix b(session.memory(), 32, 5, BSBLAS_R_32F, dense_layout(BSBLAS_ORDER_ROW), false);
    b.fill(random);
    b.upload();
    DenseMatrix c(session.memory(), 32, 5, BSBLAS_R_32F, dense, false);
    c.upload();
    if (multiply(session, left, N, N, a, b, c)) expect_doubled("SpMM, second of a batch", c.after(0), c.after(1));

    // A batch of one serves a larger one even if it was given strides, which lead nowhere.
    SparseLayout alone;
    alone.batch = 1;
    SparseMatrix single(session.memory(), {32, 32, 4, 4, BSBLAS_R_32F}, alone, pattern.blocks(), false);
    single.set_pattern(0, pattern);
    single.fill(random);
    single.upload();
    require(bsblasBsrSetStridedBatch(single.descriptor(), 1, 1 << 20, 1 << 20, 1 << 20));
    for (bsblasOperation_t op : {N, T})
        if (multiply(session, left, op, N, single, b, c))
            expect_elements(session, "SpMM, a batch of one with strides", c.after(1),
                            [&](int64_t i, int64_t j) { return c.after(0).at(i, j); });
}

void capacity_beyond_the_live_blocks(Session& session) {
    session.problems(
        "pairwise spmm m=64 k=48 n=20 block=16,8,32x16 blocks=4 tail=2,7 side=left,right opa=n,t analysis=0,1 "
        "type=f32,f64,bf16,f16,c64 base=0,1 offsets=32,64 columns=32,64 order=row,col\n"
        "pairwise sddmm m=64 n=48 k=20 block=16,8,32x16 blocks=4 tail=2,7 opx=n,t type=f32,f64,bf16,f16,c64 base=0,1 "
        "offsets=32,64 columns=32,64 order=row,col beta=0,1\n"
        "pairwise spmm m=64 k=48 n=20 block=16 pattern=empty tail=6 opa=n,t analysis=0,1 beta=0,1 type=f32,bf16");
}

void alpha_and_beta(Session& session) {
    for (bsblasDataType_t type : float_types)
        for (double alpha : {0.0, 1.0, -1.0, 0.5})
            for (double beta : {0.0, 1.0, -1.0, 0.5, 2.0}) {
                const std::string what =
                    std::string(name_of(type)) + " alpha " + std::to_string(alpha) + " beta " + std::to_string(beta);
                const auto a = make_sparse(session, full_blocks(16, 16, 16, 1), type);
                const auto b = make_dense(session, 16, 8, std::vector<Complex>(128, 1), type);
                const auto c = make_dense(session, 16, 8, std::vector<Complex>(128, 1), type);
                if (!multiply(session, left, N, N, *a, *b, *c, {alpha, beta})) return;
                expect_elements(session, what, c->after(0), [&](int64_t, int64_t) { return 16 * alpha + beta; });
                const auto x = make_dense(session, 16, 8, std::vector<Complex>(128, 1), type);
                const auto y = make_dense(session, 8, 16, std::vector<Complex>(128, 1), type);
                if (!sample(session, N, N, *x, *y, *a, {alpha, beta})) return;
                const SparseOperand result = a->after(0);
                session.expect(result.at(0, 3, 5) == 8 * alpha + beta, "SDDMM " + what);
            }
    session.problems(
        "pairwise spmm alpha=0,1,-1,0.5,0.1 beta=0,1,-1,0.5,2,0.3 mode=host,device block=1,7,16,32,64 m=65 n=33 k=70 "
        "side=left,right opa=n,t type=f32,f64,c32,c64,f16,bf16 density=0.5\n"
        "pairwise spmm alpha=0,1,0.5:0.25,0:1 beta=0,1,0.5:-2,0:-1 mode=host,device block=1,7,16 m=30 n=33 k=40 "
        "opa=n,t,h "
        "opb=n,t,h type=c32,c64 density=0.5\n"
        "pairwise spmm type=i8 out=i32 alpha=0,1,-1,3 beta=0,1,-1,2 mode=host,device block=1,8,16,32 m=64 n=33 k=70 "
        "opa=n,t\n"
        "pairwise sddmm alpha=0,1,-1,0.5,0.1 beta=0,1,-1,0.5,2,0.3 mode=host,device block=1,7,16,32,64 m=65 n=70 k=33 "
        "type=f32,f64,c32,c64,f16,bf16 density=0.5\n"
        "pairwise sddmm alpha=0,1,0.5:0.25,0:1 beta=0,1,0.5:-2,0:-1 mode=host,device block=1,7,16 m=30 n=33 k=40 "
        "opx=n,t,h "
        "opy=n,t,h type=c32,c64 density=0.5");
}

// Sums whose parts, alpha times, would overflow, while the whole is 0.
void alpha_after_the_sum(Session& session) {
    constexpr int64_t side = 32, n = 72, k = 8192;
    const auto half = [](int64_t at) { return at < k / 2 ? 0.0625 : -0.0625; };
    for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_R_64F, BSBLAS_R_16BF})
        for (int64_t block : {8, 32})
            for (double beta : {0.0, 1.0}) {
                const Factors factors{type == BSBLAS_R_64F ? 1e308 : 1e38, beta};
                const std::string what =
                    std::string(name_of(type)) + " b=" + std::to_string(block) + " beta " + std::to_string(beta);
                for (bsblasOperation_t opa : {N, T}) {
                    const bool transposed = opa == T;
                    Blocks blocks = full_blocks(transposed ? k : side, transposed ? side : k, block, 1);
                    for (size_t e = 0; e < blocks.values.size(); ++e) {
                        const auto entry = static_cast<int64_t>(e) / (block * block);
                        const int64_t column = blocks.columns[static_cast<size_t>(entry)] * block;
                        blocks.values[e] = half(transposed ? entry / (side / block) * block : column);
                    }
                    const auto a = make_sparse(session, blocks, type);
                    const auto b = make_dense(session, k, n, std::vector<Complex>(k * n, 1), type);
                    const auto c = make_dense(session, side, n, std::vector<Complex>(side * n, 1), type);
                    if (!multiply(session, left, opa, N, *a, *b, *c, factors)) return;
                    expect_elements(session, what, c->after(0), [&](int64_t, int64_t) { return beta; });
                }
                std::vector<Complex> halves(side * k);
                for (size_t e = 0; e < halves.size(); ++e) halves[e] = half(static_cast<int64_t>(e) % k);
                const auto x = make_dense(session, side, k, halves, type);
                const auto y = make_dense(session, k, side, std::vector<Complex>(k * side, 1), type);
                const auto a = make_sparse(session, full_blocks(side, side, block, 1), type);
                if (!sample(session, N, N, *x, *y, *a, factors)) return;
                session.expect(a->after(0).at(0, 3, 5) == beta, "SDDMM " + what);
            }
}

// ---- 13, 14 ------------------------------------------------------------------------------------------------------

void empty_problems(Session& session) {
    session.problems(
        "spmm m=0,3,32 n=0,5 k=0,32 block=1,16 beta=0,0.5 side=left,right opa=n,t analysis=0,1\n"
        "pairwise spmm m=0,32 n=0,5 k=0,32 block=16 beta=0,2 type=f64,c32,bf16,i8 opa=n,t opb=n,t mode=host,device\n"
        "spmm m=32 n=5 k=32 block=16 pattern=empty tail=0,3 beta=0,0.5 opa=n,t side=left,right analysis=0,1 "
        "type=f32,bf16,c64\n"
        "sddmm m=0,3,32 n=0,32 k=0,5 block=1,16 beta=0,0.5 opx=n,t\n"
        "sddmm m=32 n=32 k=0 block=16 beta=0,2 type=f32,f64,c32,bf16 pattern=full\n"
        "sddmm m=32 n=32 k=5 block=16 pattern=empty tail=0,3 beta=0,0.5");

    // nnzb = 0 with NULL arrays: C = beta C.
    for (bsblasDataType_t type : float_types)
        for (bsblasOperation_t op : {N, T}) {
            bsblasConstSpMatDescr_t a = nullptr;
            require(bsblasCreateConstBsr(&a, 2, 2, 0, 8, 8, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                                         BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ONE, type, BSBLAS_ORDER_ROW));
            const auto b = make_dense(session, 16, 3, std::vector<Complex>(48, 1), type);
            const auto c = make_dense(session, 16, 3, std::vector<Complex>(48, 2), type);
            const Handle handle(session);
            float half32[2] = {0.5f, 0}, one32[2] = {1, 0};
            double half64[2] = {0.5, 0}, one64[2] = {1, 0};
            const bool wide = type == BSBLAS_R_64F || type == BSBLAS_C_64F;
            const void* alpha = wide ? static_cast<void*>(one64) : one32;
            const void* beta = wide ? static_cast<void*>(half64) : half32;
            Workspace workspace;
            require(workspace.make(session.memory(), false, [&](size_t* size) {
                return bsblasSpMM_bufferSize(handle, left, op, N, a, b->descriptor(), c->descriptor(), nullptr, size);
            }));
            if (session.call("SpMM with NULL arrays", [&] {
                    return bsblasSpMM(handle, left, op, N, alpha, a, b->descriptor(), beta, c->descriptor(), nullptr,
                                      workspace.data(), workspace.size());
                })) {
                c->download("C", true);
                expect_elements(session, name_of(type), c->after(0), [](int64_t, int64_t) { return 1; });
            }
            bsblasDestroySpMat(a);
        }
}

void shifted_pointers(Session& session) {
    session.problems(
        "pairwise spmm shift=1 type=f32,f64,c32,c64,f16,bf16,e4m3,e5m2,i8 ldb=+0,+1,+3 ldc=+0,+1,+3 orderb=row,col "
        "orderc=row,col order=row,col side=left,right opa=n,t block=1,3,8,16,32,64 m=67 n=1,33,40 k=66 density=0.5 "
        "offsets=32,64 columns=32,64 mode=host,device analysis=0,1 batch=1,2 stridea=+1 strideb=+1 stridec=+1\n"
        "pairwise spmm shift=1 type=f16,bf16 out=f32 ldb=+0,+1,+3 ldc=+0,+1,+3 orderb=row,col orderc=row,col opa=n,t "
        "block=8,16,32,64 m=67 n=40 k=66 density=0.5\n"
        "pairwise sddmm shift=1 type=f32,f64,c32,c64,f16,bf16 ldx=+0,+1,+3 ldy=+0,+1,+3 orderx=row,col ordery=row,col "
        "order=row,col opx=n,t opy=n,t block=1,3,8,16,32,64 m=67 k=1,33,40 n=66 density=0.5 offsets=32,64 "
        "columns=32,64 "
        "mode=host,device batch=1,2 stridea=+1 stridex=+1 stridey=+1");
}

// ---- 15: graphs --------------------------------------------------------------------------------------------------

void capture_then_eager(Session& session) {
    if (!session.on_cuda()) return session.skip("graphs are a matter of the cuda backend");
    std::vector<std::unique_ptr<Call>> calls;
    for (const char* line : {"spmm m=256 n=64 k=320 block=32 type=bf16", "spmm m=256 n=64 k=320 block=32 opa=t",
                             "sddmm m=256 n=320 k=64 block=32 type=bf16", "refresh m=256 k=320 block=32"})
        calls.push_back(make_call(parse(line), session.memory(), {true}));
    const auto fill = [&](uint64_t seed) {
        for (auto& call : calls) call->fill(seed);
    };
    const auto verify = [&](const char* when) {
        for (auto& call : calls) {
            std::string wrong = call->download();
            if (wrong.empty()) wrong = call->verify();
            session.expect(wrong.empty(), std::string(when) + ": " + wrong);
        }
    };
    const auto run = [&] {
        for (auto& call : calls) require(call->run());
    };
    fill(1);
    for (auto& call : calls) require(call->prepare());
    {
        const auto replay = session.memory().capture(run);
        replay();
        verify("the graph");
        fill(2);
        replay();
        verify("the graph with other values");
    }
    fill(3);
    run();
    verify("a plain call after the graph was destroyed");
}

// ---- 16 ----------------------------------------------------------------------------------------------------------

void transposed_sums_repeat(Session& session) {
    for (const char* line :
         {"spmm opa=t m=1000 k=1000 n=16 block=8 type=f32", "spmm opa=t m=1000 k=1000 n=16 block=8 type=bf16",
          "spmm opa=t m=1000 k=1000 n=16 block=32 analysis=1", "spmm side=right m=16 k=1000 n=1000 block=8",
          "sddmm m=1000 n=1000 k=100 block=8"})
        expect_same_bits(session, line, 50);
}

// ---- 17: special values ------------------------------------------------------------------------------------------

void special_values(Session& session) {
    // beta = 0: outputs hold NaN before; alpha = 0: A, B, X and Y hold nothing else.
    session.problems(
        "pairwise spmm beta=0 emptyrows=0.4 emptycols=0.3 pattern=uniform,empty,longrow block=1,8,16,64 m=200 n=33 "
        "k=130 "
        "side=left,right opa=n,t type=f32,f64,c64,f16,bf16,e4m3 mode=host,device analysis=0,1\n"
        "pairwise spmm alpha=0 beta=0,1,0.5 block=1,8,16,64 m=200 n=33 k=130 side=left,right opa=n,t "
        "type=f32,f64,c64,f16,bf16,e4m3 mode=host,device analysis=0,1\n"
        "pairwise sddmm alpha=0 beta=0,1,0.5 block=1,8,16,64 m=200 n=130 k=33 opx=n,t opy=n,t "
        "type=f32,f64,c64,f16,bf16 "
        "mode=host,device");

    // NaN and infinity in B reach the rows that have a block there and no other, -0 included.
    for (bsblasDataType_t type : float_types)
        for (bsblasSide_t side : {left, right})
            for (int64_t block : {1, 8, 16, 32}) {
                Blocks blocks{2 * block, 2 * block, block, block, {0, 1, 1}, {0}, {}};
                blocks.values.assign(static_cast<size_t>(block * block), 1);
                const auto a = make_sparse(session, blocks, type);
                std::vector<Complex> values(static_cast<size_t>(2 * block * 2 * block), 1);
                // B's rows (columns, on the right) of the absent block column.
                for (int64_t i = block; i < 2 * block; ++i)
                    for (int64_t j = 0; j < 2 * block; ++j)
                        values[static_cast<size_t>(side == left ? i * 2 * block + j : j * 2 * block + i)] =
                            j % 2 ? NAN : INFINITY;
                // On the right the product sums over A's rows: the second has no block.
                const auto b = make_dense(session, 2 * block, 2 * block, values, type);
                const auto c = make_dense(session, 2 * block, 2 * block, {}, type);
                if (!multiply(session, side, N, N, *a, *b, *c)) return;
                expect_elements(session,
                                std::string(name_of(type)) + " b=" + std::to_string(block) + " side " +
                                    (side == left ? "left" : "right"),
                                c->after(0), [&](int64_t i, int64_t j) -> Complex {
                                    return (side == left ? i : j) < block ? static_cast<double>(block) : 0.0;
                                });
            }

    // A stored zero does multiply.
    const auto zero = make_sparse(session, {8, 8, 8, 8, {0, 1}, {0}, std::vector<Complex>(64)}, BSBLAS_R_32F);
    const auto b = make_dense(session, 8, 2, std::vector<Complex>(16, INFINITY), BSBLAS_R_32F);
    const auto c = make_dense(session, 8, 2, {}, BSBLAS_R_32F);
    if (multiply(session, left, N, N, *zero, *b, *c))
        session.expect(std::isnan(c->after(0).at(0, 0).real()), "0 x infinity is NaN in a stored block");
}

// ---- 18 ----------------------------------------------------------------------------------------------------------

void block_order_times_dense_order_times_base(Session& session) {
    for (bsblasDataType_t type : float_types)
        for (bsblasOrder_t block_order : orders)
            for (bsblasOrder_t order : orders)
                for (int64_t base : {0, 1})
                    for (bsblasOperation_t op : {N, T}) {
                        SparseLayout layout;
                        layout.order = block_order;
                        layout.base = base;
                        // [1 2; 3 4] at block (0, 1) of a 4 x 4 matrix
                        const auto a = make_sparse(session, {4, 4, 2, 2, {0, 1, 1}, {1}, {1, 2, 3, 4}}, type, layout);
                        const auto b = make_dense(session, 4, 2, {1, 2, 3, 4, 5, 6, 7, 8}, type, dense_layout(order));
                        const auto c = make_dense(session, 4, 2, {}, type, dense_layout(order));
                        if (!multiply(session, left, op, N, *a, *b, *c)) return;
                        const std::vector<Complex> expected = op == N
                                                                  ? std::vector<Complex>{19, 22, 43, 50, 0, 0, 0, 0}
                                                                  : std::vector<Complex>{0, 0, 0, 0, 10, 14, 14, 20};
                        expect_elements(session,
                                        std::string(name_of(type)) + " block order " + name_of(block_order) +
                                            ", order " + name_of(order) + ", base " + std::to_string(base) + ", opa " +
                                            name_of(op),
                                        c->after(0), expected);
                    }
}

// ---- 19 ----------------------------------------------------------------------------------------------------------

void complex_scalars_at_half_alignment(Session& session) {
    session.problems(
        "spmm type=c32,c64 alpha=0.5:0.25 beta=-1:2 mode=host,device m=20 n=9 k=30 block=5\n"
        "sddmm type=c32,c64 alpha=0.5:0.25 beta=-1:2 mode=host,device m=20 n=30 k=9 block=5");
}

// ---- 20, 21: widths and block sizes ------------------------------------------------------------------------------

constexpr const char* widths = "1,2,3,5,7,8,15,17,31,33,63,65,127,129,143,255,257";

void every_width(Session& session) {
    const std::string n = widths;
    session.problems("spmm n=" + n + " block=8,16,32 m=96 k=64 type=f32,bf16 opa=n,t\n" + "spmm side=right m=" + n +
                     " block=16,32 n=96 k=64 type=f32,bf16\n" + "pairwise spmm n=" + n +
                     " block=1,4,24,64 m=96 k=64 type=f64,c32,c64,f16,e4m3,i8 opb=n,t "
                     "orderb=row,col orderc=row,col side=left,right\n" +
                     "sddmm k=" + n + " block=8,16,32 m=96 n=64 type=f32,bf16\n" + "pairwise sddmm k=" + n +
                     " block=1,4,24,64 m=96 n=64 type=f64,c32,c64,f16 opx=n,t opy=n,t "
                     "orderx=row,col ordery=row,col");
}

constexpr const char* block_sizes = "1,2,3,4,5,7,8,15,16,17,24,31,32,33,48,64,96,128,256";

void every_block_size(Session& session) {
    const std::string b = block_sizes;
    session.problems(
        "spmm block=" + b + " m=300 k=270 n=40 type=f32,bf16 opa=n,t density=0.5\n" + "spmm block=" + b +
        " n=300 k=270 m=40 type=f32 side=right density=0.5\n" + "pairwise spmm block=" + b +
        " m=300 k=270 n=40 type=f64,c32,c64,f16,e4m3,e5m2,i8 opa=n,t,h density=0.5 "
        "side=left,right order=row,col\n" +
        "sddmm block=" + b + " m=300 n=270 k=40 type=f32,bf16 density=0.5\n" + "pairwise sddmm block=" + b +
        " m=300 n=270 k=40 type=f64,c32,c64,f16 density=0.5 opx=n,t opy=n,t "
        "order=row,col\n" +
        "spmm block=1x16,16x1,3x5,8x16,16x8,32x64,64x32,128x16,17x33 m=300 k=270 n=40 type=f32,bf16 opa=n,t "
        "density=0.5\n" +
        "sddmm block=1x16,16x1,3x5,8x16,16x8,32x64,64x32,128x16,17x33 m=300 n=270 k=40 type=f32,bf16 density=0.5");
}

// ---- 23, 24: shapes that are wide, and the sparse matrix on the right --------------------------------------------

void very_wide(Session& session) {
    session.problems(
        "spmm m=256 k=256 n=131072 block=16 type=f32,bf16\n"
        "spmm m=256 k=256 n=131072 block=16 type=bf16 orderb=col orderc=col\n"
        "spmm side=right m=131072 k=256 n=256 block=16\n"
        "sddmm m=256 n=256 k=131072 block=16\n"
        "spmm m=300000 k=64 n=3 block=1 blocks=300000\n"
        "spmm m=64 k=300000 n=3 block=1 blocks=300000 opa=n\n"
        "spmm m=300000 k=64 n=3 block=1 blocks=300000 opa=t\n"
        "sddmm m=300000 n=64 k=3 block=1 blocks=300000");
}

void sparse_on_the_right(Session& session) {
    session.problems(
        "spmm side=right opa=n,t opb=n,t orderb=row,col orderc=row,col block=16,32 m=70 n=200 k=130 type=f32,bf16\n"
        "pairwise spmm side=right opa=n,t,h opb=n,t,h orderb=row,col orderc=row,col order=row,col block=1,3,8,16x32,64 "
        "m=70 "
        "n=200 k=130 type=f32,f64,c32,c64,f16,bf16,e4m3,i8 base=0,1 analysis=0,1");
}

// ---- Beyond the reports: what the contract promises of large offsets ---------------------------------------------

// Only a few pages of these arrays are touched, so they need address space, not memory.
void offsets_beyond_32_bits(Session& session) {
    constexpr int64_t ld = 1100000000;  // two rows further on is beyond 2^31 elements
    constexpr int64_t rows = 4, n = 3;
    for (bsblasDataType_t type : {BSBLAS_R_32F, BSBLAS_R_16BF, BSBLAS_R_8F_E4M3}) {
        const bsblasDataType_t out = type == BSBLAS_R_8F_E4M3 ? BSBLAS_R_32F : type;
        LargeArray b(session.memory(), static_cast<size_t>((rows - 1) * ld + n) * size_of(type));
        LargeArray c(session.memory(), static_cast<size_t>((rows - 1) * ld + n) * size_of(out));
        if (!b.data() || !c.data()) return session.skip("not enough address space");
        std::vector<Complex> numbers;
        for (int64_t i = 0; i < rows * n; ++i) numbers.push_back(static_cast<double>(i - 5));
        for (int64_t i = 0; i < rows; ++i) {
            Bytes row(static_cast<size_t>(n) * size_of(type));
            for (int64_t j = 0; j < n; ++j) put(row.data(), j, type, numbers[static_cast<size_t>(i * n + j)]);
            session.memory().copy_in(b.at(i * ld, type), row.data(), row.size());
        }
        // The reversal: row i of C is row 3 - i of B.
        const auto a = make_sparse(session, {rows, rows, 1, 1, {0, 1, 2, 3, 4}, {3, 2, 1, 0}, {1, 1, 1, 1}}, type);
        bsblasDnMatDescr_t b_descriptor = nullptr, c_descriptor = nullptr;
        require(bsblasCreateDnMat(&b_descriptor, rows, n, ld, b.data(), type, BSBLAS_ORDER_ROW));
        require(bsblasCreateDnMat(&c_descriptor, rows, n, ld, c.data(), out, BSBLAS_ORDER_ROW));
        const Handle handle(session);
        const float one = 1, zero = 0;
        Workspace workspace;
        require(workspace.make(session.memory(), false, [&](size_t* size) {
            return bsblasSpMM_bufferSize(handle, left, N, N, a->descriptor(), b_descriptor, c_descriptor, nullptr,
                                         size);
        }));
        if (session.call(std::string("SpMM with a large ld, ") + name_of(type), [&] {
                return bsblasSpMM(handle, left, N, N, &one, a->descriptor(), b_descriptor, &zero, c_descriptor, nullptr,
                                  workspace.data(), workspace.size());
            }))
            for (int64_t i = 0; i < rows; ++i) {
                Bytes row(static_cast<size_t>(n) * size_of(out));
                session.memory().copy_out(row.data(), c.at(i * ld, out), row.size());
                for (int64_t j = 0; j < n; ++j)
                    session.expect(get(row.data(), j, out) == numbers[static_cast<size_t>((rows - 1 - i) * n + j)],
                                   std::string(name_of(type)) + ": wrong element in row " + std::to_string(i));
            }
        bsblasDestroyDnMat(b_descriptor);
        bsblasDestroyDnMat(c_descriptor);
    }
}

}  // namespace

std::vector<Case> product_cases() {
    return {
        {"case_01_exact_f32_sums", exact_f32_sums},
        {"case_01_tf32_only_when_asked", tf32_only_when_asked},
        {"case_03_tiny_transposed_padded", tiny_transposed_padded},
        {"case_04_gradient_identities", gradient_identities},
        {"case_04_gradients_repeat", gradients_repeat, true},
        {"case_05_sddmm_random_masks", sddmm_random_masks},
        {"case_06_imaginary_unit", imaginary_unit},
        {"case_07_element_counts_for_block_counts", element_counts_for_block_counts},
        {"case_09_every_matrix_of_a_batch", every_matrix_of_a_batch},
        {"case_10_capacity_beyond_the_live_blocks", capacity_beyond_the_live_blocks},
        {"case_11_alpha_and_beta", alpha_and_beta},
        {"case_11_alpha_after_the_sum", alpha_after_the_sum},
        {"case_13_empty_problems", empty_problems},
        {"case_14_shifted_pointers", shifted_pointers},
        {"case_15_capture_then_eager", capture_then_eager},
        {"case_16_transposed_sums_repeat", transposed_sums_repeat},
        {"case_17_special_values", special_values},
        {"case_18_block_order_times_dense_order_times_base", block_order_times_dense_order_times_base},
        {"case_19_complex_scalars_at_half_alignment", complex_scalars_at_half_alignment},
        {"case_20_every_width", every_width},
        {"case_21_every_block_size", every_block_size},
        {"case_23_very_wide", very_wide, true},
        {"case_24_sparse_on_the_right", sparse_on_the_right},
        {"offsets_beyond_32_bits", offsets_beyond_32_bits, true},
    };
}

}  // namespace bsblas::test
