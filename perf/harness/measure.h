// One problem measured: bsblas and its peers in turn, on the same operands, in the same process.
#pragma once

#include <optional>

#include "harness/check.h"
#include "harness/contender.h"

namespace bsblas::perf {

struct Timing {
    std::string name;
    bool dense = false;
    std::string refusal;          // why it was not measured; "": it was
    double time_us = 0;           // median of the rounds
    double spread = 0;            // of the middle half of the rounds, relative to the median
    double tflops = 0;            // on stored blocks; dense: on all
    std::optional<double> error;  // of its output, where it writes one that can be checked
};

struct Measurement {
    Timing ours;
    Timing one_thread;  // ours too, of a problem with more threads
    std::string kernel;
    Verdict verdict;
    std::vector<Timing> peers;
    double clock_mhz = 0;  // after the last round

    // nullptr without any.
    const Timing* dense_peer() const;
    const Timing* best_peer() const;  // the fastest whose result is as exact as ours must be, dense ones included
};

// Times a round: bsblas and each peer once in turn, so that whatever the clocks do, they do to all; each has settled
// before.
class Race {
public:
    using Check = Verdict (*)(const Workload& workload, Machine& machine);

    // one_thread: ours with one thread, or nullptr. Prepares all, checks their results and warms them up. Throws
    // std::runtime_error if bsblas refuses or fails.
    Race(const Workload& workload, Machine& machine, Contender& ours, Contender* one_thread,
         const std::vector<std::unique_ptr<Contender>>& peers, Check check = check_sample);

    double round();  // microseconds of ours
    Measurement result() const;

private:
    struct Runner {
        Timing timing;
        Prepared prepared;
        int settling = 0;  // runs before a timed stretch
        int repeats = 1;   // runs in one
        size_t next = 0;   // copy
        double flops = 0;
        std::vector<double> times;
    };

    void run(Runner& runner, int repeats);
    double time(Runner& runner, int repeats);
    double time_settled(Runner& runner);
    void warm_up(Runner& runner);

    const Workload& workload_;
    Machine& machine_;
    Runner ours_, one_thread_;
    std::vector<Runner> peers_;
    Verdict verdict_;
};

}  // namespace bsblas::perf
