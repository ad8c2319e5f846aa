#include "api/check.h"
#include "api/guard.h"

#include <bsblas/descriptor.h>

#include <cstring>

using namespace bsblas;
using namespace bsblas::api;

namespace {

void check_compute(bsblasComputeType_t compute) {
    listed("data", compute, {BSBLAS_COMPUTE_32F, BSBLAS_COMPUTE_64F, BSBLAS_COMPUTE_32I, BSBLAS_COMPUTE_32F_FAST_TF32},
           "a constant of bsblasComputeType_t");
}

void check_algorithm(bsblasAlgorithm_t algorithm) {
    listed("data", algorithm, {BSBLAS_ALG_DEFAULT, BSBLAS_ALG_REFERENCE},
           "BSBLAS_ALG_DEFAULT (0) or BSBLAS_ALG_REFERENCE (1)");
}

template <class Value>
Value read(const void* data) {
    Value value;
    std::memcpy(&value, data, sizeof value);
    return value;
}

template <class Value>
void write(void* data, const Value& value) {
    std::memcpy(data, &value, sizeof value);
}

size_t size_of_attribute(bsblasOpAttribute_t attribute) {
    switch (attribute) {
        case BSBLAS_OP_COMPUTE_TYPE:
            return sizeof(bsblasComputeType_t);
        case BSBLAS_OP_DETERMINISM:
            return sizeof(bsblasDeterminism_t);
        case BSBLAS_OP_ALGORITHM:
            return sizeof(bsblasAlgorithm_t);
        case BSBLAS_OP_SCALE_A:
        case BSBLAS_OP_SCALE_B:
            return sizeof(const float*);
        default:
            refuse_value("attribute is %d, expected a constant of bsblasOpAttribute_t", static_cast<int>(attribute));
    }
}

void check_size(bsblasOpAttribute_t attribute, const void* data, size_t size) {
    const size_t expected = size_of_attribute(attribute);
    if (size != expected) refuse_value("size is %zu, expected %zu for attribute %d", size, expected, attribute);
    not_null("data", data);
}

const bsblasOpDescr& not_null_options(bsblasConstOpDescr_t descr) {
    return live("descr", descr, "operation descriptor");
}

bsblasOpDescr& changeable(const bsblasOpDescr& descr) {
    return const_cast<bsblasOpDescr&>(descr);
}

template <class Value>
Value value_or_refuse(const std::optional<Value>& value, bsblasOpAttribute_t attribute) {
    if (!value) refuse_value("attribute is %d, expected one that was set", static_cast<int>(attribute));
    return *value;
}

}  // namespace

bsblasStatus_t bsblasCreateOpDescr(bsblasOpDescr_t* descr) {
    return guard(__func__, [&] {
        not_null("descr", descr);
        *descr = nullptr;
        *descr = Pool<bsblasOpDescr>::create();
    });
}

bsblasStatus_t bsblasDestroyOpDescr(bsblasConstOpDescr_t descr) {
    if (!descr) return BSBLAS_STATUS_SUCCESS;
    return guard(__func__, [&] { Pool<bsblasOpDescr>::destroy(&changeable(options(descr))); });
}

bsblasStatus_t bsblasOpDescrSetAttribute(bsblasOpDescr_t descr, bsblasOpAttribute_t attribute, const void* data,
                                         size_t size) {
    return guard(__func__, [&] {
        bsblasOpDescr& live = changeable(not_null_options(descr));
        check_size(attribute, data, size);
        switch (attribute) {
            case BSBLAS_OP_COMPUTE_TYPE: {
                const auto value = read<bsblasComputeType_t>(data);
                check_compute(value);
                live.compute = value;
                break;
            }
            case BSBLAS_OP_DETERMINISM: {
                const auto value = read<bsblasDeterminism_t>(data);
                check_determinism("data", value);
                live.determinism = value;
                break;
            }
            case BSBLAS_OP_ALGORITHM: {
                const auto value = read<bsblasAlgorithm_t>(data);
                check_algorithm(value);
                live.algorithm = value;
                break;
            }
            case BSBLAS_OP_SCALE_A:
            case BSBLAS_OP_SCALE_B: {
                const auto value = read<const float*>(data);
                aligned("data", value, alignof(float));
                (attribute == BSBLAS_OP_SCALE_A ? live.scale_a : live.scale_b) = value;
                break;
            }
            default:
                break;
        }
    });
}

bsblasStatus_t bsblasOpDescrGetAttribute(bsblasConstOpDescr_t descr, bsblasOpAttribute_t attribute, void* data,
                                         size_t size) {
    return guard(__func__, [&] {
        const bsblasOpDescr& live = not_null_options(descr);
        check_size(attribute, data, size);
        switch (attribute) {
            case BSBLAS_OP_COMPUTE_TYPE:
                write(data, value_or_refuse(live.compute, attribute));
                break;
            case BSBLAS_OP_DETERMINISM:
                write(data, value_or_refuse(live.determinism, attribute));
                break;
            case BSBLAS_OP_ALGORITHM:
                write(data, live.algorithm);
                break;
            case BSBLAS_OP_SCALE_A:
                write(data, live.scale_a);
                break;
            case BSBLAS_OP_SCALE_B:
                write(data, live.scale_b);
                break;
            default:
                break;
        }
    });
}
