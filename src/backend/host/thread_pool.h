// The library's threads: one set for the process, started when they are first needed.
#pragma once

#include <cstdint>

namespace bsblas {

inline constexpr int max_threads = 1024;  // that one call uses

// Runs body(context, item, thread) for item = 0 .. items - 1 and returns when all are done. The caller is thread 0; up
// to threads - 1 workers help, fewer if the system refuses to start them. Items start in order; body must not throw.
// All compute in the caller's floating-point environment.
//
// One call at a time has the workers: a call that finds them taken, by another handle or by the body it is in, runs its
// items in its own thread. After fork() the child has workers of its own. They end with the process.
void run_on_threads(int threads, int64_t items, void (*body)(void* context, int64_t item, int thread), void* context);

// How many CPUs the process may run on, max_threads at most.
int usable_cpus();

}  // namespace bsblas
