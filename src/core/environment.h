// Variables of the process's environment.
#pragma once

#include <cstdlib>

namespace bsblas {

// NULL when it is not set, or empty.
inline const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

}  // namespace bsblas
