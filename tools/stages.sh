# stages.sh, sourced by test.sh and test-long.sh: runs stages, which are functions, one after the other.

configure() { # PRESET [OPTION...]: quiet unless it fails
  local log
  log=$(cmake --preset "$@" 2>&1) || { echo "$log"; return 1; }
}

join() { local IFS=,; echo "$*" | sed 's/,/, /g'; }

# run_stages WHAT STAGE...: a stage that fails does not keep the others from running; one line at the end; the status is that
# of the whole.
run_stages() {
  local what=$1 stage start passed=() failed=()
  shift
  for stage in "$@"; do
    echo "== $stage"
    start=$SECONDS
    if $stage; then passed+=("$stage ($((SECONDS - start)) s)"); else failed+=("$stage"); fi
  done
  if [ ${#failed[@]} -eq 0 ]; then
    echo "scree: all $what passed in $SECONDS s: $(join "${passed[@]}")"
  else
    echo "scree: FAILED: $(join "${failed[@]}")${passed:+; passed: $(join "${passed[@]}")}"
    return 1
  fi
}
