#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "harness/machine.h"

namespace bsblas::perf {

namespace {

// The value of a line "key : value" of /proc/cpuinfo.
std::string cpuinfo(const std::string& key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "";
}

class HostMachine final : public Machine {
public:
    HostMachine() : Machine(BSBLAS_BACKEND_HOST) {}

    std::string name() const override {
        std::string model = cpuinfo("model name");
        return model.empty() ? "unknown CPU" : model;
    }

    std::map<std::string, std::string> description() const override {
        return {
            {"cpus", std::to_string(cpus())},
            {"cpu_family_model_stepping", cpuinfo("cpu family") + "/" + cpuinfo("model\t") + "/" + cpuinfo("stepping")},
            {"last_level_cache_bytes", std::to_string(cache_bytes())}};
    }

    int cpus() const override {
        cpu_set_t set;
        return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    }

    int64_t cache_bytes() const override {
        for (int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
            if (long bytes = sysconf(level); bytes > 0) return bytes;
        return 32 << 20;
    }

    double clock_mhz() const override {
        std::istringstream text(cpuinfo("cpu MHz"));
        double mhz = 0;
        text >> mhz;
        return mhz;
    }

    double time(const std::function<void()>& work) override {
        auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    }
};

}  // namespace

std::unique_ptr<Machine> make_host_machine() {
    return std::make_unique<HostMachine>();
}

}  // namespace bsblas::perf
