#!/bin/bash
# check_packages.sh SOURCE_DIR: install-packages.sh with a package manager that stands in for Debian's: quiet when all goes
# well, patient while its lists are locked, and telling when it fails.
set -eu
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin"
passed=0 failed=0

# What it says and how often it fails, from files beside it.
cat >"$place/bin/apt-get" <<'FAKE'
#!/bin/bash
here=$(dirname "$0")/..
echo "Reading package lists... $*"
locked=$(cat "$here/locked")
if [ "$locked" -gt 0 ]; then
  echo $((locked - 1)) >"$here/locked"
  echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
  exit 100
fi
if [ -e "$here/broken" ]; then echo "E: Unable to locate package gcc" >&2; exit 100; fi
echo "$*" >>"$here/done"
FAKE
printf '#!/bin/bash\nexit 1\n' >"$place/bin/dpkg-query"
printf '#!/bin/bash\n[ "$1" = -u ] && echo 0\n' >"$place/bin/id"
chmod +x "$place/bin/"*

run() { # LOCKED PATIENCE
  echo "$1" >"$place/locked"
  rm -f "$place/done"
  status=0
  said=$(PATH="$place/bin:$PATH" SCREE_SKIP_PACKAGES= SCREE_LOCK_PATIENCE=$2 SCREE_PACKAGES_LOG="$place/log" \
    "$source/tools/install-packages.sh" build 2>&1) || status=$?
}

expect() { # WHAT CONDITION...
  local what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $what; it ended with $status and said: $said"; fi
}

run 0 600
expect "it installs" grep -q 'install -y.* gcc' "$place/done"
expect "it ends well" [ "$status" -eq 0 ]
expect "one line, none of the package manager's" [ "$(wc -l <<<"$said")" -eq 1 ]
expect "whose lines are in the log" grep -q 'Reading package lists' "$place/log"

run 2 600
expect "it waits for a lock" [ "$status" -eq 0 ]
expect "it says so once" [ "$(grep -c 'waiting for it' <<<"$said")" -eq 1 ]

run 1000000 0
expect "not for ever" [ "$status" -eq 1 ]
expect "then it shows why" grep -q 'E: Could not get lock' <<<"$said"

touch "$place/broken"
run 0 600
expect "a failure is a failure" [ "$status" -eq 1 ]
expect "and is shown with the remedy" grep -q 'Unable to locate package gcc' <<<"$said"
expect "the remedy names the packages" grep -q 'apt-get install .*gcc' <<<"$said"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
