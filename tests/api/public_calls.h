// Every public function that answers a status, with one valid call and, for each argument, the values that spoil it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "world.h"

namespace bsblas::test {

// Arguments of any type, as bits.
using Bits = uint64_t;

struct Mutation {
    std::string what;
    Bits value;
    bsblasStatus_t status;
    std::string says;  // a regular expression: the argument and what it was
};

struct Argument {
    std::string name;
    Bits value;
    std::vector<Mutation> mutations;
};

struct PublicCall {
    std::string name;
    std::function<bsblasStatus_t(const std::vector<Bits>&)> call;
    std::vector<Argument> arguments;
    bool creates = false;                // through its first argument, which is NULL after a failure
    std::function<void()> undo = [] {};  // of the valid call
};

// Once for a world: it buries the dead.
std::vector<PublicCall> public_calls(World& world);

}  // namespace bsblas::test
