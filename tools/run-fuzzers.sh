#!/bin/bash
# run-fuzzers.sh [SECONDS]: runs every fuzzer of test/fuzz that long (default 5), as many at a time as there are processors,
# starting from its seeds in test/fuzz/corpus/<name>. What it finds on the way is kept in build-fuzz/corpus, what breaks it
# in build-fuzz/crashes.
set -eu
cd "$(dirname "$0")/.."

fuzz() { # NAME SECONDS
  local name=$1 seconds=$2
  local found=build-fuzz/corpus/$name seeds=test/fuzz/corpus/$name crashes=build-fuzz/crashes/$name log=build-fuzz/$name.log
  mkdir -p "$found" "$crashes"
  local folders=("$found")
  [ ! -d "$seeds" ] || folders+=("$seeds")
  if build-fuzz/fuzz/"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$crashes/" "${folders[@]}" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, none breaks it"
  else
    echo "$(tail -n 60 "$log")
fuzz $name: FAILED; the input lies in $crashes, the log is $log"
    return 1
  fi
}
export -f fuzz

ls test/fuzz/*.c >/dev/null 2>&1 || { echo "no fuzzers in test/fuzz"; exit 0; }
basename -s .c test/fuzz/*.c | xargs -P "$(nproc)" -I NAME bash -c 'fuzz NAME "$1"' fuzz "${1:-5}"
