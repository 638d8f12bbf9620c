#!/bin/bash
# test.sh: every check there is, one stage after the other, and one line at the end. A stage that fails does not keep
# the others from running; the exit status is that of the whole.
set -u
cd "$(dirname "$0")/.." || exit 1

configure() { # quiet unless it fails
  local log
  log=$(cmake --preset "$@" 2>&1) || { echo "$log"; return 1; }
}
release() { configure release -DSCREE_TESTS=ON && cmake --build --preset release && ctest --preset release; }
asan() { configure asan -DSCREE_TESTS=ON && cmake --build --preset asan && ctest --preset asan; }
tsan() { configure tsan -DSCREE_TESTS=ON && cmake --build --preset tsan && ctest --preset tsan; }
clang() { configure clang && cmake --build --preset clang; }
fuzz() { configure fuzz && cmake --build --preset fuzz && tools/run-fuzzers.sh "${FUZZ_SECONDS:-5}"; }

passed=() failed=()
for stage in release asan tsan clang fuzz; do
  echo "== $stage"
  start=$SECONDS
  if $stage; then passed+=("$stage ($((SECONDS - start)) s)"); else failed+=("$stage"); fi
done

join() { local IFS=,; echo "$*" | sed 's/,/, /g'; }
if [ ${#failed[@]} -eq 0 ]; then
  echo "scree: all tests passed in $SECONDS s: $(join "${passed[@]}")"
else
  echo "scree: FAILED: $(join "${failed[@]}")${passed:+; passed: $(join "${passed[@]}")}"
  exit 1
fi
