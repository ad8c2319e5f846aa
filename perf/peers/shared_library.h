// A library that is found when the program runs, never linked.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace bsblas::perf {

class SharedLibrary {
public:
    // Tries the file that the environment variable names, if it is set, else each name in turn. Throws what the loader
    // says.
    SharedLibrary(const char* variable, std::initializer_list<const char*> names) {
        const char* chosen = std::getenv(variable);
        std::string errors;
        auto open = [&](const char* name) {
            handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (!handle_) errors += std::string(errors.empty() ? "" : "; ") + dlerror();
            return handle_ != nullptr;
        };
        if (chosen) {
            if (open(chosen)) return;
        } else {
            for (const char* name : names)
                if (open(name)) return;
        }
        throw std::runtime_error(errors);
    }
    SharedLibrary(const SharedLibrary&) = delete;

    // Not at destruction: what a library has on a device does not always survive it.
    void close() { dlclose(handle_); }

    template <class Function>
    Function find(const char* symbol) const {
        return reinterpret_cast<Function>(dlsym(handle_, symbol));
    }
    template <class Function>
    void need(Function& function, const char* symbol) const {
        function = find<Function>(symbol);
        if (!function) throw std::runtime_error(std::string(symbol) + " is missing");
    }

private:
    void* handle_ = nullptr;
};

}  // namespace bsblas::perf
