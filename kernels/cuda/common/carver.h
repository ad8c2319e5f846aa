// Host side: arrays in a workspace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsblas::cuda {

// Cuts a workspace into arrays; without a workspace it only adds up their sizes.
class Carver {
public:
    explicit Carver(void* workspace) : base_(static_cast<char*>(workspace)) {}

    template <class T>
    T* take(int64_t count) {
        T* const array = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
        used_ += (count * sizeof(T) + 255) / 256 * 256;
        return array;
    }
    size_t used() const { return used_; }

private:
    char* base_;
    size_t used_ = 0;
};

}  // namespace bsblas::cuda
