#!/bin/bash
# run-fuzzers.sh [SECONDS]: runs every fuzzer of test/fuzz that long (default 5), starting from its seeds in
# test/fuzz/corpus/<name>. What it finds on the way is kept in build-fuzz/corpus, what breaks it in build-fuzz/crashes.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-5}
failed=0
for source in test/fuzz/*.c; do
  [ -e "$source" ] || { echo "no fuzzers in test/fuzz"; break; }
  name=$(basename "$source" .c)
  found=build-fuzz/corpus/$name seeds=test/fuzz/corpus/$name crashes=build-fuzz/crashes/$name log=build-fuzz/$name.log
  mkdir -p "$found" "$crashes"
  folders=("$found")
  [ ! -d "$seeds" ] || folders+=("$seeds")
  if build-fuzz/fuzz/"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$crashes/" "${folders[@]}" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, none breaks it"
  else
    failed=1
    tail -n 60 "$log"
    echo "fuzz $name: FAILED; the input lies in $crashes, the log is $log"
  fi
done
exit $failed
