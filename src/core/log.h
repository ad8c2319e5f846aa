// The log of a handle.
#pragma once

#include <bsblas/handle.h>

#include <string>

namespace bsblas {

struct Log {
    bsblasLogLevel_t level = BSBLAS_LOG_OFF;
    bsblasLogCallback_t callback = nullptr;
    void* user_data = nullptr;

    bool wants(bsblasLogLevel_t wanted) const { return level >= wanted; }
    // To the callback, else to BSBLAS_LOG_FILE, else to stderr.
    void write(bsblasLogLevel_t of, const std::string& line) const;
};

// The level of that name ("off", "error", "call", "dispatch"); false when there is none.
bool log_level_of(const char* name, bsblasLogLevel_t* level);

}  // namespace bsblas
