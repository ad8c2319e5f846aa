#!/bin/sh
# dump.sh LIBRARY INCLUDE_DIR OUTPUT: writes the ABI of a library that has debug information, as far as those headers declare
# it, free of paths and other traces of the build.
set -eu
abidw --headers-dir "$2" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
    --no-parameter-names --type-id-style hash --out-file "$3" "$1"
sed -i "s|path='[^']*/|path='|" "$3"
