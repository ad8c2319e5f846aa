// How a refusal is said: a status and a sentence that names the argument, what it was and what was expected.
#pragma once

#include <bsblas/status.h>

#include <string>

namespace bsblas {

// Keeps the sentence for bsblasGetLastErrorMessage of this thread and returns status.
[[gnu::format(printf, 2, 3)]] bsblasStatus_t fail(bsblasStatus_t status, const char* format, ...);

// The public function that is running in this thread; sentences start with it. Set by the API layer's guard.
void set_current_function(const char* name);

const char* last_error_message();

// Puts the sentence and the function that were there before back: for calls whose failures the caller is not to see.
class KeepErrorMessage {
public:
    KeepErrorMessage();
    ~KeepErrorMessage();
    KeepErrorMessage(const KeepErrorMessage&) = delete;
    KeepErrorMessage& operator=(const KeepErrorMessage&) = delete;

private:
    const std::string message_;
    const char* const function_;
};

}  // namespace bsblas
