#include <cuda_runtime_api.h>

#include <stdexcept>

#include "memory.h"

namespace bsblas::test {
namespace {

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

class CudaMemory : public Memory {
public:
    CudaMemory() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~CudaMemory() override { cudaStreamDestroy(stream_); }

    bsblasBackend_t backend() const override { return BSBLAS_BACKEND_CUDA; }
    int compute_capability() const override {
        int device = 0, major = 0, minor = 0;
        check(cudaGetDevice(&device), "cudaGetDevice");
        check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
        check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
        return 10 * major + minor;
    }
    void* allocate(size_t bytes) override {
        void* memory = nullptr;
        check(cudaMalloc(&memory, bytes ? bytes : 1), "cudaMalloc");
        return memory;
    }
    void release(void* memory) override { cudaFree(memory); }
    void copy_in(void* to, const void* host, size_t bytes) override { copy(to, host, bytes, cudaMemcpyHostToDevice); }
    void copy_out(void* host, const void* from, size_t bytes) override {
        copy(host, from, bytes, cudaMemcpyDeviceToHost);
    }
    bsblasStream_t stream() const override { return stream_; }
    void wait() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
    std::function<void()> capture(const std::function<void()>& calls) override;

private:
    void copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
        if (bytes == 0) return;
        check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpy");
        wait();
    }

    cudaStream_t stream_ = nullptr;
};

// What a call may leave in a graph: work on the device, and nothing that allocates or calls back.
void check_nodes(cudaGraph_t graph) {
    size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
        if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeMemcpy &&
            type != cudaGraphNodeTypeEmpty)
            throw std::runtime_error("the captured graph has a node of type " + std::to_string(type));
    }
}

std::function<void()> CudaMemory::capture(const std::function<void()>& calls) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
        calls();
    } catch (...) {
        cudaStreamEndCapture(stream_, &graph);
        cudaGetLastError();
        throw;
    }
    check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    const std::shared_ptr<CUgraph_st> owned_graph(graph, cudaGraphDestroy);
    check_nodes(graph);
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    const std::shared_ptr<CUgraphExec_st> owned(executable, cudaGraphExecDestroy);
    return [this, owned] {
        check(cudaGraphLaunch(owned.get(), stream_), "cudaGraphLaunch");
        wait();
    };
}

}  // namespace

std::unique_ptr<Memory> make_cuda_memory(std::string* why_not) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        *why_not = std::string("no CUDA device: ") + cudaGetErrorString(error);
        return nullptr;
    }
    return std::make_unique<CudaMemory>();
}

}  // namespace bsblas::test
