// Memory of either backend behind one interface, and buffers that notice what a call touches besides its result.
#pragma once

#include <bsblas/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bsblas::test {

using Bytes = std::vector<unsigned char>;

// Fills memory that must not be used: NaN in every floating-point type, -1 in every integer.
constexpr unsigned char poison = 0xff;

class Memory {
public:
    virtual ~Memory() = default;
    virtual bsblasBackend_t backend() const = 0;
    virtual int compute_capability() const { return 0; }  // of a device: 80, 90, ...
    virtual void* allocate(size_t bytes) = 0;             // aligned to 256 bytes; throws
    virtual void release(void* memory) = 0;
    virtual void copy_in(void* to, const void* host, size_t bytes) = 0;
    virtual void copy_out(void* host, const void* from, size_t bytes) = 0;

    virtual bsblasStream_t stream() const { return nullptr; }  // that calls are to be made on
    virtual void wait() {}
    // Captures what `calls` puts on the stream into a graph that allocates nothing and runs nothing on the host; the
    // result replays it and waits. CUDA only.
    virtual std::function<void()> capture(const std::function<void()>& calls);
};

// Null, with the reason in *why_not, where the machine or the build has no such backend.
std::unique_ptr<Memory> make_memory(bsblasBackend_t backend, std::string* why_not);

// `bytes` of memory that lie `shift` bytes past a 256-byte boundary, poisoned at first, between poisoned guards.
class Buffer {
public:
    Buffer(Memory& memory, size_t bytes, size_t shift = 0);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    void* data() const { return data_; }
    size_t size() const { return bytes_; }
    void write(const Bytes& contents);  // of exactly size() bytes
    Bytes read() const;
    bool guards_untouched() const;

private:
    void forbid_guards(bool forbidden) const;

    Memory& memory_;
    size_t bytes_, total_;
    char* all_ = nullptr;
    char* data_ = nullptr;
};

}  // namespace bsblas::test
