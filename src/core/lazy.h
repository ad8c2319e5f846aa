// Made when first asked for, and never destroyed.
#pragma once

#include <atomic>

namespace bsblas {

// For what would be a function's static with an initializer: a child forked while another thread of its parent runs
// that would wait for it for ever. Here nobody waits: threads that are first at once each make one, and all but one are
// dropped.
template <class T>
class Lazy {
public:
    template <class Make>
    T& get(Make make) {
        T* known = made_.load();
        if (known) return *known;
        T* const mine = make();
        if (made_.compare_exchange_strong(known, mine)) return *mine;
        delete mine;
        return *known;
    }

private:
    std::atomic<T*> made_{nullptr};
};

}  // namespace bsblas
