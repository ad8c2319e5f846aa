#include "random_problem.h"

#include <initializer_list>
#include <iterator>
#include <sstream>
#include <vector>

namespace bsblas::test {
namespace {

// Of words separated by blanks.
std::string any_of(Random& random, const char* values) {
    std::istringstream in(values);
    const std::vector<std::string> all((std::istream_iterator<std::string>(in)), {});
    return all[static_cast<size_t>(below(random, static_cast<int64_t>(all.size())))];
}

class Line {
public:
    Line(Random& random, const char* op) : random_(random), text_(op) {}

    // One of these values, separated by blanks; with the given chance the key is left to its default.
    void add(const char* key, const char* values, double left_out = 0.3) {
        if (uniform(random_) < left_out) return;
        add_text(key, any_of(random_, values));
    }
    void add_size(const char* key, int64_t most) {
        // Mostly small, sometimes 0.
        const double fraction = uniform(random_);
        add_text(key, std::to_string(static_cast<int64_t>(fraction * fraction * static_cast<double>(most + 1))));
    }
    void add_text(const std::string& key, const std::string& value) { text_ += " " + key + "=" + value; }
    const std::string& text() const { return text_; }

private:
    Random& random_;
    std::string text_;
};

constexpr const char* flags = "0 1";
constexpr const char* orders = "row col";
constexpr const char* operations = "n t h";
constexpr const char* gaps = "+0 +1 +2 +9";
constexpr const char* floats = "f32 f64 c32 c64 f16 bf16";
constexpr const char* all_types = "f32 f64 c32 c64 f16 bf16 e4m3 e5m2 i8 i32";

void add_pattern(Line& line, Random& random) {
    line.add_text("seed", std::to_string(below(random, 1000)));
    line.add("pattern", "uniform bernoulli full empty diagonal banded longrow zipf blockdiagonal smallworld scalefree");
    line.add("density", "0 0.05 0.2 0.5 1");
    line.add("duplicates", "0.1 0.5", 0.7);
    line.add("sorted", flags);
    line.add("emptyrows", "0.2 0.7", 0.7);
    line.add("emptycols", "0.2 0.7", 0.7);
    line.add("block", "1 2 3 4 5 7 8 9 12 15 16 17 24 31 32 33 40 48 63 64 65 100 128 1x7 8x4 16x32 32x8 3x64 64x48",
             0.1);
    line.add("order", orders);
    line.add("base", flags);
    line.add("offsets", "32 64");
    line.add("columns", "32 64");
    line.add("shift", flags);
    line.add("mode", "host device");
}

// batch=, and how each operand has it: its own matrices with gaps, the same one by stride 0, or one.
void add_batch(Line& line, Random& random, std::initializer_list<const char*> inputs, const char* output) {
    if (uniform(random) < 0.6) return;
    line.add_text("batch", std::to_string(1 + below(random, 4)));
    for (const char* input : inputs) {
        line.add((std::string("batch") + input).c_str(), "1", 0.7);
        const std::string stride = any_of(random, "+0 +1 +5 0");
        line.add_text("stride" + std::string(input), stride);
        if (stride == "0" && input == std::string("a")) {  // the same values are the same matrix
            line.add_text("strideo", "0");
            line.add_text("stridei", "0");
        }
    }
    line.add((std::string("stride") + output).c_str(), gaps, 0.5);
}

void add_numbers(Line& line, const std::string& type) {
    const bool complex = type == "c32" || type == "c64", integer = type == "i8";
    line.add("alpha", complex ? "0 1 -1 0.5:2 0:1" : integer ? "0 1 -1 5" : "0 1 -1 0.3 2");
    line.add("beta", complex ? "0 1 -1 0.5:2 0:1" : integer ? "0 1 -1 5" : "0 1 -1 0.3 2");
    line.add("algorithm", "default reference", 0.8);
    line.add("determinism", "required relaxed", 0.8);
    line.add("compute", type == "f32" ? "default tf32" : "default", 0.8);
}

}  // namespace

std::string random_problem(Random& random) {
    const std::string op = any_of(random,
                                  "spmm spmm spmm spmm sddmm sddmm sddmm transpose refresh analyze sort dense2bsr "
                                  "bsr2dense csr2bsr bsr2csr validate");
    Line line(random, op.c_str());
    line.add_size("m", 160);
    line.add_size("k", 160);
    add_pattern(line, random);
    if (op == "spmm") {
        const std::string type = any_of(random, "f32 f32 f64 c32 c64 f16 bf16 bf16 e4m3 e5m2 i8");
        line.add_text("type", type);
        if (type == "f16" || type == "bf16") line.add("out", (type + " f32").c_str());
        if (type == "i8") line.add("out", "i32", 0);
        if (type == "e4m3" || type == "e5m2") {
            line.add("typeb", "e4m3 e5m2");
            line.add("out", "f16 bf16 f32");
            line.add("scalea", "0.5 3");
            line.add("scaleb", "0.5 3");
        }
        line.add_size("n", 100);
        line.add("side", "left right");
        line.add("opa", operations);
        line.add("opb", operations);
        line.add("orderb", orders);
        line.add("orderc", orders);
        line.add("ldb", gaps);
        line.add("ldc", gaps);
        line.add("tail", "0 1 4");
        line.add("analysis", flags);
        add_batch(line, random, {"a", "b"}, "c");
        add_numbers(line, type);
    } else if (op == "sddmm") {
        const std::string type = any_of(random, floats);
        line.add_text("type", type);
        if (type == "f16" || type == "bf16") line.add("out", (type + " f32").c_str());
        line.add_size("n", 160);
        line.add("opx", operations);
        line.add("opy", operations);
        line.add("orderx", orders);
        line.add("ordery", orders);
        line.add("ldx", gaps);
        line.add("ldy", gaps);
        line.add("tail", "0 1 4");
        add_batch(line, random, {"x", "y"}, "a");
        add_numbers(line, type);
    } else if (op == "transpose" || op == "refresh") {
        line.add("type", all_types);
        line.add("opa", "t h");
        line.add("order2", orders);
        line.add("base2", flags);
        line.add("offsets2", "32 64");
        line.add("columns2", "32 64");
        line.add("tail", "0 1 4");
        line.add("tail2", "0 1 4");
        add_batch(line, random, {"a"}, "2");
        if (op == "transpose") line.add("map", flags);
    } else if (op == "dense2bsr") {
        line.add("type", floats);
        line.add("orderd", orders);
        line.add("ldd", gaps);
        line.add("tail", "0 2 -1");
        add_batch(line, random, {"d"}, "a");
    } else if (op == "bsr2dense") {
        line.add("type", floats);
        line.add("orderd", orders);
        line.add("ldd", gaps);
        line.add("tail", "0 2");
        add_batch(line, random, {"a"}, "d");
    } else if (op == "csr2bsr" || op == "bsr2csr") {
        line.add("type", floats);
        line.add("base2", flags);
        line.add("offsets2", "32 64");
        line.add("columns2", "32 64");
        line.add("tail", op == "csr2bsr" ? "0 2 -1" : "0 2");
        line.add("tail2", op == "bsr2csr" ? "0 2 -1" : "0 2");
        if (op == "csr2bsr") add_batch(line, random, {}, "a");
    } else {
        line.add("type", op == "analyze" ? "f32 f64 c32 c64 f16 bf16 e4m3 i8" : all_types);  // a product follows
        line.add("tail", "0 1 4");
        if (op == "sort") line.add("map", flags);
    }
    return line.text();
}

}  // namespace bsblas::test
