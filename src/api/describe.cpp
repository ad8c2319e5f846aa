#include "api/describe.h"

#include "core/types.h"

#include <algorithm>
#include <cstdio>

namespace bsblas::api {
namespace {

// A line of "key=value" words.
class Line {
public:
    explicit Line(const char* op) : text_(op) {}
    Line& add(const char* key, const std::string& value) {
        text_ += std::string(" ") + key + "=" + value;
        return *this;
    }
    Line& add(const char* key, int64_t value) { return add(key, std::to_string(value)); }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

const char* name_of(bsblasDataType_t type) {
    return data_type(type)->name;
}

// With as many digits as it takes to read the same number back.
std::string number(double value, int digits = 9) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

std::string scalar(const Scalar& value, bsblasDataType_t type, const char* unknown) {
    if (value.pointer) return unknown;
    switch (type) {
        case BSBLAS_R_64F:
            return number(value.get<double>(), 17);
        case BSBLAS_R_32I:
            return std::to_string(value.get<int32_t>());
        case BSBLAS_C_32F: {
            struct Pair {
                float re, im;
            };
            const Pair pair = value.get<Pair>();
            return number(pair.re) + ":" + number(pair.im);
        }
        case BSBLAS_C_64F: {
            struct Pair {
                double re, im;
            };
            const Pair pair = value.get<Pair>();
            return number(pair.re, 17) + ":" + number(pair.im, 17);
        }
        default:
            return number(value.get<float>());
    }
}

// The capacity stands for the live count, which only the device may know.
void add_sparse(Line& line, const bsblasSpMatDescr& a) {
    const Stored& stored = a.stored;
    const double places = static_cast<double>(stored.block_rows) * static_cast<double>(stored.block_cols);
    line.add("block", std::to_string(stored.bm) + "x" + std::to_string(stored.bk))
        .add("order", stored.row_major_blocks ? "row" : "col")
        .add("base", stored.base)
        .add("offsets", stored.offsets_wide ? 64 : 32)
        .add("columns", stored.indices_wide ? 64 : 32)
        .add("pattern", "uniform")
        .add("density", number(places == 0 ? 0 : std::min(1.0, static_cast<double>(stored.capacity) / places)));
}

void add_arithmetic(Line& line, const Arithmetic& arithmetic, int64_t batch) {
    line.add("compute", bsblas::name_of(arithmetic.compute))
        .add("alpha", scalar(arithmetic.alpha, arithmetic.scalar_type, "1"))
        .add("beta", scalar(arithmetic.beta, arithmetic.scalar_type, "0"))
        .add("batch", batch);
    if (arithmetic.algorithm == BSBLAS_ALG_REFERENCE) line.add("algorithm", "reference");
}

}  // namespace

std::string describe_spmm(bsblasSide_t side, bsblasOperation_t op_a, bsblasOperation_t op_b, const bsblasSpMatDescr& a,
                          const bsblasDnMatDescr& b, const bsblasDnMatDescr& c, const Arithmetic& arithmetic,
                          bsblasBackend_t backend) {
    const bool left = side == BSBLAS_SIDE_LEFT;
    const bool by_rows = op_b == BSBLAS_OP_N;
    Line line("spmm");
    line.add("side", left ? "left" : "right").add("opa", bsblas::name_of(op_a)).add("opb", bsblas::name_of(op_b));
    // k is op(B)'s other side.
    line.add("m", c.rows).add("n", c.cols).add("k", left == by_rows ? b.rows : b.cols);
    line.add("type", name_of(a.stored.type)).add("typeb", name_of(b.type)).add("out", name_of(c.type));
    add_sparse(line, a);
    line.add("orderb", bsblas::name_of(b.order))
        .add("ldb", b.ld)
        .add("orderc", bsblas::name_of(c.order))
        .add("ldc", c.ld);
    add_arithmetic(line, arithmetic, c.batch);
    const auto scale = [&](const float* at) { return backend == BSBLAS_BACKEND_HOST ? number(*at) : "1"; };
    if (arithmetic.scale_a) line.add("scalea", scale(arithmetic.scale_a));
    if (arithmetic.scale_b) line.add("scaleb", scale(arithmetic.scale_b));
    return line.text();
}

std::string describe_sddmm(bsblasOperation_t op_x, bsblasOperation_t op_y, const bsblasDnMatDescr& x,
                           const bsblasDnMatDescr& y, const bsblasSpMatDescr& a, const Arithmetic& arithmetic) {
    Line line("sddmm");
    line.add("opx", bsblas::name_of(op_x)).add("opy", bsblas::name_of(op_y));
    line.add("m", a.stored.rows).add("n", a.stored.cols).add("k", op_x == BSBLAS_OP_N ? x.cols : x.rows);
    line.add("type", name_of(x.type)).add("out", name_of(a.stored.type));
    add_sparse(line, a);
    line.add("orderx", bsblas::name_of(x.order))
        .add("ldx", x.ld)
        .add("ordery", bsblas::name_of(y.order))
        .add("ldy", y.ld);
    add_arithmetic(line, arithmetic, a.batch);
    return line.text();
}

}  // namespace bsblas::api
