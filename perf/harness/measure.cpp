#include "harness/measure.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bsblas::perf {

namespace {

constexpr int most_repeats = 200;

double quantile(std::vector<double> sorted, double q) {
    std::sort(sorted.begin(), sorted.end());
    double at = q * static_cast<double>(sorted.size() - 1);
    size_t below = static_cast<size_t>(at);
    size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Race::Race(const Workload& w, Machine& machine, Contender& ours, Contender* one_thread,
           const std::vector<std::unique_ptr<Contender>>& peers, Check check)
    : workload_(w), machine_(machine) {
    auto enter = [&](Contender& contender) {
        Runner runner;
        runner.prepared = contender.prepare(w);
        runner.timing.name = contender.name();
        runner.timing.dense = contender.dense();
        runner.timing.refusal = runner.prepared.refusal;
        runner.flops = contender.dense() ? w.dense_flops() : w.flops();
        return runner;
    };
    auto checked = [&](Runner& runner) {
        reset_output(w, machine);
        time(runner, 1);
        return check(w, machine);
    };

    ours_ = enter(ours);
    if (!ours_.prepared.refusal.empty()) throw std::runtime_error(ours_.prepared.refusal);
    verdict_ = checked(ours_);
    ours_.timing.error = verdict_.error;
    for (const auto& peer : peers) {
        Runner runner;
        try {
            runner = enter(*peer);
            if (runner.prepared.refusal.empty()) {
                if (runner.prepared.writes_output) runner.timing.error = checked(runner).error;
                warm_up(runner);
            }
        } catch (const std::exception& error) {  // out of memory for its own format, say
            runner = {};
            runner.timing.name = peer->name();
            runner.timing.refusal = runner.prepared.refusal = error.what();
        }
        peers_.push_back(std::move(runner));
    }
    if (one_thread && w.problem.threads > 1) {
        one_thread_ = enter(*one_thread);
        warm_up(one_thread_);
    }
    warm_up(ours_);
}

void Race::run(Runner& runner, int repeats) {
    for (int i = 0; i < repeats; ++i) runner.prepared.run(runner.next++ % workload_.copies);
}

double Race::time(Runner& runner, int repeats) {
    return machine_.time([&] { run(runner, repeats); }) / repeats;
}

// A device is still settling when what is timed is enqueued, so no pause lies between.
double Race::time_settled(Runner& runner) {
    run(runner, runner.settling);
    return time(runner, runner.repeats);
}

void Race::warm_up(Runner& runner) {
    time(runner, 1);
    double once = std::max(time(runner, 3), 1e-3);
    runner.settling = static_cast<int>(std::ceil(machine_.settling_us() / once));
    runner.repeats = static_cast<int>(std::clamp(std::ceil(machine_.stretch_us() / once), 1.0, 1.0 * most_repeats));
}

double Race::round() {
    double us = time_settled(ours_);
    ours_.times.push_back(us);
    if (one_thread_.prepared.run) one_thread_.times.push_back(time_settled(one_thread_));
    for (Runner& runner : peers_)
        if (runner.prepared.refusal.empty()) runner.times.push_back(time_settled(runner));
    return us;
}

Measurement Race::result() const {
    auto timing = [](const Runner& runner) {
        Timing t = runner.timing;
        if (runner.times.empty()) return t;
        t.time_us = quantile(runner.times, 0.5);
        t.spread = (quantile(runner.times, 0.75) - quantile(runner.times, 0.25)) / t.time_us;
        t.tflops = runner.flops / t.time_us * 1e-6;
        return t;
    };
    Measurement m;
    m.ours = timing(ours_);
    m.one_thread = timing(one_thread_);
    m.kernel = ours_.prepared.kernel;
    m.verdict = verdict_;
    for (const Runner& runner : peers_) m.peers.push_back(timing(runner));
    m.clock_mhz = machine_.clock_mhz();
    return m;
}

const Timing* Measurement::dense_peer() const {
    for (const Timing& peer : peers)
        if (peer.dense && peer.time_us > 0) return &peer;
    return nullptr;
}

const Timing* Measurement::best_peer() const {
    const Timing* best = nullptr;
    for (const Timing& peer : peers) {
        bool exact = !peer.error || *peer.error <= verdict.bound;
        if (exact && peer.time_us > 0 && (!best || peer.time_us < best->time_us)) best = &peer;
    }
    return best;
}

}  // namespace bsblas::perf
