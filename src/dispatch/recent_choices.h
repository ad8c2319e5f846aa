// What a handle chose for the problems that it had last. To ask every row takes about as long as to launch one (1.6 us
// of a CUDA call's 6.4), and a training step has the same few problems each time.
#pragma once

#include "core/kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>

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
        for (size_t i = 0; i < std::min(kept_, most); ++i) {
            const Choice<Problem>& choice = choices_[i];
            if (choice.problem == problem && choice.device == device) return &choice;
        }
        return nullptr;
    }

    // In the place of the oldest.
    const Choice<Problem>* keep(const Choice<Problem>& choice) {
        Choice<Problem>& place = choices_[kept_++ % most];
        place = choice;
        return &place;
    }

private:
    static constexpr size_t most = 32;  // about 15 kB, there from the beginning: operations allocate nothing
    std::array<Choice<Problem>, most> choices_ = {};
    size_t kept_ = 0;
};

}  // namespace bsblas
