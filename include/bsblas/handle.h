/* bsblas: the handle. SPDX-License-Identifier: Apache-2.0
 *
 * A handle holds a backend and modes. Handles are cheap; different handles never interfere, in whatever threads they are.
 * One handle is used by one thread at a time. Nothing touches a device before the first handle is made. */
#ifndef BSBLAS_HANDLE_H
#define BSBLAS_HANDLE_H

#include <bsblas/status.h>
#include <bsblas/types.h>

BSBLAS_BEGIN_DECLS

/* ---- Version and build. Host only; none needs a handle. --------------------------------------------------------- */

/* *version = BSBLAS_VERSION of the library that runs, which may be newer than the header.
 * INVALID_VALUE: version is NULL. */
BSBLAS_API bsblasStatus_t bsblasGetVersion(int* version);

/* *value = that part of bsblasGetVersion.
 * INVALID_VALUE: property is not listed, value is NULL. */
BSBLAS_API bsblasStatus_t bsblasGetProperty(bsblasProperty_t property, int* value);

/* *info = one line of "key=value" pairs separated by spaces: version, backends built in (comma-separated), the CUDA
 * version and architectures they were built with ("none" without), and cpu, the instruction set level that the host
 * backend runs at on this machine. Static memory. Keys may be added.
 * INVALID_VALUE: info is NULL. */
BSBLAS_API bsblasStatus_t bsblasGetBuildInfo(const char** info);

/* ---- Life ------------------------------------------------------------------------------------------------------- */

/* Makes a handle on the best backend here: cuda when this build has it and the current device can run it, else host.
 * BSBLAS_BACKEND=host or =cuda in the environment overrides that choice. BSBLAS_KERNEL in the environment is a regular
 * expression: only kernels in whose name it is found run, and what none of those takes is NOT_SUPPORTED. Variables are
 * read when the handle is made, but for BSBLAS_CPU_LEVEL (generic, avx2 or avx512: the most that host handles use), which
 * is read once; empty ones count as not set. *handle is NULL after a failure.
 * INVALID_VALUE: handle is NULL, BSBLAS_BACKEND, BSBLAS_KERNEL, BSBLAS_LOG_LEVEL or, for a host handle,
 * BSBLAS_NUM_THREADS or BSBLAS_CPU_LEVEL is not what it may be. NOT_AVAILABLE: BSBLAS_BACKEND names a backend that is not
 * to be had. ALLOC_FAILED.
 * A cuda handle loads the kernels of products, once for each context: the first one takes a while. */
BSBLAS_API bsblasStatus_t bsblasCreate(bsblasHandle_t* handle);

/* Makes a handle on that backend or none. A cuda handle belongs to the CUDA context that is current in the calling thread,
 * else to the primary context of the current device (the runtime API's); its calls run there whatever is current later, and
 * leave what is current as it was.
 * INVALID_VALUE: handle is NULL, backend is not listed, or the environment as above. NOT_AVAILABLE: the build, machine or
 * driver lacks it; the message says which. ALLOC_FAILED. */
BSBLAS_API bsblasStatus_t bsblasCreateWithBackend(bsblasHandle_t* handle, bsblasBackend_t backend);

/* Frees the handle. Work already on its stream still completes. NULL is a success.
 * NOT_INITIALIZED: handle was destroyed before. */
BSBLAS_API bsblasStatus_t bsblasDestroy(bsblasHandle_t handle);

/* *backend = where this handle computes. INVALID_VALUE: backend is NULL. NOT_INITIALIZED. */
BSBLAS_API bsblasStatus_t bsblasGetBackend(bsblasHandle_t handle, bsblasBackend_t* backend);

/* ---- Modes ------------------------------------------------------------------------------------------------------
 * Each Set takes effect for later calls; each Get writes the present value. All: NOT_INITIALIZED for a bad handle,
 * INVALID_VALUE for a value that is not listed or a NULL pointer. */

/* The stream that work goes to, of the handle's context; NULL, the default, is the legacy default stream. A host handle
 * takes only NULL. */
BSBLAS_API bsblasStatus_t bsblasSetStream(bsblasHandle_t handle, bsblasStream_t stream);
BSBLAS_API bsblasStatus_t bsblasGetStream(bsblasHandle_t handle, bsblasStream_t* stream);

/* Where alpha, beta and the counts of conversions are. Default: BSBLAS_POINTER_MODE_HOST. */
BSBLAS_API bsblasStatus_t bsblasSetPointerMode(bsblasHandle_t handle, bsblasPointerMode_t mode);
BSBLAS_API bsblasStatus_t bsblasGetPointerMode(bsblasHandle_t handle, bsblasPointerMode_t* mode);

/* Whether f32 may become TF32. Default: BSBLAS_MATH_DEFAULT, it may not. */
BSBLAS_API bsblasStatus_t bsblasSetMathMode(bsblasHandle_t handle, bsblasMathMode_t mode);
BSBLAS_API bsblasStatus_t bsblasGetMathMode(bsblasHandle_t handle, bsblasMathMode_t* mode);

/* Whether results have to be the same bits at every call. Default: BSBLAS_DETERMINISM_REQUIRED. */
BSBLAS_API bsblasStatus_t bsblasSetDeterminism(bsblasHandle_t handle, bsblasDeterminism_t determinism);
BSBLAS_API bsblasStatus_t bsblasGetDeterminism(bsblasHandle_t handle, bsblasDeterminism_t* determinism);

/* How many multiprocessors kernels should plan for, for programs that run other work beside them; 0, the default,
 * means all of the device, and larger numbers than it has mean the same. No effect on a host handle. */
BSBLAS_API bsblasStatus_t bsblasSetSMCountTarget(bsblasHandle_t handle, int smCount);
BSBLAS_API bsblasStatus_t bsblasGetSMCountTarget(bsblasHandle_t handle, int* smCount);

/* How many threads a host handle's calls use, the calling one included; more than 1024 mean 1024. 0, the default:
 * BSBLAS_NUM_THREADS in the environment when the handle is made, else as many as the process could run on then. Get writes
 * the number that a call would use. No effect on a cuda handle, whose Get writes 1. */
BSBLAS_API bsblasStatus_t bsblasSetNumThreads(bsblasHandle_t handle, int numThreads);
BSBLAS_API bsblasStatus_t bsblasGetNumThreads(bsblasHandle_t handle, int* numThreads);

/* ---- Log --------------------------------------------------------------------------------------------------------
 * A line of level "call" or "dispatch" starts with a problem in the grammar that the project's test and benchmark
 * programs read: the former replays every one, with a pattern as dense as A's capacity and numbers of its own, and with
 * alpha = 1, beta = 0 and scales of 1 where only the device knows these. Without a callback, lines go to the file that
 * BSBLAS_LOG_FILE names ("%p" becomes the process id), else, or if that cannot be opened, to stderr. */

/* How much is logged. Default: BSBLAS_LOG_LEVEL in the environment when the handle is made (off, error, call, dispatch),
 * else off. */
BSBLAS_API bsblasStatus_t bsblasSetLogLevel(bsblasHandle_t handle, bsblasLogLevel_t level);
BSBLAS_API bsblasStatus_t bsblasGetLogLevel(bsblasHandle_t handle, bsblasLogLevel_t* level);

/* A line without its newline, in the thread that makes the call; it must not call bsblas with the same handle. */
typedef void (*bsblasLogCallback_t)(bsblasLogLevel_t level, const char* line, void* userData);

/* NULL, the default, means file or stderr. userData is passed back as it is. */
BSBLAS_API bsblasStatus_t bsblasSetLogCallback(bsblasHandle_t handle, bsblasLogCallback_t callback, void* userData);
BSBLAS_API bsblasStatus_t bsblasGetLogCallback(bsblasHandle_t handle, bsblasLogCallback_t* callback, void** userData);

BSBLAS_END_DECLS

#endif
