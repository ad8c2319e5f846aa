#!/bin/sh
# gpu-verified.txt says what was last verified on a GPU: the git trees of the folders that were tested, the date, the device and
# the counts of the conformance run.
#
#   gpu_verified.sh record BUILD   runs the conformance program of that build on this machine's GPU, in full and under
#                                  compute-sanitizer, and prints a new record
#   gpu_verified.sh check          says whether the record is of what is committed
set -eu
cd "$(dirname "$0")/.."

record=tests/gpu-verified.txt

trees() {
    git ls-tree HEAD include kernels src | while read -r _ _ tree folder; do echo "$folder=$tree"; done
}

case ${1-} in
record)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trees
    echo "date=$(date -u +%Y-%m-%d)"
    echo "device=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader | head -n 1)"
    conformance="$2/tests/conformance/bsblas_conformance"
    run() { # what it is called, then the command
        name=$1
        shift
        if ! "$@" >"$log" 2>&1; then
            cat "$log" >&2
            exit 1
        fi
        echo "$name: $(grep -E '^[0-9]+ passed' "$log" | tail -n 1)$(sed -n 's/.*SUMMARY: /, /p' "$log")"
    }
    for arguments in "--backend host" "--backend cuda" "--backend cuda --graph"; do
        # shellcheck disable=SC2086 # words
        run "conformance $arguments" "$conformance" --tier full $arguments
    done
    smoke="--backend cuda --tier smoke"
    for tool in memcheck racecheck; do
        # shellcheck disable=SC2086 # words
        run "conformance $smoke under compute-sanitizer $tool" \
            compute-sanitizer --tool $tool --error-exitcode 1 "$conformance" $smoke
    done
    ;;
check)
    [ -f $record ] || { echo "nothing is recorded in $record"; exit 0; }
    changed=
    for tree in $(trees); do
        grep -qx "$tree" $record || changed="$changed ${tree%%=*}/"
    done
    if [ -n "$changed" ]; then
        echo "WARNING: changed since the GPU run in $record:$changed"
    else
        echo "what is here was verified on a GPU: $(sed -n 's/^device=//p' $record)"
    fi
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
