// Runs problem lines and named cases on one backend through the C ABI, against the fp64 reference.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <regex>

#include "cases.h"
#include "kernels.h"
#include "session.h"
#include "vendor.h"

namespace bsblas::test {
namespace {

constexpr const char* usage =
    "bsblas_conformance --backend host|cuda [--graph] [--tier smoke|full] [--filter REGEX] [--list FILE] [--problem "
    "LINE]\n"
    "\n"
    "  --backend   where to compute\n"
    "  --graph     cuda: capture each call into a graph and replay it with other values\n"
    "  --tier      smoke (the default): seconds; full: minutes\n"
    "  --filter    only tests whose name, or problem line, has a match\n"
    "  --list      the problems of this file instead of the tier's\n"
    "  --problem   this problem instead of the tier's; may be given several times\n"
    "  --names     print the tests' names and run none\n"
    "\n"
    "Ends with a line \"N passed, N failed\"; the exit status is 0 if nothing failed, 77 if the backend is not to be "
    "had.\n"
    "\n"
    "A problem is a line of words:\n";

struct Options {
    std::optional<bsblasBackend_t> backend;
    bool graph = false, full = false, names_only = false;
    std::optional<std::regex> filter;
    std::vector<Problem> problems;
    bool own_problems = false;
};

Options parse_options(int argc, char** argv) {
    Options options;
    const auto add = [&](const std::vector<Problem>& more) {
        options.problems.insert(options.problems.end(), more.begin(), more.end());
        options.own_problems = true;
    };
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == argc) throw std::invalid_argument(option + " needs a value");
            return argv[++i];
        };
        const auto choice = [&](const char* yes, const char* no) {
            const std::string given = value();
            if (given != yes && given != no)
                throw std::invalid_argument(option + " " + given + ": expected " + yes + " or " + no);
            return given == yes;
        };
        if (option == "--backend")
            options.backend = choice("cuda", "host") ? BSBLAS_BACKEND_CUDA : BSBLAS_BACKEND_HOST;
        else if (option == "--graph")
            options.graph = true;
        else if (option == "--tier")
            options.full = choice("full", "smoke");
        else if (option == "--filter")
            options.filter.emplace(value());
        else if (option == "--list")
            add(read_list(value()));
        else if (option == "--problem")
            add(expand(value()));
        else if (option == "--names")
            options.names_only = true;
        else
            throw std::invalid_argument("unknown option " + option);
    }
    if (!options.backend) throw std::invalid_argument("--backend is missing");
    if (options.graph && options.backend == BSBLAS_BACKEND_HOST)
        throw std::invalid_argument("--graph needs --backend cuda");
    return options;
}

int run(const Options& options) {
    std::string why_not;
    const auto memory = make_memory(*options.backend, &why_not);
    if (!memory) {
        std::printf("SKIP everything # %s\n", why_not.c_str());
        return 77;
    }
    Session session(*memory, options.graph);
    int64_t matching = 0;
    const auto test = [&](const std::string& name, const std::function<void()>& body) {
        if (options.filter && !std::regex_search(name, *options.filter)) return;
        ++matching;
        if (options.names_only)
            std::puts(name.c_str());
        else
            session.test(name, body);
    };

    std::vector<Problem> problems = options.problems;
    if (!options.own_problems) {
        const std::string folder = BSBLAS_CONFORMANCE_LISTS;
        problems = read_list(folder + "/smoke.txt");
        if (options.full)
            for (const Problem& p : read_list(folder + "/full.txt")) problems.push_back(p);
    }
    for (const Problem& p : problems) test(format(p), [&] { session.problem(p); });
    if (!options.own_problems) {
        for (const Case& c : cases())
            if (options.full || !c.slow) test(c.name, [&] { c.run(session); });
        test("every_kernel_row", [&] { force_every_kernel(session, problems); });
        if (session.on_cuda() && !options.graph) add_vendor_tests(session, options.full, test);
    }
    if (matching == 0) throw std::invalid_argument("there is no such test");
    return options.names_only || session.finish() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace bsblas::test

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
        std::cout << bsblas::test::usage << bsblas::test::key_help();
        return EXIT_SUCCESS;
    }
    try {
        return bsblas::test::run(bsblas::test::parse_options(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "bsblas_conformance: " << error.what() << " (--help explains)\n";
        return 2;
    }
}
