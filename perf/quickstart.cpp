// The main job: block-sparse work on real inputs, on the GPU if there is one and else on the host. It prints one table
// and exits with 1 when a number is wrong.
#include <bsblas/bsblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "bsr_file.h"
#include "harness/bsblas.h"
#include "harness/measure.h"
#include "matrix_market.h"
#include "peers/peers.h"

namespace {

using namespace bsblas::perf;
namespace test = bsblas::test;

constexpr int rounds = 9;

__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
    static const auto start = std::chrono::steady_clock::now();
    std::printf("[%5.1f s] ", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::printf("\n");
    std::fflush(stdout);
}

void check(bsblasStatus_t status) {
    if (status != BSBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(bsblasGetStatusName(status)) + ": " + bsblasGetLastErrorMessage());
}

struct Row {
    std::string operation, input, type;
    int64_t block, columns;
    double density;
    Verdict verdict;
    Timing ours, dense;
};

struct Job {
    std::unique_ptr<Machine> machine = make_default_machine();
    std::unique_ptr<Contender> ours = make_bsblas(*machine);
    std::vector<std::unique_ptr<Contender>> dense;  // one, if its library is here
    std::vector<Row> table;
    int failures = 0;

    void fail(const std::string& why) {
        say("WRONG: %s", why.c_str());
        ++failures;
    }

    // Runs it once as a user would, and compares every number with the reference.
    void run(const Workload& w, const Prepared& product, const char* what) {
        if (!product.refusal.empty()) throw std::runtime_error(product.refusal);
        reset_output(w, *machine);
        product.run(0);
        Verdict verdict = check_all(w, *machine);
        if (!verdict.good()) fail(std::string(what) + ": " + verdict.text());
    }

    void measure(const Workload& w, const std::string& operation, const std::string& input, int64_t columns) {
        Race race(w, *machine, *ours, nullptr, dense, check_all);
        for (int i = 0; i < rounds; ++i) race.round();
        Measurement m = race.result();
        const Problem& p = w.problem;
        Row row{operation, input, test::name_of(p.type), p.bm, columns, w.density(), m.verdict, m.ours, {}};
        if (const Timing* peer = m.dense_peer()) row.dense = *peer;
        if (!m.verdict.good()) fail(operation + " on " + input + ": " + m.verdict.text());
        table.push_back(row);
    }

    void print() const {
        const std::string rule(131, '-');
        std::printf("\n%-13s %-20s %5s %7s %-5s %5s %10s %9s %10s %9s %7s %9s %9s\n", "operation", "input", "block",
                    "density", "type", "cols", "time ms", "GFLOP/s", "dense ms", "GFLOP/s", "faster", "error", "bound");
        std::printf("%s\n", rule.c_str());
        for (const Row& r : table) {
            std::printf("%-13s %-20s %2ldx%-2ld %6.2f%% %-5s %5ld %10.3f %9.1f ", r.operation.c_str(), r.input.c_str(),
                        static_cast<long>(r.block), static_cast<long>(r.block), 100 * r.density, r.type.c_str(),
                        static_cast<long>(r.columns), r.ours.time_us * 1e-3, r.ours.tflops * 1e3);
            if (r.dense.time_us > 0)
                std::printf("%10.3f %9.1f %6.2fx ", r.dense.time_us * 1e-3, r.dense.tflops * 1e3,
                            r.dense.time_us / r.ours.time_us);
            else
                std::printf("%10s %9s %7s ", "-", "-", "-");
            std::printf("%9.2e %9.2e%s\n", r.verdict.error, r.verdict.bound, r.verdict.good() ? "" : "  WRONG");
        }
        std::printf("%s\n", rule.c_str());
        std::printf(
            "cols: columns of the dense operands. time: median of %d. GFLOP/s: on stored blocks; dense: on all.\n"
            "faster: dense time / time. error: the largest |computed - exact| / sum |products|.\n",
            rounds);
    }
};

std::vector<std::byte> bytes_of(const std::vector<double>& numbers, bsblasDataType_t type) {
    std::vector<std::byte> bytes(numbers.size() * test::size_of(type));
    for (size_t i = 0; i < numbers.size(); ++i) test::put(bytes.data(), static_cast<int64_t>(i), type, numbers[i]);
    return bytes;
}

std::vector<double> numbers_of(const std::vector<std::byte>& bytes, bsblasDataType_t type) {
    std::vector<double> numbers(bytes.size() / test::size_of(type));
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = test::get_real(bytes.data(), static_cast<int64_t>(i), type);
    return numbers;
}

std::vector<double> random_numbers(int64_t count, uint64_t seed) {
    test::Random random(seed);
    std::vector<double> numbers(count);
    for (double& number : numbers) number = 2 * test::uniform(random) - 1;
    return numbers;
}

// A layer Y = W X in training, with features x tokens activations as frameworks hold them: a token's features side by
// side. Its teacher are the weights as trained; it starts from disturbed ones and must come closer at each step.
void train(Job& job, const BsrFile& weights, const std::string& name, bsblasDataType_t type, int64_t tokens,
           int steps) {
    constexpr double rate = 1.0, disturbance = 0.02;
    BlockPattern pattern;
    pattern.rows = weights.rows / weights.row_block;
    pattern.cols = weights.cols / weights.col_block;
    pattern.offsets.assign(weights.row_offsets.begin(), weights.row_offsets.end());
    pattern.columns.assign(weights.col_indices.begin(), weights.col_indices.end());
    const std::vector<double> trained(weights.values.begin(), weights.values.end());
    const std::vector<std::byte> x = bytes_of(random_numbers(weights.cols * tokens, 1), type);
    const std::vector<std::byte> no_gradient(weights.rows * tokens * test::size_of(type));

    Problem product;
    product.type = product.typeb = product.out = type;
    product.bm = weights.row_block;
    product.bk = weights.col_block;
    product.b.order = product.c.order = product.x.order = product.y.order = BSBLAS_ORDER_COL;

    product.m = weights.rows;
    product.k = weights.cols;
    product.n = tokens;
    Workload forward = make_workload(product, {pattern, bytes_of(trained, type), x, {}}, *job.machine);

    product.opa = BSBLAS_OP_T;
    product.analysis = true;  // once for all steps: the pattern stays
    std::swap(product.m, product.k);
    Workload backward = make_workload(product, {pattern, bytes_of(trained, type), no_gradient, {}}, *job.machine);

    product.op = Op::sddmm;
    product.analysis = false;
    product.opa = BSBLAS_OP_N;
    product.opb = BSBLAS_OP_T;
    product.m = weights.rows;
    product.n = weights.cols;
    product.k = tokens;
    product.out = BSBLAS_R_32F;  // gradients for the f32 master weights
    Workload gradient = make_workload(product, {pattern, {}, no_gradient, x}, *job.machine);

    // The three products work on one W, one X and one dY.
    backward.a.copies = forward.a.copies;
    gradient.x.copies = backward.b.copies;
    gradient.y.copies = forward.b.copies;
    const Prepared forward_run = job.ours->prepare(forward), backward_run = job.ours->prepare(backward),
                   gradient_run = job.ours->prepare(gradient);

    auto set_weights = [&](const std::vector<double>& master) {
        forward.a.initial = backward.a.initial = bytes_of(master, type);
        job.machine->upload(forward.a.copies[0].get(), forward.a.initial.data(), forward.a.initial.size());
    };
    auto output_of_forward = [&] {
        job.run(forward, forward_run, "Y = W X");
        return numbers_of(download_output(forward, *job.machine), type);
    };

    const std::vector<double> wanted = output_of_forward();
    std::vector<double> master = trained;
    const std::vector<double> noise = random_numbers(static_cast<int64_t>(master.size()), 2);
    for (size_t i = 0; i < master.size(); ++i) master[i] += disturbance * noise[i];

    double loss_before = 0;
    std::string losses;
    for (int step = 0; step <= steps; ++step) {
        set_weights(master);
        std::vector<double> y = output_of_forward();
        double loss = 0;
        for (size_t i = 0; i < y.size(); ++i) {
            y[i] -= wanted[i];
            loss += y[i] * y[i] / (2 * static_cast<double>(y.size()));
            y[i] /= static_cast<double>(tokens);
        }
        char text[32];
        std::snprintf(text, sizeof text, "%s%.3e", step ? ", " : "", loss);
        losses += text;
        if (step > 0 && !(loss < loss_before)) job.fail("the loss did not fall");
        loss_before = loss;
        if (step == steps) break;

        backward.b.initial = gradient.x.initial = bytes_of(y, type);
        job.machine->upload(backward.b.copies[0].get(), backward.b.initial.data(), backward.b.initial.size());
        job.run(backward, backward_run, "dX = W^T dY");
        job.run(gradient, gradient_run, "dW = SDDMM(dY, X)");
        const std::vector<double> dw = numbers_of(download_output(gradient, *job.machine), product.out);
        for (size_t i = 0; i < master.size(); ++i) master[i] -= rate * dw[i];
    }
    say("%s, %s, %ld tokens: loss %s", name.c_str(), test::name_of(type), static_cast<long>(tokens), losses.c_str());

    job.measure(forward, "Y = W X", name, tokens);
    job.measure(backward, "dX = W^T dY", name, tokens);
    job.measure(gradient, "dW = dY X^T", name, tokens);
}

// A matrix in 3x3 blocks on the job's machine, made from CSR by the library and brought back.
struct Blocks {
    BlockPattern pattern;
    std::vector<std::byte> values;
};

Blocks convert(Job& job, const CsrMatrix& csr, int64_t block) {
    Machine& machine = *job.machine;
    auto place = [&](const auto& array) {
        size_t bytes = array.size() * sizeof array[0];
        Buffer buffer = machine.allocate(bytes);
        machine.upload(buffer.get(), array.data(), bytes);
        return buffer;
    };
    auto fetch = [&](auto& array, const Buffer& from) {
        machine.download(array.data(), from.get(), array.size() * sizeof array[0]);
    };
    bsblasHandle_t handle = nullptr;
    check(bsblasCreateWithBackend(&handle, machine.backend()));
    check(bsblasSetStream(handle, machine.stream()));

    Buffer csr_offsets = place(csr.row_offsets), csr_columns = place(csr.col_indices), csr_values = place(csr.values);
    bsblasConstSpMatDescr_t from = nullptr;
    check(bsblasCreateConstCsr(&from, csr.rows, csr.cols, static_cast<int64_t>(csr.values.size()), csr_offsets.get(),
                               csr_columns.get(), csr_values.get(), BSBLAS_INDEX_32I, BSBLAS_INDEX_32I,
                               BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_64F));
    int64_t block_rows = csr.rows / block, block_cols = csr.cols / block, blocks = 0;
    bsblasSpMatDescr_t to = nullptr;
    check(bsblasCreateBsr(&to, block_rows, block_cols, 0, block, block, nullptr, nullptr, nullptr, BSBLAS_INDEX_32I,
                          BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_64F, BSBLAS_ORDER_ROW));
    size_t size = 0;
    check(bsblasCsrToBsr_bufferSize(handle, from, to, &size));
    Buffer buffer = machine.allocate(size);
    check(bsblasCsrToBsr_count(handle, from, to, &blocks, buffer.get(), size));

    std::vector<int32_t> offsets(block_rows + 1), columns(blocks);
    std::vector<double> values(blocks * block * block);
    Buffer bsr_offsets = place(offsets), bsr_columns = place(columns), bsr_values = place(values);
    check(bsblasBsrSetPointers(to, blocks, bsr_offsets.get(), bsr_columns.get(), bsr_values.get()));
    check(bsblasCsrToBsr_bufferSize(handle, from, to, &size));
    buffer = machine.allocate(size);
    check(bsblasCsrToBsr(handle, from, to, nullptr, buffer.get(), size));
    check(bsblasBsrValidate_bufferSize(handle, to, &size));
    buffer = machine.allocate(size);
    check(bsblasBsrValidate(handle, to, nullptr, nullptr, nullptr, buffer.get(), size));
    fetch(offsets, bsr_offsets);
    fetch(columns, bsr_columns);
    fetch(values, bsr_values);
    check(bsblasDestroySpMat(from));
    check(bsblasDestroySpMat(to));
    check(bsblasDestroy(handle));

    Blocks result;
    result.pattern.rows = block_rows;
    result.pattern.cols = block_cols;
    result.pattern.offsets.assign(offsets.begin(), offsets.end());
    result.pattern.columns.assign(columns.begin(), columns.end());
    result.values = bytes_of(values, BSBLAS_R_64F);
    return result;
}

// Row by row, both spread out.
bool equal(const CsrMatrix& csr, const Blocks& bsr, int64_t block) {
    std::vector<double> left(csr.cols), right(csr.cols);
    for (int64_t i = 0; i < csr.rows; ++i) {
        std::fill(left.begin(), left.end(), 0);
        std::fill(right.begin(), right.end(), 0);
        for (int32_t p = csr.row_offsets[i]; p < csr.row_offsets[i + 1]; ++p) left[csr.col_indices[p]] = csr.values[p];
        for (int64_t p = bsr.pattern.offsets[i / block]; p < bsr.pattern.offsets[i / block + 1]; ++p)
            for (int64_t c = 0; c < block; ++c)
                right[bsr.pattern.columns[p] * block + c] =
                    test::get_real(bsr.values.data(), (p * block + i % block) * block + c, BSBLAS_R_64F);
        if (left != right) return false;
    }
    return true;
}

// Products with a few vectors at once, as block solvers make them.
void stiffness(Job& job, const std::string& path) {
    constexpr int64_t block = 3;
    const std::string name = "bcsstk16";
    say("reading %s.mtx and making 3x3 blocks of it", name.c_str());
    const CsrMatrix csr = read_matrix_market(path);
    const Blocks bsr = convert(job, csr, block);
    if (!equal(csr, bsr, block)) job.fail("CSR to BSR: the blocks are not the matrix");
    say("%s: %ld x %ld, %zu entries in %ld blocks", name.c_str(), static_cast<long>(csr.rows),
        static_cast<long>(csr.cols), csr.values.size(), static_cast<long>(bsr.pattern.blocks()));

    for (int64_t vectors : {16, 64}) {
        const std::vector<std::byte> x = bytes_of(random_numbers(csr.cols * vectors, 3), BSBLAS_R_64F);
        const std::vector<std::byte> y = bytes_of(random_numbers(csr.rows * vectors, 4), BSBLAS_R_64F);
        Problem product;
        product.type = product.typeb = product.out = BSBLAS_R_64F;
        product.bm = product.bk = block;
        product.m = csr.rows;
        product.k = csr.cols;
        product.n = vectors;
        job.measure(make_workload(product, {bsr.pattern, bsr.values, x, {}}, *job.machine), "A X", name, vectors);
        product.opa = BSBLAS_OP_T;
        product.analysis = true;
        std::swap(product.m, product.k);
        job.measure(make_workload(product, {bsr.pattern, bsr.values, y, {}}, *job.machine), "A^T X", name, vectors);

        product.op = Op::sddmm;
        product.analysis = false;
        product.opa = BSBLAS_OP_N;
        product.opb = BSBLAS_OP_T;
        product.m = csr.rows;
        product.n = csr.cols;
        product.k = vectors;
        job.measure(make_workload(product, {bsr.pattern, {}, y, x}, *job.machine), "X Y^T at A", name, vectors);
    }
    say("%s: A X, A^T X and SDDMM done", name.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string data = argc > 1 ? std::string(argv[1]) + "/" : BSBLAS_DATA;
    Job job;
    std::vector<std::string> missing;
    job.dense = make_peers(*job.machine, &missing);
    std::erase_if(job.dense, [](const auto& peer) { return !peer->dense(); });
    const bool cuda = job.machine->backend() == BSBLAS_BACKEND_CUDA;
    say("backend %s on %s", cuda ? "cuda" : "host", job.machine->name().c_str());
    say("bsblas: %s", job.ours->version().c_str());
    for (const auto& peer : job.dense) say("dense: %s %s", peer->name().c_str(), peer->version().c_str());
    if (job.dense.empty())
        for (const std::string& line : missing) say("no dense library to compare with: %s", line.c_str());

    try {
        const BsrFile intermediate = read_bsr_file(data + "minilm_intermediate.bsr");
        const BsrFile output = read_bsr_file(data + "minilm_output.bsr");
        std::vector<bsblasDataType_t> types = {BSBLAS_R_32F};
        if (cuda) types.push_back(BSBLAS_R_16BF);
        for (bsblasDataType_t type : types) {
            say("training the feed-forward layers of MiniLM-L6, a quarter of their 32x32 blocks, in %s",
                test::name_of(type));
            train(job, intermediate, "MiniLM 1536x384", type, 512, 3);
            train(job, output, "MiniLM 384x1536", type, 512, 3);
            train(job, intermediate, "MiniLM 1536x384", type, 2048, 1);
            train(job, output, "MiniLM 384x1536", type, 2048, 1);
        }
        stiffness(job, data + "bcsstk16.mtx");
    } catch (...) {
        if (!job.table.empty()) job.print();
        throw;
    }

    job.print();
    if (job.failures)
        std::printf("\n%d results are WRONG\n", job.failures);
    else
        std::printf("\nevery number is within its bound\n");
    return job.failures ? 1 : 0;
} catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "quickstart: %s\n", error.what());
    return 1;
}
