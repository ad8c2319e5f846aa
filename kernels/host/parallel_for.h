#pragma once

#include "core/kernel.h"

namespace bsblas::host {

// body(item, thread) for item = 0 .. items - 1.
template <class Body>
void parallel_for(Parallel& parallel, int64_t items, const Body& body) {
    parallel.run(
        items, [](void* body, int64_t item, int thread) { (*static_cast<const Body*>(body))(item, thread); },
        const_cast<Body*>(&body));
}

}  // namespace bsblas::host
