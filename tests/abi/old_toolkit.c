/* Stands for each library of an older CUDA toolkit that comes first in LD_LIBRARY_PATH. Loading one is the failure. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
    fputs("a CUDA library was loaded from LD_LIBRARY_PATH\n", stderr);
    abort();
}
