// What the calls of all operations are put together from.
#pragma once

#include <algorithm>
#include <optional>

#include "call.h"
#include "operand.h"

namespace bsblas::test {

std::unique_ptr<Call> make_product_call(const Problem& problem, Memory& memory, const CallOptions& options);
std::unique_ptr<Call> make_pattern_call(const Problem& problem, Memory& memory, const CallOptions& options);

// A's patterns, one for each matrix or one for all.
std::vector<BlockPattern> make_patterns(const Problem& problem);
int64_t most_blocks(const std::vector<BlockPattern>& patterns);

// A buffer of exactly the size that a bufferSize function asks for.
class Workspace {
public:
    // size_query: calls a ..._bufferSize function, which must write whatever the number was before.
    template <class Query>
    bsblasStatus_t make(Memory& memory, bool shift, Query size_query) {
        constexpr size_t unwritten = SIZE_MAX / 3;
        size_ = unwritten;
        const bsblasStatus_t status = size_query(&size_);
        if (status != BSBLAS_STATUS_SUCCESS) return status;
        if (size_ == unwritten) throw std::runtime_error("bufferSize was not written");
        const bool any_alignment = memory.backend() == BSBLAS_BACKEND_HOST;
        array_.emplace(memory, size_, shift && any_alignment ? 1 : 0);
        array_->upload();
        return status;
    }
    void* data() const { return size_ ? array_->data() : nullptr; }
    size_t size() const { return size_; }
    void spoil() {
        if (array_) array_->upload();
    }
    std::string damage() {
        array_->download();
        return array_->damage("workspace", {{0, static_cast<int64_t>(size_)}}, 1);
    }

private:
    size_t size_ = 0;
    std::optional<Array> array_;
};

// alpha, beta or a scale: where the pointer mode says, aligned as its real part and no better.
class Parameter {
public:
    Parameter(Memory& memory, bsblasPointerMode_t mode, bsblasDataType_t type, Complex value)
        : array_(memory, size_of(type), alignment_of(type)),
          host_(4 * size_of(type)),
          on_host_(mode == BSBLAS_POINTER_MODE_HOST) {
        put(array_.before.data(), 0, type, value);
        array_.upload();
        host_at_ = host_.data();
        while (reinterpret_cast<uintptr_t>(host_at_) % (2 * alignment_of(type)) !=
               alignment_of(type) % (2 * alignment_of(type)))
            ++host_at_;
        std::copy(array_.before.begin(), array_.before.end(), host_at_);
    }
    const void* data() const { return on_host_ ? host_at_ : array_.data(); }

private:
    Array array_;
    Bytes host_;
    unsigned char* host_at_ = nullptr;
    bool on_host_;
};

}  // namespace bsblas::test
