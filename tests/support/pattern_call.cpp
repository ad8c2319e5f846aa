#include <cstring>
#include <numeric>
#include <set>

#include "call_parts.h"

namespace bsblas::test {
namespace {

using Written = SparseMatrix::Written;

SparseShape shape_of_a(const Problem& p) {
    return {p.a_rows(), p.a_cols(), p.bm, p.bk, p.type};
}

std::string place(int64_t slot, int64_t r, int64_t c) {
    return "slot " + std::to_string(slot) + ", element (" + std::to_string(r) + ", " + std::to_string(c) + ")";
}

bool same_value(Complex a, Complex b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

// "" or the first difference between two patterns.
std::string difference(const BlockPattern& expected, const BlockPattern& actual) {
    for (int64_t i = 0; i <= expected.rows; ++i)
        if (expected.offsets[i] != actual.offsets[i])
            return "offset " + std::to_string(i) + " is " + std::to_string(actual.offsets[i]) + ", expected " +
                   std::to_string(expected.offsets[i]) + ", base removed";
    for (int64_t slot = 0; slot < expected.blocks(); ++slot)
        if (expected.columns[slot] != actual.columns[slot])
            return "column of slot " + std::to_string(slot) + " is " + std::to_string(actual.columns[slot]) +
                   ", expected " + std::to_string(expected.columns[slot]) + ", base removed";
    return "";
}

// A pattern whose slots are those of another one in a different order: map[slot] is the slot there.
struct Rearranged {
    BlockPattern pattern;
    std::vector<int64_t> map;
};

Rearranged transposed_pattern(const BlockPattern& p) {
    std::vector<std::vector<std::pair<int64_t, int64_t>>> by_column(static_cast<size_t>(p.cols));
    for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t slot = p.offsets[row]; slot < p.offsets[row + 1]; ++slot)
            by_column[static_cast<size_t>(p.columns[slot])].emplace_back(row, slot);
    Rearranged t{{p.cols, p.rows, {0}, {}}, {}};
    for (const auto& column : by_column) {
        for (const auto& [row, slot] : column) {
            t.pattern.columns.push_back(row);
            t.map.push_back(slot);
        }
        t.pattern.offsets.push_back(t.pattern.blocks());
    }
    return t;
}

Rearranged sorted_pattern(const BlockPattern& p) {
    Rearranged s{p, std::vector<int64_t>(p.columns.size())};
    std::iota(s.map.begin(), s.map.end(), 0);
    for (int64_t row = 0; row < p.rows; ++row)
        std::stable_sort(s.map.begin() + p.offsets[row], s.map.begin() + p.offsets[row + 1],
                         [&](int64_t a, int64_t b) { return p.columns[a] < p.columns[b]; });
    for (size_t slot = 0; slot < s.map.size(); ++slot) s.pattern.columns[slot] = p.columns[s.map[slot]];
    return s;
}

// Where an operation tells which slot went where: one number a slot, for each matrix.
class Map {
public:
    Map(Memory& memory, int64_t capacity, int64_t batch, bsblasIndexType_t type, bool shift)
        : capacity_(capacity),
          wide_(type == BSBLAS_INDEX_64I),
          array_(memory, static_cast<size_t>(capacity * batch) * (wide_ ? 8 : 4), shift ? (wide_ ? 8 : 4) : 0) {}
    void* data() const { return array_.data(); }
    void poison_all() {
        std::fill(array_.before.begin(), array_.before.end(), poison);
        array_.upload();
    }
    void set(int64_t matrix, const std::vector<int64_t>& map) {
        for (size_t p = 0; p < map.size(); ++p) {
            const int64_t value = map[p];
            const auto narrow = static_cast<int32_t>(value);
            unsigned char* to = array_.before.data() + (static_cast<size_t>(matrix * capacity_) + p) * (wide_ ? 8 : 4);
            wide_ ? std::memcpy(to, &value, 8) : std::memcpy(to, &narrow, 4);
        }
        array_.upload();
    }
    // Whether each matrix's live entries are these and nothing else was written; written = false: nothing at all.
    std::string check(const std::vector<Rearranged>& expected, bool written) {
        array_.download();
        std::vector<Array::Span> spans;
        if (written)
            for (size_t j = 0; j < expected.size(); ++j)
                spans.push_back({static_cast<int64_t>(j) * capacity_, static_cast<int64_t>(expected[j].map.size())});
        if (const std::string damage = array_.damage("map", spans, wide_ ? 8 : 4); !damage.empty() || !written)
            return damage;
        for (size_t j = 0; j < expected.size(); ++j)
            for (size_t p = 0; p < expected[j].map.size(); ++p) {
                const unsigned char* from =
                    array_.after.data() + (j * static_cast<size_t>(capacity_) + p) * (wide_ ? 8 : 4);
                int64_t value = 0;
                int32_t narrow = 0;
                wide_ ? std::memcpy(&value, from, 8) : std::memcpy(&narrow, from, 4);
                if (!wide_) value = narrow;
                if (value != expected[j].map[p])
                    return "map of slot " + std::to_string(p) + " is " + std::to_string(value) + ", expected " +
                           std::to_string(expected[j].map[p]);
            }
        return "";
    }
    const Bytes& bits() const { return array_.after; }

private:
    int64_t capacity_;
    bool wide_;
    Array array_;
};

// Where a conversion's counts go: as the pointer mode says, or nowhere if a graph could not hold it.
class Counts {
public:
    Counts(Memory& memory, int64_t batch, bsblasPointerMode_t mode, bool capturable)
        : host_(static_cast<size_t>(batch), -1),
          array_(memory, static_cast<size_t>(batch) * 8, 8),
          where_(mode == BSBLAS_POINTER_MODE_DEVICE ? device
                 : capturable                       ? nowhere
                                                    : host) {}
    int64_t* data() {
        return where_ == host ? host_.data() : where_ == device ? static_cast<int64_t*>(array_.data()) : nullptr;
    }
    void spoil() {
        std::fill(host_.begin(), host_.end(), -1);
        array_.upload();
    }
    std::string check(const std::vector<int64_t>& expected) {
        if (where_ == nowhere) return "";
        if (where_ == device) {
            array_.download();
            if (const std::string damage = array_.damage("counts", {{0, static_cast<int64_t>(host_.size())}}, 8);
                !damage.empty())
                return damage;
            std::memcpy(host_.data(), array_.after.data(), array_.after.size());
        }
        for (size_t j = 0; j < expected.size(); ++j)
            if (host_[j] != expected[j])
                return "count " + std::to_string(host_[j]) + ", expected " + std::to_string(expected[j]);
        return "";
    }

private:
    enum Where { host, device, nowhere };
    std::vector<int64_t> host_;
    Array array_;
    Where where_;
};

// ---- Transposition: with the pattern, or of the values alone -----------------------------------------------------

class TransposeCall : public Call {
public:
    TransposeCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          patterns_(make_patterns(p)),
          a_(memory, shape_of_a(p), p.a, most_blocks(patterns_) + p.a.tail, p.shift),
          at_(memory, {p.a_cols(), p.a_rows(), p.bk, p.bm, p.type}, p.s, a_.capacity() + p.s.tail, p.shift),
          map_(memory, a_.capacity(), p.batch, p.s.offsets, p.shift) {
        for (const BlockPattern& pattern : patterns_) expected_.push_back(transposed_pattern(pattern));
        while (static_cast<int64_t>(expected_.size()) < p.batch) expected_.push_back(expected_.back());
    }

    void fill(uint64_t seed) override {
        Random random(seed);
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        a_.fill(random);
        a_.upload();
        at_.fill_poison();
        map_.poison_all();
        if (refresh())
            for (int64_t j = 0; j < problem_.batch; ++j) {
                at_.set_pattern(j, expected_[j].pattern);
                map_.set(j, expected_[j].map);
            }
        at_.upload();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        if (refresh()) return BSBLAS_STATUS_SUCCESS;
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasBsrTranspose_bufferSize(handle_, problem_.opa, a_.descriptor(), at_.descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        if (refresh())
            return bsblasBsrTransposeValues(handle_, problem_.opa, a_.descriptor(), at_.descriptor(), map_.data());
        return bsblasBsrTranspose(handle_, problem_.opa, a_.descriptor(), at_.descriptor(),
                                  problem_.map ? map_.data() : nullptr, workspace_.data(), workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage :
             {a_.download("A", Written::nothing), at_.download("At", refresh() ? Written::values : Written::all),
              map_.check(expected_, !refresh() && problem_.map), refresh() ? "" : workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (int64_t j = 0; j < problem_.batch; ++j) {
            std::string wrong = at_.adopt_pattern(j);
            if (wrong.empty()) wrong = difference(expected_[j].pattern, at_.pattern(j));
            if (!wrong.empty()) return "At: " + wrong;
            const SparseOperand a = a_.before(problem_.a.batch == 1 ? 0 : j), at = at_.after(j);
            for (int64_t block_row = 0; block_row < at.pattern->rows; ++block_row)
                for (int64_t slot = at.pattern->offsets[block_row]; slot < at.pattern->offsets[block_row + 1]; ++slot)
                    for (int64_t r = 0; r < at.bm; ++r)
                        for (int64_t c = 0; c < at.bk; ++c) {
                            const bool padding =
                                block_row * at.bm + r >= at.rows || at.pattern->columns[slot] * at.bk + c >= at.cols;
                            Complex value = padding ? 0 : a.at(expected_[j].map[slot], c, r);
                            if (problem_.opa == BSBLAS_OP_H) value = std::conj(value);
                            if (!same_value(value, at.at(slot, r, c))) return "At: wrong value at " + place(slot, r, c);
                        }
        }
        return "";
    }

    std::vector<Bytes> bits() const override {
        return {at_.offsets.after, at_.columns.after, at_.values.after, map_.bits()};
    }

private:
    bool refresh() const { return problem_.op == Op::refresh; }

    std::vector<BlockPattern> patterns_;
    std::vector<Rearranged> expected_;
    SparseMatrix a_, at_;
    Map map_;
    Workspace workspace_;
};

// ---- Sorting -----------------------------------------------------------------------------------------------------

class SortCall : public Call {
public:
    SortCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          patterns_(make_patterns(p)),
          a_(memory, shape_of_a(p), p.a, most_blocks(patterns_) + p.a.tail, p.shift),
          map_(memory, a_.capacity(), a_.stored_patterns(), p.a.offsets, p.shift) {
        for (const BlockPattern& pattern : patterns_) expected_.push_back(sorted_pattern(pattern));
    }

    void fill(uint64_t seed) override {
        Random random(seed);
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        a_.fill(random);
        a_.upload();
        map_.poison_all();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift,
                               [&](size_t* size) { return bsblasBsrSort_bufferSize(handle_, a_.descriptor(), size); });
    }

    bsblasStatus_t run() override {
        return bsblasBsrSort(handle_, a_.descriptor(), problem_.map ? map_.data() : nullptr, workspace_.data(),
                             workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage :
             {a_.download("A", Written::all), map_.check(expected_, problem_.map), workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (size_t j = 0; j < patterns_.size(); ++j) {
            const auto matrix = static_cast<int64_t>(j);
            const SparseOperand before{&patterns_[j], a_.before(matrix).values, problem_.type,     problem_.bm,
                                       problem_.bk,   problem_.a.order,         problem_.a_rows(), problem_.a_cols()};
            std::string wrong = a_.adopt_pattern(matrix);
            if (wrong.empty()) wrong = difference(expected_[j].pattern, a_.pattern(matrix));
            if (!wrong.empty()) return "A: " + wrong;
            const SparseOperand after = a_.after(matrix);
            for (int64_t block_row = 0; block_row < after.pattern->rows; ++block_row)
                for (int64_t slot = after.pattern->offsets[block_row]; slot < after.pattern->offsets[block_row + 1];
                     ++slot)
                    for (int64_t r = 0; r < std::min(after.bm, after.rows - block_row * after.bm); ++r)
                        for (int64_t c = 0;
                             c < std::min(after.bk, after.cols - after.pattern->columns[slot] * after.bk); ++c)
                            if (!same_value(before.at(expected_[j].map[slot], r, c), after.at(slot, r, c)))
                                return "A: wrong value at " + place(slot, r, c);
        }
        return "";
    }

    std::vector<Bytes> bits() const override { return {a_.columns.after, a_.values.after, map_.bits()}; }

private:
    std::vector<BlockPattern> patterns_;
    std::vector<Rearranged> expected_;
    SparseMatrix a_;
    Map map_;
    Workspace workspace_;
};

// ---- Conversions to BSR ------------------------------------------------------------------------------------------

// The blocks, sorted, in which a matrix has entries; place(i, j) calls are collected first.
class BlockCollector {
public:
    BlockCollector(int64_t rows, int64_t cols, int64_t bm, int64_t bk)
        : bm_(bm), bk_(bk), cols_((cols + bk - 1) / bk), rows_(static_cast<size_t>((rows + bm - 1) / bm)) {}
    void add(int64_t i, int64_t j) { rows_[static_cast<size_t>(i / bm_)].insert(j / bk_); }
    BlockPattern pattern() const {
        BlockPattern p{static_cast<int64_t>(rows_.size()), cols_, {0}, {}};
        for (const auto& row : rows_) {
            p.columns.insert(p.columns.end(), row.begin(), row.end());
            p.offsets.push_back(p.blocks());
        }
        return p;
    }

private:
    int64_t bm_, bk_, cols_;
    std::vector<std::set<int64_t>> rows_;
};

// A conversion whose output A has a capacity of its own: it may be too small.
class ToBsrCall : public Call {
public:
    bsblasStatus_t expected() const override {
        return fits() || memory_.backend() == BSBLAS_BACKEND_CUDA ? BSBLAS_STATUS_SUCCESS
                                                                  : BSBLAS_STATUS_INSUFFICIENT_CAPACITY;
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage : {check_input(), a_->download("A", Written::all), workspace_.damage(),
                                          counts_.check(expected_counts()), counted_.check(expected_counts())})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (int64_t j = 0; j < problem_.batch; ++j) {
            const BlockPattern& expected = patterns_[patterns_.size() == 1 ? 0 : j];
            if (expected.blocks() > a_->capacity()) {
                if (!a_->is_empty_pattern(j)) return "A: the capacity is too small, but A is not an empty pattern";
                continue;
            }
            std::string wrong = a_->adopt_pattern(j);
            if (wrong.empty()) wrong = difference(expected, a_->pattern(j));
            if (!wrong.empty()) return "A: " + wrong;
            wrong = check_values(a_->after(j), j);
            if (!wrong.empty()) return "A: " + wrong;
        }
        return "";
    }

    std::vector<Bytes> bits() const override { return {a_->offsets.after, a_->columns.after, a_->values.after}; }

protected:
    ToBsrCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          counts_(memory, p.batch, p.mode, options.capturable),
          counted_(memory, p.batch, p.mode, options.capturable) {}

    virtual std::string check_input() = 0;
    // The logical element and the error it may have.
    virtual Complex element(int64_t matrix, int64_t i, int64_t j, double* bound) const = 0;

    // Once the patterns that the conversion is to find are known.
    void make_output(std::vector<BlockPattern> patterns) {
        patterns_ = std::move(patterns);
        const int64_t capacity = std::max<int64_t>(most_blocks(patterns_) + problem_.a.tail, 0);
        a_.emplace(memory_, shape_of_a(problem_), problem_.a, capacity, problem_.shift);
    }
    void spoil_output() {
        a_->fill_poison();
        a_->upload();
        counts_.spoil();
        counted_.spoil();
        workspace_.spoil();
    }

    std::vector<BlockPattern> patterns_;
    std::optional<SparseMatrix> a_;
    Counts counts_, counted_;  // of the conversion, of ..._count
    Workspace workspace_;

private:
    bool fits() const { return most_blocks(patterns_) <= a_->capacity(); }
    std::vector<int64_t> expected_counts() const {
        std::vector<int64_t> counts;
        for (int64_t j = 0; j < problem_.batch; ++j)
            counts.push_back(patterns_[patterns_.size() == 1 ? 0 : j].blocks());
        return counts;
    }
    std::string check_values(const SparseOperand& a, int64_t matrix) const {
        for (int64_t block_row = 0; block_row < a.pattern->rows; ++block_row)
            for (int64_t slot = a.pattern->offsets[block_row]; slot < a.pattern->offsets[block_row + 1]; ++slot)
                for (int64_t r = 0; r < a.bm; ++r)
                    for (int64_t c = 0; c < a.bk; ++c) {
                        const int64_t i = block_row * a.bm + r, j = a.pattern->columns[slot] * a.bk + c;
                        double bound = 0, error = 0;
                        const Complex value = i < a.rows && j < a.cols ? element(matrix, i, j, &bound) : 0;
                        if (!same_value(value, a.at(slot, r, c)) && !accept(value, a.at(slot, r, c), bound, 0, &error))
                            return "wrong value at " + place(slot, r, c);
                    }
        return "";
    }
};

class DenseToBsrCall : public ToBsrCall {
public:
    DenseToBsrCall(const Problem& p, Memory& memory, const CallOptions& options)
        : ToBsrCall(p, memory, options), d_(memory, p.m, p.k, p.type, p.d, p.shift) {
        for (int64_t j = 0; j < p.d.batch; ++j) {
            PatternSpec spec = p.pattern;
            spec.seed += static_cast<uint64_t>(j);
            sources_.push_back(make_pattern(spec, p.block_rows(), p.block_cols()));
        }
        fill_values(1);
        std::vector<BlockPattern> found;
        for (int64_t j = 0; j < d_.stored(); ++j) {
            BlockCollector blocks(p.m, p.k, p.bm, p.bk);
            for (int64_t row = 0; row < p.m; ++row)
                for (int64_t col = 0; col < p.k; ++col)
                    if (d_.before(j).at(row, col) != 0.0) blocks.add(row, col);
            found.push_back(blocks.pattern());
        }
        make_output(std::move(found));
    }

    void fill(uint64_t seed) override {
        fill_values(seed);
        d_.upload();
        spoil_output();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasDenseToBsr_bufferSize(handle_, d_.descriptor(), a_->descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        if (counted_.data())
            if (const bsblasStatus_t status = bsblasDenseToBsr_count(
                    handle_, d_.descriptor(), a_->descriptor(), counted_.data(), workspace_.data(), workspace_.size());
                status != BSBLAS_STATUS_SUCCESS)
                return status;
        return bsblasDenseToBsr(handle_, d_.descriptor(), a_->descriptor(), counts_.data(), workspace_.data(),
                                workspace_.size());
    }

private:
    // Which elements are zero depends on the problem alone: a third in each stored block, and all others, some as -0.
    void fill_values(uint64_t seed) {
        Random zeros(problem_.pattern.seed), random(seed);
        std::vector<Grid<char>> stored;
        for (const BlockPattern& p : sources_) {
            stored.emplace_back(p.rows, p.cols);
            for (int64_t row = 0; row < p.rows; ++row)
                for (int64_t slot = p.offsets[row]; slot < p.offsets[row + 1]; ++slot)
                    stored.back()(row, p.columns[slot]) = 1;
        }
        d_.fill([&](int64_t matrix, int64_t i, int64_t j) -> Complex {
            const int64_t die = below(zeros, 6);
            Complex value;
            do value = random_value(random, problem_.type);
            while (value == 0.0);
            if (die < 4 && stored[static_cast<size_t>(matrix)](i / problem_.bm, j / problem_.bk)) return value;
            return die == 5 ? -0.0 : 0.0;
        });
    }
    std::string check_input() override { return d_.download("D", false); }
    Complex element(int64_t matrix, int64_t i, int64_t j, double*) const override {
        return d_.before(problem_.d.batch == 1 ? 0 : matrix).at(i, j);
    }

    std::vector<BlockPattern> sources_;
    DenseMatrix d_;
};

// A CSR matrix with entries in the blocks of the problem's pattern: half of each, duplicates where the pattern has
// some.
BlockPattern csr_pattern(const Problem& p) {
    const BlockPattern blocks = make_pattern(p.pattern, p.block_rows(), p.block_cols());
    Random random(p.pattern.seed + 1);
    BlockPattern csr{p.m, p.k, {0}, {}};
    for (int64_t i = 0; i < p.m; ++i) {
        std::vector<int64_t> row;
        for (int64_t slot = blocks.offsets[i / p.bm]; slot < blocks.offsets[i / p.bm + 1]; ++slot)
            for (int64_t j = blocks.columns[slot] * p.bk; j < std::min((blocks.columns[slot] + 1) * p.bk, p.k); ++j)
                if (below(random, 2)) row.push_back(j);
        if (p.pattern.sorted) std::sort(row.begin(), row.end());
        csr.columns.insert(csr.columns.end(), row.begin(), row.end());
        csr.offsets.push_back(csr.blocks());
    }
    return csr;
}

class CsrToBsrCall : public ToBsrCall {
public:
    CsrToBsrCall(const Problem& p, Memory& memory, const CallOptions& options)
        : ToBsrCall(p, memory, options),
          source_(csr_pattern(p)),
          s_(memory, {p.m, p.k, 1, 1, p.type, BSBLAS_FORMAT_CSR}, p.s, source_.blocks() + p.s.tail, p.shift) {
        BlockCollector blocks(p.m, p.k, p.bm, p.bk);
        for (int64_t i = 0; i < p.m; ++i)
            for (int64_t slot = source_.offsets[i]; slot < source_.offsets[i + 1]; ++slot)
                blocks.add(i, source_.columns[slot]);
        make_output({blocks.pattern()});
    }

    void fill(uint64_t seed) override {
        Random random(seed);
        s_.set_pattern(0, source_);
        // Entries that are zero are entries all the same.
        s_.fill([&](int64_t, int64_t slot, int64_t, int64_t) -> Complex {
            return slot % 7 == 0 ? 0.0 : random_value(random, problem_.type);
        });
        s_.upload();
        spoil_output();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasCsrToBsr_bufferSize(handle_, s_.descriptor(), a_->descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        if (counted_.data())
            if (const bsblasStatus_t status = bsblasCsrToBsr_count(
                    handle_, s_.descriptor(), a_->descriptor(), counted_.data(), workspace_.data(), workspace_.size());
                status != BSBLAS_STATUS_SUCCESS)
                return status;
        return bsblasCsrToBsr(handle_, s_.descriptor(), a_->descriptor(), counts_.data(), workspace_.data(),
                              workspace_.size());
    }

private:
    std::string check_input() override {
        dense_ = expand_reference(s_.before(0));
        return s_.download("S", Written::nothing);
    }
    Complex element(int64_t, int64_t i, int64_t j, double* bound) const override {
        *bound = dense_.bound(i, j);
        return dense_.value(i, j);
    }

    BlockPattern source_;
    SparseMatrix s_;
    Reference dense_;
};

// ---- Conversions from BSR ----------------------------------------------------------------------------------------

class BsrToDenseCall : public Call {
public:
    BsrToDenseCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          patterns_(make_patterns(p)),
          a_(memory, shape_of_a(p), p.a, most_blocks(patterns_) + p.a.tail, p.shift),
          d_(memory, p.m, p.k, p.type, p.d, p.shift) {}

    void fill(uint64_t seed) override {
        Random random(seed);
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        a_.fill(random);
        a_.upload();
        d_.upload();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasBsrToDense_bufferSize(handle_, a_.descriptor(), d_.descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        return bsblasBsrToDense(handle_, a_.descriptor(), d_.descriptor(), workspace_.data(), workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage :
             {a_.download("A", Written::nothing), d_.download("D", true), workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        for (int64_t j = 0; j < problem_.batch; ++j) {
            const Deviation worst = compare(expand_reference(a_.before(problem_.a.batch == 1 ? 0 : j)), d_.after(j));
            if (!worst.ok) return "D: " + worst.text();
        }
        return "";
    }

    std::vector<Bytes> bits() const override { return {d_.values.after}; }

private:
    std::vector<BlockPattern> patterns_;
    SparseMatrix a_;
    DenseMatrix d_;
    Workspace workspace_;
};

class BsrToCsrCall : public Call {
public:
    BsrToCsrCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          patterns_(make_patterns(p)),
          a_(memory, shape_of_a(p), p.a, most_blocks(patterns_) + p.a.tail, p.shift),
          expected_(entries(p)),
          s_(memory, {p.m, p.k, 1, 1, p.type, BSBLAS_FORMAT_CSR}, p.s,
             std::max<int64_t>(expected_.blocks() + p.s.tail, 0), p.shift),
          count_(memory, 1, p.mode, options.capturable),
          counted_(memory, 1, p.mode, options.capturable) {}

    void fill(uint64_t seed) override {
        Random random(seed);
        a_.set_pattern(0, patterns_[0]);
        a_.fill(random);
        a_.upload();
        s_.fill_poison();
        s_.upload();
        count_.spoil();
        counted_.spoil();
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasBsrToCsr_bufferSize(handle_, a_.descriptor(), s_.descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        if (counted_.data())
            if (const bsblasStatus_t status = bsblasBsrToCsr_count(
                    handle_, a_.descriptor(), s_.descriptor(), counted_.data(), workspace_.data(), workspace_.size());
                status != BSBLAS_STATUS_SUCCESS)
                return status;
        return bsblasBsrToCsr(handle_, a_.descriptor(), s_.descriptor(), count_.data(), workspace_.data(),
                              workspace_.size());
    }

    bsblasStatus_t expected() const override {
        return fits() || memory_.backend() == BSBLAS_BACKEND_CUDA ? BSBLAS_STATUS_SUCCESS
                                                                  : BSBLAS_STATUS_INSUFFICIENT_CAPACITY;
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage :
             {a_.download("A", Written::nothing), s_.download("S", Written::all), workspace_.damage(),
              count_.check({expected_.blocks()}), counted_.check({expected_.blocks()})})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        if (!fits()) return s_.is_empty_pattern(0) ? "" : "S: the capacity is too small, but S is not an empty pattern";
        std::string wrong = s_.adopt_pattern(0);
        if (wrong.empty()) wrong = difference(expected_, s_.pattern(0));
        if (!wrong.empty()) return "S: " + wrong;
        const SparseOperand a = a_.before(0), s = s_.after(0);
        for (int64_t entry = 0; entry < expected_.blocks(); ++entry)
            if (!same_value(get(a.values, sources_[entry], a.type), s.at(entry, 0, 0)))
                return "S: wrong value of entry " + std::to_string(entry);
        return "";
    }

    std::vector<Bytes> bits() const override { return {s_.offsets.after, s_.columns.after, s_.values.after}; }

private:
    // Row by row, the elements of its blocks in the order of the blocks; sources_: where in A's values each comes from.
    BlockPattern entries(const Problem& p) {
        const SparseOperand a = a_.before(0);
        const BlockPattern& blocks = patterns_[0];
        BlockPattern csr{p.m, p.k, {0}, {}};
        for (int64_t i = 0; i < p.m; ++i) {
            for (int64_t slot = blocks.offsets[i / p.bm]; slot < blocks.offsets[i / p.bm + 1]; ++slot)
                for (int64_t c = 0; c < std::min(p.bk, p.k - blocks.columns[slot] * p.bk); ++c) {
                    csr.columns.push_back(blocks.columns[slot] * p.bk + c);
                    sources_.push_back(a.place(slot, i % p.bm, c));
                }
            csr.offsets.push_back(csr.blocks());
        }
        return csr;
    }
    bool fits() const { return expected_.blocks() <= s_.capacity(); }

    std::vector<BlockPattern> patterns_;
    SparseMatrix a_;
    std::vector<int64_t> sources_;
    BlockPattern expected_;
    SparseMatrix s_;
    Counts count_, counted_;
    Workspace workspace_;
};

// ---- Validation: of a pattern that has nothing wrong with it -----------------------------------------------------

class ValidateCall : public Call {
public:
    ValidateCall(const Problem& p, Memory& memory, const CallOptions& options)
        : Call(p, memory, options),
          patterns_(make_patterns(p)),
          a_(memory, shape_of_a(p), p.a, most_blocks(patterns_) + p.a.tail, p.shift) {}

    void fill(uint64_t) override {
        for (size_t j = 0; j < patterns_.size(); ++j) a_.set_pattern(static_cast<int64_t>(j), patterns_[j]);
        a_.upload();
        defect_ = BSBLAS_DEFECT_MAX;
        row_ = slot_ = -2;
        workspace_.spoil();
    }

    bsblasStatus_t prepare() override {
        return workspace_.make(memory_, problem_.shift, [&](size_t* size) {
            return bsblasBsrValidate_bufferSize(handle_, a_.descriptor(), size);
        });
    }

    bsblasStatus_t run() override {
        return bsblasBsrValidate(handle_, a_.descriptor(), &defect_, &row_, &slot_, workspace_.data(),
                                 workspace_.size());
    }

    std::string download() override {
        memory_.wait();
        for (const std::string& damage : {a_.download("A", Written::nothing), workspace_.damage()})
            if (!damage.empty()) return damage;
        return "";
    }

    std::string verify() override {
        if (defect_ == BSBLAS_DEFECT_NONE && row_ == -1 && slot_ == -1) return "";
        return "found defect " + std::to_string(defect_) + " at row " + std::to_string(row_) + ", slot " +
               std::to_string(slot_) + " of a sound pattern";
    }

    std::vector<Bytes> bits() const override { return {}; }

private:
    std::vector<BlockPattern> patterns_;
    SparseMatrix a_;
    bsblasDefect_t defect_ = BSBLAS_DEFECT_MAX;
    int64_t row_ = -2, slot_ = -2;
    Workspace workspace_;
};

}  // namespace

std::unique_ptr<Call> make_pattern_call(const Problem& p, Memory& memory, const CallOptions& options) {
    switch (p.op) {
        case Op::transpose:
        case Op::refresh:
            return std::make_unique<TransposeCall>(p, memory, options);
        case Op::sort:
            return std::make_unique<SortCall>(p, memory, options);
        case Op::dense2bsr:
            return std::make_unique<DenseToBsrCall>(p, memory, options);
        case Op::csr2bsr:
            return std::make_unique<CsrToBsrCall>(p, memory, options);
        case Op::bsr2dense:
            return std::make_unique<BsrToDenseCall>(p, memory, options);
        case Op::bsr2csr:
            return std::make_unique<BsrToCsrCall>(p, memory, options);
        default:
            return std::make_unique<ValidateCall>(p, memory, options);
    }
}

}  // namespace bsblas::test
