// Cases of the library as a whole: how it loads, what its size queries write.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "case_tools.h"

namespace bsblas::test {
namespace {

// ---- 22: an older CUDA folder first on the library path, no driver -----------------------------------------------

void foreign_cuda_folder(Session& session) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("bsblas-cuda-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    // Whoever loads one of these fails: they are no libraries.
    for (const char* name : {"libcudart.so", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"})
        std::ofstream(folder / name) << "not a library";
    std::ostringstream line;
    line << "LD_LIBRARY_PATH='" << folder.string();
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) line << ":" << path;
    line << "' '" << std::filesystem::read_symlink("/proc/self/exe").string() << "' --backend "
         << (session.on_cuda() ? "cuda" : "host") << " --problem 'spmm m=32 n=8 k=32 block=16' >/dev/null 2>&1";
    const std::string command = line.str();
    const int status = std::system(command.c_str());
    session.expect(status == 0, command + " exited with status " + std::to_string(status));
    std::filesystem::remove_all(folder);
}

void the_backend_tells_the_truth(Session& session) {
    const auto backend_of = [&](bsblasHandle_t handle) {
        auto backend = BSBLAS_BACKEND_MAX;
        session.expect(bsblasGetBackend(handle, &backend) == BSBLAS_STATUS_SUCCESS, "GetBackend");
        return backend;
    };
    bsblasHandle_t host = nullptr;
    session.expect(bsblasCreateWithBackend(&host, BSBLAS_BACKEND_HOST) == BSBLAS_STATUS_SUCCESS,
                   "the host is always there");
    session.expect(backend_of(host) == BSBLAS_BACKEND_HOST, "a host handle says host");
    bsblasDestroy(host);

    bsblasHandle_t cuda = reinterpret_cast<bsblasHandle_t>(8);
    const bsblasStatus_t status = bsblasCreateWithBackend(&cuda, BSBLAS_BACKEND_CUDA);
    if (status == BSBLAS_STATUS_SUCCESS) {
        session.expect(backend_of(cuda) == BSBLAS_BACKEND_CUDA, "a cuda handle says cuda");
    } else {
        session.expect(!session.on_cuda(), "no cuda handle on the cuda backend");
        session.expect(cuda == nullptr, "the handle must be NULL after a failure");
        expect_refusal(session, status, BSBLAS_STATUS_NOT_AVAILABLE, "bsblasCreateWithBackend");
    }
    bsblasHandle_t best = nullptr;
    session.expect(bsblasCreate(&best) == BSBLAS_STATUS_SUCCESS, "there is always a backend");
    if (!std::getenv("BSBLAS_BACKEND"))
        session.expect(
            backend_of(best) == (status == BSBLAS_STATUS_SUCCESS ? BSBLAS_BACKEND_CUDA : BSBLAS_BACKEND_HOST),
            "the best backend is cuda if it can be had, else host");
    bsblasDestroy(best);
    if (cuda) bsblasDestroy(cuda);
}

// ---- 25: size queries always write -------------------------------------------------------------------------------

void buffer_sizes_are_always_written(Session& session) {
    const Handle handle(session);
    for (int64_t rows : {0, 1, 5})
        for (int64_t cols : {0, 1, 4})
            for (int64_t n : {0, 1, 3})
                for (int64_t blocks : {0, 1, 2})
                    for (bsblasOperation_t op : {BSBLAS_OP_N, BSBLAS_OP_T, BSBLAS_OP_H}) {
                        const bsblasOperation_t transposing = op == BSBLAS_OP_N ? BSBLAS_OP_T : op;
                        bsblasSpMatDescr_t a = nullptr, at = nullptr, s = nullptr;
                        bsblasDnMatDescr_t b = nullptr, c = nullptr, x = nullptr, y = nullptr, d = nullptr;
                        const auto bsr = [&](bsblasSpMatDescr_t* m, int64_t r, int64_t k) {
                            require(bsblasCreateBsr(m, r, k, blocks, 2, 2, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                                                    BSBLAS_INDEX_64I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F,
                                                    BSBLAS_ORDER_COL));
                        };
                        const auto dense = [&](bsblasDnMatDescr_t* m, int64_t r, int64_t k) {
                            require(bsblasCreateDnMat(m, r, k, std::max<int64_t>(k, 1), nullptr, BSBLAS_R_32F,
                                                      BSBLAS_ORDER_ROW));
                        };
                        bsr(&a, rows, cols);
                        bsr(&at, cols, rows);
                        require(bsblasCreateCsr(&s, 2 * rows, 2 * cols, blocks, nullptr, nullptr, nullptr,
                                                BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO,
                                                BSBLAS_R_32F));
                        const bool swapped = op != BSBLAS_OP_N;
                        dense(&b, 2 * (swapped ? rows : cols), n);
                        dense(&c, 2 * (swapped ? cols : rows), n);
                        dense(&x, 2 * rows, n);
                        dense(&y, n, 2 * cols);
                        dense(&d, 2 * rows, 2 * cols);

                        const auto expect_written = [&](const char* name, auto query) {
                            size_t size;
                            std::memset(&size, 0xaa, sizeof size);
                            const size_t preset = size;
                            const bsblasStatus_t status = query(&size);
                            session.expect(status == BSBLAS_STATUS_SUCCESS && size != preset,
                                           std::string(name) + " on " + std::to_string(rows) + " x " +
                                               std::to_string(cols) + " blocks, " + std::to_string(blocks) +
                                               " stored, n " + std::to_string(n) + ": " + bsblasGetStatusName(status));
                        };
                        expect_written("SpMM", [&](size_t* z) {
                            return bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, op, BSBLAS_OP_N, a, b, c, nullptr,
                                                         z);
                        });
                        expect_written("SDDMM", [&](size_t* z) {
                            return bsblasSDDMM_bufferSize(handle, BSBLAS_OP_N, BSBLAS_OP_N, x, y, a, nullptr, z);
                        });
                        expect_written("Analyze", [&](size_t* z) { return bsblasBsrAnalyze_bufferSize(handle, a, z); });
                        expect_written("Validate",
                                       [&](size_t* z) { return bsblasBsrValidate_bufferSize(handle, a, z); });
                        expect_written("Sort", [&](size_t* z) { return bsblasBsrSort_bufferSize(handle, a, z); });
                        expect_written("Transpose", [&](size_t* z) {
                            return bsblasBsrTranspose_bufferSize(handle, transposing, a, at, z);
                        });
                        expect_written("DenseToBsr",
                                       [&](size_t* z) { return bsblasDenseToBsr_bufferSize(handle, d, a, z); });
                        expect_written("BsrToDense",
                                       [&](size_t* z) { return bsblasBsrToDense_bufferSize(handle, a, d, z); });
                        expect_written("CsrToBsr",
                                       [&](size_t* z) { return bsblasCsrToBsr_bufferSize(handle, s, a, z); });
                        expect_written("BsrToCsr",
                                       [&](size_t* z) { return bsblasBsrToCsr_bufferSize(handle, a, s, z); });

                        for (bsblasSpMatDescr_t m : {a, at, s}) bsblasDestroySpMat(m);
                        for (bsblasDnMatDescr_t m : {b, c, x, y, d}) bsblasDestroyDnMat(m);
                    }
}

}  // namespace

std::vector<Case> library_cases() {
    return {
        {"case_22_foreign_cuda_folder", foreign_cuda_folder},
        {"case_22_the_backend_tells_the_truth", the_backend_tells_the_truth},
        {"case_25_buffer_sizes_are_always_written", buffer_sizes_are_always_written},
    };
}

}  // namespace bsblas::test
