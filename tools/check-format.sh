#!/bin/bash
# check-format.sh [--fix]: is every .c and .h laid out as .clang-format says? --fix rewrites those that are not.
set -eu
cd "$(dirname "$0")/.."

command -v clang-format >/dev/null || { echo "scree: clang-format is missing: apt-get install clang-format" >&2; exit 1; }
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)

folders=()
for folder in include src cli test bench examples; do
  [ ! -d "$folder" ] || folders+=("$folder")
done
find "${folders[@]}" -name '*.[ch]' -print0 | xargs -0r clang-format --style=file "${mode[@]}"
