// The driver's context functions, found at run time: the library never links libcuda, so that it loads without one.
#pragma once

#include <cuda.h>

namespace bsblas {

struct Driver {
    decltype(&::cuCtxGetCurrent) get_current = nullptr;
    decltype(&::cuCtxGetDevice) get_device = nullptr;
    decltype(&::cuCtxGetId) get_id = nullptr;
    decltype(&::cuCtxPushCurrent) push = nullptr;
    decltype(&::cuCtxPopCurrent) pop = nullptr;
    decltype(&::cuDevicePrimaryCtxRetain) retain_primary = nullptr;
    decltype(&::cuDevicePrimaryCtxRelease) release_primary = nullptr;

    // Null when the driver lacks one of them.
    static const Driver* find();
};

// Makes a context current in this thread for as long as it lives.
class CurrentContext {
public:
    CurrentContext(const Driver& driver, CUcontext context);
    ~CurrentContext();
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

    bool made() const { return made_; }

private:
    const Driver& driver_;
    bool made_, pushed_ = false;
};

}  // namespace bsblas
