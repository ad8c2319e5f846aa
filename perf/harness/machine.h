// Where a backend computes: its memory, its clock, and what to call it in a table.
#pragma once

#include <bsblas/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "support/memory.h"

namespace bsblas::perf {

// An array in a machine's memory, freed with its last owner.
using Buffer = std::shared_ptr<void>;

class Machine {
public:
    explicit Machine(bsblasBackend_t backend);  // throws std::runtime_error where there is no such backend
    virtual ~Machine() = default;

    bsblasBackend_t backend() const { return memory_->backend(); }
    bsblasStream_t stream() const { return memory_->stream(); }
    Buffer allocate(size_t bytes);  // aligned to 256
    void upload(void* to, const void* from, size_t bytes) { memory_->copy_in(to, from, bytes); }
    void download(void* to, const void* from, size_t bytes) { memory_->copy_out(to, from, bytes); }

    virtual std::string name() const = 0;
    // Driver, clocks, caches: what a reader of a result has to know.
    virtual std::map<std::string, std::string> description() const = 0;
    virtual int cpus() const { return 1; }    // that the process may run on, of a host
    virtual int64_t cache_bytes() const = 0;  // of the last level before memory
    virtual double clock_mhz() const = 0;     // now; 0 if it cannot be told
    // Microseconds of work: before it is timed, so that it runs at the rate that it keeps; and in a timed stretch, at
    // least, so that launches of short kernels overlap with work as they do in a program.
    virtual double settling_us() const { return 0; }
    virtual double stretch_us() const { return 1000; }
    // Microseconds until everything that work enqueues is done.
    virtual double time(const std::function<void()>& work) = 0;

private:
    std::unique_ptr<test::Memory> memory_;
};

std::unique_ptr<Machine> make_machine(bsblasBackend_t backend);
std::unique_ptr<Machine> make_default_machine();  // of the backend that bsblasCreate chooses here

// host_machine.cpp, cuda_machine.cpp
std::unique_ptr<Machine> make_host_machine();
std::unique_ptr<Machine> make_cuda_machine();

}  // namespace bsblas::perf
