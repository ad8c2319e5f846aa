/* A library that does at load time what the environment variable NOISE names, and which abi_load has to notice. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* wait_for_ever(void* unused) {
    pause();
    return unused;
}

__attribute__((constructor)) static void loaded(void) {
    const char* noise = getenv("NOISE");
    pthread_t thread;
    if (!noise) return;
    if (strcmp(noise, "thread") == 0 && pthread_create(&thread, NULL, wait_for_ever, NULL) != 0) abort();
    if (strcmp(noise, "descriptor") == 0 && open("/dev/null", O_RDONLY) < 0) abort();
    if (strcmp(noise, "output") == 0) fputs("loaded\n", stderr);
}
