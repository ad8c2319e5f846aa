/* bsblas: what a call answers. SPDX-License-Identifier: Apache-2.0 */
#ifndef BSBLAS_STATUS_H
#define BSBLAS_STATUS_H

#include <bsblas/export.h>

BSBLAS_BEGIN_DECLS

/* Every status once: X(name, value, sentence). Values never change; each family has room to grow. */
#define BSBLAS_STATUS_MAP(X)                                                                                    \
    X(SUCCESS, 0, "the call did what it says")                                                                  \
    /* 10-19: the caller's arguments */                                                                         \
    X(NOT_INITIALIZED, 10, "a handle or descriptor is NULL, was destroyed, or is of another kind")              \
    X(INVALID_VALUE, 11, "an argument is out of its range or contradicts another one")                          \
    X(NOT_SUPPORTED, 12, "the arguments make sense, but no kernel of this backend and device does this")        \
    X(INVALID_PATTERN, 13, "a block pattern is malformed")                                                      \
    /* 20-29: room */                                                                                           \
    X(INSUFFICIENT_WORKSPACE, 20, "the buffer is smaller than the call's bufferSize function asks for")         \
    X(INSUFFICIENT_CAPACITY, 21, "an output descriptor has room for fewer entries than the result has")         \
    X(ALLOC_FAILED, 22, "memory could not be allocated")                                                        \
    /* 30-39: the backend */                                                                                    \
    X(NOT_AVAILABLE, 30, "this build, machine or driver does not have the backend asked for")                   \
    X(EXECUTION_FAILED, 31, "the device reported an error, of this call or of earlier work")                    \
    /* 40-49: the library */                                                                                    \
    X(INTERNAL_ERROR, 40, "an internal check failed; please report it with the last error message")

typedef enum bsblasStatus_t {
#define BSBLAS_STATUS_ENUMERATOR(name, value, sentence) BSBLAS_STATUS_##name = value,
    BSBLAS_STATUS_MAP(BSBLAS_STATUS_ENUMERATOR)
#undef BSBLAS_STATUS_ENUMERATOR
        BSBLAS_STATUS_MAX = 0x7fffffff /* makes the enumeration 32 bits wide; never returned */
} bsblasStatus_t;

/* The constant's name, such as "BSBLAS_STATUS_INVALID_VALUE"; "unknown status" for any other number. Static memory. */
BSBLAS_API const char* bsblasGetStatusName(bsblasStatus_t status);

/* The sentence of BSBLAS_STATUS_MAP; "unknown status" for any other number. Static memory. */
BSBLAS_API const char* bsblasGetStatusString(bsblasStatus_t status);

/* What was wrong with the calling thread's last call that did not succeed: the function, the argument, its value, and
 * what was expected. "" before the first such call. Valid until this thread's next failing call; later successes leave it
 * as it is. */
BSBLAS_API const char* bsblasGetLastErrorMessage(void);

BSBLAS_END_DECLS

#endif
