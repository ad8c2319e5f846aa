// Dense products on the host. The few prototypes are written out: a machine may have the library without its headers.
#include <algorithm>
#include <complex>
#include <cstdlib>

#include "peers/gemm.h"
#include "peers/peers.h"
#include "peers/shared_library.h"

namespace bsblas::perf {

namespace {

enum { column_major = 102, no_transpose = 111, transpose = 112, conjugate_transpose = 113 };

template <class Scalar, class Element>
using GemmFunction = void (*)(int order, int op_left, int op_right, int m, int n, int k, Scalar alpha,
                              const Element* left, int ld_left, const Element* right, int ld_right, Scalar beta,
                              void* out, int ld_out);

int cblas(bsblasOperation_t op) {
    return op == BSBLAS_OP_N ? no_transpose : op == BSBLAS_OP_T ? transpose : conjugate_transpose;
}

class OpenBlas final : public Contender {
public:
    explicit OpenBlas(Machine& machine) : machine_(machine), library_(load()) {
        library_.need(sgemm_, "cblas_sgemm");
        library_.need(dgemm_, "cblas_dgemm");
        library_.need(cgemm_, "cblas_cgemm");
        library_.need(zgemm_, "cblas_zgemm");
        library_.need(set_threads_, "openblas_set_num_threads");
        library_.need(core_, "openblas_get_corename");
        library_.need(config_, "openblas_get_config");
        sbgemm_ = library_.find<decltype(sbgemm_)>("cblas_sbgemm");
    }

    std::string name() const override { return "openblas"; }
    std::string version() const override { return std::string(config_()) + ", core " + core_(); }
    bool dense() const override { return true; }

    Prepared prepare(const Workload& w) override {
        const Problem& p = w.problem;
        auto g = std::make_shared<Gemm>(make_gemm(w, machine_));
        if (!g->refusal.empty()) return refuse(g->refusal);
        if (std::max({g->m, g->n, g->k, g->ld_left, g->ld_right, g->ld_out}) > 0x7fffffff)
            return refuse("a size beyond 32 bits");
        set_threads_(p.threads > 0 ? p.threads : machine_.cpus());
        Prepared prepared;
        prepared.writes_output = g->writes_output;
        Complex alpha = p.alpha, beta = p.beta;
        bool uniform = p.type == p.typeb && p.type == p.out;
        if (uniform && p.type == BSBLAS_R_32F)
            prepared.run = [=, f = sgemm_](size_t i) {
                call(f, *g, i, static_cast<float>(alpha.real()), static_cast<float>(beta.real()));
            };
        else if (uniform && p.type == BSBLAS_R_64F)
            prepared.run = [=, f = dgemm_](size_t i) { call(f, *g, i, alpha.real(), beta.real()); };
        else if (uniform && p.type == BSBLAS_C_32F)
            prepared.run = [=, f = cgemm_](size_t i) {
                std::complex<float> a(alpha), b(beta);
                call(f, *g, i, static_cast<const void*>(&a), static_cast<const void*>(&b));
            };
        else if (uniform && p.type == BSBLAS_C_64F)
            prepared.run = [=, f = zgemm_](size_t i) {
                call(f, *g, i, static_cast<const void*>(&alpha), static_cast<const void*>(&beta));
            };
        else if (p.type == BSBLAS_R_16BF && p.typeb == BSBLAS_R_16BF && p.out == BSBLAS_R_32F && sbgemm_)
            prepared.run = [=, f = sbgemm_](size_t i) {
                call(f, *g, i, static_cast<float>(alpha.real()), static_cast<float>(beta.real()));
            };
        else
            return refuse("this OpenBLAS has no product of these types");
        return prepared;
    }

private:
    // Measured at the core that OpenBLAS itself chooses here, whatever the environment was set to for other work. But a
    // version older than the CPU falls back to Prescott, six times slower than the kernels it has for such a CPU: no
    // fair peer.
    static SharedLibrary load() {
        unsetenv("OPENBLAS_CORETYPE");
        unsetenv("OPENBLAS_L2_SIZE");
        const char* core = std::getenv("BSBLAS_PERF_OPENBLAS_CORE");
        if (!core && core_by_its_own_choice() == "Prescott") core = newest_known_core();
        if (core) setenv("OPENBLAS_CORETYPE", core, 1);
        // Its idle threads would spin for a tenth of a second, and take a core from whoever is timed next.
        setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
        return open();
    }

    static SharedLibrary open() {
        return SharedLibrary("BSBLAS_PERF_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"});
    }

    static std::string core_by_its_own_choice() {
        SharedLibrary library = open();
        const char* (*core)();
        library.need(core, "openblas_get_corename");
        std::string name = core();
        library.close();
        return name;
    }

    static const char* newest_known_core() {
#ifdef __x86_64__
        if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return "SkylakeX";
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
        return nullptr;
    }

    template <class Scalar, class Element>
    static void call(GemmFunction<Scalar, Element> f, const Gemm& g, size_t copy, Scalar alpha, Scalar beta) {
        auto narrow = [](int64_t size) { return static_cast<int>(size); };
        f(column_major, cblas(g.op_left), cblas(g.op_right), narrow(g.m), narrow(g.n), narrow(g.k), alpha,
          static_cast<const Element*>(g.left[copy]), narrow(g.ld_left), static_cast<const Element*>(g.right[copy]),
          narrow(g.ld_right), beta, g.out[copy], narrow(g.ld_out));
    }

    Machine& machine_;
    SharedLibrary library_;
    GemmFunction<float, float> sgemm_;
    GemmFunction<double, double> dgemm_;
    GemmFunction<const void*, void> cgemm_, zgemm_;
    GemmFunction<float, uint16_t> sbgemm_;
    void (*set_threads_)(int);
    const char* (*core_)();
    const char* (*config_)();
};

}  // namespace

std::unique_ptr<Contender> make_openblas(Machine& machine) {
    return std::make_unique<OpenBlas>(machine);
}

}  // namespace bsblas::perf
