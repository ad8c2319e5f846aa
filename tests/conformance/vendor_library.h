// The vendor's products on operands of a test: cuSPARSE's BSR, and cuBLAS with the sparse matrix expanded. Both
// libraries are found at run time and never linked.
#pragma once

#include <memory>
#include <string>

#include "support/call.h"
#include "support/memory.h"
#include "support/problem.h"

namespace bsblas::test {

class VendorLibrary {
public:
    virtual ~VendorLibrary() = default;
    // Computes what the problem says into its output. "" or why it does not.
    virtual std::string product(const Problem& problem, const ProductOperands& operands) = 0;
    virtual std::string version() = 0;
};

// Null, with the reason in *why_not.
std::unique_ptr<VendorLibrary> load_cusparse(Memory& memory, std::string* why_not);
std::unique_ptr<VendorLibrary> load_cublas(Memory& memory, std::string* why_not);

}  // namespace bsblas::test
