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

    // `count` parts of `bytes`, side by side. A sum beyond 64 bits becomes the largest number, which no buffer has.
    void* take(size_t bytes, size_t count = 1) {
        void* part = buffer_ ? buffer_ + used_ : nullptr;
        size_t all;
        if (__builtin_mul_overflow(bytes, count, &all) || __builtin_add_overflow(all, alignment - 1, &all) ||
            __builtin_add_overflow(used_, all / alignment * alignment, &used_)) {
            used_ = SIZE_MAX;
        }
        return part;
    }
    size_t used() const { return used_; }

private:
    char* buffer_;
    size_t used_ = 0;
};

}  // namespace bsblas
