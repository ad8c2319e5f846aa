#include "call_parts.h"

namespace bsblas::test {
namespace {

// What spmm and sddmm have in common: alpha, beta and the options.
class ProductCall : public Call {
public:
    ~ProductCall() override { bsblasDestroyOpDescr(options_descriptor_); }

protected:
    ProductCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          alpha_(memory, p.mode, scalar_type(p.type, p.out), p.alpha),
          beta_(memory, p.mode, scalar_type(p.type, p.out), p.beta),
          scale_a_(memory, BSBLAS_POINTER_MODE_DEVICE, BSBLAS_R_32F, p.scale_a),
          scale_b_(memory, BSBLAS_POINTER_MODE_DEVICE, BSBLAS_R_32F, p.scale_b) {
        if (p.compute >= 0) set(BSBLAS_OP_COMPUTE_TYPE, p.compute);
        if (p.algorithm != BSBLAS_ALG_DEFAULT) set(BSBLAS_OP_ALGORITHM, p.algorithm);
        if (p.determinism != BSBLAS_DETERMINISM_REQUIRED) set(BSBLAS_OP_DETERMINISM, p.determinism);
        if (p.scale_a != 0) set(BSBLAS_OP_SCALE_A, static_cast<const float*>(scale_a_.data()));
        if (p.scale_b != 0) set(BSBLAS_OP_SCALE_B, static_cast<const float*>(scale_b_.data()));
    }

    template <class T>
    void set(bsblasOpAttribute_t attribute, T value) {
        if (!options_descriptor_) require(bsblasCreateOpDescr(&options_descriptor_));
        require(bsblasOpDescrSetAttribute(options_descriptor_, attribute, &value, sizeof value));
    }

    Scalars scalars() const {
        const auto scale = [](double s) { return s != 0 ? static_cast<double>(static_cast<float>(s)) : 1.0; };
        return {rounded(problem_.alpha, scalar_type(problem_.type, problem_.out)),
                rounded(problem_.beta, scalar_type(problem_.type, problem_.out)),
                scale(problem_.scale_a) * scale(problem_.scale_b)};
    }
    Rounding rounding() const { return rounding_of(problem_.type, problem_.out, problem_.compute); }

    std::string verdict(const Deviation& worst, int64_t matrix) const {
        if (worst.ok) return "";
        return (problem_.batch > 1 ? "matrix " + std::to_string(matrix) + ", " : "") + worst.text();
    }

    Parameter alpha_, beta_, scale_a_, scale_b_;
    bsblasOpDescr_t options_descriptor_ = nullptr;
    Workspace workspace_;
};

class SpmmCall : public ProductCall {
public:
    SpmmCall(const Problem& p, Memory& memory, const CallOptions& options, bool analyze_in_run)
        : ProductCall(p, memory, options),
          analyze_in_run_(analyze_in_run),
          patterns_(make_patterns(p)),
          a_(memory, {p.a_rows(), p.a_cols(), p.bm, p.bk, p.type}, p.a, most_blocks(patterns_) + p.a.tail, p.shift),
          b_(memory, b_size(p).first, b_size(p).second, p.typeb, p.b, p.shift),
          c_(memory, p.m, p.n, p.out, p.c, p.shift) {}

    void fill(uint64_t seed) override {
        Random random(seed);
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        if (problem_.alpha != 0.0) {
            a_.fill(random);
            b_.fill(random);
        }
        if (problem_.beta != 0.0) c_.fill(random);
        a_.upload();
        b_.upload();
        c_.upload();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        bsblasStatus_t status =
            workspace_.make(memory_, problem_.shift, [&](size_t* size) { return size_query(size); });
        if (status != BSBLAS_STATUS_SUCCESS || (!problem_.analysis && !analyze_in_run_)) return status;
        status = analysis_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasBsrAnalyze_bufferSize(handle_, a_.descriptor(), size);
        });
        if (status != BSBLAS_STATUS_SUCCESS || analyze_in_run_) return status;
        status = analyze();
        if (status != BSBLAS_STATUS_SUCCESS) return status;
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) { return size_query(size); });
    }

    bsblasStatus_t run() override {
        if (analyze_in_run_)
            if (const bsblasStatus_t status = analyze(); status != BSBLAS_STATUS_SUCCESS) return status;
        return bsblasSpMM(handle_, problem_.side, problem_.opa, problem_.opb, alpha_.data(), a_.descriptor(),
                          b_.descriptor(), beta_.data(), c_.descriptor(), options_descriptor_, workspace_.data(),
                          workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage : {a_.download("A", SparseMatrix::Written::nothing), b_.download("B", false),
                                          c_.download("C", true), workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (int64_t j = 0; j < problem_.batch; ++j) {
            Deviation worst;
            if (options_.full_check) {
                const Reference reference =
                    spmm_reference(problem_.side, problem_.opa, problem_.opb, a_.before(a_of(j)), b_.before(b_of(j)),
                                   c_.before(j), scalars(), rounding());
                worst = compare(reference, c_.after(j), rounding().largest);
            } else {
                worst = check_spmm_sampled(problem_.side, problem_.opa, problem_.opb, a_.before(a_of(j)),
                                           b_.before(b_of(j)), c_.before(j), c_.after(j), scalars(), rounding(), 4, 1);
            }
            if (const std::string wrong = verdict(worst, j); !wrong.empty()) return wrong;
        }
        return "";
    }

    std::vector<Bytes> bits() const override { return {c_.values.after}; }
    ProductOperands operands() override { return {&a_, &b_, &c_, nullptr, nullptr}; }

private:
    static std::pair<int64_t, int64_t> b_size(const Problem& p) {
        std::pair<int64_t, int64_t> size = p.side == BSBLAS_SIDE_LEFT ? std::pair(p.k, p.n) : std::pair(p.m, p.k);
        if (p.opb != BSBLAS_OP_N) std::swap(size.first, size.second);
        return size;
    }
    int64_t a_of(int64_t j) const { return problem_.a.batch == 1 ? 0 : j; }
    int64_t b_of(int64_t j) const { return problem_.b.batch == 1 ? 0 : j; }
    bsblasStatus_t analyze() { return bsblasBsrAnalyze(handle_, a_.descriptor(), analysis_.data(), analysis_.size()); }
    bsblasStatus_t size_query(size_t* size) const {
        return bsblasSpMM_bufferSize(handle_, problem_.side, problem_.opa, problem_.opb, a_.descriptor(),
                                     b_.descriptor(), c_.descriptor(), options_descriptor_, size);
    }

    bool analyze_in_run_;
    std::vector<BlockPattern> patterns_;
    Workspace analysis_;  // outlives A, which points into it
    SparseMatrix a_;
    DenseMatrix b_, c_;
};

class SddmmCall : public ProductCall {
public:
    SddmmCall(const Problem& p, Memory& memory, const CallOptions& options)
        : ProductCall(p, memory, options),
          patterns_(make_patterns(p)),
          x_(memory, p.opa == BSBLAS_OP_N ? p.m : p.k, p.opa == BSBLAS_OP_N ? p.k : p.m, p.type, p.x, p.shift),
          y_(memory, p.opb == BSBLAS_OP_N ? p.k : p.n, p.opb == BSBLAS_OP_N ? p.n : p.k, p.typeb, p.y, p.shift),
          a_(memory, {p.m, p.n, p.bm, p.bk, p.out}, p.a, most_blocks(patterns_) + p.a.tail, p.shift) {}

    void fill(uint64_t seed) override {
        Random random(seed);
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        if (problem_.alpha != 0.0) {
            x_.fill(random);
            y_.fill(random);
        }
        if (problem_.beta != 0.0) a_.fill(random);
        x_.upload();
        y_.upload();
        a_.upload();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasSDDMM_bufferSize(handle_, problem_.opa, problem_.opb, x_.descriptor(), y_.descriptor(),
                                          a_.descriptor(), options_descriptor_, size);
        });
    }

    bsblasStatus_t run() override {
        return bsblasSDDMM(handle_, problem_.opa, problem_.opb, alpha_.data(), x_.descriptor(), y_.descriptor(),
                           beta_.data(), a_.descriptor(), options_descriptor_, workspace_.data(), workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage : {x_.download("X", false), y_.download("Y", false),
                                          a_.download("A", SparseMatrix::Written::values), workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (int64_t j = 0; j < problem_.batch; ++j) {
            const DenseOperand x = x_.before(problem_.x.batch == 1 ? 0 : j),
                               y = y_.before(problem_.y.batch == 1 ? 0 : j);
            Deviation worst;
            if (options_.full_check) {
                const Reference reference =
                    sddmm_reference(problem_.opa, problem_.opb, x, y, a_.before(j), scalars(), rounding());
                worst = compare_blocks(reference, a_.after(j), rounding().largest);
            } else {
                worst = check_sddmm_sampled(problem_.opa, problem_.opb, x, y, a_.before(j), a_.after(j), scalars(),
                                            rounding(), 4, 1);
            }
            if (const std::string wrong = verdict(worst, j); !wrong.empty()) return "(slot and row, column) " + wrong;
        }
        return "";
    }

    std::vector<Bytes> bits() const override { return {a_.values.after}; }
    ProductOperands operands() override { return {&a_, nullptr, nullptr, &x_, &y_}; }

private:
    std::vector<BlockPattern> patterns_;
    DenseMatrix x_, y_;
    SparseMatrix a_;
};

// An analysis has no result to look at but the products that use it.
Problem product_after_analysis(const Problem& p) {
    Problem q = p;
    q.op = Op::spmm;
    q.opa = BSBLAS_OP_T;
    q.m = p.k;
    q.k = p.m;
    q.n = 8;
    return q;
}

}  // namespace

std::unique_ptr<Call> make_product_call(const Problem& p, Memory& memory, const CallOptions& options) {
    if (p.op == Op::sddmm) return std::make_unique<SddmmCall>(p, memory, options);
    if (p.op == Op::analyze) return std::make_unique<SpmmCall>(product_after_analysis(p), memory, options, true);
    return std::make_unique<SpmmCall>(p, memory, options, false);
}

}  // namespace bsblas::test
