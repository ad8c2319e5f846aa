#!/bin/sh
# gpu-verified.txt says what was last verified on a GPU: the device, the counts of the conformance run, and digests of the
# folders whose contents were tested.
#
#   gpu_verified.sh record BUILD   runs the conformance program of that build on this machine's GPU and prints a new record
#   gpu_verified.sh check          says whether the record is of the present contents
set -eu
cd "$(dirname "$0")/.."

record=tests/gpu-verified.txt

digest() {
    find "$1" -type f ! -path '*/__pycache__/*' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

case ${1-} in
record)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    echo "device $(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader | head -n 1)"
    for folder in include kernels src; do
        echo "digest $folder $(digest $folder)"
    done
    for arguments in "--backend host" "--backend cuda" "--backend cuda --graph"; do
        # shellcheck disable=SC2086 # words
        if ! "$2/tests/conformance/bsblas_conformance" --tier full $arguments >"$log" 2>&1; then
            cat "$log" >&2
            exit 1
        fi
        echo "conformance $arguments: $(tail -n 1 "$log")"
    done
    ;;
check)
    [ -f $record ] || { echo "nothing is recorded in $record"; exit 0; }
    changed=
    for folder in include kernels src; do
        grep -qx "digest $folder $(digest $folder)" $record || changed="$changed $folder/"
    done
    if [ -n "$changed" ]; then
        echo "WARNING: changed since the GPU run in $record:$changed"
    else
        echo "what is here was verified on a GPU: $(sed -n 's/^device //p' $record)"
    fi
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
