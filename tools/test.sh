#!/bin/bash
# test.sh: every check there is, one stage after the other, and one line at the end. A stage that fails does not keep
# the others from running; the exit status is that of the whole.
set -u
cd "$(dirname "$0")/.." || exit 1

. tools/stages.sh

release() { configure release -DSCREE_TESTS=ON && cmake --build --preset release && ctest --preset release; }
asan() { configure asan -DSCREE_TESTS=ON && cmake --build --preset asan && ctest --preset asan; }
tsan() { configure tsan -DSCREE_TESTS=ON && cmake --build --preset tsan && ctest --preset tsan; }
clang() { configure clang && cmake --build --preset clang; }
fuzz() { configure fuzz && cmake --build --preset fuzz && tools/run-fuzzers.sh "${FUZZ_SECONDS:-5}"; }

run_stages tests release asan tsan clang fuzz
