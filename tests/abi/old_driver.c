/* A CUDA driver that is too old: it says so and has nothing else. */
int cuInit(unsigned flags) {
    return (int)flags * 0;
}

int cuDriverGetVersion(int* version) {
    *version = 9000;
    return 0;
}
