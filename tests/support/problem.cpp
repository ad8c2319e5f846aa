#include "problem.h"

#include <charconv>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "number.h"
#include "pairwise.h"

namespace bsblas::test {
namespace {

template <class T>
struct Name {
    const char* name;
    T value;
};

constexpr Name<Op> ops[] = {
    {"spmm", Op::spmm},       {"sddmm", Op::sddmm},     {"transpose", Op::transpose}, {"refresh", Op::refresh},
    {"analyze", Op::analyze}, {"sort", Op::sort},       {"dense2bsr", Op::dense2bsr}, {"bsr2dense", Op::bsr2dense},
    {"csr2bsr", Op::csr2bsr}, {"bsr2csr", Op::bsr2csr}, {"validate", Op::validate},
};
constexpr Name<bsblasDataType_t> types[] = {
    {"f32", BSBLAS_R_32F}, {"f64", BSBLAS_R_64F},   {"c32", BSBLAS_C_32F},      {"c64", BSBLAS_C_64F},
    {"f16", BSBLAS_R_16F}, {"bf16", BSBLAS_R_16BF}, {"e4m3", BSBLAS_R_8F_E4M3}, {"e5m2", BSBLAS_R_8F_E5M2},
    {"i8", BSBLAS_R_8I},   {"i32", BSBLAS_R_32I},
};
constexpr Name<bsblasOperation_t> operations[] = {{"n", BSBLAS_OP_N}, {"t", BSBLAS_OP_T}, {"h", BSBLAS_OP_H}};
constexpr Name<bsblasOrder_t> orders[] = {{"row", BSBLAS_ORDER_ROW}, {"col", BSBLAS_ORDER_COL}};
constexpr Name<bsblasSide_t> sides[] = {{"left", BSBLAS_SIDE_LEFT}, {"right", BSBLAS_SIDE_RIGHT}};
constexpr Name<bsblasIndexType_t> index_types[] = {{"32", BSBLAS_INDEX_32I}, {"64", BSBLAS_INDEX_64I}};
constexpr Name<bsblasPointerMode_t> modes[] = {{"host", BSBLAS_POINTER_MODE_HOST},
                                               {"device", BSBLAS_POINTER_MODE_DEVICE}};
constexpr Name<int> computes[] = {{"default", -1},
                                  {"f32", BSBLAS_COMPUTE_32F},
                                  {"f64", BSBLAS_COMPUTE_64F},
                                  {"i32", BSBLAS_COMPUTE_32I},
                                  {"tf32", BSBLAS_COMPUTE_32F_FAST_TF32}};
constexpr Name<bsblasAlgorithm_t> algorithms[] = {{"default", BSBLAS_ALG_DEFAULT}, {"reference", BSBLAS_ALG_REFERENCE}};
constexpr Name<bsblasDeterminism_t> determinisms[] = {{"required", BSBLAS_DETERMINISM_REQUIRED},
                                                      {"relaxed", BSBLAS_DETERMINISM_RELAXED}};
constexpr Name<bool> flags[] = {{"0", false}, {"1", true}};
constexpr Name<PatternKind> kinds[] = {
    {"uniform", PatternKind::uniform},
    {"bernoulli", PatternKind::bernoulli},
    {"full", PatternKind::full},
    {"empty", PatternKind::empty},
    {"diagonal", PatternKind::diagonal},
    {"banded", PatternKind::banded},
    {"longrow", PatternKind::longrow},
    {"zipf", PatternKind::zipf},
    {"blockdiagonal", PatternKind::blockdiagonal},
    {"smallworld", PatternKind::smallworld},
    {"scalefree", PatternKind::scalefree},
};

struct BadValue {
    std::string expected;
};

template <class T, size_t size>
std::string to_name(const Name<T> (&names)[size], T value) {
    for (const auto& n : names)
        if (n.value == value) return n.name;
    return "?";
}

template <class T, size_t size>
T from_name(const Name<T> (&names)[size], const std::string& text) {
    std::string all;
    for (const auto& n : names) {
        if (n.name == text) return n.value;
        all += (all.empty() ? "" : ", ") + std::string(n.name);
    }
    throw BadValue{"one of " + all};
}

template <class T>
std::string to_text(T value) {
    char buffer[64];
    return {buffer, std::to_chars(buffer, std::end(buffer), value).ptr};
}

template <class T>
T from_text(const std::string& text, T least, T most, const char* what) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most))
        throw BadValue{what};
    return value;
}

int64_t to_size(const std::string& text, int64_t least = 0) {
    return from_text<int64_t>(text, least, INT64_MAX, least ? "an integer of at least 1" : "an integer of at least 0");
}

std::string length_text(const Length& l) {
    return (l.relative && l.value >= 0 ? "+" : "") + to_text(l.value);
}

Length to_length(const std::string& text) {
    const char* what = "a length, such as 4100, or +7 for 7 more than the least";
    if (text.starts_with('+')) return {true, from_text<int64_t>(text.substr(1), 0, INT64_MAX, what)};
    return {false, from_text<int64_t>(text, 0, INT64_MAX, what)};
}

std::string complex_text(Complex z) {
    return to_text(z.real()) + (z.imag() != 0 ? ":" + to_text(z.imag()) : "");
}

double to_number(const std::string& text) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return from_text<double>(text, -infinity, infinity, "a number, or re:im");
}

Complex to_complex(const std::string& text) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) return to_number(text);
    return {to_number(text.substr(0, colon)), to_number(text.substr(colon + 1))};
}

double to_share(const std::string& text) {
    return from_text<double>(text, 0, 1, "a number from 0 to 1");
}

constexpr unsigned bit(Op op) {
    return 1u << static_cast<int>(op);
}
constexpr unsigned spmm = bit(Op::spmm), sddmm = bit(Op::sddmm), product = spmm | sddmm;
constexpr unsigned transposition = bit(Op::transpose) | bit(Op::refresh);
constexpr unsigned with_dense = bit(Op::dense2bsr) | bit(Op::bsr2dense);
constexpr unsigned with_other = transposition | bit(Op::csr2bsr) | bit(Op::bsr2csr);
constexpr unsigned any = ~0u;

struct Key {
    const char* name;
    unsigned known_to;  // bits of operations
    const char* meaning;
    std::function<std::string(const Problem&)> get;
    std::function<void(Problem&, const std::string&)> set;
    const char* fallback = nullptr;  // the default, where it depends on other keys
};

template <class T, size_t size, class Where>
Key choice(const char* name, unsigned known_to, const char* meaning, const Name<T> (&names)[size], Where where,
           const char* fallback = nullptr) {
    return {name,
            known_to,
            meaning,
            [&names, where](const Problem& p) { return to_name<T, size>(names, where(p)); },
            [&names, where](Problem& p, const std::string& text) { where(p) = from_name<T, size>(names, text); },
            fallback};
}

template <class Where>
Key size(const char* name, unsigned known_to, const char* meaning, Where where, int64_t least = 0,
         const char* fallback = nullptr) {
    return {name,
            known_to,
            meaning,
            [where](const Problem& p) { return to_text<int64_t>(where(p)); },
            [where, least](Problem& p, const std::string& text) { where(p) = to_size(text, least); },
            fallback};
}

template <class Where>
Key length(const char* name, unsigned known_to, const char* meaning, Where where) {
    return {name, known_to, meaning, [where](const Problem& p) { return length_text(where(p)); },
            [where](Problem& p, const std::string& text) { where(p) = to_length(text); }};
}

template <class Where>
Key share(const char* name, const char* meaning, Where where) {
    return {name, any, meaning, [where](const Problem& p) { return to_text<double>(where(p)); },
            [where](Problem& p, const std::string& text) { where(p) = to_share(text); }};
}

template <class Where>
Key number(const char* name, unsigned known_to, const char* meaning, Where where) {
    return {name, known_to, meaning, [where](const Problem& p) { return complex_text(where(p)); },
            [where](Problem& p, const std::string& text) {
                if constexpr (std::is_same_v<std::decay_t<decltype(where(p))>, Complex>)
                    where(p) = to_complex(text);
                else
                    where(p) = to_number(text);
            }};
}

// A field of a problem, const or not as the problem is.
#define FIELD(f)           \
    [](auto& p) -> auto& { \
        return p.f;        \
    }

const std::vector<Key>& keys() {
    static const std::vector<Key> table = {
        size("m", any, "rows of the product; rows of A where there is none", FIELD(m)),
        size("n", product, "columns of the product", FIELD(n)),
        size("k", any, "what is summed over; columns of A where there is no sum", FIELD(k)),
        {"block", any, "block size of A as it is stored, bm x bk; one number for square blocks",
         [](const Problem& p) { return to_text(p.bm) + (p.bm != p.bk ? "x" + to_text(p.bk) : ""); },
         [](Problem& p, const std::string& text) {
             const size_t x = text.find('x');
             p.bm = to_size(text.substr(0, x), 1);
             p.bk = x == std::string::npos ? p.bm : to_size(text.substr(x + 1), 1);
         }},
        choice("type", any, "elements of A; in sddmm of X", types, FIELD(type)),
        choice("typeb", product, "elements of B; in sddmm of Y", types, FIELD(typeb), "type"),
        choice("out", product, "elements of C; in sddmm of A", types, FIELD(out), "type; of i8 i32, of fp8 f32"),
        choice("side", spmm, "where A stands in the product", sides, FIELD(side)),
        choice("opa", spmm | transposition, "op of A", operations, FIELD(opa), "n; in transpose and refresh t"),
        choice("opb", spmm, "op of B", operations, FIELD(opb)),
        choice("opx", sddmm, "op of X", operations, FIELD(opa)),
        choice("opy", sddmm, "op of Y", operations, FIELD(opb)),
        number("alpha", product, "a number", FIELD(alpha)),
        number("beta", product, "a number", FIELD(beta)),
        number("scalea", spmm, "scale of A; 0: none given", FIELD(scale_a)),
        number("scaleb", spmm, "scale of B; 0: none given", FIELD(scale_b)),
        choice("compute", product, "compute type asked for", computes, FIELD(compute)),
        choice("algorithm", product, "algorithm asked for", algorithms, FIELD(algorithm)),
        choice("determinism", product, "determinism asked for", determinisms, FIELD(determinism)),
        choice("analysis", spmm, "1: A is analysed before", flags, FIELD(analysis)),

        choice("order", any, "order of the elements in A's blocks", orders, FIELD(a.order)),
        size("base", any, "index base of A", FIELD(a.base)),
        choice("offsets", any, "bits of A's row offsets", index_types, FIELD(a.offsets)),
        choice("columns", any, "bits of A's column indices", index_types, FIELD(a.columns)),
        {"tail", any, "slots of A's capacity behind the live ones; below 0 in a conversion to BSR: too few",
         [](const Problem& p) { return to_text(p.a.tail); },
         [](Problem& p, const std::string& text) {
             p.a.tail = from_text<int64_t>(text, p.op == Op::dense2bsr || p.op == Op::csr2bsr ? INT64_MIN : 0,
                                           INT64_MAX, "an integer, of at least 0 unless A is a conversion's output");
         }},
        choice("order2", transposition, "of At: as order", orders, FIELD(s.order)),
        size("base2", with_other, "of At or the CSR matrix: as base", FIELD(s.base)),
        choice("offsets2", with_other, "of At or the CSR matrix: as offsets", index_types, FIELD(s.offsets)),
        choice("columns2", with_other, "of At or the CSR matrix: as columns", index_types, FIELD(s.columns)),
        {"tail2", with_other, "of At or the CSR matrix: as tail", [](const Problem& p) { return to_text(p.s.tail); },
         [](Problem& p, const std::string& text) {
             p.s.tail = from_text<int64_t>(text, p.op == Op::bsr2csr ? INT64_MIN : 0, INT64_MAX,
                                           "an integer, of at least 0 except in bsr2csr");
         }},
        choice("orderb", spmm, "order of B", orders, FIELD(b.order)),
        choice("orderc", spmm, "order of C", orders, FIELD(c.order)),
        choice("orderx", sddmm, "order of X", orders, FIELD(x.order)),
        choice("ordery", sddmm, "order of Y", orders, FIELD(y.order)),
        choice("orderd", with_dense, "order of the dense matrix", orders, FIELD(d.order)),
        length("ldb", spmm, "leading dimension of B", FIELD(b.ld)),
        length("ldc", spmm, "leading dimension of C", FIELD(c.ld)),
        length("ldx", sddmm, "leading dimension of X", FIELD(x.ld)),
        length("ldy", sddmm, "leading dimension of Y", FIELD(y.ld)),
        length("ldd", with_dense, "leading dimension of the dense matrix", FIELD(d.ld)),

        size("batch", any & ~bit(Op::bsr2csr), "matrices in the output's batch", FIELD(batch), 1),
        size("batcha", spmm | transposition | bit(Op::bsr2dense), "matrices in A's batch: all or 1", FIELD(a.batch), 1,
             "batch"),
        size("batchb", spmm, "matrices in B's batch: all or 1", FIELD(b.batch), 1, "batch"),
        size("batchx", sddmm, "matrices in X's batch: all or 1", FIELD(x.batch), 1, "batch"),
        size("batchy", sddmm, "matrices in Y's batch: all or 1", FIELD(y.batch), 1, "batch"),
        size("batchd", bit(Op::dense2bsr), "matrices in the dense batch: all or 1", FIELD(d.batch), 1, "batch"),
        length("stridea", any, "from one matrix's values of A to the next; 0: the same", FIELD(a.values_stride)),
        length("strideo", any, "the same for A's offsets; 0 here and in stridei: one pattern", FIELD(a.offsets_stride)),
        length("stridei", any, "the same for A's column indices", FIELD(a.columns_stride)),
        {"stride2", transposition, "from one At to the next, relative, for each of its arrays",
         [](const Problem& p) { return length_text(p.s.values_stride); },
         [](Problem& p, const std::string& text) {
             const Length gap = to_length(text);
             if (!gap.relative) throw BadValue{"a relative length, such as +7"};
             p.s.values_stride = p.s.offsets_stride = p.s.columns_stride = gap;
         }},
        length("strideb", spmm, "from one B to the next; 0: the same", FIELD(b.stride)),
        length("stridec", spmm, "from one C to the next", FIELD(c.stride)),
        length("stridex", sddmm, "from one X to the next; 0: the same", FIELD(x.stride)),
        length("stridey", sddmm, "from one Y to the next; 0: the same", FIELD(y.stride)),
        length("strided", with_dense, "from one dense matrix to the next", FIELD(d.stride)),

        choice("pattern", any, "which blocks of A are stored: tests/support/pattern.h", kinds, FIELD(pattern.kind)),
        share("density", "share of the blocks that is stored", FIELD(pattern.density)),
        {"blocks", any, "exactly as many stored blocks instead of the density, pattern=uniform only; -1: no",
         [](const Problem& p) { return to_text(p.pattern.blocks); },
         [](Problem& p, const std::string& text) {
             p.pattern.blocks = from_text<int64_t>(text, -1, INT64_MAX, "an integer of at least 0, or -1");
         }},
        {"seed", any, "of the pattern and of the values", [](const Problem& p) { return to_text(p.pattern.seed); },
         [](Problem& p, const std::string& text) {
             p.pattern.seed = from_text<uint64_t>(text, 0, UINT64_MAX, "an integer of at least 0");
         }},
        share("duplicates", "share of slots added at places that are stored already", FIELD(pattern.duplicates)),
        choice("sorted", any, "1: the columns of a row ascend", flags, FIELD(pattern.sorted)),
        share("emptyrows", "share of block rows that lose their blocks", FIELD(pattern.empty_rows)),
        share("emptycols", "share of block columns that lose their blocks", FIELD(pattern.empty_cols)),

        choice("map", bit(Op::sort) | bit(Op::transpose), "1: ask for the map", flags, FIELD(map)),
        choice("mode", any, "pointer mode: where scalars and counts are", modes, FIELD(mode)),
        choice("shift", any, "1: every pointer is one element past its alignment", flags, FIELD(shift)),
        size("threads", any, "of a host handle; 0: the library's default", FIELD(threads)),
    };
    return table;
}

#undef FIELD

bsblasDataType_t output_of(bsblasDataType_t type) {
    if (type == BSBLAS_R_8I) return BSBLAS_R_32I;
    return is_fp8(type) ? BSBLAS_R_32F : type;
}

bsblasOperation_t default_opa(Op op) {
    return op == Op::transpose || op == Op::refresh ? BSBLAS_OP_T : BSBLAS_OP_N;
}

using Words = std::vector<std::string>;

Words split(const std::string& line) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word && !word.starts_with('#');) words.push_back(word);
    return words;
}

Words alternatives(const std::string& text) {
    Words parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    if (text.empty() || text.back() == ',') parts.emplace_back();
    return parts;
}

[[noreturn]] void refuse(const std::string& sentence) {
    throw std::invalid_argument(sentence);
}

Op op_of(const std::string& word) {
    try {
        return from_name(ops, word);
    } catch (const BadValue& bad) {
        refuse("unknown operation '" + word + "': expected " + bad.expected);
    }
}

const Key& key_of(Op op, const std::string& name) {
    bool elsewhere = false;
    for (const Key& key : keys()) {
        if (key.name != name) continue;
        if (key.known_to & bit(op)) return key;
        elsewhere = true;
    }
    refuse((elsewhere ? std::string(name_of(op)) + " has no key '" : "unknown key '") + name + "'");
}

void check(const Problem& p) {
    const auto real = [&](const char* name, Complex z) {
        if (z.imag() != 0 && !is_complex(p.out))
            refuse(std::string(name) + "=" + complex_text(z) + " is complex, but out=" + name_of(p.out) + " is real");
    };
    real("alpha", p.alpha);
    real("beta", p.beta);
    if (p.a.base > 1 || p.s.base > 1) refuse("base=" + to_text(std::max(p.a.base, p.s.base)) + ": expected 0 or 1");
    const Length same{false, 0};
    if ((p.a.offsets_stride == same) != (p.a.columns_stride == same)) refuse("strideo=0 and stridei=0 go together");
    if (p.a.values_stride == same && p.a.offsets_stride != same)
        refuse("stridea=0 needs strideo=0 and stridei=0: the same values are the same matrix");
    if (p.pattern.blocks >= 0 && p.pattern.kind != PatternKind::uniform)
        refuse("blocks=" + to_text(p.pattern.blocks) + " needs pattern=uniform");
    for (int64_t batch : {p.a.batch, p.s.batch, p.b.batch, p.x.batch, p.y.batch, p.d.batch})
        if (batch != 1 && batch != p.batch)
            refuse("a batch of " + to_text(batch) + " inputs: expected 1, or batch=" + to_text(p.batch));
}

Problem build(Op op, const std::vector<std::pair<const Key*, std::string>>& settings) {
    Problem p;
    p.op = op;
    std::set<std::string> given;
    for (const auto& [key, text] : settings) {
        if (!given.insert(key->name).second) refuse("key '" + std::string(key->name) + "' is given twice");
        try {
            key->set(p, text);
        } catch (const BadValue& bad) {
            refuse(std::string(key->name) + "='" + text + "': expected " + bad.expected);
        }
    }
    if (!given.contains("typeb")) p.typeb = p.type;
    if (!given.contains("out")) p.out = output_of(p.type);
    if (!given.contains("opa") && !given.contains("opx")) p.opa = default_opa(op);
    for (int64_t* batch : {&p.a.batch, &p.s.batch, &p.b.batch, &p.c.batch, &p.x.batch, &p.y.batch, &p.d.batch})
        if (*batch < 0) *batch = p.batch;
    if (op == Op::csr2bsr) p.s.batch = 1;  // there are no batches of CSR matrices
    check(p);
    return p;
}

}  // namespace

int64_t Problem::a_rows() const {
    if (op == Op::spmm && side == BSBLAS_SIDE_LEFT) return opa == BSBLAS_OP_N ? m : k;
    if (op == Op::spmm) return opa == BSBLAS_OP_N ? k : n;
    return m;
}

int64_t Problem::a_cols() const {
    if (op == Op::spmm && side == BSBLAS_SIDE_LEFT) return opa == BSBLAS_OP_N ? k : m;
    if (op == Op::spmm) return opa == BSBLAS_OP_N ? n : k;
    return op == Op::sddmm ? n : k;
}

std::vector<Problem> expand(const std::string& line) {
    Words words = split(line);
    if (words.empty()) return {};
    const bool pairs = words.front() == "pairwise";
    if (pairs) words.erase(words.begin());
    if (words.empty()) refuse("'pairwise' without an operation");
    const Op op = op_of(words.front());

    std::vector<const Key*> names;
    std::vector<Words> values;
    for (size_t w = 1; w < words.size(); ++w) {
        const size_t equals = words[w].find('=');
        if (equals == std::string::npos) refuse("'" + words[w] + "' is not key=value");
        names.push_back(&key_of(op, words[w].substr(0, equals)));
        values.push_back(alternatives(words[w].substr(equals + 1)));
    }

    std::vector<int> counts;
    for (const Words& v : values) counts.push_back(static_cast<int>(v.size()));
    std::vector<std::vector<int>> rows;
    if (pairs) {
        rows = pairwise(counts);
    } else {
        rows.emplace_back();
        for (int count : counts) {
            std::vector<std::vector<int>> longer;
            for (const auto& row : rows)
                for (int v = 0; v < count; ++v) {
                    longer.push_back(row);
                    longer.back().push_back(v);
                }
            rows = std::move(longer);
        }
    }

    std::vector<Problem> problems;
    for (const auto& row : rows) {
        std::vector<std::pair<const Key*, std::string>> settings;
        for (size_t i = 0; i < names.size(); ++i) settings.emplace_back(names[i], values[i][row[i]]);
        problems.push_back(build(op, settings));
    }
    return problems;
}

Problem parse(const std::string& line) {
    const std::vector<Problem> problems = expand(line);
    if (problems.size() != 1)
        refuse("'" + line + "' is " + std::to_string(problems.size()) + " problems: expected one");
    return problems.front();
}

std::vector<Problem> read_list(std::istream& in, const std::string& name) {
    std::vector<Problem> problems;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        try {
            for (const Problem& p : expand(line)) problems.push_back(p);
        } catch (const std::invalid_argument& bad) {
            refuse(name + ":" + std::to_string(number) + ": " + bad.what());
        }
    }
    return problems;
}

std::vector<Problem> read_list(const std::string& path) {
    std::ifstream in(path);
    if (!in) refuse("cannot read " + path);
    return read_list(in, path);
}

std::string format(const Problem& p) {
    Problem plain;
    plain.op = p.op;
    plain.type = p.type;
    plain.typeb = p.type;
    plain.out = output_of(p.type);
    plain.opa = default_opa(p.op);
    plain.a.batch = plain.s.batch = plain.b.batch = plain.x.batch = plain.y.batch = plain.d.batch = p.batch;
    const std::set<std::string> always = {"m", "n", "k", "block", "type"};
    std::string line = name_of(p.op);
    for (const Key& key : keys()) {
        if (!(key.known_to & bit(p.op))) continue;
        const std::string text = key.get(p);
        if (always.contains(key.name) || text != key.get(plain)) line += std::string(" ") + key.name + "=" + text;
    }
    return line;
}

std::string key_help() {
    std::ostringstream out;
    const Problem plain;
    out << "operations:";
    for (const auto& op : ops) out << " " << op.name;
    out << "\nkeys (default): meaning; the operations that know it, where not all do\n";
    for (const Key& key : keys()) {
        out << "  " << key.name << " (" << (key.fallback ? key.fallback : key.get(plain)) << "): " << key.meaning;
        const char* separator = "; ";
        if (key.known_to != any)
            for (const auto& op : ops)
                if (key.known_to & bit(op.value)) {
                    out << separator << op.name;
                    separator = " ";
                }
        out << "\n";
    }
    return out.str();
}

const char* name_of(Op op) {
    for (const auto& o : ops)
        if (o.value == op) return o.name;
    return "?";
}

const char* name_of(bsblasDataType_t type) {
    for (const auto& t : types)
        if (t.value == type) return t.name;
    return "?";
}

const char* name_of(bsblasOperation_t op) {
    for (const auto& o : operations)
        if (o.value == op) return o.name;
    return "?";
}

const char* name_of(bsblasOrder_t order) {
    return order == BSBLAS_ORDER_ROW ? "row" : "col";
}

const char* name_of(PatternKind kind) {
    for (const auto& k : kinds)
        if (k.value == kind) return k.name;
    return "?";
}

}  // namespace bsblas::test
