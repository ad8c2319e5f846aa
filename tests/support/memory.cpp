#include "memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace bsblas::test {

#ifdef BSBLAS_HAVE_CUDA
std::unique_ptr<Memory> make_cuda_memory(std::string* why_not);  // memory_cuda.cpp
#endif

namespace {

constexpr size_t guard_bytes = 256;

class HostMemory : public Memory {
public:
    bsblasBackend_t backend() const override { return BSBLAS_BACKEND_HOST; }
    void* allocate(size_t bytes) override {
        void* memory = nullptr;
        if (posix_memalign(&memory, 256, std::max<size_t>(bytes, 1)) != 0) throw std::bad_alloc();
        return memory;
    }
    void release(void* memory) override { std::free(memory); }
    void copy_in(void* to, const void* host, size_t bytes) override {
        if (bytes) std::memcpy(to, host, bytes);
    }
    void copy_out(void* host, const void* from, size_t bytes) override {
        if (bytes) std::memcpy(host, from, bytes);
    }
};

}  // namespace

std::function<void()> Memory::capture(const std::function<void()>&) {
    throw std::logic_error("only a cuda backend has graphs");
}

std::unique_ptr<Memory> make_memory(bsblasBackend_t backend, std::string* why_not) {
    if (backend == BSBLAS_BACKEND_HOST) return std::make_unique<HostMemory>();
#ifdef BSBLAS_HAVE_CUDA
    return make_cuda_memory(why_not);
#else
    *why_not = "the tests were built without CUDA";
    return nullptr;
#endif
}

Buffer::Buffer(Memory& memory, size_t bytes, size_t shift)
    : memory_(memory), bytes_(bytes), total_(bytes + shift + 2 * guard_bytes) {
    all_ = static_cast<char*>(memory_.allocate(total_));
    data_ = all_ + guard_bytes + shift;
    const Bytes fill(total_, poison);
    memory_.copy_in(all_, fill.data(), total_);
    forbid_guards(true);
}

Buffer::~Buffer() {
    forbid_guards(false);
    memory_.release(all_);
}

// Under the address sanitizer a touched guard ends the program; generated code, which it does not see, is left to the
// check.
void Buffer::forbid_guards([[maybe_unused]] bool forbidden) const {
#ifdef __SANITIZE_ADDRESS__
    if (memory_.backend() != BSBLAS_BACKEND_HOST) return;
    ASAN_UNPOISON_MEMORY_REGION(all_, total_);
    if (!forbidden) return;
    ASAN_POISON_MEMORY_REGION(all_, data_ - all_);
    ASAN_POISON_MEMORY_REGION(data_ + bytes_, all_ + total_ - (data_ + bytes_));
#endif
}

void Buffer::write(const Bytes& contents) {
    if (contents.size() != bytes_) throw std::logic_error("a buffer is written as a whole");
    memory_.copy_in(data_, contents.data(), bytes_);
}

Bytes Buffer::read() const {
    Bytes contents(bytes_);
    memory_.copy_out(contents.data(), data_, bytes_);
    return contents;
}

bool Buffer::guards_untouched() const {
    const auto untouched = [&](const char* from, size_t bytes) {
        Bytes guard(bytes);
        memory_.copy_out(guard.data(), from, bytes);
        return std::all_of(guard.begin(), guard.end(), [](unsigned char byte) { return byte == poison; });
    };
    forbid_guards(false);
    const bool both = untouched(all_, static_cast<size_t>(data_ - all_)) &&
                      untouched(data_ + bytes_, static_cast<size_t>(all_ + total_ - (data_ + bytes_)));
    forbid_guards(true);
    return both;
}

}  // namespace bsblas::test
