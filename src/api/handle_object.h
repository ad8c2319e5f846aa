// The object behind bsblasHandle_t.
#pragma once

#include "backend/backend.h"
#include "core/log.h"
#include "dispatch/multiply.h"

#include <cstdint>
#include <memory>

struct bsblasHandle {
    static constexpr uint64_t alive = 0x6273626c61734831;
    uint64_t magic = 0;
    std::unique_ptr<bsblas::Backend> backend;
    bsblas::Execution execution;
    bsblasPointerMode_t pointer_mode = BSBLAS_POINTER_MODE_HOST;
    bsblasMathMode_t math_mode = BSBLAS_MATH_DEFAULT;
    bsblasDeterminism_t determinism = BSBLAS_DETERMINISM_REQUIRED;
    bsblas::Log log;
    bsblas::Choices choices;
};
