#!/bin/sh
# The one command that tests bsblas on a Debian or Ubuntu machine, from a fresh clone: installs what is missing, builds Release
# and runs every test that this machine can run, then the host tests once more under the sanitizers. CUDA code is compiled if
# nvcc is there; only what needs a GPU waits for one. Ends with a summary, and with 0 if nothing failed.
set -u
cd "$(dirname "$0")/.." || exit 1

packages="g++ cmake ninja-build pkg-config python3 libxsmm-dev libopenblas-dev libgtest-dev libgmock-dev libbenchmark-dev
nlohmann-json3-dev abigail-tools"

summary=
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

note() {
    summary="$summary
  $*"
}

# stage NAME COMMAND...: runs it, and keeps how it went and how long it took for the summary.
stage() {
    name=$1
    shift
    echo
    echo "==== $name"
    start=$(date +%s)
    if "$@"; then result=passed; else result=FAILED failed=1; fi
    note "$(printf '%-34s %s, %s s' "$name" "$result" $(($(date +%s) - start)))"
    [ $result = passed ]
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1" --parallel "$(nproc)"
}

test_all() {
    ctest --preset "$1" --parallel "$(nproc)" --output-log "$log"
    result=$?
    note "$(grep 'tests passed' "$log")"
    return $result
}

stage "packages" sh cmake/install_packages.sh $packages || exit 1

if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
fi

stage "build" build release && stage "tests" test_all release
stage "sanitized build" build sanitize && stage "sanitized tests" test_all sanitize

# The tests on a GPU, plain and in graphs, are among those above.
gpu=$(nvidia-smi -L 2>/dev/null | head -n 1)
if [ -z "$gpu" ]; then
    note "no GPU here: $(sh tests/gpu_verified.sh check)"
elif ! command -v nvcc >/dev/null; then
    note "$gpu was not used, for lack of nvcc"
fi

echo
echo "==== summary$summary"
if [ $failed = 0 ]; then echo "Nothing failed."; else echo "Something FAILED."; fi
exit $failed
