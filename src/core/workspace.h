// Carving a caller's buffer into aligned parts. With a null buffer it only adds up the sizes, so that a bufferSize
// function and its operation share one description of the layout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsblas {

class Workspace {
public:
    static constexpr size_t alignment = 256;

    explicit Workspace(void* buffer) : buffer_(static_cast<char*>(buffer)) {}

    void* take(size_t bytes) {
        void* part = buffer_ ? buffer_ + used_ : nullptr;
        used_ += (bytes + alignment - 1) / alignment * alignment;
        return part;
    }
    size_t used() const { return used_; }

private:
    char* buffer_;
    size_t used_ = 0;
};

}  // namespace bsblas
