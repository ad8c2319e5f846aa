#include "core/error.h"

#include <bsblas/bsblas.h>

const char* bsblasGetStatusName(bsblasStatus_t status) {
    switch (status) {
#define CASE(name, value, sentence) \
    case BSBLAS_STATUS_##name:      \
        return "BSBLAS_STATUS_" #name;
        BSBLAS_STATUS_MAP(CASE)
#undef CASE
        default:
            return "unknown status";
    }
}

const char* bsblasGetStatusString(bsblasStatus_t status) {
    switch (status) {
#define CASE(name, value, sentence) \
    case BSBLAS_STATUS_##name:      \
        return sentence;
        BSBLAS_STATUS_MAP(CASE)
#undef CASE
        default:
            return "unknown status";
    }
}

const char* bsblasGetLastErrorMessage(void) {
    return bsblas::last_error_message();
}
