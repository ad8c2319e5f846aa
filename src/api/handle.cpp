#include "api/check.h"
#include "api/guard.h"
#include "core/environment.h"
#include "core/lazy.h"

#include <bsblas/bsblas.h>

#include <cstring>
#include <string>

using namespace bsblas;
using namespace bsblas::api;

namespace {

// The environment's part of a new handle.
void read_environment(bsblasHandle& handle) {
    if (const char* level = environment("BSBLAS_LOG_LEVEL")) {
        if (!log_level_of(level, &handle.log.level)) {
            refuse_value("BSBLAS_LOG_LEVEL is \"%s\" in the environment, expected off, error, call or dispatch", level);
        }
    }
    if (const char* names = environment("BSBLAS_KERNEL")) {
        constexpr size_t most = 1000;  // characters: the library's parser recurses
        if (const size_t length = std::strlen(names); length > most) {
            refuse_value("BSBLAS_KERNEL has %zu characters in the environment, expected at most %zu", length, most);
        }
        try {
            handle.choices.selection =
                Selection(names, handle.backend->spmm_kernels(), handle.backend->sddmm_kernels());
        } catch (const std::regex_error&) {
            refuse_value("BSBLAS_KERNEL is \"%s\" in the environment, expected a regular expression", names);
        }
    }
}

constinit Lazy<std::string> build_info;

std::unique_ptr<Backend> make(bsblasBackend_t id) {
    std::unique_ptr<Backend> backend;
    succeed_or_refuse(id == BSBLAS_BACKEND_CUDA ? make_cuda_backend(&backend) : make_host_backend(&backend));
    return backend;
}

std::unique_ptr<Backend> make_best() {
    if (const char* wanted = environment("BSBLAS_BACKEND")) {
        const std::string name = wanted;
        if (name == "host") return make(BSBLAS_BACKEND_HOST);
        if (name == "cuda") return make(BSBLAS_BACKEND_CUDA);
        refuse_value("BSBLAS_BACKEND is \"%s\" in the environment, expected host or cuda", wanted);
    }
    std::unique_ptr<Backend> backend;
    {
        const KeepErrorMessage keep;  // without a device this is still a success
        if (make_cuda_backend(&backend) == BSBLAS_STATUS_SUCCESS) return backend;
    }
    return make(BSBLAS_BACKEND_HOST);
}

template <class MakeBackend>
bsblasStatus_t create(const char* function, bsblasHandle_t* handle, MakeBackend&& make_backend) {
    return guard(function, [&] {
        not_null("handle", handle);
        *handle = nullptr;
        bsblasHandle* created = Pool<bsblasHandle>::create();
        try {
            created->backend = make_backend();
            read_environment(*created);
        } catch (...) {
            Pool<bsblasHandle>::destroy(created);
            throw;
        }
        *handle = created;
    });
}

}  // namespace

bsblasStatus_t bsblasGetVersion(int* version) {
    return guard(__func__, [&] {
        not_null("version", version);
        *version = BSBLAS_VERSION;
    });
}

bsblasStatus_t bsblasGetProperty(bsblasProperty_t property, int* value) {
    return guard(__func__, [&] {
        not_null("value", value);
        listed("property", property, {BSBLAS_PROPERTY_MAJOR, BSBLAS_PROPERTY_MINOR, BSBLAS_PROPERTY_PATCH},
               "BSBLAS_PROPERTY_MAJOR (0), _MINOR (1) or _PATCH (2)");
        constexpr int parts[] = {BSBLAS_VERSION_MAJOR, BSBLAS_VERSION_MINOR, BSBLAS_VERSION_PATCH};
        *value = parts[property];
    });
}

bsblasStatus_t bsblasGetBuildInfo(const char** info) {
    return guard(__func__, [&] {
        not_null("info", info);
        const std::string& line = build_info.get([] {
            const std::string architectures = cuda_architectures();
            return new std::string(
                "version=" + std::to_string(BSBLAS_VERSION_MAJOR) + "." + std::to_string(BSBLAS_VERSION_MINOR) + "." +
                std::to_string(BSBLAS_VERSION_PATCH) + " backends=" + (architectures == "none" ? "host" : "host,cuda") +
                " cuda=" + cuda_toolkit_version() + " architectures=" + architectures + " cpu=" + host_cpu_level());
        });
        *info = line.c_str();
    });
}

bsblasStatus_t bsblasCreate(bsblasHandle_t* handle) {
    return create(__func__, handle, make_best);
}

bsblasStatus_t bsblasCreateWithBackend(bsblasHandle_t* handle, bsblasBackend_t backend) {
    return create(__func__, handle, [&] {
        listed("backend", backend, {BSBLAS_BACKEND_HOST, BSBLAS_BACKEND_CUDA},
               "BSBLAS_BACKEND_HOST (1) or BSBLAS_BACKEND_CUDA (2)");
        return make(backend);
    });
}

bsblasStatus_t bsblasDestroy(bsblasHandle_t handle) {
    if (!handle) return BSBLAS_STATUS_SUCCESS;
    return guard(__func__, handle, [](bsblasHandle& live) { Pool<bsblasHandle>::destroy(&live); });
}

bsblasStatus_t bsblasGetBackend(bsblasHandle_t handle, bsblasBackend_t* backend) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("backend", backend);
        *backend = live.backend->id();
    });
}

bsblasStatus_t bsblasSetStream(bsblasHandle_t handle, bsblasStream_t stream) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        if (stream && live.backend->id() == BSBLAS_BACKEND_HOST) {
            refuse_value("stream is %p, expected NULL for a host handle", static_cast<void*>(stream));
        }
        live.execution.stream = stream;
    });
}

bsblasStatus_t bsblasGetStream(bsblasHandle_t handle, bsblasStream_t* stream) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("stream", stream);
        *stream = static_cast<bsblasStream_t>(live.execution.stream);
    });
}

bsblasStatus_t bsblasSetPointerMode(bsblasHandle_t handle, bsblasPointerMode_t mode) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        listed("mode", mode, {BSBLAS_POINTER_MODE_HOST, BSBLAS_POINTER_MODE_DEVICE},
               "BSBLAS_POINTER_MODE_HOST (0) or _DEVICE (1)");
        live.pointer_mode = mode;
    });
}

bsblasStatus_t bsblasGetPointerMode(bsblasHandle_t handle, bsblasPointerMode_t* mode) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("mode", mode);
        *mode = live.pointer_mode;
    });
}

bsblasStatus_t bsblasSetMathMode(bsblasHandle_t handle, bsblasMathMode_t mode) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        listed("mode", mode, {BSBLAS_MATH_DEFAULT, BSBLAS_MATH_TF32}, "BSBLAS_MATH_DEFAULT (0) or _TF32 (1)");
        live.math_mode = mode;
    });
}

bsblasStatus_t bsblasGetMathMode(bsblasHandle_t handle, bsblasMathMode_t* mode) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("mode", mode);
        *mode = live.math_mode;
    });
}

bsblasStatus_t bsblasSetDeterminism(bsblasHandle_t handle, bsblasDeterminism_t determinism) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        check_determinism("determinism", determinism);
        live.determinism = determinism;
    });
}

bsblasStatus_t bsblasGetDeterminism(bsblasHandle_t handle, bsblasDeterminism_t* determinism) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("determinism", determinism);
        *determinism = live.determinism;
    });
}

bsblasStatus_t bsblasSetSMCountTarget(bsblasHandle_t handle, int smCount) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        at_least("smCount", smCount, 0);
        live.execution.sm_target = smCount;
    });
}

bsblasStatus_t bsblasGetSMCountTarget(bsblasHandle_t handle, int* smCount) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("smCount", smCount);
        *smCount = live.execution.sm_target;
    });
}

bsblasStatus_t bsblasSetNumThreads(bsblasHandle_t handle, int numThreads) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        at_least("numThreads", numThreads, 0);
        live.execution.threads = numThreads;
    });
}

bsblasStatus_t bsblasGetNumThreads(bsblasHandle_t handle, int* numThreads) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("numThreads", numThreads);
        *numThreads = live.backend->device(live.execution).threads;
    });
}

bsblasStatus_t bsblasSetLogLevel(bsblasHandle_t handle, bsblasLogLevel_t level) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        listed("level", level, {BSBLAS_LOG_OFF, BSBLAS_LOG_ERROR, BSBLAS_LOG_CALL, BSBLAS_LOG_DISPATCH},
               "BSBLAS_LOG_OFF (0), _ERROR (10), _CALL (20) or _DISPATCH (30)");
        live.log.level = level;
    });
}

bsblasStatus_t bsblasGetLogLevel(bsblasHandle_t handle, bsblasLogLevel_t* level) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("level", level);
        *level = live.log.level;
    });
}

bsblasStatus_t bsblasSetLogCallback(bsblasHandle_t handle, bsblasLogCallback_t callback, void* userData) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        live.log.callback = callback;
        live.log.user_data = userData;
    });
}

bsblasStatus_t bsblasGetLogCallback(bsblasHandle_t handle, bsblasLogCallback_t* callback, void** userData) {
    return guard(__func__, handle, [&](bsblasHandle& live) {
        not_null("callback", reinterpret_cast<void*>(callback));
        not_null("userData", userData);
        *callback = live.log.callback;
        *userData = live.log.user_data;
    });
}
