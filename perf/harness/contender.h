// What can compute a workload: bsblas, and the peers it is compared with.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/workload.h"

namespace bsblas::perf {

// A contender that is ready for one workload.
struct Prepared {
    std::string refusal;                   // why it does not take the workload; "": it does
    std::function<void(size_t copy)> run;  // enqueues the product on that copy of the operands; throws
    bool writes_output = true;             // to the workload's output, where it can be checked
    std::string kernel;                    // that runs, as far as it tells
};

class Contender {
public:
    virtual ~Contender() = default;
    virtual std::string name() const = 0;
    virtual std::string version() const = 0;
    virtual bool dense() const = 0;  // computes the blocks that are not stored, too
    // The workload must stay as it is while what is returned is in use.
    virtual Prepared prepare(const Workload& workload) = 0;

protected:
    static Prepared refuse(std::string reason) { return {std::move(reason), {}, false, {}}; }
};

}  // namespace bsblas::perf
