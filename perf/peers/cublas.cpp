// Dense products on a CUDA device.
#include <cublas_v2.h>

#include "peers/gemm.h"
#include "peers/peers.h"
#include "peers/shared_library.h"

namespace bsblas::perf {

namespace {

struct Functions {
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasGetVersion_v2) get_version;
    decltype(&cublasGetStatusString) status_string;
    decltype(&cublasGemmEx_64) gemm;
};

class CuBlas final : public Contender {
public:
    explicit CuBlas(Machine& machine)
        : machine_(machine), library_("BSBLAS_PERF_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}) {
        library_.need(f_.create, "cublasCreate_v2");
        library_.need(f_.destroy, "cublasDestroy_v2");
        library_.need(f_.set_stream, "cublasSetStream_v2");
        library_.need(f_.get_version, "cublasGetVersion_v2");
        library_.need(f_.status_string, "cublasGetStatusString");
        library_.need(f_.gemm, "cublasGemmEx_64");
        check(f_.create(&handle_));
        check(f_.set_stream(handle_, machine_.stream()));
    }
    ~CuBlas() override { f_.destroy(handle_); }

    std::string name() const override { return "cublas"; }
    bool dense() const override { return true; }
    std::string version() const override {
        int version = 0;
        f_.get_version(handle_, &version);
        return std::to_string(version);
    }

    Prepared prepare(const Workload& w) override {
        auto g = std::make_shared<Gemm>(make_gemm(w, machine_));
        if (!g->refusal.empty()) return refuse(g->refusal);
        cublasComputeType_t compute = compute_type(w);
        auto start = [this, g, scalars = w.scalars(), compute](size_t i) {
            return f_.gemm(handle_, op(g->op_left), op(g->op_right), g->m, g->n, g->k, scalars.alpha, g->left[i],
                           type(g->type_left), g->ld_left, g->right[i], type(g->type_right), g->ld_right, scalars.beta,
                           g->out[i], type(g->type_out), g->ld_out, compute, CUBLAS_GEMM_DEFAULT);
        };
        // Only a call tells what cuBLAS has.
        if (cublasStatus_t status = start(0); status != CUBLAS_STATUS_SUCCESS) return refuse(f_.status_string(status));
        Prepared prepared;
        prepared.writes_output = g->writes_output;
        prepared.run = [this, start](size_t i) { check(start(i)); };
        return prepared;
    }

private:
    // bsblas's enumerations have cuBLAS's values.
    static cublasOperation_t op(bsblasOperation_t o) { return static_cast<cublasOperation_t>(o); }
    static cudaDataType_t type(bsblasDataType_t t) { return static_cast<cudaDataType_t>(t); }
    // cuBLAS names the accumulator: int8 products that end in f32 are summed in it.
    static cublasComputeType_t compute_type(const Workload& w) {
        if (w.compute() == BSBLAS_COMPUTE_32I && w.problem.out == BSBLAS_R_32F) return CUBLAS_COMPUTE_32F;
        return static_cast<cublasComputeType_t>(w.compute());
    }

    void check(cublasStatus_t status) const {
        if (status != CUBLAS_STATUS_SUCCESS)
            throw std::runtime_error(std::string("cuBLAS: ") + f_.status_string(status));
    }

    Machine& machine_;
    SharedLibrary library_;
    Functions f_{};
    cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Contender> make_cublas(Machine& machine) {
    return std::make_unique<CuBlas>(machine);
}

}  // namespace bsblas::perf
