// bsblas_bench: measures problems of the one grammar, against peers, with Google Benchmark.
//
//   bsblas_bench --list FILE... [--problem LINE]... [--backend host|cuda] [--threads N,...] [--rounds N]
//                [--peers on|off] [--benchmark_filter=REGEX] [--benchmark_out=FILE] [...]
//
// NOTES.md says how to measure. Exits with 1 when a problem fails or its result is wrong.
#include <benchmark/benchmark.h>
#include <bsblas/bsblas.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include "commit.h"
#include "harness/bsblas.h"
#include "harness/measure.h"
#include "harness/results.h"
#include "peers/peers.h"

namespace {

using namespace bsblas::perf;

struct Options {
    std::vector<Problem> problems;
    std::vector<int> threads;
    std::unique_ptr<Machine> machine;
    int rounds = 15;
    bool peers = true;
};

const char usage[] =
    "usage: bsblas_bench --list FILE... [--problem LINE]... [--backend host|cuda] [--threads N,...] [--rounds N]\n"
    "                    [--peers on|off] [--benchmark_filter=REGEX] [--benchmark_out=FILE] [...]\n";

// Takes out of argv what is ours; the rest is Google Benchmark's.
Options parse(int* argc, char** argv) {
    Options options;
    std::string backend;
    int kept = 1;
    for (int i = 1; i < *argc; ++i) {
        std::string word = argv[i], value;
        auto takes = [&](const char* flag) {
            size_t length = std::strlen(flag);
            if (word.compare(0, length, flag) != 0) return false;
            if (word.size() == length) {
                if (++i == *argc) throw std::invalid_argument(word + " needs a value");
                value = argv[i];
                return true;
            }
            if (word[length] != '=') return false;
            value = word.substr(length + 1);
            return true;
        };
        auto append = [&](std::vector<Problem> problems) {
            options.problems.insert(options.problems.end(), problems.begin(), problems.end());
        };
        if (takes("--list"))
            append(bsblas::test::read_list(value));
        else if (takes("--problem"))
            append(bsblas::test::expand(value));
        else if (takes("--backend"))
            backend = value;
        else if (takes("--rounds"))
            options.rounds = std::stoi(value);
        else if (takes("--threads")) {
            std::istringstream counts(value);
            for (std::string count; std::getline(counts, count, ',');) options.threads.push_back(std::stoi(count));
        } else if (takes("--peers")) {
            if (value != "on" && value != "off") throw std::invalid_argument("--peers is on or off");
            options.peers = value == "on";
        } else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    if (options.problems.empty()) throw std::invalid_argument("no problems: give --list or --problem");
    if (backend != "" && backend != "host" && backend != "cuda")
        throw std::invalid_argument("--backend is host or cuda");
    options.machine = backend == ""       ? make_default_machine()
                      : backend == "host" ? make_host_machine()
                                          : make_machine(BSBLAS_BACKEND_CUDA);
    return options;
}

// One problem for each number of threads asked for, unless its line says how many. A host's default is written out, so
// that results tell.
std::vector<Problem> with_threads(const Options& options) {
    std::vector<int> threads = options.threads;
    if (threads.empty()) threads.push_back(options.machine->cpus());
    std::vector<Problem> problems;
    for (Problem p : options.problems) {
        if (p.threads || options.machine->backend() == BSBLAS_BACKEND_CUDA) {
            problems.push_back(p);
            continue;
        }
        for (int count : threads) {
            p.threads = count;
            problems.push_back(p);
        }
    }
    return problems;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options = parse(&argc, argv);
    Machine& machine = *options.machine;
    std::unique_ptr<Contender> ours = make_bsblas(machine), one_thread = make_bsblas(machine, 1);
    std::vector<std::string> missing;
    std::vector<std::unique_ptr<Contender>> peers;
    if (options.peers) peers = make_peers(machine, &missing);
    for (const std::string& line : missing) std::cerr << "peer not found: " << line << '\n';

    benchmark::AddCustomContext("device", machine.name());
    benchmark::AddCustomContext("backend", machine.backend() == BSBLAS_BACKEND_CUDA ? "cuda" : "host");
    benchmark::AddCustomContext("commit", BSBLAS_COMMIT);
    benchmark::AddCustomContext("bsblas", ours->version());
    for (const auto& peer : peers) benchmark::AddCustomContext(peer->name(), peer->version());
    for (const auto& [key, value] : machine.description()) benchmark::AddCustomContext(key, value);

    ResultsReporter file;
    benchmark::ConsoleReporter console(benchmark::ConsoleReporter::OO_None);
    int failures = 0;
    for (const Problem& problem : with_threads(options)) {
        std::string name = bsblas::test::format(problem);
        auto measure = [&, problem, name](benchmark::State& state) {
            try {
                Workload workload = make_workload(problem, machine);
                Race race(workload, machine, *ours, one_thread.get(), peers);
                for (auto _ : state) state.SetIterationTime(race.round() * 1e-6);
                Measurement m = race.result();
                file.record(name, describe(workload, m));
                state.counters["tflops"] = m.ours.tflops;
                if (m.dense_peer()) state.counters["share_of_dense"] = m.ours.tflops / m.dense_peer()->tflops;
                if (m.best_peer()) state.counters["share_of_best_peer"] = m.best_peer()->time_us / m.ours.time_us;
                state.SetLabel(m.kernel);
                if (m.verdict.good()) return;
                state.SkipWithError(("wrong result: " + m.verdict.text()).c_str());
            } catch (const std::exception& error) {
                state.SkipWithError(error.what());
            }
            ++failures;
        };
        benchmark::RegisterBenchmark(name.c_str(), measure)
            ->UseManualTime()
            ->Iterations(options.rounds)
            ->Unit(benchmark::kMicrosecond);
    }

    bool to_file = false;
    for (int i = 1; i < argc; ++i) to_file |= std::strncmp(argv[i], "--benchmark_out=", 16) == 0;
    std::string program = std::filesystem::path(argv[0]).filename().string();  // results say no machine's paths
    argv[0] = program.data();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        std::cerr << usage;
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks(&console, to_file ? &file : nullptr);
    if (failures) std::cerr << failures << " problems failed\n";
    return failures ? 1 : 0;
} catch (const std::invalid_argument& error) {
    std::cerr << "bsblas_bench: " << error.what() << '\n' << usage;
    return 2;
} catch (const std::exception& error) {
    std::cerr << "bsblas_bench: " << error.what() << '\n';
    return 2;
}
