// What a handle chose for the problems that it had last. To ask every row takes about as long as to launch one (1.6 us
// of a CUDA call's 6.4), and a training step has the same few problems each time.
#pragma once

#include "core/kernel.h"

#include <cstddef>
#include <vector>

namespace bsblas {

template <class Problem>
struct Choice {
    Problem problem;  // without data
    Device device;
    const Kernel<Problem>* kernel = nullptr;
    size_t workspace_bytes = 0;  // of the kernel
};

template <class Problem>
class RecentChoices {
public:
    // Null when it is not among them. Valid until the next keep().
    const Choice<Problem>* find(const Problem& problem, const Device& device) const {
        for (const Choice<Problem>& choice : choices_) {
            if (choice.problem == problem && choice.device == device) return &choice;
        }
        return nullptr;
    }

    // In the place of the oldest.
    const Choice<Problem>* keep(const Choice<Problem>& choice) {
        if (choices_.size() < most) {
            choices_.push_back(choice);
            return &choices_.back();
        }
        Choice<Problem>& oldest = choices_[next_++ % most];
        oldest = choice;
        return &oldest;
    }

private:
    static constexpr size_t most = 32;  // about 15 kB
    std::vector<Choice<Problem>> choices_;
    size_t next_ = 0;
};

}  // namespace bsblas
