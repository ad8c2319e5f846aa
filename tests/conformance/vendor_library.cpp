#include "vendor_library.h"

#if defined(BSBLAS_HAVE_CUDA) && __has_include(<cublas_v2.h>) && __has_include(<cusparse.h>)
#include <cublas_v2.h>
#include <cusparse.h>
#include <dlfcn.h>

#include "support/operand.h"
#include "support/oracle.h"

namespace bsblas::test {
namespace {

struct Refused {
    std::string why;
};

// A shared library for the rest of the process.
class Library {
public:
    Library(std::initializer_list<const char*> names) {
        for (const char* name : names)
            if ((handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) return;
        throw Refused{dlerror()};
    }
    template <class Function>
    void get(const char* name, Function** function) const {
        *function = reinterpret_cast<Function*>(dlsym(handle_, name));
        if (!*function) throw Refused{std::string("no symbol ") + name};
    }

private:
    void* handle_ = nullptr;
};

cudaDataType cuda_type(bsblasDataType_t type) {
    return static_cast<cudaDataType>(type);
}  // the same numbers

// alpha or beta in the type that products of this type compute in.
struct Number {
    alignas(16) unsigned char bytes[16] = {};
    Number(bsblasDataType_t type, Complex value) { put(bytes, 0, type, value); }
};

bsblasDataType_t compute_of(bsblasDataType_t type) {
    return is_complex(type) || type == BSBLAS_R_64F ? type : type == BSBLAS_R_8I ? BSBLAS_R_32I : BSBLAS_R_32F;
}

bool conjugates(const Problem& p, bsblasOperation_t op) {
    return op == BSBLAS_OP_H && is_complex(p.type);
}

struct DenseFields {
    int64_t rows, cols, ld;
    void* values;
    bsblasDataType_t type;
    bsblasOrder_t order;
    explicit DenseFields(const DenseMatrix& m) {
        require(bsblasDnMatGet(m.descriptor(), &rows, &cols, &ld, &values, &type, &order));
    }
};

#define LOAD(library, name) library.get(#name, &name##_)

// ---- cuSPARSE ----------------------------------------------------------------------------------------------------

class Cusparse : public VendorLibrary {
public:
    explicit Cusparse(Memory& memory) : memory_(memory), library_{"libcusparse.so.12", "libcusparse.so"} {
        LOAD(library_, cusparseCreate);
        LOAD(library_, cusparseDestroy);
        LOAD(library_, cusparseGetVersion);
        LOAD(library_, cusparseGetErrorName);
        LOAD(library_, cusparseSetStream);
        LOAD(library_, cusparseCreateBsr);
        LOAD(library_, cusparseCreateDnMat);
        LOAD(library_, cusparseDestroySpMat);
        LOAD(library_, cusparseDestroyDnMat);
        LOAD(library_, cusparseSpMM);
        LOAD(library_, cusparseSpMM_bufferSize);
        LOAD(library_, cusparseSDDMM);
        LOAD(library_, cusparseSDDMM_bufferSize);
        check(cusparseCreate_(&handle_));
        check(cusparseSetStream_(handle_, memory.stream()));
    }
    ~Cusparse() override { cusparseDestroy_(handle_); }

    std::string version() override {
        int version = 0;
        cusparseGetVersion_(handle_, &version);
        return "cuSPARSE " + std::to_string(version);
    }

    std::string product(const Problem& p, const ProductOperands& operands) override {
        try {
            if (p.op == Op::spmm)
                spmm(p, operands);
            else
                sddmm(p, operands);
            memory_.wait();
            return "";
        } catch (const Refused& refused) {
            return refused.why;
        }
    }

private:
    void check(cusparseStatus_t status) const {
        if (status != CUSPARSE_STATUS_SUCCESS) throw Refused{cusparseGetErrorName_(status)};
    }

    // Their descriptors of our operands.
    struct Sparse {
        Sparse(const Cusparse& c, const SparseMatrix& m) : cusparse(c) {
            int64_t block_rows, block_cols, blocks, bm, bk;
            void *offsets, *columns, *values;
            bsblasIndexType_t offsets_type, columns_type;
            bsblasIndexBase_t base;
            bsblasDataType_t type;
            bsblasOrder_t order;
            require(bsblasBsrGet(m.descriptor(), &block_rows, &block_cols, &blocks, &bm, &bk, &offsets, &columns,
                                 &values, &offsets_type, &columns_type, &base, &type, &order));
            c.check(c.cusparseCreateBsr_(
                &descriptor, block_rows, block_cols, blocks, bm, bk, offsets, columns, values,
                static_cast<cusparseIndexType_t>(offsets_type), static_cast<cusparseIndexType_t>(columns_type),
                static_cast<cusparseIndexBase_t>(base), cuda_type(type), static_cast<cusparseOrder_t>(order)));
        }
        ~Sparse() { cusparse.cusparseDestroySpMat_(descriptor); }
        const Cusparse& cusparse;
        cusparseSpMatDescr_t descriptor = nullptr;
    };
    struct Dense {
        Dense(const Cusparse& c, const DenseMatrix& m) : cusparse(c) {
            const DenseFields f(m);
            c.check(c.cusparseCreateDnMat_(&descriptor, f.rows, f.cols, f.ld, f.values, cuda_type(f.type),
                                           static_cast<cusparseOrder_t>(f.order)));
        }
        ~Dense() { cusparse.cusparseDestroyDnMat_(descriptor); }
        const Cusparse& cusparse;
        cusparseDnMatDescr_t descriptor = nullptr;
    };

    void spmm(const Problem& p, const ProductOperands& o) {
        if (p.side == BSBLAS_SIDE_RIGHT) throw Refused{"the sparse matrix is on the right"};
        const Sparse a(*this, *o.a);
        const Dense b(*this, *o.b), c(*this, *o.c);
        const bsblasDataType_t compute = compute_of(p.type);
        const Number alpha(compute, p.alpha), beta(compute, p.beta);
        const auto opa = static_cast<cusparseOperation_t>(p.opa), opb = static_cast<cusparseOperation_t>(p.opb);
        size_t size = 0;
        check(cusparseSpMM_bufferSize_(handle_, opa, opb, alpha.bytes, a.descriptor, b.descriptor, beta.bytes,
                                       c.descriptor, cuda_type(compute), CUSPARSE_SPMM_BSR_ALG1, &size));
        const Buffer buffer(memory_, size);
        check(cusparseSpMM_(handle_, opa, opb, alpha.bytes, a.descriptor, b.descriptor, beta.bytes, c.descriptor,
                            cuda_type(compute), CUSPARSE_SPMM_BSR_ALG1, buffer.data()));
        memory_.wait();
    }

    void sddmm(const Problem& p, const ProductOperands& o) {
        const Dense x(*this, *o.x), y(*this, *o.y);
        const Sparse a(*this, *o.a);
        const bsblasDataType_t compute = compute_of(p.type);
        const Number alpha(compute, p.alpha), beta(compute, p.beta);
        const auto opx = static_cast<cusparseOperation_t>(p.opa), opy = static_cast<cusparseOperation_t>(p.opb);
        size_t size = 0;
        check(cusparseSDDMM_bufferSize_(handle_, opx, opy, alpha.bytes, x.descriptor, y.descriptor, beta.bytes,
                                        a.descriptor, cuda_type(compute), CUSPARSE_SDDMM_ALG_DEFAULT, &size));
        const Buffer buffer(memory_, size);
        check(cusparseSDDMM_(handle_, opx, opy, alpha.bytes, x.descriptor, y.descriptor, beta.bytes, a.descriptor,
                             cuda_type(compute), CUSPARSE_SDDMM_ALG_DEFAULT, buffer.data()));
        memory_.wait();
    }

    Memory& memory_;
    Library library_;
    cusparseHandle_t handle_ = nullptr;
    decltype(cusparseCreate)* cusparseCreate_;
    decltype(cusparseDestroy)* cusparseDestroy_;
    decltype(cusparseGetVersion)* cusparseGetVersion_;
    decltype(cusparseGetErrorName)* cusparseGetErrorName_;
    decltype(cusparseSetStream)* cusparseSetStream_;
    decltype(cusparseCreateBsr)* cusparseCreateBsr_;
    decltype(cusparseCreateDnMat)* cusparseCreateDnMat_;
    decltype(cusparseDestroySpMat)* cusparseDestroySpMat_;
    decltype(cusparseDestroyDnMat)* cusparseDestroyDnMat_;
    decltype(cusparseSpMM)* cusparseSpMM_;
    decltype(cusparseSpMM_bufferSize)* cusparseSpMM_bufferSize_;
    decltype(cusparseSDDMM)* cusparseSDDMM_;
    decltype(cusparseSDDMM_bufferSize)* cusparseSDDMM_bufferSize_;
};

// ---- cuBLAS ------------------------------------------------------------------------------------------------------

// A factor as cuBLAS sees it: column-major memory and what to do with it.
struct Factor {
    const void* values;
    int64_t ld;
    bool transpose, conjugate;
    // Of the product's transpose, which swaps the factors.
    Factor transposed() const { return {values, ld, !transpose, conjugate}; }
};

class Cublas : public VendorLibrary {
public:
    explicit Cublas(Memory& memory) : memory_(memory), library_{"libcublas.so.13", "libcublas.so.12", "libcublas.so"} {
        library_.get("cublasCreate_v2", &cublasCreate_);
        library_.get("cublasDestroy_v2", &cublasDestroy_);
        library_.get("cublasGetVersion_v2", &cublasGetVersion_);
        library_.get("cublasSetStream_v2", &cublasSetStream_);
        library_.get("cublasGetStatusName", &cublasGetStatusName_);
        library_.get("cublasGemmEx", &cublasGemmEx_);
        check(cublasCreate_(&handle_));
        check(cublasSetStream_(handle_, memory.stream()));
    }
    ~Cublas() override { cublasDestroy_(handle_); }

    std::string version() override {
        int version = 0;
        cublasGetVersion_(handle_, &version);
        return "cuBLAS " + std::to_string(version);
    }

    std::string product(const Problem& p, const ProductOperands& operands) override {
        try {
            if (p.op == Op::spmm)
                spmm(p, operands);
            else
                sddmm(p, operands);
            return "";
        } catch (const Refused& refused) {
            return refused.why;
        }
    }

private:
    void check(cublasStatus_t status) const {
        if (status != CUBLAS_STATUS_SUCCESS) throw Refused{cublasGetStatusName_(status)};
    }

    static Factor factor(const Problem& p, const DenseMatrix& matrix, bsblasOperation_t op) {
        const DenseFields f(matrix);
        // Row-major memory is the column-major memory of the transpose.
        return {f.values, f.ld, (op != BSBLAS_OP_N) != (f.order == BSBLAS_ORDER_ROW), conjugates(p, op)};
    }

    static cublasOperation_t operation(const Factor& f) {
        if (f.conjugate && !f.transpose) throw Refused{"cuBLAS does not conjugate without transposing"};
        return f.conjugate ? CUBLAS_OP_C : f.transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
    }

    // C = alpha first second + beta C, C rows x cols and column-major.
    void gemm(const Problem& p, int64_t rows, int64_t cols, int64_t inner, const Factor& first, const Factor& second,
              const Complex& beta_value, void* c, int64_t ldc, bsblasDataType_t out) {
        const bsblasDataType_t compute = compute_of(p.type);
        const Number alpha(compute, p.alpha), beta(compute, beta_value);
        const cublasComputeType_t arithmetic = compute == BSBLAS_R_64F || compute == BSBLAS_C_64F ? CUBLAS_COMPUTE_64F
                                               : compute == BSBLAS_R_32I                          ? CUBLAS_COMPUTE_32I
                                                                                                  : CUBLAS_COMPUTE_32F;
        check(cublasGemmEx_(handle_, operation(first), operation(second), static_cast<int>(rows),
                            static_cast<int>(cols), static_cast<int>(inner), alpha.bytes, first.values,
                            cuda_type(p.type), static_cast<int>(first.ld), second.values, cuda_type(p.type),
                            static_cast<int>(second.ld), beta.bytes, c, cuda_type(out), static_cast<int>(ldc),
                            arithmetic, CUBLAS_GEMM_DEFAULT));
        memory_.wait();
    }

    void spmm(const Problem& p, const ProductOperands& o) {
        // A expanded, column-major.
        const Grid<Complex> a = expand_reference(o.a->before(0)).value;
        Bytes elements(static_cast<size_t>(a.rows * a.cols) * size_of(p.type));
        for (int64_t i = 0; i < a.rows; ++i)
            for (int64_t j = 0; j < a.cols; ++j) put(elements.data(), i + j * a.rows, p.type, a(i, j));
        Buffer expanded(memory_, elements.size());
        expanded.write(elements);
        const Factor sparse{expanded.data(), a.rows, p.opa != BSBLAS_OP_N, conjugates(p, p.opa)};
        const Factor dense = factor(p, *o.b, p.opb);
        const bool left = p.side == BSBLAS_SIDE_LEFT;
        const Factor& first = left ? sparse : dense;
        const Factor& second = left ? dense : sparse;
        const DenseFields c(*o.c);
        if (c.order == BSBLAS_ORDER_COL)
            gemm(p, p.m, p.n, p.k, first, second, p.beta, c.values, c.ld, p.out);
        else
            gemm(p, p.n, p.m, p.k, second.transposed(), first.transposed(), p.beta, c.values, c.ld, p.out);
    }

    // The whole product, of which the blocks are then taken on the host.
    void sddmm(const Problem& p, const ProductOperands& o) {
        if (p.beta != 0.0) throw Refused{"the blocks are taken from a dense product, which knows no beta"};
        Buffer dense(memory_, static_cast<size_t>(p.m * p.n) * size_of(p.out));
        gemm(p, p.m, p.n, p.k, factor(p, *o.x, p.opa), factor(p, *o.y, p.opb), 0, dense.data(), p.m, p.out);
        const Bytes product = dense.read();
        SparseMatrix& a = *o.a;
        const SparseOperand shape = a.before(0);
        Bytes blocks = a.values.before;
        for (int64_t block_row = 0; block_row < shape.pattern->rows; ++block_row)
            for (int64_t slot = shape.pattern->offsets[block_row]; slot < shape.pattern->offsets[block_row + 1]; ++slot)
                for (int64_t r = 0; r < shape.bm; ++r)
                    for (int64_t c = 0; c < shape.bk; ++c) {
                        const int64_t i = block_row * shape.bm + r, j = shape.pattern->columns[slot] * shape.bk + c;
                        const bool padding = i >= shape.rows || j >= shape.cols;
                        put(blocks.data(), shape.place(slot, r, c), p.out,
                            padding ? 0 : get(product.data(), i + j * p.m, p.out));
                    }
        memory_.copy_in(a.values.data(), blocks.data(), blocks.size());
    }

    Memory& memory_;
    Library library_;
    cublasHandle_t handle_ = nullptr;
    decltype(cublasCreate_v2)* cublasCreate_;
    decltype(cublasDestroy_v2)* cublasDestroy_;
    decltype(cublasGetVersion_v2)* cublasGetVersion_;
    decltype(cublasSetStream_v2)* cublasSetStream_;
    decltype(cublasGetStatusName)* cublasGetStatusName_;
    // Named, because the header overloads it.
    cublasStatus_t (*cublasGemmEx_)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                    const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                    cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
};

template <class Vendor>
std::unique_ptr<VendorLibrary> load(Memory& memory, std::string* why_not) {
    try {
        return std::make_unique<Vendor>(memory);
    } catch (const Refused& refused) {
        *why_not = refused.why;
        return nullptr;
    }
}

}  // namespace

std::unique_ptr<VendorLibrary> load_cusparse(Memory& memory, std::string* why_not) {
    return load<Cusparse>(memory, why_not);
}
std::unique_ptr<VendorLibrary> load_cublas(Memory& memory, std::string* why_not) {
    return load<Cublas>(memory, why_not);
}

}  // namespace bsblas::test

#else

namespace bsblas::test {

std::unique_ptr<VendorLibrary> load_cusparse(Memory&, std::string* why_not) {
    *why_not = "built without the vendor's headers";
    return nullptr;
}
std::unique_ptr<VendorLibrary> load_cublas(Memory&, std::string* why_not) {
    *why_not = "built without the vendor's headers";
    return nullptr;
}

}  // namespace bsblas::test

#endif
