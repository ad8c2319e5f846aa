// One run of the conformance program: a backend, what is counted and printed, and how a problem is run.
#pragma once

#include <functional>
#include <string>

#include "support/call.h"
#include "support/memory.h"
#include "support/problem.h"
#include "support/run_problem.h"

namespace bsblas::test {

class Session {
public:
    Session(Memory& memory, bool graph) : memory_(memory), graph_(graph) {}

    Memory& memory() const { return memory_; }
    bsblasBackend_t backend() const { return memory_.backend(); }
    bool on_cuda() const { return backend() == BSBLAS_BACKEND_CUDA; }
    bool graph() const { return graph_; }

    // One test: its name, and what it does. Exceptions are failures.
    void test(const std::string& name, const std::function<void()>& body);

    // Inside a test. A failure is printed with a line that replays it.
    void problems(const std::string& lines);  // in the grammar, alternatives and all; several lines at once
    void problem(const Problem& problem);
    void expect(bool right, const std::string& sentence);
    // Makes a compute call (in graph mode captures and replays it) and waits; expects SUCCESS.
    bool call(const std::string& what, const std::function<bsblasStatus_t()>& operation);
    void skip(const std::string& reason);

    // The last line, and whether nothing failed.
    bool finish() const;

private:
    Memory& memory_;
    bool graph_;
    int passed_ = 0, failed_ = 0, skipped_ = 0;
    std::string test_;
    bool test_failed_ = false;
    std::string skip_reason_;
};

}  // namespace bsblas::test
