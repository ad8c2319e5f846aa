#include "core/error.h"

#include <cstdarg>
#include <cstdio>

namespace bsblas {
namespace {

// Fixed storage: saying what went wrong must not itself run out of memory.
thread_local char message[1024] = "";
thread_local const char* current_function = "";

}  // namespace

void set_current_function(const char* name) {
    current_function = name;
}

const char* last_error_message() {
    return message;
}

bsblasStatus_t fail(bsblasStatus_t status, const char* format, ...) {
    int used = std::snprintf(message, sizeof message, "%s: ", current_function);
    va_list arguments;
    va_start(arguments, format);
    if (used >= 0 && used < static_cast<int>(sizeof message)) {
        std::vsnprintf(message + used, sizeof message - used, format, arguments);
    }
    va_end(arguments);
    return status;
}

KeepErrorMessage::KeepErrorMessage() : message_(message), function_(current_function) {}

KeepErrorMessage::~KeepErrorMessage() {
    std::snprintf(message, sizeof message, "%s", message_.c_str());
    current_function = function_;
}

}  // namespace bsblas
