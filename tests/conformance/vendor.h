// Results against those of the vendor's libraries on the same device.
#pragma once

#include "session.h"

namespace bsblas::test {

// Adds a test for each problem by calling test(name, body).
void add_vendor_tests(Session& session, bool full,
                      const std::function<void(const std::string&, const std::function<void()>&)>& test);

}  // namespace bsblas::test
