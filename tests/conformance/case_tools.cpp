#include "case_tools.h"

#include <sys/mman.h>

namespace bsblas::test {
std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& family : {product_cases(), pattern_cases(), library_cases()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

Handle::Handle(const Session& session) {
    require(bsblasCreateWithBackend(&handle_, session.backend()));
    require(bsblasSetStream(handle_, session.memory().stream()));
}

Handle::~Handle() {
    bsblasDestroy(handle_);
}

std::unique_ptr<SparseMatrix> make_sparse(Session& session, const Blocks& blocks, bsblasDataType_t type,
                                          const SparseLayout& given) {
    SparseLayout layout = given;
    layout.batch = 1;
    const auto count = static_cast<int64_t>(blocks.columns.size());
    const SparseShape shape{blocks.rows, blocks.cols, blocks.bm, blocks.bk, type};
    auto matrix = std::make_unique<SparseMatrix>(session.memory(), shape, layout, count + layout.tail, false);
    matrix->set_pattern(0, {shape.block_rows(), shape.block_cols(), blocks.offsets, blocks.columns});
    matrix->fill([&](int64_t, int64_t slot, int64_t r, int64_t c) {
        return blocks.values[static_cast<size_t>((slot * blocks.bm + r) * blocks.bk + c)];
    });
    matrix->upload();
    return matrix;
}

std::unique_ptr<DenseMatrix> make_dense(Session& session, int64_t rows, int64_t cols,
                                        const std::vector<Complex>& values, bsblasDataType_t type,
                                        const DenseLayout& given) {
    DenseLayout layout = given;
    layout.batch = 1;
    auto matrix = std::make_unique<DenseMatrix>(session.memory(), rows, cols, type, layout, false);
    if (!values.empty())
        matrix->fill([&](int64_t, int64_t i, int64_t j) { return values[static_cast<size_t>(i * cols + j)]; });
    matrix->upload();
    return matrix;
}

bool multiply(Session& session, bsblasSide_t side, bsblasOperation_t opa, bsblasOperation_t opb, const SparseMatrix& a,
              DenseMatrix& b, DenseMatrix& c, const Factors& factors) {
    const Handle handle(session);
    const bsblasDataType_t type = scalar_type(b.before(0).type, c.before(0).type);
    const Parameter alpha(session.memory(), BSBLAS_POINTER_MODE_HOST, type, factors.alpha);
    const Parameter beta(session.memory(), BSBLAS_POINTER_MODE_HOST, type, factors.beta);
    Workspace workspace;
    require(workspace.make(session.memory(), false, [&](size_t* size) {
        return bsblasSpMM_bufferSize(handle, side, opa, opb, a.descriptor(), b.descriptor(), c.descriptor(), nullptr,
                                     size);
    }));
    const bool called = session.call("SpMM", [&] {
        return bsblasSpMM(handle, side, opa, opb, alpha.data(), a.descriptor(), b.descriptor(), beta.data(),
                          c.descriptor(), nullptr, workspace.data(), workspace.size());
    });
    std::string damage = c.download("C", true);
    if (damage.empty()) damage = b.download("B", false);
    if (damage.empty()) damage = workspace.damage();
    session.expect(damage.empty(), damage);
    return called && damage.empty();
}

bool sample(Session& session, bsblasOperation_t opx, bsblasOperation_t opy, DenseMatrix& x, DenseMatrix& y,
            SparseMatrix& a, const Factors& factors) {
    const Handle handle(session);
    const bsblasDataType_t type = scalar_type(x.before(0).type, a.shape().type);
    const Parameter alpha(session.memory(), BSBLAS_POINTER_MODE_HOST, type, factors.alpha);
    const Parameter beta(session.memory(), BSBLAS_POINTER_MODE_HOST, type, factors.beta);
    Workspace workspace;
    require(workspace.make(session.memory(), false, [&](size_t* size) {
        return bsblasSDDMM_bufferSize(handle, opx, opy, x.descriptor(), y.descriptor(), a.descriptor(), nullptr, size);
    }));
    const bool called = session.call("SDDMM", [&] {
        return bsblasSDDMM(handle, opx, opy, alpha.data(), x.descriptor(), y.descriptor(), beta.data(), a.descriptor(),
                           nullptr, workspace.data(), workspace.size());
    });
    std::string damage = a.download("A", SparseMatrix::Written::values);
    if (damage.empty()) damage = workspace.damage();
    session.expect(damage.empty(), damage);
    return called && damage.empty();
}

LargeArray::LargeArray(Memory& memory, size_t bytes) : memory_(memory), bytes_(bytes) {
    if (memory.backend() == BSBLAS_BACKEND_HOST) {
        void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        data_ = pages == MAP_FAILED ? nullptr : pages;
        return;
    }
    try {
        data_ = memory.allocate(bytes);
    } catch (const std::exception&) {
    }
}

LargeArray::~LargeArray() {
    if (memory_.backend() == BSBLAS_BACKEND_HOST)
        munmap(data_, bytes_);
    else if (data_)
        memory_.release(data_);
}

void expect_elements(Session& session, const std::string& what, const DenseOperand& actual,
                     const std::function<Complex(int64_t, int64_t)>& expected) {
    for (int64_t i = 0; i < actual.rows; ++i)
        for (int64_t j = 0; j < actual.cols; ++j)
            if (actual.at(i, j) != expected(i, j)) {
                Deviation wrong;
                wrong.row = i;
                wrong.col = j;
                wrong.expected = expected(i, j);
                wrong.actual = actual.at(i, j);
                wrong.error = std::abs(wrong.expected - wrong.actual);
                session.expect(false, what + ": " + wrong.text());
                return;
            }
}

void expect_elements(Session& session, const std::string& what, const DenseOperand& actual,
                     const std::vector<Complex>& expected) {
    expect_elements(session, what, actual,
                    [&](int64_t i, int64_t j) { return expected[static_cast<size_t>(i * actual.cols + j)]; });
}

void expect_refusal(Session& session, bsblasStatus_t actual, bsblasStatus_t expected, const std::string& text) {
    session.expect(actual == expected, std::string("answered ") + bsblasGetStatusName(actual) + ", expected " +
                                           bsblasGetStatusName(expected));
    const std::string sentence = bsblasGetLastErrorMessage();
    session.expect(sentence.find(text) != std::string::npos, "the sentence \"" + sentence + "\" does not say " + text);
}

}  // namespace bsblas::test
