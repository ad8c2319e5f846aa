// Block-sparse products on a CUDA device: cuSPARSE's BSR and Blocked-ELL.
#include <cusparse.h>

#include <algorithm>
#include <cstring>

#include "peers/peers.h"
#include "peers/shared_library.h"

namespace bsblas::perf {

namespace {

struct Functions {
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseSetStream) set_stream;
    decltype(&cusparseGetVersion) get_version;
    decltype(&cusparseGetErrorName) error_name;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseCreateBlockedEll) create_blocked_ell;
    decltype(&cusparseDestroySpMat) destroy_sparse;
    decltype(&cusparseCreateDnMat) create_dense;
    decltype(&cusparseDestroyDnMat) destroy_dense;
    decltype(&cusparseSpMM_bufferSize) spmm_buffer_size;
    decltype(&cusparseSpMM) spmm;
    decltype(&cusparseSDDMM_bufferSize) sddmm_buffer_size;
    decltype(&cusparseSDDMM_preprocess) sddmm_preprocess;
    decltype(&cusparseSDDMM) sddmm;
};

// bsblas's enumerations have cuSPARSE's values.
cusparseOperation_t op(bsblasOperation_t o) {
    return static_cast<cusparseOperation_t>(o);
}
cudaDataType type(bsblasDataType_t t) {
    return static_cast<cudaDataType>(t);
}
cusparseOrder_t order(bsblasOrder_t o) {
    return static_cast<cusparseOrder_t>(o);
}
cusparseIndexType_t index_type(bsblasIndexType_t t) {
    return static_cast<cusparseIndexType_t>(t);
}

class CuSparse : public Contender {
public:
    explicit CuSparse(Machine& machine) : machine_(machine), library_("BSBLAS_PERF_CUSPARSE", {"libcusparse.so.12"}) {
        library_.need(f_.create, "cusparseCreate");
        library_.need(f_.destroy, "cusparseDestroy");
        library_.need(f_.set_stream, "cusparseSetStream");
        library_.need(f_.get_version, "cusparseGetVersion");
        library_.need(f_.error_name, "cusparseGetErrorName");
        library_.need(f_.create_bsr, "cusparseCreateBsr");
        library_.need(f_.create_blocked_ell, "cusparseCreateBlockedEll");
        library_.need(f_.destroy_sparse, "cusparseDestroySpMat");
        library_.need(f_.create_dense, "cusparseCreateDnMat");
        library_.need(f_.destroy_dense, "cusparseDestroyDnMat");
        library_.need(f_.spmm_buffer_size, "cusparseSpMM_bufferSize");
        library_.need(f_.spmm, "cusparseSpMM");
        library_.need(f_.sddmm_buffer_size, "cusparseSDDMM_bufferSize");
        library_.need(f_.sddmm_preprocess, "cusparseSDDMM_preprocess");
        library_.need(f_.sddmm, "cusparseSDDMM");
        check(f_.create(&handle_));
        check(f_.set_stream(handle_, machine_.stream()));
    }
    ~CuSparse() override { f_.destroy(handle_); }

    bool dense() const override { return false; }
    std::string version() const override {
        int version = 0;
        f_.get_version(handle_, &version);
        return std::to_string(version);
    }

protected:
    // The cuSPARSE side of one workload, by copy; freed with its last run.
    struct State {
        const Functions& f;
        std::vector<cusparseSpMatDescr_t> a;
        std::vector<cusparseDnMatDescr_t> left, right;  // spmm: B and C; sddmm: X and Y
        std::vector<Buffer> memory, buffers;
        Scalars scalars;

        State(const Functions& functions, const Workload& w) : f(functions), scalars(w.scalars()) {}
        State(const State&) = delete;
        ~State() {
            for (cusparseSpMatDescr_t d : a) f.destroy_sparse(d);
            for (auto* list : {&left, &right})
                for (cusparseDnMatDescr_t d : *list) f.destroy_dense(d);
        }
    };

    std::shared_ptr<State> start(const Workload& w) {
        auto s = std::make_shared<State>(f_, w);
        for (size_t i = 0; i < w.copies; ++i) {
            s->left.push_back(dense(w.spmm() ? w.b : w.x, i));
            s->right.push_back(dense(w.spmm() ? w.c : w.y, i));
        }
        return s;
    }

    // Asks for the buffer, prepares and tries the product once; only that tells what cuSPARSE has.
    Prepared spmm(const Workload& w, std::shared_ptr<State> s, cusparseSpMMAlg_t algorithm) {
        cusparseOperation_t opa = op(w.problem.opa), opb = op(w.problem.opb);
        cudaDataType compute = type(w.scalar_type());
        for (size_t i = 0; i < w.copies; ++i) {
            size_t size = 0;
            cusparseStatus_t status = f_.spmm_buffer_size(handle_, opa, opb, s->scalars.alpha, s->a[i], s->left[i],
                                                          s->scalars.beta, s->right[i], compute, algorithm, &size);
            if (status != CUSPARSE_STATUS_SUCCESS) return refuse(f_.error_name(status));
            s->buffers.push_back(machine_.allocate(size));
        }
        return tried([this, s, opa, opb, compute, algorithm](size_t i) {
            return f_.spmm(handle_, opa, opb, s->scalars.alpha, s->a[i], s->left[i], s->scalars.beta, s->right[i],
                           compute, algorithm, s->buffers[i].get());
        });
    }

    Prepared sddmm(const Workload& w, std::shared_ptr<State> s) {
        cusparseOperation_t opx = op(w.problem.opa), opy = op(w.problem.opb);
        cudaDataType compute = type(w.scalar_type());
        constexpr cusparseSDDMMAlg_t algorithm = CUSPARSE_SDDMM_ALG_DEFAULT;
        for (size_t i = 0; i < w.copies; ++i) {
            size_t size = 0;
            cusparseStatus_t status = f_.sddmm_buffer_size(handle_, opx, opy, s->scalars.alpha, s->left[i], s->right[i],
                                                           s->scalars.beta, s->a[i], compute, algorithm, &size);
            if (status != CUSPARSE_STATUS_SUCCESS) return refuse(f_.error_name(status));
            s->buffers.push_back(machine_.allocate(size));
            // Optional, so a refusal does not matter.
            f_.sddmm_preprocess(handle_, opx, opy, s->scalars.alpha, s->left[i], s->right[i], s->scalars.beta, s->a[i],
                                compute, algorithm, s->buffers[i].get());
        }
        return tried([this, s, opx, opy, compute](size_t i) {
            return f_.sddmm(handle_, opx, opy, s->scalars.alpha, s->left[i], s->right[i], s->scalars.beta, s->a[i],
                            compute, algorithm, s->buffers[i].get());
        });
    }

    void check(cusparseStatus_t status) const {
        if (status != CUSPARSE_STATUS_SUCCESS)
            throw std::runtime_error(std::string("cuSPARSE: ") + f_.error_name(status));
    }

    Machine& machine_;
    SharedLibrary library_;
    Functions f_{};
    cusparseHandle_t handle_ = nullptr;

private:
    cusparseDnMatDescr_t dense(const DenseOperand& d, size_t copy) {
        cusparseDnMatDescr_t descr = nullptr;
        check(f_.create_dense(&descr, d.rows, d.cols, d.ld, d.copies[copy].get(), type(d.type), order(d.order)));
        return descr;
    }

    template <class Start>
    Prepared tried(Start start) {
        if (cusparseStatus_t status = start(0); status != CUSPARSE_STATUS_SUCCESS) return refuse(f_.error_name(status));
        Prepared prepared;
        prepared.run = [this, start](size_t copy) { check(start(copy)); };
        return prepared;
    }
};

class CuSparseBsr final : public CuSparse {
public:
    using CuSparse::CuSparse;

    std::string name() const override { return "cusparse_bsr"; }

    Prepared prepare(const Workload& w) override {
        if (w.problem.side == BSBLAS_SIDE_RIGHT) return refuse("the sparse matrix is on the right");
        if (w.a.ragged()) return refuse("ragged edges");
        auto s = start(w);
        for (size_t i = 0; i < w.copies; ++i) {
            cusparseSpMatDescr_t descr = nullptr;
            cusparseStatus_t status = f_.create_bsr(
                &descr, w.a.pattern.rows, w.a.pattern.cols, w.a.pattern.blocks(), w.a.bm, w.a.bk, w.a.offsets.get(),
                w.a.columns.get(), w.a.copies[i].get(), index_type(w.a.offsets_type), index_type(w.a.columns_type),
                static_cast<cusparseIndexBase_t>(w.a.base), type(w.a.type), order(w.a.order));
            if (status != CUSPARSE_STATUS_SUCCESS) return refuse(f_.error_name(status));
            s->a.push_back(descr);
        }
        return w.spmm() ? spmm(w, s, CUSPARSE_SPMM_BSR_ALG1) : sddmm(w, s);
    }
};

// As many blocks in each block row as the longest one has; the rest are marked absent.
class CuSparseBlockedEll final : public CuSparse {
public:
    using CuSparse::CuSparse;

    std::string name() const override { return "cusparse_blocked_ell"; }

    Prepared prepare(const Workload& w) override {
        const SparseOperand& a = w.a;
        if (!w.spmm()) return refuse("no SDDMM into this format");
        if (w.problem.side == BSBLAS_SIDE_RIGHT) return refuse("the sparse matrix is on the right");
        if (a.ragged() || a.bm != a.bk) return refuse("ragged edges or rectangular blocks");

        int64_t width = 0;
        for (int64_t row = 0; row < a.pattern.rows; ++row)
            width = std::max(width, a.pattern.offsets[row + 1] - a.pattern.offsets[row]);
        size_t size = test::size_of(a.type);
        std::vector<int32_t> columns(a.pattern.rows * width, -1);
        std::vector<std::byte> values(a.pattern.rows * a.bm * width * a.bk * size);  // a matrix, row-major
        for (int64_t row = 0; row < a.pattern.rows; ++row)
            for (int64_t p = a.pattern.offsets[row]; p < a.pattern.offsets[row + 1]; ++p) {
                int64_t place = p - a.pattern.offsets[row];
                columns[row * width + place] = static_cast<int32_t>(a.pattern.columns[p]);
                for (int64_t r = 0; r < a.bm; ++r)
                    for (int64_t c = 0; c < a.bk; ++c)
                        std::memcpy(values.data() + (((row * a.bm + r) * width + place) * a.bk + c) * size,
                                    a.initial.data() + a.index(p, r, c) * size, size);
            }

        auto s = start(w);
        auto upload = [&](const void* from, size_t bytes) {
            s->memory.push_back(machine_.allocate(bytes));
            machine_.upload(s->memory.back().get(), from, bytes);
            return s->memory.back().get();
        };
        void* device_columns = upload(columns.data(), columns.size() * sizeof(int32_t));
        for (size_t i = 0; i < w.copies; ++i) {
            cusparseSpMatDescr_t descr = nullptr;
            cusparseStatus_t status = f_.create_blocked_ell(&descr, a.rows, a.cols, a.bm, width * a.bk, device_columns,
                                                            upload(values.data(), values.size()), CUSPARSE_INDEX_32I,
                                                            CUSPARSE_INDEX_BASE_ZERO, type(a.type));
            if (status != CUSPARSE_STATUS_SUCCESS) return refuse(f_.error_name(status));
            s->a.push_back(descr);
        }
        return spmm(w, s, CUSPARSE_SPMM_BLOCKED_ELL_ALG1);
    }
};

}  // namespace

std::unique_ptr<Contender> make_cusparse_bsr(Machine& machine) {
    return std::make_unique<CuSparseBsr>(machine);
}
std::unique_ptr<Contender> make_cusparse_blocked_ell(Machine& machine) {
    return std::make_unique<CuSparseBlockedEll>(machine);
}

}  // namespace bsblas::perf
