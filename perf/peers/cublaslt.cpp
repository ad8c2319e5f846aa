// Dense products of 8-bit floats on a CUDA device, which cuBLAS has here alone.
#include <cublasLt.h>

#include "peers/gemm.h"
#include "peers/peers.h"
#include "peers/shared_library.h"

namespace bsblas::perf {

namespace {

constexpr size_t workspace_bytes = 32 << 20;  // what cuBLAS takes itself on Hopper

struct Functions {
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtDestroy) destroy;
    decltype(&cublasLtGetVersion) get_version;
    decltype(&cublasLtGetStatusString) status_string;
    decltype(&cublasLtMatmulDescCreate) create_product;
    decltype(&cublasLtMatmulDescDestroy) destroy_product;
    decltype(&cublasLtMatmulDescSetAttribute) set_product;
    decltype(&cublasLtMatrixLayoutCreate) create_layout;
    decltype(&cublasLtMatrixLayoutDestroy) destroy_layout;
    decltype(&cublasLtMatmulPreferenceCreate) create_preference;
    decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference;
    decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
    decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
    decltype(&cublasLtMatmul) multiply;
};

// The cuBLASLt side of one workload; freed with its last run.
struct State {
    const Functions& f;
    Gemm gemm;
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, out = nullptr;
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulHeuristicResult_t chosen{};
    Buffer workspace;
    Scalars scalars;

    State(const Functions& functions, const Workload& w, Machine& machine)
        : f(functions), gemm(make_gemm(w, machine)), scalars(w.scalars()) {}
    State(const State&) = delete;
    ~State() {
        if (preference) f.destroy_preference(preference);
        for (cublasLtMatrixLayout_t layout : {left, right, out})
            if (layout) f.destroy_layout(layout);
        if (product) f.destroy_product(product);
    }
};

class CuBlasLt final : public Contender {
public:
    explicit CuBlasLt(Machine& machine)
        : machine_(machine), library_("BSBLAS_PERF_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}) {
        library_.need(f_.create, "cublasLtCreate");
        library_.need(f_.destroy, "cublasLtDestroy");
        library_.need(f_.get_version, "cublasLtGetVersion");
        library_.need(f_.status_string, "cublasLtGetStatusString");
        library_.need(f_.create_product, "cublasLtMatmulDescCreate");
        library_.need(f_.destroy_product, "cublasLtMatmulDescDestroy");
        library_.need(f_.set_product, "cublasLtMatmulDescSetAttribute");
        library_.need(f_.create_layout, "cublasLtMatrixLayoutCreate");
        library_.need(f_.destroy_layout, "cublasLtMatrixLayoutDestroy");
        library_.need(f_.create_preference, "cublasLtMatmulPreferenceCreate");
        library_.need(f_.destroy_preference, "cublasLtMatmulPreferenceDestroy");
        library_.need(f_.set_preference, "cublasLtMatmulPreferenceSetAttribute");
        library_.need(f_.choose, "cublasLtMatmulAlgoGetHeuristic");
        library_.need(f_.multiply, "cublasLtMatmul");
        check(f_.create(&handle_));
    }
    ~CuBlasLt() override { f_.destroy(handle_); }

    std::string name() const override { return "cublaslt"; }
    bool dense() const override { return true; }
    std::string version() const override { return std::to_string(f_.get_version()); }

    Prepared prepare(const Workload& w) override {
        if (!test::is_fp8(w.problem.type)) return refuse("cublas multiplies these types");
        auto s = std::make_shared<State>(f_, w, machine_);
        const Gemm& g = s->gemm;
        if (!g.refusal.empty()) return refuse(g.refusal);
        // Sums are promoted to full f32 now and then, as they are unless asked otherwise (FAST_ACCUM).
        check(f_.create_product(&s->product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        set_op(*s, CUBLASLT_MATMUL_DESC_TRANSA, g.op_left);
        set_op(*s, CUBLASLT_MATMUL_DESC_TRANSB, g.op_right);
        s->left = layout(g.type_left, g.op_left, g.m, g.k, g.ld_left);
        s->right = layout(g.type_right, g.op_right, g.k, g.n, g.ld_right);
        s->out = layout(g.type_out, BSBLAS_OP_N, g.m, g.n, g.ld_out);
        check(f_.create_preference(&s->preference));
        check(f_.set_preference(s->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                sizeof workspace_bytes));
        int found = 0;
        cublasStatus_t status =
            f_.choose(handle_, s->product, s->left, s->right, s->out, s->out, s->preference, 1, &s->chosen, &found);
        if (status != CUBLAS_STATUS_SUCCESS) return refuse(f_.status_string(status));
        if (found == 0) return refuse("no algorithm found");
        s->workspace = machine_.allocate(s->chosen.workspaceSize);

        Prepared prepared;
        prepared.writes_output = g.writes_output;
        prepared.run = [this, s](size_t i) {
            const Gemm& gemm = s->gemm;
            check(f_.multiply(handle_, s->product, s->scalars.alpha, gemm.left[i], s->left, gemm.right[i], s->right,
                              s->scalars.beta, gemm.out[i], s->out, gemm.out[i], s->out, &s->chosen.algo,
                              s->workspace.get(), s->chosen.workspaceSize, machine_.stream()));
        };
        return prepared;
    }

private:
    void set_op(State& s, cublasLtMatmulDescAttributes_t which, bsblasOperation_t o) const {
        auto value = static_cast<cublasOperation_t>(o);  // bsblas's enumerations have cuBLAS's values
        check(f_.set_product(s.product, which, &value, sizeof value));
    }

    // As it is stored, column-major; op of it is rows x cols.
    cublasLtMatrixLayout_t layout(bsblasDataType_t type, bsblasOperation_t op, int64_t rows, int64_t cols,
                                  int64_t ld) const {
        if (op != BSBLAS_OP_N) std::swap(rows, cols);
        cublasLtMatrixLayout_t made = nullptr;
        check(f_.create_layout(&made, static_cast<cudaDataType_t>(type), rows, cols, ld));
        return made;
    }

    void check(cublasStatus_t status) const {
        if (status != CUBLAS_STATUS_SUCCESS)
            throw std::runtime_error(std::string("cuBLASLt: ") + f_.status_string(status));
    }

    Machine& machine_;
    SharedLibrary library_;
    Functions f_{};
    cublasLtHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Contender> make_cublaslt(Machine& machine) {
    return std::make_unique<CuBlasLt>(machine);
}

}  // namespace bsblas::perf
