#include "core/types.h"

namespace bsblas {
namespace {

constexpr DataType types[] = {
    {BSBLAS_R_32F, "f32", 4, 4, false, true},       {BSBLAS_R_64F, "f64", 8, 8, false, true},
    {BSBLAS_R_16F, "f16", 2, 2, false, true},       {BSBLAS_R_8I, "i8", 1, 1, false, false},
    {BSBLAS_C_32F, "c32", 8, 4, true, true},        {BSBLAS_C_64F, "c64", 16, 8, true, true},
    {BSBLAS_R_32I, "i32", 4, 4, false, false},      {BSBLAS_R_16BF, "bf16", 2, 2, false, true},
    {BSBLAS_R_8F_E4M3, "e4m3", 1, 1, false, false}, {BSBLAS_R_8F_E5M2, "e5m2", 1, 1, false, false},
};

bool is_fp8(bsblasDataType_t type) {
    return type == BSBLAS_R_8F_E4M3 || type == BSBLAS_R_8F_E5M2;
}

std::optional<ArithmeticTypes> by_types(bsblasDataType_t a, bsblasDataType_t b, bsblasDataType_t out) {
    if (is_fp8(a) && is_fp8(b)) {
        if (out == BSBLAS_R_16F || out == BSBLAS_R_16BF || out == BSBLAS_R_32F) {
            return ArithmeticTypes{BSBLAS_R_32F, BSBLAS_COMPUTE_32F, true};
        }
        return {};
    }
    if (a != b) return {};
    switch (a) {
        case BSBLAS_R_32F:
        case BSBLAS_C_32F:
            if (out == a) return ArithmeticTypes{a, BSBLAS_COMPUTE_32F, false};
            return {};
        case BSBLAS_R_64F:
        case BSBLAS_C_64F:
            if (out == a) return ArithmeticTypes{a, BSBLAS_COMPUTE_64F, false};
            return {};
        case BSBLAS_R_16F:
        case BSBLAS_R_16BF:
            if (out == a || out == BSBLAS_R_32F) return ArithmeticTypes{BSBLAS_R_32F, BSBLAS_COMPUTE_32F, false};
            return {};
        case BSBLAS_R_8I:
            if (out == BSBLAS_R_32I) return ArithmeticTypes{BSBLAS_R_32I, BSBLAS_COMPUTE_32I, false};
            if (out == BSBLAS_R_32F) return ArithmeticTypes{BSBLAS_R_32F, BSBLAS_COMPUTE_32I, true};
            return {};
        default:
            return {};
    }
}

}  // namespace

const DataType* data_type(bsblasDataType_t id) {
    for (const DataType& type : types) {
        if (type.id == id) return &type;
    }
    return nullptr;
}

const char* name_of(bsblasComputeType_t compute) {
    switch (compute) {
        case BSBLAS_COMPUTE_32F:
            return "f32";
        case BSBLAS_COMPUTE_64F:
            return "f64";
        case BSBLAS_COMPUTE_32I:
            return "i32";
        case BSBLAS_COMPUTE_32F_FAST_TF32:
            return "tf32";
        default:
            return "?";
    }
}

const char* name_of(bsblasOperation_t op) {
    switch (op) {
        case BSBLAS_OP_N:
            return "n";
        case BSBLAS_OP_T:
            return "t";
        case BSBLAS_OP_H:
            return "h";
        default:
            return "?";
    }
}

const char* name_of(bsblasOrder_t order) {
    switch (order) {
        case BSBLAS_ORDER_ROW:
            return "row";
        case BSBLAS_ORDER_COL:
            return "col";
        default:
            return "?";
    }
}

std::optional<ArithmeticTypes> arithmetic_types(bsblasDataType_t a, bsblasDataType_t b, bsblasDataType_t out,
                                                std::optional<bsblasComputeType_t> wanted, bsblasMathMode_t math) {
    std::optional<ArithmeticTypes> types = by_types(a, b, out);
    if (!types) return types;
    const bool may_be_tf32 = a == BSBLAS_R_32F;
    if (!wanted) {
        if (may_be_tf32 && math == BSBLAS_MATH_TF32) types->compute = BSBLAS_COMPUTE_32F_FAST_TF32;
    } else if (may_be_tf32 && *wanted == BSBLAS_COMPUTE_32F_FAST_TF32) {
        types->compute = *wanted;
    } else if (*wanted != types->compute) {
        return {};
    }
    return types;
}

}  // namespace bsblas
