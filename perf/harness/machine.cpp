#include "harness/machine.h"

#include <bsblas/bsblas.h>

#include <stdexcept>

namespace bsblas::perf {

Machine::Machine(bsblasBackend_t backend) {
    std::string why_not;
    memory_ = test::make_memory(backend, &why_not);
    if (!memory_) throw std::runtime_error(why_not);
}

Buffer Machine::allocate(size_t bytes) {
    return {memory_->allocate(bytes), [this](void* p) { memory_->release(p); }};
}

std::unique_ptr<Machine> make_machine(bsblasBackend_t backend) {
    if (backend == BSBLAS_BACKEND_HOST) return make_host_machine();
#ifdef BSBLAS_HAVE_CUDA
    return make_cuda_machine();
#else
    throw std::runtime_error("this build has no CUDA backend");
#endif
}

std::unique_ptr<Machine> make_default_machine() {
    bsblasHandle_t handle = nullptr;
    if (bsblasCreate(&handle) != BSBLAS_STATUS_SUCCESS) throw std::runtime_error(bsblasGetLastErrorMessage());
    bsblasBackend_t backend = BSBLAS_BACKEND_HOST;
    bsblasGetBackend(handle, &backend);
    bsblasDestroy(handle);
    return make_machine(backend);
}

}  // namespace bsblas::perf
