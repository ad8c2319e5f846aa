// Random problems against the reference and random malformed patterns through validation, for some seconds. The same
// seed gives the same input; every failure is printed with what replays it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "malformed_pattern.h"
#include "random_problem.h"
#include "support/run_problem.h"

namespace bsblas::test {
namespace {

struct Options {
    double seconds = 15;
    uint64_t seed = 1;
    bool only = false;  // this one seed
    bsblasBackend_t backend = BSBLAS_BACKEND_HOST;
};

std::optional<Options> parse_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        if (option == "--seconds" && !value.empty()) {
            options.seconds = std::atof(value.c_str());
        } else if ((option == "--seed" || option == "--only") && !value.empty()) {
            options.seed = std::strtoull(value.c_str(), nullptr, 10);
            options.only = option == "--only";
        } else if (option == "--backend" && (value == "host" || value == "cuda")) {
            options.backend = value == "cuda" ? BSBLAS_BACKEND_CUDA : BSBLAS_BACKEND_HOST;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

// One input in eight is a malformed pattern.
Outcome run_seed(uint64_t seed, Memory& memory) {
    Random random(seed);
    if (seed % 8 == 0) {
        const std::string wrong = check_malformed_pattern(random, memory);
        if (wrong.empty()) return {};
        return {Outcome::failed, "malformed pattern of --only " + std::to_string(seed) + " # " + wrong};
    }
    const std::string line = random_problem(random);
    Outcome outcome = run_problem(parse(line), memory, false);
    outcome.text = line + " # " + outcome.text;
    return outcome;
}

int run(const Options& options, Memory& memory) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    int counts[3] = {};
    uint64_t seed = options.seed;
    do {
        const Outcome outcome = run_seed(seed++, memory);
        ++counts[outcome.kind];
        if (outcome.kind != Outcome::passed)
            std::printf("%s %s\n", outcome.kind == Outcome::failed ? "FAIL" : "SKIP", outcome.text.c_str());
    } while (!options.only && Clock::now() < end);
    std::printf("%d passed, %d failed", counts[Outcome::passed], counts[Outcome::failed]);
    if (counts[Outcome::skipped]) std::printf(", %d skipped", counts[Outcome::skipped]);
    std::printf("\n");
    return counts[Outcome::failed] ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace bsblas::test

int main(int argc, char** argv) {
    using namespace bsblas::test;
    const std::optional<Options> options = parse_options(argc, argv);
    if (!options) {
        std::cerr << "bsblas_fuzz [--seconds N] [--seed FIRST] [--only SEED] [--backend host|cuda]\n";
        return 2;
    }
    try {
        std::string why_not;
        const auto memory = make_memory(options->backend, &why_not);
        if (memory) return run(*options, *memory);
        std::printf("SKIP everything # %s\n", why_not.c_str());
        return 77;
    } catch (const std::exception& error) {
        std::cerr << "bsblas_fuzz: " << error.what() << "\n";
        return EXIT_FAILURE;
    }
}
