#include "backend/cuda/driver.h"

#include "core/lazy.h"

#include <cuda_runtime.h>

namespace bsblas {
namespace {

// The functions of this version are those that cuda.h declares to a program built with 12.0 or later.
constexpr unsigned version = 12000;

template <class Function>
bool find(const char* name, Function* out) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
    *out = reinterpret_cast<Function>(entry);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess;
}

}  // namespace

const Driver* Driver::find() {
    struct Search {
        Driver driver;
        bool complete;
        Search() {
            complete = bsblas::find("cuCtxGetCurrent", &driver.get_current) &&
                       bsblas::find("cuCtxGetDevice", &driver.get_device) &&
                       bsblas::find("cuCtxGetId", &driver.get_id) && bsblas::find("cuCtxPushCurrent", &driver.push) &&
                       bsblas::find("cuCtxPopCurrent", &driver.pop) &&
                       bsblas::find("cuDevicePrimaryCtxRetain", &driver.retain_primary) &&
                       bsblas::find("cuDevicePrimaryCtxRelease", &driver.release_primary);
        }
    };
    static constinit Lazy<Search> made;
    const Search& search = made.get([] { return new Search; });
    return search.complete ? &search.driver : nullptr;
}

CurrentContext::CurrentContext(const Driver& driver, CUcontext context) : driver_(driver) {
    CUcontext current = nullptr;
    if (driver.get_current(&current) == CUDA_SUCCESS && current == context) {
        made_ = true;
        return;
    }
    made_ = pushed_ = driver.push(context) == CUDA_SUCCESS;
}

CurrentContext::~CurrentContext() {
    CUcontext popped;
    if (pushed_) driver_.pop(&popped);
}

}  // namespace bsblas
