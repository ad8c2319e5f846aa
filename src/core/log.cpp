#include "core/log.h"

#include "core/environment.h"
#include "core/error.h"

#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace bsblas {
namespace {

std::string log_path() {
    const char* name = environment("BSBLAS_LOG_FILE");
    std::string path = name ? name : "";
    for (size_t at; (at = path.find("%p")) != std::string::npos;) path.replace(at, 2, std::to_string(getpid()));
    return path;
}

}  // namespace

void Log::write(bsblasLogLevel_t of, const std::string& line) const {
    if (callback) {
        const KeepErrorMessage keep;  // it may call other functions
        callback(of, line.c_str(), user_data);
        return;
    }
    // Opened for each line: logging is for finding out, not for speed, and a file that is never held open survives
    // forks, rotation and dlclose. One write each, so that lines of several threads and processes do not mix.
    const std::string text = line + '\n';
    const std::string path = log_path();
    std::FILE* file = path.empty() ? stderr : std::fopen(path.c_str(), "a");
    if (!file) file = stderr;
    std::fwrite(text.data(), 1, text.size(), file);
    if (file == stderr) {
        std::fflush(file);
    } else {
        std::fclose(file);
    }
}

bool log_level_of(const char* name, bsblasLogLevel_t* level) {
    static constexpr struct {
        const char* name;
        bsblasLogLevel_t level;
    } levels[] = {{"off", BSBLAS_LOG_OFF},
                  {"error", BSBLAS_LOG_ERROR},
                  {"call", BSBLAS_LOG_CALL},
                  {"dispatch", BSBLAS_LOG_DISPATCH}};
    for (const auto& known : levels) {
        if (std::strcmp(known.name, name) == 0) {
            *level = known.level;
            return true;
        }
    }
    return false;
}

}  // namespace bsblas
