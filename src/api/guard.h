// What each public function runs inside: no exception leaves, and a refusal deep in a check ends the call.
#pragma once

#include "api/handle_object.h"
#include "core/error.h"
#include "core/pool.h"

#include <exception>
#include <new>
#include <type_traits>

namespace bsblas::api {

// Thrown with the sentence already kept.
struct Refusal {
    bsblasStatus_t status;
};

// Refuses the call: `sentence` names the argument, what it was and what was expected.
template <class... Values>
[[noreturn]] void refuse(bsblasStatus_t status, const char* format, Values... values) {
    if constexpr (sizeof...(values) == 0) {
        throw Refusal{fail(status, "%s", format)};
    } else {
        throw Refusal{fail(status, format, values...)};
    }
}

template <class... Values>
[[noreturn]] void refuse_value(const char* format, Values... values) {
    refuse(BSBLAS_STATUS_INVALID_VALUE, format, values...);
}

inline void succeed_or_refuse(bsblasStatus_t status) {
    if (status != BSBLAS_STATUS_SUCCESS) throw Refusal{status};
}

// What a caller's pointer points to, if that lives.
template <class Object>
Object& live(const char* argument, Object* object, const char* kind) {
    if (!object) refuse(BSBLAS_STATUS_NOT_INITIALIZED, "%s is NULL, expected a live %s", argument, kind);
    if (!Pool<std::remove_const_t<Object>>::is_alive(object)) {
        refuse(BSBLAS_STATUS_NOT_INITIALIZED, "%s is %p, expected a live %s", argument,
               static_cast<const void*>(object), kind);
    }
    return *object;
}

template <class Body>
bsblasStatus_t guard(const char* function, Body&& body) noexcept {
    set_current_function(function);
    try {
        body();
        return BSBLAS_STATUS_SUCCESS;
    } catch (const Refusal& refusal) {
        return refusal.status;
    } catch (const std::bad_alloc&) {
        return fail(BSBLAS_STATUS_ALLOC_FAILED, "host memory is exhausted");
    } catch (const std::exception& error) {
        return fail(BSBLAS_STATUS_INTERNAL_ERROR, "unexpected exception: %s", error.what());
    } catch (...) {
        return fail(BSBLAS_STATUS_INTERNAL_ERROR, "unexpected exception");
    }
}

// With a handle: checks it first, and logs the failure if that is wanted. body takes bsblasHandle&.
template <class Body>
bsblasStatus_t guard(const char* function, bsblasHandle_t handle, Body&& body) noexcept {
    const bsblasStatus_t status = guard(function, [&] { body(live("handle", handle, "handle")); });
    if (status != BSBLAS_STATUS_SUCCESS && Pool<bsblasHandle>::is_alive(handle) &&
        handle->log.wants(BSBLAS_LOG_ERROR)) {
        guard(function, [&] {
            handle->log.write(BSBLAS_LOG_ERROR,
                              std::string("# ") + bsblasGetStatusName(status) + ": " + last_error_message());
        });
    }
    return status;
}

}  // namespace bsblas::api
