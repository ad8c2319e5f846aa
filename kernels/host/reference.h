// What the reference kernels compute with: the type that products sum in, and how a sum becomes an output.
#pragma once

#include "core/problem.h"
#include "kernels/host/number.h"

#include <type_traits>

namespace bsblas::host {

// 8-bit integers sum modulo 2^32, everything below binary32 in binary32.
template <class T>
struct SumOf {
    using type = float;
};
template <>
struct SumOf<double> {
    using type = double;
};
template <class Real>
struct SumOf<Complex<Real>> {
    using type = Complex<Real>;
};
template <>
struct SumOf<int8_t> {
    using type = uint32_t;
};
template <class T>
using Sum = typename SumOf<T>::type;

inline uint32_t widen(int8_t x) {
    return static_cast<uint32_t>(int32_t(x));
}
inline uint32_t widen(int32_t x) {
    return static_cast<uint32_t>(x);
}

template <class Real>
Complex<Real> operator+(Complex<Real> x, Complex<Real> y) {
    return {x.re + y.re, x.im + y.im};
}
template <class Real>
Complex<Real> operator*(Complex<Real> x, Complex<Real> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

template <class T>
T conjugate_if(bool, T x) {
    return x;
}
template <class Real>
Complex<Real> conjugate_if(bool conjugate, Complex<Real> x) {
    return {x.re, conjugate ? -x.im : x.im};
}

template <class T>
bool is_zero(T x) {
    return x == 0;
}
template <class Real>
bool is_zero(Complex<Real> x) {
    return x.re == 0 && x.im == 0;
}

template <>
struct Narrow<int32_t> {
    static int32_t from(uint32_t x) { return static_cast<int32_t>(x); }
};

// An input may be null where the result does not depend on it.
template <class T>
T* offset(void* values, int64_t elements) {
    return values ? static_cast<T*>(values) + elements : nullptr;
}

// out = alpha scale_a scale_b sum + beta out, rounded once.
template <class In, class Out>
class Epilogue {
    static constexpr bool integer_to_float = std::is_same_v<In, int8_t> && std::is_same_v<Out, float>;
    using Wide = std::conditional_t<integer_to_float, float, Sum<In>>;

public:
    explicit Epilogue(const Arithmetic& arithmetic)
        : alpha_(arithmetic.alpha.get<Wide>()), beta_(arithmetic.beta.get<Wide>()) {
        reads_inputs_ = !is_zero(alpha_);
        reads_output_ = !is_zero(beta_);
        if constexpr (std::is_same_v<Wide, float>) {
            if (arithmetic.scale_a) alpha_ *= *arithmetic.scale_a;
            if (arithmetic.scale_b) alpha_ *= *arithmetic.scale_b;
        }
    }

    bool reads_inputs() const { return reads_inputs_; }

    void store(Sum<In> sum, Out* out) const {
        const Wide product = alpha_ * summed(sum);
        *out = narrow<Out>(reads_output_ ? Wide(product + beta_ * widen(*out)) : product);
    }

    // Where nothing was to be summed.
    void store_without_sum(Out* out) const { *out = reads_output_ ? narrow<Out>(Wide(beta_ * widen(*out))) : Out{}; }

private:
    static Wide summed(Sum<In> sum) {
        if constexpr (integer_to_float) {
            return float(static_cast<int32_t>(sum));
        } else {
            return sum;
        }
    }

    Wide alpha_, beta_;
    bool reads_inputs_, reads_output_;
};

}  // namespace bsblas::host
