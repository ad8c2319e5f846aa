// Transposing small squares of elements that lie in registers.
#pragma once

namespace bsblas::cuda {

// w: rows of V elements each, of 1, 2 or 4 bytes; then its columns.
template <class Word, int V>
__device__ void turn(Word (&w)[V]) {
    if constexpr (V == 2 && sizeof(Word) == 8) {
        const Word low = 0xffffffffu, first = (w[0] & low) | w[1] << 32;
        w[1] = w[0] >> 32 | (w[1] & ~low);
        w[0] = first;
    } else if constexpr (V == 2) {
        const Word first = __byte_perm(w[0], w[1], 0x5410);
        w[1] = __byte_perm(w[0], w[1], 0x7632);
        w[0] = first;
    } else if constexpr (V == 4) {
        const Word low01 = __byte_perm(w[0], w[1], 0x5140), high01 = __byte_perm(w[0], w[1], 0x7362);
        const Word low23 = __byte_perm(w[2], w[3], 0x5140), high23 = __byte_perm(w[2], w[3], 0x7362);
        w[0] = __byte_perm(low01, low23, 0x5410);
        w[1] = __byte_perm(low01, low23, 0x7632);
        w[2] = __byte_perm(high01, high23, 0x5410);
        w[3] = __byte_perm(high01, high23, 0x7632);
    }
}

}  // namespace bsblas::cuda
