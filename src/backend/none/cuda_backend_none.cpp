// What a build without CUDA says when it is asked for the cuda backend.
#include "backend/backend.h"
#include "core/error.h"

namespace bsblas {

bsblasStatus_t make_cuda_backend(std::unique_ptr<Backend>*) {
    return fail(BSBLAS_STATUS_NOT_AVAILABLE, "this build of the library has no cuda backend");
}

const char* cuda_architectures() { return "none"; }
std::string cuda_toolkit_version() { return "none"; }

}  // namespace bsblas
