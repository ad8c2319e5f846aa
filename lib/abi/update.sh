#!/bin/sh
# Renews what the ABI tests compare with: ../symbols.txt and bsblas-0.abi.xml. Run it when a change of the ABI is meant, and
# commit the result together with the change and a line in CHANGELOG.md. CONTRIBUTING.md says what may change.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$root/build/abi

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBSBLAS_CUDA=OFF -DBSBLAS_TESTS=OFF \
    -DBSBLAS_PERF=OFF -DBSBLAS_BINDINGS=OFF
cmake --build "$build" --target bsblas

python3 "$root/tests/abi/check_exports.py" --print "$build/lib/libbsblas.so" > "$here/../symbols.txt"
sh "$here/dump.sh" "$build/lib/libbsblas.so" "$root/include" "$here/bsblas-0.abi.xml"
git -C "$root" --no-pager diff --stat -- lib
