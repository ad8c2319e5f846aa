// Finds out, on a device, which BSR products cuSPARSE computes, and computes rightly: every type, order, block size and
// operation, once. Prints the table that the comparison reads: problem lines, and as comments what is not there and
// why.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "support/call.h"
#include "support/memory.h"
#include "vendor_library.h"

namespace bsblas::test {
namespace {

constexpr const char* blocks[] = {"1", "2", "3", "4", "8", "16", "24", "32", "64", "96", "128", "8x16"};
constexpr const char* types[] = {"type=f32",  "type=f64",         "type=c32",          "type=c64", "type=f16",
                                 "type=bf16", "type=f16 out=f32", "type=bf16 out=f32", "type=i8"};

// All sizes of SDDMM are multiples of all blocks': it refuses larger blocks where its k is none.
std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const char* type : types)
        for (const char* order : {"row", "col"})
            for (const char* first : {"n", "t"})
                for (const char* second : {"n", "t"})
                    for (const char* order_first : {"row", "col"})
                        for (const char* order_second : {"row", "col"}) {
                            const auto text = [](const char* key, const char* value) {
                                return std::string(" ") + key + "=" + value;
                            };
                            const std::string sized = std::string(" ") + type + text("order", order);
                            all.push_back("spmm m=384 n=40 k=768 alpha=0.5 beta=2" + sized + text("opa", first) +
                                          text("opb", second) + text("orderb", order_first) +
                                          text("orderc", order_second));
                            if (type == std::string("type=i8")) continue;
                            all.push_back("sddmm m=384 n=384 k=384 density=0.1 alpha=0.5 beta=2" + sized +
                                          text("opx", first) + text("opy", second) + text("orderx", order_first) +
                                          text("ordery", order_second));
                        }
    return all;
}

// "" if cuSPARSE computes it.
std::string probe(VendorLibrary& cusparse, Memory& memory, const Problem& problem) {
    const auto call = make_call(problem, memory);
    call->fill(1);
    if (call->prepare() != BSBLAS_STATUS_SUCCESS) return bsblasGetLastErrorMessage();
    const std::string refused = cusparse.product(problem, call->operands());
    if (!refused.empty()) return refused;
    std::string wrong = call->download();
    if (wrong.empty()) wrong = call->verify();
    return wrong.empty() ? "" : "wrong";
}

int run() {
    std::string why_not;
    const auto memory = make_memory(BSBLAS_BACKEND_CUDA, &why_not);
    const auto cusparse = memory ? load_cusparse(*memory, &why_not) : nullptr;
    if (!cusparse) {
        std::fprintf(stderr, "bsblas_probe_cusparse: %s\n", why_not.c_str());
        return 77;
    }
    std::printf("# What %s computes of BSR, found by bsblas_probe_cusparse on a device.\n",
                cusparse->version().c_str());
    for (const std::string& line : lines()) {
        std::map<std::string, std::string> by_answer;  // to the block sizes that got it
        for (const char* block : blocks) {
            std::string& sizes = by_answer[probe(*cusparse, *memory, parse(line + " block=" + block))];
            sizes += (sizes.empty() ? "" : ",") + std::string(block);
        }
        for (const auto& [answer, sizes] : by_answer)
            std::printf("%s%s block=%s\n", answer.empty() ? "" : ("# " + answer + ": ").c_str(), line.c_str(),
                        sizes.c_str());
        std::fflush(stdout);
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace bsblas::test

int main() {
    try {
        return bsblas::test::run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bsblas_probe_cusparse: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
