#!/bin/sh
# install_packages.sh PACKAGE...: installs those that are missing on a Debian or Ubuntu machine when it may, and otherwise
# prints the line to type. Elsewhere it trusts that they are there under another name.
set -eu

command -v dpkg-query >/dev/null || exit 0
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo='sudo -n'
else
    echo "These packages are missing; install them, then run this again:"
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing"
    exit 1
fi

echo "Installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $sudo apt-get update &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
