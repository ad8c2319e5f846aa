#include "session.h"

#include <cstdio>
#include <exception>
#include <sstream>

namespace bsblas::test {
namespace {

std::string answer(bsblasStatus_t status) {
    return std::string("answered ") + bsblasGetStatusName(status) + ": " + bsblasGetLastErrorMessage();
}

}  // namespace

void Session::test(const std::string& name, const std::function<void()>& body) {
    test_ = name;
    test_failed_ = false;
    skip_reason_.clear();
    try {
        body();
    } catch (const std::exception& error) {
        expect(false, error.what());
    }
    if (test_failed_) {
        ++failed_;
    } else if (!skip_reason_.empty()) {
        ++skipped_;
        std::printf("SKIP %s # %s\n", name.c_str(), skip_reason_.c_str());
    } else {
        ++passed_;
    }
    std::fflush(stdout);
}

void Session::problems(const std::string& lines) {
    std::istringstream in(lines);
    for (const Problem& p : read_list(in, test_)) problem(p);
}

void Session::problem(const Problem& problem) {
    const Outcome outcome = run_problem(problem, memory_, graph_);
    const std::string line = format(problem);
    if (outcome.kind == Outcome::failed) {
        test_failed_ = true;
        const std::string in = line == test_ ? "" : test_ + ": ";
        std::printf("FAIL %s%s # %s\n", in.c_str(), line.c_str(), outcome.text.c_str());
    }
    if (outcome.kind == Outcome::skipped) skip(line == test_ ? outcome.text : line + ": " + outcome.text);
}

void Session::expect(bool right, const std::string& sentence) {
    if (right) return;
    test_failed_ = true;
    std::printf("FAIL %s # %s\n", test_.c_str(), sentence.c_str());
}

bool Session::call(const std::string& what, const std::function<bsblasStatus_t()>& operation) {
    bsblasStatus_t status = BSBLAS_STATUS_SUCCESS;
    if (graph_)
        memory_.capture([&] { status = operation(); })();
    else
        status = operation();
    memory_.wait();
    expect(status == BSBLAS_STATUS_SUCCESS, what + " " + answer(status));
    return status == BSBLAS_STATUS_SUCCESS;
}

void Session::skip(const std::string& reason) {
    skip_reason_ = reason;
}

bool Session::finish() const {
    std::printf("%d passed, %d failed", passed_, failed_);
    if (skipped_) std::printf(", %d skipped", skipped_);
    std::printf("\n");
    return failed_ == 0;
}

}  // namespace bsblas::test
