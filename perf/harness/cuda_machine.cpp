#include <cuda_runtime.h>
#include <dlfcn.h>

#include <stdexcept>

#include "harness/machine.h"

namespace bsblas::perf {

namespace {

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// The few functions of the driver's management library that tell clocks; absent in some containers.
class Nvml {
public:
    explicit Nvml(const char* bus_id) {
        library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library_) return;
        auto init = reinterpret_cast<int (*)()>(dlsym(library_, "nvmlInit_v2"));
        auto by_bus_id =
            reinterpret_cast<int (*)(const char*, void**)>(dlsym(library_, "nvmlDeviceGetHandleByPciBusId_v2"));
        clock_ = reinterpret_cast<ClockInfo>(dlsym(library_, "nvmlDeviceGetClockInfo"));
        max_clock_ = reinterpret_cast<ClockInfo>(dlsym(library_, "nvmlDeviceGetMaxClockInfo"));
        power_limit_ = reinterpret_cast<PowerLimit>(dlsym(library_, "nvmlDeviceGetEnforcedPowerLimit"));
        driver_ = reinterpret_cast<DriverVersion>(dlsym(library_, "nvmlSystemGetDriverVersion"));
        if (!init || !by_bus_id || init() != 0 || by_bus_id(bus_id, &device_) != 0) device_ = nullptr;
    }

    unsigned sm_clock() const { return ask(clock_, sm); }
    unsigned max_sm_clock() const { return ask(max_clock_, sm); }
    unsigned max_memory_clock() const { return ask(max_clock_, memory); }
    unsigned power_limit_watts() const {
        unsigned milliwatts = 0;
        return device_ && power_limit_ && power_limit_(device_, &milliwatts) == 0 ? milliwatts / 1000 : 0;
    }
    std::string driver() const {
        char text[96] = "";
        return device_ && driver_ && driver_(text, sizeof text) == 0 ? text : "";
    }

private:
    using ClockInfo = int (*)(void*, int, unsigned*);
    using PowerLimit = int (*)(void*, unsigned*);
    using DriverVersion = int (*)(char*, unsigned);
    static constexpr int sm = 1, memory = 2;  // nvmlClockType_t

    unsigned ask(ClockInfo function, int clock) const {
        unsigned mhz = 0;
        return device_ && function && function(device_, clock, &mhz) == 0 ? mhz : 0;
    }

    void* library_ = nullptr;  // never closed: its threads may outlive this object
    void* device_ = nullptr;
    ClockInfo clock_ = nullptr, max_clock_ = nullptr;
    PowerLimit power_limit_ = nullptr;
    DriverVersion driver_ = nullptr;
};

std::string bus_id_of_current_device() {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    char bus_id[32] = "";
    check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device), "cudaDeviceGetPCIBusId");
    return bus_id;
}

class CudaMachine final : public Machine {
public:
    CudaMachine() : Machine(BSBLAS_BACKEND_CUDA), nvml_(bus_id_of_current_device().c_str()) {
        int device = 0;
        check(cudaGetDevice(&device), "cudaGetDevice");
        check(cudaGetDeviceProperties(&properties_, device), "cudaGetDeviceProperties");
        check(cudaEventCreate(&start_), "cudaEventCreate");
        check(cudaEventCreate(&stop_), "cudaEventCreate");
    }
    ~CudaMachine() override {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }

    std::string name() const override { return properties_.name; }
    int64_t cache_bytes() const override { return properties_.l2CacheSize; }
    double clock_mhz() const override { return nvml_.sm_clock(); }

    // A chip's power limit acts on its clock only after milliseconds. On an H200 cuBLAS's bf16 product of 4096 x 4096 x
    // 8192 takes 315 us in bursts of one millisecond, and up to 350 when it runs without pause for tens of them, as
    // in training. What L2 or memory binds gains nothing from a burst, and beside one would look slower than it is.
    double settling_us() const override { return 20e3; }
    double stretch_us() const override { return 3e3; }

    std::map<std::string, std::string> description() const override {
        int driver = 0, runtime = 0;
        check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
        auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
        return {{"compute_capability", std::to_string(properties_.major) + "." + std::to_string(properties_.minor)},
                {"multiprocessors", std::to_string(properties_.multiProcessorCount)},
                {"l2_bytes", std::to_string(properties_.l2CacheSize)},
                {"driver", nvml_.driver()},
                {"driver_cuda", version(driver)},
                {"cuda_runtime", version(runtime)},
                {"sm_clock_max_mhz", std::to_string(nvml_.max_sm_clock())},
                {"memory_clock_max_mhz", std::to_string(nvml_.max_memory_clock())},
                {"power_limit_watts", std::to_string(nvml_.power_limit_watts())}};
    }

    double time(const std::function<void()>& work) override {
        check(cudaEventRecord(start_, stream()), "cudaEventRecord");
        work();
        check(cudaEventRecord(stop_, stream()), "cudaEventRecord");
        check(cudaEventSynchronize(stop_), "waiting for the device");
        check(cudaGetLastError(), "the device");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
        return milliseconds * 1e3;
    }

private:
    Nvml nvml_;
    cudaDeviceProp properties_{};
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

}  // namespace

std::unique_ptr<Machine> make_cuda_machine() {
    return std::make_unique<CudaMachine>();
}

}  // namespace bsblas::perf
