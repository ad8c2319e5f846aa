#include "harness/bsblas.h"

#include <bsblas/bsblas.h>

#include <stdexcept>

namespace bsblas::perf {

namespace {

void check(bsblasStatus_t status) {
    if (status != BSBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(bsblasGetStatusName(status)) + ": " + bsblasGetLastErrorMessage());
}

// Descriptors of one copy of the operands.
struct Descriptors {
    bsblasSpMatDescr_t a = nullptr;
    bsblasDnMatDescr_t b = nullptr, c = nullptr, x = nullptr, y = nullptr;

    Descriptors(const Workload& w, size_t copy) {
        const SparseOperand& s = w.a;
        check(bsblasCreateBsr(&a, s.pattern.rows, s.pattern.cols, s.pattern.blocks(), s.bm, s.bk, s.offsets.get(),
                              s.columns.get(), s.copies[copy].get(), s.offsets_type, s.columns_type,
                              static_cast<bsblasIndexBase_t>(s.base), s.type, s.order));
        if (s.ragged()) {
            check(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_ROWS, &s.rows, sizeof s.rows));
            check(bsblasSpMatSetAttribute(a, BSBLAS_SPMAT_LOGICAL_COLS, &s.cols, sizeof s.cols));
        }
        make(&b, w.b, copy);
        make(&c, w.c, copy);
        make(&x, w.x, copy);
        make(&y, w.y, copy);
    }
    Descriptors(const Descriptors&) = delete;
    ~Descriptors() {
        bsblasDestroySpMat(a);
        for (bsblasDnMatDescr_t d : {b, c, x, y}) bsblasDestroyDnMat(d);
    }

private:
    static void make(bsblasDnMatDescr_t* descr, const DenseOperand& d, size_t copy) {
        if (!d.copies.empty())
            check(bsblasCreateDnMat(descr, d.rows, d.cols, d.ld, d.copies[copy].get(), d.type, d.order));
    }
};

// All that runs of one workload share; freed with the last run.
struct State {
    bsblasHandle_t handle = nullptr;
    bsblasOpDescr_t options = nullptr;
    std::vector<Buffer> analyses;  // in use until the operands are gone
    std::vector<std::unique_ptr<Descriptors>> operands;
    Buffer buffer;
    size_t buffer_size = 0;
    unsigned char alpha[16] = {}, beta[16] = {};
    std::string kernel;

    State() = default;
    State(const State&) = delete;
    ~State() {
        bsblasDestroyOpDescr(options);
        bsblasDestroy(handle);
    }
};

// The name after "kernel=" in a line of the log.
void remember_kernel(bsblasLogLevel_t, const char* line, void* state) {
    std::string text(line);
    size_t at = text.find("kernel=");
    if (at != std::string::npos) static_cast<State*>(state)->kernel = text.substr(at + 7, text.find(' ', at) - at - 7);
}

template <class T>
void set(bsblasOpDescr_t options, bsblasOpAttribute_t attribute, T value) {
    check(bsblasOpDescrSetAttribute(options, attribute, &value, sizeof value));
}

class Bsblas final : public Contender {
public:
    Bsblas(Machine& machine, int threads) : machine_(machine), threads_(threads) {}

    std::string name() const override { return "bsblas"; }
    bool dense() const override { return false; }
    std::string version() const override {
        const char* info = "";
        check(bsblasGetBuildInfo(&info));
        return info;
    }

    Prepared prepare(const Workload& w) override {
        const Problem& p = w.problem;
        auto s = std::make_shared<State>();
        check(bsblasCreateWithBackend(&s->handle, machine_.backend()));
        check(bsblasSetStream(s->handle, machine_.stream()));
        check(bsblasSetNumThreads(s->handle, threads_ > 0 ? threads_ : p.threads));
        check(bsblasCreateOpDescr(&s->options));
        set(s->options, BSBLAS_OP_COMPUTE_TYPE, w.compute());
        set(s->options, BSBLAS_OP_ALGORITHM, p.algorithm);
        set(s->options, BSBLAS_OP_DETERMINISM, p.determinism);
        test::put(s->alpha, 0, w.scalar_type(), p.alpha);
        test::put(s->beta, 0, w.scalar_type(), p.beta);
        for (size_t i = 0; i < w.copies; ++i) s->operands.push_back(std::make_unique<Descriptors>(w, i));

        const Descriptors& first = *s->operands[0];
        bsblasStatus_t status = w.spmm() ? bsblasSpMM_bufferSize(s->handle, p.side, p.opa, p.opb, first.a, first.b,
                                                                 first.c, s->options, &s->buffer_size)
                                         : bsblasSDDMM_bufferSize(s->handle, p.opa, p.opb, first.x, first.y, first.a,
                                                                  s->options, &s->buffer_size);
        if (status == BSBLAS_STATUS_NOT_SUPPORTED) return refuse(bsblasGetLastErrorMessage());
        check(status);
        s->buffer = machine_.allocate(s->buffer_size);
        if (p.analysis) analyze(*s);

        Prepared prepared;
        const Problem problem = p;
        bool spmm = w.spmm();
        prepared.run = [s, problem, spmm](size_t copy) {
            const Descriptors& d = *s->operands[copy];
            check(spmm ? bsblasSpMM(s->handle, problem.side, problem.opa, problem.opb, s->alpha, d.a, d.b, s->beta, d.c,
                                    s->options, s->buffer.get(), s->buffer_size)
                       : bsblasSDDMM(s->handle, problem.opa, problem.opb, s->alpha, d.x, d.y, s->beta, d.a, s->options,
                                     s->buffer.get(), s->buffer_size));
        };
        prepared.kernel = kernel_of(*s, prepared, w);
        return prepared;
    }

private:
    void analyze(State& s) {
        for (auto& d : s.operands) {
            size_t size = 0;
            check(bsblasBsrAnalyze_bufferSize(s.handle, d->a, &size));
            s.analyses.push_back(machine_.allocate(size));
            check(bsblasBsrAnalyze(s.handle, d->a, s.analyses.back().get(), size));
        }
    }

    // Only the log of a call tells; the output is put back for the check that follows.
    std::string kernel_of(State& s, const Prepared& prepared, const Workload& w) {
        check(bsblasSetLogCallback(s.handle, remember_kernel, &s));
        check(bsblasSetLogLevel(s.handle, BSBLAS_LOG_CALL));
        prepared.run(0);
        check(bsblasSetLogLevel(s.handle, BSBLAS_LOG_OFF));
        check(bsblasSetLogCallback(s.handle, nullptr, nullptr));
        reset_output(w, machine_);
        return s.kernel;
    }

    Machine& machine_;
    const int threads_;
};

}  // namespace

std::unique_ptr<Contender> make_bsblas(Machine& machine, int threads) {
    return std::make_unique<Bsblas>(machine, threads);
}

}  // namespace bsblas::perf
