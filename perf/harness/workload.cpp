#include "harness/workload.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

namespace bsblas::perf {

namespace {

constexpr size_t most_copies = 32;

// Drawing every element of a large operand afresh would take longer than measuring it, so a long tile repeats. Its
// prime length keeps rows of usual lengths from being equal.
constexpr int64_t tile_elements = 1000003;

const std::vector<std::byte>& random_tile(bsblasDataType_t type) {
    static std::map<bsblasDataType_t, std::vector<std::byte>> tiles;
    std::vector<std::byte>& tile = tiles[type];
    if (tile.empty()) {
        tile.resize(tile_elements * test::size_of(type));
        test::Random random(static_cast<uint64_t>(type) + 1);
        for (int64_t i = 0; i < tile_elements; ++i) test::put(tile.data(), i, type, test::random_value(random, type));
    }
    return tile;
}

std::vector<std::byte> random_array(int64_t elements, bsblasDataType_t type, int64_t start) {
    const std::vector<std::byte>& tile = random_tile(type);
    std::vector<std::byte> array(elements * test::size_of(type));
    size_t from = start * test::size_of(type) % tile.size();
    for (size_t to = 0; to < array.size();) {
        size_t chunk = std::min(array.size() - to, tile.size() - from);
        std::memcpy(array.data() + to, tile.data() + from, chunk);
        to += chunk;
        from = 0;
    }
    return array;
}

// All ones is a NaN in every floating-point type.
std::vector<std::byte> poison(int64_t elements, bsblasDataType_t type) {
    return std::vector<std::byte>(elements * test::size_of(type), std::byte{0xff});
}

DenseOperand dense(const test::DenseLayout& layout, int64_t rows, int64_t cols, bsblasDataType_t type) {
    DenseOperand d;
    d.rows = rows;
    d.cols = cols;
    d.order = layout.order;
    d.ld = layout.ld.from(std::max<int64_t>(1, d.row_major() ? cols : rows));
    d.type = type;
    return d;
}

std::vector<Buffer> make_copies(size_t count, const std::vector<std::byte>& initial, Machine& machine) {
    std::vector<Buffer> copies;
    for (size_t i = 0; i < count; ++i) {
        copies.push_back(machine.allocate(initial.size()));
        machine.upload(copies[i].get(), initial.data(), initial.size());
    }
    return copies;
}

Buffer upload_indices(const std::vector<int64_t>& numbers, int64_t base, bsblasIndexType_t type, Machine& machine) {
    size_t width = test::size_of(type);
    std::vector<std::byte> bytes(numbers.size() * width);
    for (size_t i = 0; i < numbers.size(); ++i) {
        int64_t wide = numbers[i] + base;
        int32_t narrow = static_cast<int32_t>(wide);
        std::memcpy(bytes.data() + i * width, width == 8 ? static_cast<void*>(&wide) : &narrow, width);
    }
    Buffer buffer = machine.allocate(bytes.size());
    machine.upload(buffer.get(), bytes.data(), bytes.size());
    return buffer;
}

// Sizes, types and layouts of all operands; no data yet.
Workload shape(const Problem& p, BlockPattern pattern) {
    if (p.op != Op::spmm && p.op != Op::sddmm) throw std::invalid_argument("only spmm and sddmm are measured");
    if (p.batch != 1 || p.shift || p.a.tail || p.mode != BSBLAS_POINTER_MODE_HOST || p.scale_a || p.scale_b)
        throw std::invalid_argument("batches, shifted pointers, tails, device scalars and scales are not measured");
    if (p.m == 0 || p.n == 0 || p.k == 0) throw std::invalid_argument("an empty product is not measured");
    Workload w;
    w.problem = p;
    w.a.rows = p.a_rows();
    w.a.cols = p.a_cols();
    w.a.bm = p.bm;
    w.a.bk = p.bk;
    w.a.order = p.a.order;
    w.a.type = p.op == Op::spmm ? p.type : p.out;
    w.a.base = p.a.base;
    w.a.offsets_type = p.a.offsets;
    w.a.columns_type = p.a.columns;
    w.a.pattern = std::move(pattern);
    auto turned = [](bsblasOperation_t op) { return op != BSBLAS_OP_N; };
    if (p.op == Op::spmm) {
        bool right = p.side == BSBLAS_SIDE_RIGHT;
        int64_t rows = right ? p.m : p.k, cols = right ? p.k : p.n;
        if (turned(p.opb)) std::swap(rows, cols);
        w.b = dense(p.b, rows, cols, p.typeb);
        w.c = dense(p.c, p.m, p.n, p.out);
    } else {
        w.x = dense(p.x, turned(p.opa) ? p.k : p.m, turned(p.opa) ? p.m : p.k, p.type);
        w.y = dense(p.y, turned(p.opb) ? p.n : p.k, turned(p.opb) ? p.k : p.n, p.typeb);
    }
    return w;
}

void place(Workload& w, Machine& machine) {
    w.a.offsets = upload_indices(w.a.pattern.offsets, w.a.base, w.a.offsets_type, machine);
    w.a.columns = upload_indices(w.a.pattern.columns, w.a.base, w.a.columns_type, machine);
    w.a.copies = make_copies(w.copies, w.a.initial, machine);
    for (DenseOperand* d : {&w.b, &w.c, &w.x, &w.y})
        if (!d->initial.empty()) d->copies = make_copies(w.copies, d->initial, machine);
}

}  // namespace

bsblasComputeType_t Workload::compute() const {
    if (problem.compute >= 0) return static_cast<bsblasComputeType_t>(problem.compute);
    bsblasDataType_t input = problem.type;
    if (input == BSBLAS_R_64F || input == BSBLAS_C_64F) return BSBLAS_COMPUTE_64F;
    return input == BSBLAS_R_8I ? BSBLAS_COMPUTE_32I : BSBLAS_COMPUTE_32F;
}

double Workload::density() const {
    double all = static_cast<double>(a.pattern.rows) * static_cast<double>(a.pattern.cols);
    return all > 0 ? static_cast<double>(a.pattern.blocks()) / all : 0;
}

int64_t Workload::stored_bytes() const {
    auto bytes = [](int64_t count, auto type) { return count * static_cast<int64_t>(test::size_of(type)); };
    return bytes(a.elements(), a.type) + bytes(a.pattern.blocks(), a.columns_type) +
           bytes(a.pattern.rows + 1, a.offsets_type);
}

Scalars Workload::scalars() const {
    Scalars scalars;
    test::put(scalars.alpha, 0, scalar_type(), problem.alpha);
    test::put(scalars.beta, 0, scalar_type(), problem.beta);
    return scalars;
}

double Workload::flops() const {
    bool right = problem.side == BSBLAS_SIDE_RIGHT;
    double length = static_cast<double>(spmm() ? (right ? problem.m : problem.n) : problem.k);
    return (test::is_complex(problem.type) ? 8 : 2) * static_cast<double>(a.elements()) * length;
}

double Workload::dense_flops() const {
    return (test::is_complex(problem.type) ? 8.0 : 2.0) * static_cast<double>(problem.m) *
           static_cast<double>(problem.n) * static_cast<double>(problem.k);
}

int64_t Workload::sum_length() const {
    if (!spmm()) return problem.k;
    bool by_rows = (problem.side == BSBLAS_SIDE_LEFT) == (problem.opa == BSBLAS_OP_N);
    std::vector<int64_t> blocks(by_rows ? a.pattern.rows : a.pattern.cols);
    for (int64_t row = 0; row < a.pattern.rows; ++row)
        for (int64_t p = a.pattern.offsets[row]; p < a.pattern.offsets[row + 1]; ++p)
            ++blocks[by_rows ? row : a.pattern.columns[p]];
    int64_t longest = blocks.empty() ? 0 : *std::max_element(blocks.begin(), blocks.end());
    return longest * (by_rows ? a.bk : a.bm);
}

Workload make_workload(const Problem& problem, Machine& machine) {
    Workload w = shape(problem, test::make_pattern(problem.pattern, problem.block_rows(), problem.block_cols()));
    bool reads_output = problem.beta != Complex(0);
    auto output = [&](int64_t elements, bsblasDataType_t type, int64_t start) {
        return reads_output ? random_array(elements, type, start) : poison(elements, type);
    };
    size_t bytes = w.a.elements() * test::size_of(w.a.type);
    for (DenseOperand* d : {&w.b, &w.c, &w.x, &w.y}) bytes += d->elements() * test::size_of(d->type);
    w.copies = std::clamp<size_t>((2 * machine.cache_bytes() + bytes - 1) / std::max<size_t>(bytes, 1), 1, most_copies);
    if (w.spmm()) {
        w.a.initial = random_array(w.a.elements(), w.a.type, 0);
        w.b.initial = random_array(w.b.elements(), w.b.type, 333331);
        w.c.initial = output(w.c.elements(), w.c.type, 555557);
    } else {
        w.x.initial = random_array(w.x.elements(), w.x.type, 0);
        w.y.initial = random_array(w.y.elements(), w.y.type, 333331);
        w.a.initial = output(w.a.elements(), w.a.type, 555557);
    }
    place(w, machine);
    return w;
}

Workload make_workload(const Problem& problem, GivenOperands given, Machine& machine) {
    Workload w = shape(problem, std::move(given.pattern));
    w.a.initial = given.a.empty() ? poison(w.a.elements(), w.a.type) : std::move(given.a);
    if (w.spmm()) {
        w.b.initial = std::move(given.left);
        w.c.initial = poison(w.c.elements(), w.c.type);
    } else {
        w.x.initial = std::move(given.left);
        w.y.initial = std::move(given.right);
    }
    place(w, machine);
    return w;
}

const Buffer& output(const Workload& w) {
    return w.spmm() ? w.c.copies[0] : w.a.copies[0];
}

void reset_output(const Workload& w, Machine& machine) {
    const std::vector<std::byte>& initial = w.spmm() ? w.c.initial : w.a.initial;
    machine.upload(output(w).get(), initial.data(), initial.size());
}

std::vector<std::byte> download_output(const Workload& w, Machine& machine) {
    std::vector<std::byte> bytes((w.spmm() ? w.c.initial : w.a.initial).size());
    machine.download(bytes.data(), output(w).get(), bytes.size());
    return bytes;
}

}  // namespace bsblas::perf
