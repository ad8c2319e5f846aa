// Each argument of each public function, spoiled in each way that its kind allows: the right status, a sentence that
// names the function, the argument and what it was, and nothing written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "public_calls.h"

namespace bsblas::test {
namespace {

std::vector<std::string> call_names() {
    World world(memory_of(BSBLAS_BACKEND_HOST));
    std::vector<std::string> names;
    for (const PublicCall& call : public_calls(world)) names.push_back(call.name);
    return names;
}

class Refusals : public testing::TestWithParam<std::tuple<bsblasBackend_t, std::string>> {};

TEST_P(Refusals, EachArgument) {
    const auto& [backend, name] = GetParam();
    World world(memory_of(backend));
    const std::vector<PublicCall> all = public_calls(world);
    const auto found = std::find_if(all.begin(), all.end(), [&](const PublicCall& c) { return c.name == name; });
    ASSERT_NE(found, all.end());
    const PublicCall& call = *found;
    std::vector<Bits> valid;
    for (const Argument& argument : call.arguments) valid.push_back(argument.value);

    int refusals = 0;
    for (size_t i = 0; i < call.arguments.size(); ++i)
        for (const Mutation& mutation : call.arguments[i].mutations) {
            SCOPED_TRACE(call.arguments[i].name + ": " + mutation.what);
            std::vector<Bits> values = valid;
            values[i] = mutation.value;
            const bsblasStatus_t status = call.call(values);
            EXPECT_STREQ(bsblasGetStatusName(status), bsblasGetStatusName(mutation.status));
            if (status != BSBLAS_STATUS_SUCCESS) {
                const std::string sentence = bsblasGetLastErrorMessage();
                EXPECT_EQ(sentence.rfind(call.name + ": ", 0), 0u) << sentence;
                EXPECT_TRUE(std::regex_search(sentence, std::regex(mutation.says)))
                    << "\"" << sentence << "\" does not say \"" << mutation.says << "\"";
                EXPECT_NE(sentence.find("expected"), std::string::npos) << sentence;
            }
            if (call.creates && mutation.value != 0) {
                void* created = nullptr;
                std::memcpy(&created, world.output(0), sizeof created);
                EXPECT_EQ(created, nullptr) << "a failed Create writes NULL";
            }
            if (call.creates) std::memset(world.output(0), poison, sizeof(void*));
            ASSERT_EQ(world.written(), "");
            ++refusals;
        }
    EXPECT_GT(refusals, 0);

    EXPECT_EQ(call.call(valid), BSBLAS_STATUS_SUCCESS) << "the valid call: " << bsblasGetLastErrorMessage();
    world.memory.wait();
    call.undo();
}

std::string name_of(const testing::TestParamInfo<Refusals::ParamType>& info) {
    const auto& [backend, name] = info.param;
    return (backend == BSBLAS_BACKEND_HOST ? "host_" : "cuda_") + name;
}

INSTANTIATE_TEST_SUITE_P(All, Refusals,
                         testing::Combine(testing::ValuesIn(backends_here()), testing::ValuesIn(call_names())),
                         name_of);

TEST(RefusalTable, HasEveryPublicFunction) {
    std::set<std::string> declared;
    const std::regex declaration(R"(BSBLAS_API\s+bsblasStatus_t\s+(bsblas\w+)\()");
    for (const auto& file : std::filesystem::directory_iterator(BSBLAS_INCLUDE_DIR)) {
        std::ifstream in(file.path());
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
            declared.insert((*at)[1]);
    }
    EXPECT_GT(declared.size(), 70u);
    const std::vector<std::string> names = call_names();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), declared);
}

}  // namespace
}  // namespace bsblas::test
