#!/bin/bash
# install-packages.sh SECTION...: installs the packages of packages.txt that those sections need and that are missing.
# Says nothing when none is. What the package manager says goes to a log, which is shown when it fails. It waits while
# another program holds the package manager's locks. SCREE_SKIP_PACKAGES=1 leaves the system alone.
set -eu
cd "$(dirname "$0")/.."

patience=${SCREE_LOCK_PATIENCE:-600} # s
log=${SCREE_PACKAGES_LOG:-build/packages.log}

say() { echo "scree: $*" >&2; }

[ -z "${SCREE_SKIP_PACKAGES:-}" ] || exit 0

wanted=$(awk -v sections="$*" '
  BEGIN { count = split(sections, list); for (i = 1; i <= count; i++) want[list[i]] = 1 }
  { sub(/#.*/, ""); for (i = 2; i <= NF; i++) if ($i in want) { print $1; next } }' packages.txt)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is not a Debian system: nothing is installed; needed are what Debian calls" $wanted
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' || true)
missing=$(grep -vxF -e "$installed" <<<"$wanted" || true)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  root=
elif command -v sudo >/dev/null; then
  root=sudo
else
  say "these packages are missing and installing them takes root or sudo; as root, run: apt-get install" $missing
  exit 1
fi

# One call of apt-get. Only dpkg's own lock has a time-out of apt's; that of the package lists fails at once.
apt() {
  local from output since=$SECONDS told=
  while true; do
    from=$(wc -l <"$log")
    if $root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o Acquire::Retries=3 \
      -o DPkg::Lock::Timeout="$patience" "$@" >>"$log" 2>&1 </dev/null; then
      return 0
    fi
    output=$(tail -n +$((from + 1)) "$log")
    if ! grep -q 'Could not get lock\|Unable to lock' <<<"$output" || [ $((SECONDS - since)) -ge "$patience" ]; then
      echo "$output" >&2
      return 1
    fi
    [ -n "$told" ] || say "another program is using the package manager; waiting for it for up to $patience s"
    told=yes
    sleep 2
  done
}

mkdir -p "$(dirname "$log")"
: >"$log"
say "installing" $missing "(log: $log)"
if ! apt update || ! apt install -y --no-install-recommends $missing; then
  say "apt-get failed (see above, and $log); as root, run: apt-get install" $missing
  exit 1
fi
