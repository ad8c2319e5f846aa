#include "support/problem.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace bsblas::test {
namespace {

std::string refusal(const std::string& line) {
    try {
        expand(line);
    } catch (const std::invalid_argument& bad) {
        return bad.what();
    }
    return "";
}

TEST(Problems, DefaultsAndDependentDefaults) {
    const Problem p = parse("spmm");
    EXPECT_EQ(p.op, Op::spmm);
    EXPECT_EQ(p.m, 64);
    EXPECT_EQ(p.out, BSBLAS_R_32F);
    EXPECT_EQ(parse("spmm type=bf16").typeb, BSBLAS_R_16BF);
    EXPECT_EQ(parse("spmm type=i8").out, BSBLAS_R_32I);
    EXPECT_EQ(parse("spmm type=e4m3").out, BSBLAS_R_32F);
    EXPECT_EQ(parse("transpose").opa, BSBLAS_OP_T);
    EXPECT_EQ(parse("spmm batch=3 batchb=1").a.batch, 3);
    EXPECT_EQ(parse("spmm batch=3 batchb=1").b.batch, 1);
}

TEST(Problems, EveryKindOfValue) {
    const Problem p = parse(
        "spmm side=right opa=h opb=t m=100 n=200 k=300 block=32x16 type=c32 ldb=+7 ldc=4100 base=1 offsets=64 "
        "alpha=0.5:-0.25 beta=2 pattern=zipf density=0.125 seed=18446744073709551615 tail=2 mode=device compute=f32");
    EXPECT_EQ(p.side, BSBLAS_SIDE_RIGHT);
    EXPECT_EQ(p.bm, 32);
    EXPECT_EQ(p.bk, 16);
    EXPECT_EQ(p.b.ld, (Length{true, 7}));
    EXPECT_EQ(p.c.ld, (Length{false, 4100}));
    EXPECT_EQ(p.b.ld.from(100), 107);
    EXPECT_EQ(p.c.ld.from(100), 4100);
    EXPECT_EQ(p.alpha, Complex(0.5, -0.25));
    EXPECT_EQ(p.pattern.kind, PatternKind::zipf);
    EXPECT_EQ(p.pattern.seed, UINT64_MAX);
    EXPECT_EQ(p.compute, BSBLAS_COMPUTE_32F);
    EXPECT_EQ(p.a.offsets, BSBLAS_INDEX_64I);
}

TEST(Problems, SizesOfA) {
    const auto sizes = [](const std::string& line) {
        const Problem p = parse(line + " m=2 n=3 k=5");
        return std::pair(p.a_rows(), p.a_cols());
    };
    EXPECT_EQ(sizes("spmm"), std::pair(int64_t{2}, int64_t{5}));
    EXPECT_EQ(sizes("spmm opa=t"), std::pair(int64_t{5}, int64_t{2}));
    EXPECT_EQ(sizes("spmm side=right"), std::pair(int64_t{5}, int64_t{3}));
    EXPECT_EQ(sizes("spmm side=right opa=h"), std::pair(int64_t{3}, int64_t{5}));
    EXPECT_EQ(sizes("sddmm"), std::pair(int64_t{2}, int64_t{3}));
    EXPECT_EQ(parse("sort m=2 k=5").a_cols(), 5);
    EXPECT_EQ(parse("spmm m=33 block=16").block_rows(), 3);
}

TEST(Problems, FormatRoundTrips) {
    const std::string lines[] = {
        "spmm",
        "spmm side=right opa=h opb=t block=32x16 type=c64 ldb=+7 ldc=4100 base=1 offsets=64 columns=64 "
        "alpha=0.1:1e-300",
        "spmm type=e4m3 typeb=e5m2 out=bf16 scalea=0.3 scaleb=2 batch=2 batcha=1 strideb=0 stridec=+5 analysis=1 "
        "shift=1",
        "spmm type=i8 out=f32 mode=device algorithm=reference determinism=relaxed threads=3 blocks=12",
        "sddmm opx=t opy=h type=bf16 out=f32 orderx=col ordery=col ldx=+1 ldy=+2 batch=3 batchx=1 stridea=+8 strideo=0 "
        "stridei=0",
        "transpose opa=h type=c32 order2=col base2=1 offsets2=64 columns2=64 tail2=3 stride2=+4 batch=2 map=0",
        "dense2bsr orderd=col ldd=+3 tail=-2 batch=2 batchd=1 pattern=longrow duplicates=0.5 sorted=0 emptyrows=0.25",
        "bsr2csr tail2=-1 emptycols=0.1 pattern=smallworld density=0.3",
        "csr2bsr batch=2 tail2=1",
        "validate pattern=scalefree",
        "refresh opa=t",
        "analyze base=1",
        "bsr2dense strided=+9",
    };
    for (const std::string& line : lines) {
        const Problem p = parse(line);
        EXPECT_EQ(parse(format(p)), p) << line << "\n" << format(p);
        EXPECT_EQ(format(parse(format(p))), format(p));
    }
    EXPECT_EQ(format(parse("spmm n=8")), "spmm m=64 n=8 k=64 block=16 type=f32");
}

TEST(Problems, AlternativesAndComments) {
    EXPECT_EQ(expand("spmm block=8,16x8,32 opa=n,t # both ways").size(), 6u);
    EXPECT_TRUE(expand("  # nothing").empty());
    EXPECT_TRUE(expand("").empty());
    EXPECT_EQ(expand("pairwise spmm block=1,2,3,4 m=5,6,7 opa=n,t opb=n,t base=0,1").size(), 12u);
    EXPECT_THROW(parse("spmm block=8,16"), std::invalid_argument);

    std::istringstream list("# a list\nspmm block=8,16\n\nsddmm  # one\n");
    EXPECT_EQ(read_list(list, "list").size(), 3u);
    std::istringstream bad("spmm\nspmm what=1\n");
    try {
        read_list(bad, "list");
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "list:2: unknown key 'what'");
    }
}

TEST(Problems, ErrorsNameTheWordAtFault) {
    EXPECT_EQ(refusal("spam m=1"),
              "unknown operation 'spam': expected one of spmm, sddmm, transpose, refresh, analyze, "
              "sort, dense2bsr, bsr2dense, csr2bsr, bsr2csr, validate");
    EXPECT_EQ(refusal("spmm opx=n"), "spmm has no key 'opx'");
    EXPECT_EQ(refusal("spmm color=red"), "unknown key 'color'");
    EXPECT_EQ(refusal("spmm m"), "'m' is not key=value");
    EXPECT_EQ(refusal("spmm opa=x"), "opa='x': expected one of n, t, h");
    EXPECT_EQ(refusal("spmm m=-1"), "m='-1': expected an integer of at least 0");
    EXPECT_EQ(refusal("spmm m=1e3"), "m='1e3': expected an integer of at least 0");
    EXPECT_EQ(refusal("spmm m=99999999999999999999"), "m='99999999999999999999': expected an integer of at least 0");
    EXPECT_EQ(refusal("spmm block=0"), "block='0': expected an integer of at least 1");
    EXPECT_EQ(refusal("spmm block=8,"), "block='': expected an integer of at least 1");
    EXPECT_EQ(refusal("spmm density=2"), "density='2': expected a number from 0 to 1");
    EXPECT_EQ(refusal("spmm ldb=-3"), "ldb='-3': expected a length, such as 4100, or +7 for 7 more than the least");
    EXPECT_EQ(refusal("spmm alpha=nan"), "alpha='nan': expected a number, or re:im");
    EXPECT_EQ(refusal("spmm alpha=1:1"), "alpha=1:1 is complex, but out=f32 is real");
    EXPECT_EQ(refusal("spmm m=1 m=2"), "key 'm' is given twice");
    EXPECT_EQ(refusal("spmm tail=-1"),
              "tail='-1': expected an integer, of at least 0 unless A is a conversion's output");
    EXPECT_EQ(refusal("dense2bsr tail=-1"), "");
    EXPECT_EQ(refusal("tail=-1 dense2bsr"), refusal("tail=-1"));
    EXPECT_EQ(refusal("spmm batch=4 batchb=2"), "a batch of 2 inputs: expected 1, or batch=4");
    EXPECT_EQ(refusal("spmm blocks=3 pattern=full"), "blocks=3 needs pattern=uniform");
    EXPECT_EQ(refusal("spmm base=2"), "base=2: expected 0 or 1");
}

TEST(Problems, HelpListsEveryKeyWithItsDefault) {
    const std::string help = key_help();
    EXPECT_NE(help.find("  block (16): "), std::string::npos);
    EXPECT_NE(help.find("  out (type; of i8 i32, of fp8 f32): "), std::string::npos);
    EXPECT_NE(help.find("  ldx (+0): leading dimension of X; sddmm\n"), std::string::npos);
}

}  // namespace
}  // namespace bsblas::test
