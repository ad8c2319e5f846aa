#include "vendor.h"

#include <filesystem>

#include "vendor_library.h"

namespace bsblas::test {
namespace {

// Ours and theirs on the same memory. Each must agree with the reference within its bounds, and so with the other
// within twice as much. Ours is checked first, so that a deviation of theirs is theirs alone: it is said, as a skip,
// and is no failure of ours. Known: where alpha A B and beta C nearly cancel, cuBLAS 13.1 is off by half a last place
// of a bf16 as large as the product, in two problems with odd leading dimensions, as if it rounded the product first;
// CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION makes no difference (H200).
void compare_with(VendorLibrary& vendor, Session& session, const Problem& problem) {
    const auto call = make_call(problem, session.memory());
    call->fill(1);
    if (call->prepare() != BSBLAS_STATUS_SUCCESS || call->run() != BSBLAS_STATUS_SUCCESS)
        return session.expect(false, bsblasGetLastErrorMessage());
    std::string wrong = call->download();
    if (wrong.empty()) wrong = call->verify();
    session.expect(wrong.empty(), "ours: " + wrong);

    call->fill(1);
    const std::string refused = vendor.product(problem, call->operands());
    if (!refused.empty()) return session.skip(vendor.version() + " answers " + refused);
    wrong = call->download();
    if (wrong.empty()) wrong = call->verify();
    if (!wrong.empty()) session.skip(vendor.version() + " is wrong here: " + wrong);
}

}  // namespace

void add_vendor_tests(Session& session, bool full,
                      const std::function<void(const std::string&, const std::function<void()>&)>& test) {
    const std::string folder = BSBLAS_CONFORMANCE_LISTS;
    const struct {
        const char* name;
        std::unique_ptr<VendorLibrary> (*load)(Memory&, std::string*);
        std::string list;
    } vendors[] = {{"cusparse", load_cusparse, folder + "/cusparse_support.txt"},
                   {"cublas", load_cublas, folder + "/cublas.txt"}};
    for (const auto& vendor : vendors) {
        const std::string name = std::string("vendor_") + vendor.name;
        if (!std::filesystem::exists(vendor.list)) {
            test(name, [&] { session.skip(vendor.list + " is missing: bsblas_probe_cusparse writes it on a device"); });
            continue;
        }
        std::string why_not;
        std::shared_ptr<VendorLibrary> library = vendor.load(session.memory(), &why_not);
        if (!library) {
            test(name, [&] { session.skip(why_not); });
            continue;
        }
        const std::vector<Problem> problems = read_list(vendor.list);
        const size_t step = full ? 1 : 10;
        for (size_t i = 0; i < problems.size(); i += step)
            test(name + " " + format(problems[i]), [&] { compare_with(*library, session, problems[i]); });
    }
}

}  // namespace bsblas::test
