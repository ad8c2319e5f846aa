#include "harness/results.h"

namespace bsblas::perf {

namespace {

using Json = nlohmann::ordered_json;

Json optional(double value, bool known) {
    return known ? Json(value) : Json(nullptr);
}

bool asks_for_density(const test::PatternSpec& spec) {
    switch (spec.kind) {
        case test::PatternKind::full:
        case test::PatternKind::empty:
        case test::PatternKind::diagonal:
        case test::PatternKind::longrow:
            return false;
        default:
            return spec.blocks < 0;
    }
}

}  // namespace

Json describe(const Workload& w, const Measurement& m) {
    const Problem& p = w.problem;
    const Timing *dense = m.dense_peer(), *best = m.best_peer();
    Json keys;
    keys["op"] = test::name_of(p.op);
    keys["type"] = test::name_of(p.type);
    keys["out"] = test::name_of(p.out);
    keys["compute"] = w.compute() == BSBLAS_COMPUTE_32F_FAST_TF32 ? "tf32" : "default";
    keys["side"] = p.side == BSBLAS_SIDE_LEFT ? "left" : "right";
    keys["opa"] = test::name_of(p.opa);
    keys["opb"] = test::name_of(p.opb);
    keys["layout_b"] = test::name_of((w.spmm() ? w.b : w.x).order);
    keys["layout_c"] = test::name_of((w.spmm() ? w.c : w.y).order);
    keys["ld_b"] = (w.spmm() ? w.b : w.x).ld;
    keys["ld_c"] = (w.spmm() ? w.c : w.y).ld;
    keys["pattern"] = test::name_of(p.pattern.kind);
    keys["kernel"] = m.kernel;
    keys["threads"] = p.threads;
    keys["m"] = p.m;
    keys["k"] = p.k;
    keys["n"] = p.n;
    keys["block"] = p.bm == p.bk ? Json(p.bm) : Json(std::to_string(p.bm) + "x" + std::to_string(p.bk));
    keys["density"] = w.density();
    keys["density_asked"] = optional(p.pattern.density, asks_for_density(p.pattern));  // the same at every block size
    keys["stored_bytes"] = w.stored_bytes();
    keys["analysis"] = p.analysis;
    keys["time_us"] = m.ours.time_us;
    keys["spread"] = m.ours.spread;
    keys["tflops"] = m.ours.tflops;
    keys["share_of_dense"] = optional(dense ? m.ours.tflops / dense->tflops : 0, dense);
    keys["share_of_best_peer"] = optional(best ? best->time_us / m.ours.time_us : 0, best);
    keys["best_peer"] = best ? Json(best->name) : Json(nullptr);
    if (m.one_thread.time_us > 0) keys["speedup"] = m.one_thread.time_us / m.ours.time_us;  // of more threads than one
    keys["error"] = m.verdict.error;
    keys["error_bound"] = m.verdict.bound;
    keys["clock_mhz"] = optional(m.clock_mhz, m.clock_mhz > 0);
    keys["peers"] = Json::object();
    for (const Timing& peer : m.peers) {
        Json& entry = keys["peers"][peer.name];
        if (!peer.refusal.empty()) {
            entry["refusal"] = peer.refusal;
            continue;
        }
        entry["time_us"] = peer.time_us;
        entry["spread"] = peer.spread;
        entry["tflops"] = peer.tflops;
        if (peer.error) entry["error"] = *peer.error;
    }
    keys["problem"] = test::format(p);
    return keys;
}

bool ResultsReporter::ReportContext(const Context& context) {
    file_ = &GetOutputStream();
    SetOutputStream(&json_);
    return JSONReporter::ReportContext(context);
}

void ResultsReporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) names_.push_back(run.run_name.function_name);
    JSONReporter::ReportRuns(runs);
    save();
}

void ResultsReporter::Finalize() {
    save();
}

void ResultsReporter::save() {
    Json results = Json::parse(json_.str() + "]}");  // what the base class writes at the end
    Json& benchmarks = results["benchmarks"];
    for (size_t i = 0; i < benchmarks.size(); ++i)
        if (auto found = recorded_.find(names_[i]); found != recorded_.end()) benchmarks[i].update(found->second);
    file_->seekp(0);
    *file_ << results.dump(2) << std::endl;
}

}  // namespace bsblas::perf
