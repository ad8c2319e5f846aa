#!/bin/sh
# The main job: installs what is missing, builds the library and runs block-sparse work on real inputs, on the GPU if there is
# one and else on the host. Ends within five minutes on two cores, and with other than 0 when a number is wrong.
#   BUILD_DIR   where to build; build/quickstart otherwise
set -eu
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build/quickstart}

say() { printf '== %s\n' "$*"; }

sh cmake/install_packages.sh g++ cmake make libxsmm-dev libopenblas0

# The CUDA backend takes minutes to build, so only where it can run, and for that device alone.
architecture=
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
    PATH=$PATH:/usr/local/cuda/bin
    architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -dc 0-9)
    if [ "${architecture:-0}" -lt 80 ]; then
        say "the GPU's compute capability is below 8.0: the host it is"
        architecture=
    elif ! command -v nvcc >/dev/null; then
        say "there is a GPU but no CUDA compiler (nvcc): the host it is"
        architecture=
    fi
fi

mkdir -p "$build"
configure() {
    say "configuring (CUDA $1)"
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBSBLAS_TESTS=OFF -DBSBLAS_BINDINGS=OFF -DBSBLAS_PERF=ON \
        -DBSBLAS_CUDA="$@" >"$build/configure.log" 2>&1
}
if [ -n "$architecture" ] && ! configure ON -DBSBLAS_CUDA_ARCHITECTURES="$architecture-real"; then
    cp "$build/configure.log" "$build/configure-cuda.log"
    say "the CUDA compiler here cannot build for this GPU ($build/configure-cuda.log): the host it is"
    rm -f "$build/CMakeCache.txt"
    architecture=
fi
[ -n "$architecture" ] || configure OFF || { cat "$build/configure.log"; exit 1; }
say "building"
cmake --build "$build" --target bsblas_quickstart --parallel "$(nproc)"
say "running"
exec "$build/perf/bsblas_quickstart"
