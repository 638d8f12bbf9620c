#!/bin/bash
# test-long.sh [--list | STAGE...]: the tests that take long and rarely turn red, one stage after the other, and one line
# at the end; without names all of them. A stage is a row of the table below and a function of its name, which prints how
# far it is. SCENES=N: how many random scenes (default 20000, about half an hour of one core); SEED=S: from which seed on
# (default 1000000: those of make test come before).
set -u
cd "$(dirname "$0")/.." || exit 1

stages=(
  "work     every template run to its end, its work counted anew"
  "scarce   every verb with each allocation failing, and with few files"
  "scenes   random scenes against all invariants, a share of them under the sanitizers"
)

. tools/stages.sh

work() { configure release -DSCREE_TESTS=ON && cmake --build --preset release && ctest --preset release -C long -L long; }

scarce() {
  configure release -DSCREE_TESTS=ON && cmake --build --preset release --target scree || return 1
  SCREE_LONG=1 /usr/bin/python3 test/cli/test_scarce.py build/scree
}

# As many processes as there are processors, each with its share of the seeds; the first tells how far they are.
run_scenes() { # BUILD COUNT SEED
  local build=$1 count=$2 seed=$3 jobs failed=0 job pid=()
  jobs=$(nproc)
  mkdir -p "$build/test-long"
  for ((job = 0; job < jobs; job++)); do
    "$build/test/random_scenes" --seed $((seed + job)) --stride "$jobs" --count $(((count + jobs - 1) / jobs)) --command "$build/scree" \
      --folder "$build/test-long/$job" --shrink --progress >"$build/test-long/$job.txt" 2> >([ "$job" -eq 0 ] && cat >&2 || cat >/dev/null) &
    pid+=($!)
  done
  for ((job = 0; job < jobs; job++)); do
    wait "${pid[job]}" || { failed=1; grep -v "^ .*scenes, 0 failed" "$build/test-long/$job.txt"; }
    tail -n 1 "$build/test-long/$job.txt"
  done
  return $failed
}

scenes() {
  local count=${SCENES:-20000} seed=${SEED:-1000000} status=0
  configure release -DSCREE_TESTS=ON && cmake --build --preset release --target random_scenes scree || return 1
  configure asan -DSCREE_TESTS=ON && cmake --build --preset asan --target random_scenes scree || return 1
  run_scenes build "$count" "$seed" || status=1
  run_scenes build-asan $((count / 50 + 1)) $((seed + count)) || status=1
  return $status
}

if [ "${1:-}" = --list ]; then
  printf '%s\n' "${stages[@]}"
  exit 0
fi
wanted=("$@")
[ $# -gt 0 ] || mapfile -t wanted < <(printf '%s\n' "${stages[@]}" | cut -d ' ' -f 1)
for stage in "${wanted[@]}"; do
  printf '%s\n' "${stages[@]}" | grep -q "^$stage " || { echo "test-long: no stage $stage (--list names them)" >&2; exit 2; }
done
run_stages "long tests" "${wanted[@]}"
