// What a kernel is to the rest of the library: a row of a table.
#pragma once

#include "core/problem.h"

#include <cstddef>
#include <string>

namespace bsblas {

// What kernels may know of where they run. A host device has sm = 0.
struct Device {
    int sm = 0;               // 10 major + minor of the compute capability: 80, 90, ...
    int multiprocessors = 0;  // to plan for: the device's, or the handle's smaller target
    int64_t l2_bytes = 0;
    bool launches_early = false;  // kernels can be made ready while the one before them ends
    int cpu_level = 0;            // kernels/host/cpu_level.h
    int threads = 1;              // of the host handle
    bool operator==(const Device&) const = default;
};

// Runs body(context, item, thread) for item = 0 .. items - 1 on the threads of the host backend and returns when all
// are done. thread is below Device::threads; items start in order.
class Parallel {
public:
    virtual void run(int64_t items, void (*body)(void* context, int64_t item, int thread), void* context) = 0;

protected:
    ~Parallel() = default;
};

// What a launch gets besides its problem.
struct Launch {
    const Device& device;
    void* workspace = nullptr;     // as many bytes as the row's workspace(), 256-byte aligned on CUDA and host alike
    void* stream = nullptr;        // CUDA
    Parallel* parallel = nullptr;  // host
};

// A row. All but launch depend on sizes, types, strides and the device alone: they must not look at data, and the
// pointers in the problem may be null when they are called. So tables are tested, and problems are planned, without a
// device.
template <class Problem>
struct Kernel {
    const char* name;  // a grammar: op_bsr<block>_<type>__<arch>_<means>_<tile>
    // Why it does not take the problem, in words; "" when it does.
    std::string (*refuses)(const Problem&, const Device&);
    size_t (*workspace)(const Problem&, const Device&);
    // Predicted time in microseconds; only compared with other rows.
    double (*cost)(const Problem&, const Device&);
    // Enqueues (CUDA) or does (host) the work; 0, or a cudaError_t.
    int (*launch)(const Problem&, const Launch&);
};

// For rows that need none.
template <class Problem>
size_t no_workspace(const Problem&, const Device&) {
    return 0;
}

using SpmmKernel = Kernel<SpmmProblem>;
using SddmmKernel = Kernel<SddmmProblem>;

// A backend's rows for one operation; the last is the complete reference. table.inc of each kernel folder lists them;
// the rows themselves are constants in their kernels' files.
template <class Problem>
struct KernelTable {
    const Kernel<Problem>* const* rows = nullptr;
    int count = 0;
    const Kernel<Problem>* const* begin() const { return rows; }
    const Kernel<Problem>* const* end() const { return rows + count; }
};

}  // namespace bsblas
