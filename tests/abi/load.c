/* load LIBRARY [no-driver]: loading does nothing that can be seen: no thread, no file descriptor, no output. Afterwards
 * the host backend works, and what a handle says of its backend is true. no-driver: there is no usable CUDA driver, so
 * a cuda handle has to be refused with a sentence. */
#define _GNU_SOURCE
#include <bsblas/bsblas.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report = 2;

#define REQUIRE(condition)                                                            \
    do {                                                                              \
        if (!(condition)) {                                                           \
            dprintf(report, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

static int entries(const char* folder) {
    int count = 0;
    DIR* opened = opendir(folder);
    REQUIRE(opened);
    while (readdir(opened)) ++count;
    closedir(opened);
    return count;
}

static int is_empty(int file) {
    struct stat status;
    REQUIRE(fstat(file, &status) == 0);
    return status.st_size == 0;
}

static bsblasStatus_t (*create)(bsblasHandle_t*, bsblasBackend_t);
static bsblasStatus_t (*create_best)(bsblasHandle_t*);
static bsblasStatus_t (*destroy)(bsblasHandle_t);
static bsblasStatus_t (*get_backend)(bsblasHandle_t, bsblasBackend_t*);
static const char* (*last_message)(void);

/* The last detour is how POSIX has a function pointer made from dlsym's answer. */
#define LOOK_UP(pointer, name) REQUIRE((*(void**)&(pointer) = dlsym(library, name)) != NULL)

int main(int argc, char** argv) {
    int no_driver, output, threads, descriptors;
    void* library;
    bsblasHandle_t handle = NULL;
    bsblasBackend_t backend = BSBLAS_BACKEND_MAX;
    bsblasStatus_t status;

    REQUIRE(argc >= 2);
    no_driver = argc > 2 && strcmp(argv[2], "no-driver") == 0;

    report = dup(2);
    output = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    REQUIRE(output >= 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2);
    threads = entries("/proc/self/task");
    descriptors = entries("/proc/self/fd");

    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) dprintf(report, "%s\n", dlerror());
    REQUIRE(library);
    REQUIRE(entries("/proc/self/task") == threads);
    REQUIRE(entries("/proc/self/fd") == descriptors);
    REQUIRE(is_empty(output));

    LOOK_UP(create, "bsblasCreateWithBackend");
    LOOK_UP(create_best, "bsblasCreate");
    LOOK_UP(destroy, "bsblasDestroy");
    LOOK_UP(get_backend, "bsblasGetBackend");
    LOOK_UP(last_message, "bsblasGetLastErrorMessage");

    REQUIRE(create(&handle, BSBLAS_BACKEND_HOST) == BSBLAS_STATUS_SUCCESS);
    REQUIRE(get_backend(handle, &backend) == BSBLAS_STATUS_SUCCESS && backend == BSBLAS_BACKEND_HOST);
    REQUIRE(destroy(handle) == BSBLAS_STATUS_SUCCESS);

    status = create(&handle, BSBLAS_BACKEND_CUDA);
    if (status == BSBLAS_STATUS_SUCCESS) {
        REQUIRE(!no_driver);
        REQUIRE(get_backend(handle, &backend) == BSBLAS_STATUS_SUCCESS && backend == BSBLAS_BACKEND_CUDA);
        REQUIRE(destroy(handle) == BSBLAS_STATUS_SUCCESS);
    } else {
        REQUIRE(status == BSBLAS_STATUS_NOT_AVAILABLE);
        REQUIRE(handle == NULL);
        REQUIRE(strlen(last_message()) > 0);
        dprintf(report, "cuda: %s\n", last_message());
        REQUIRE(create_best(&handle) == BSBLAS_STATUS_SUCCESS);
        REQUIRE(get_backend(handle, &backend) == BSBLAS_STATUS_SUCCESS && backend == BSBLAS_BACKEND_HOST);
        REQUIRE(destroy(handle) == BSBLAS_STATUS_SUCCESS);
    }

    REQUIRE(is_empty(output));
    return 0;
}
