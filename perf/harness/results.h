// The results file: Google Benchmark's JSON, and what its numeric counters cannot hold.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/measure.h"

namespace bsblas::perf {

// The keys of an entry beside Google Benchmark's own.
nlohmann::ordered_json describe(const Workload& workload, const Measurement& measurement);

// Adds to each benchmark the keys that were recorded under its name. The file is complete after each benchmark, in case
// the next one is the last that there is time for.
class ResultsReporter final : public benchmark::JSONReporter {
public:
    void record(const std::string& name, nlohmann::ordered_json keys) { recorded_[name] = std::move(keys); }

    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;

private:
    void save();

    std::ostream* file_ = nullptr;
    std::ostringstream json_;
    std::vector<std::string> names_;  // of the runs in the order of the file
    std::map<std::string, nlohmann::ordered_json> recorded_;
};

}  // namespace bsblas::perf
