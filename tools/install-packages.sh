#!/bin/bash
# install-packages.sh SECTION...: installs the packages of packages.txt that those sections need and that are missing.
# Says nothing when none is. SCREE_SKIP_PACKAGES=1 leaves the system alone.
set -eu
cd "$(dirname "$0")/.."

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

say "installing" $missing
apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"; }
if ! apt update || ! apt install -y --no-install-recommends $missing; then
  say "apt-get failed (see above); as root, run: apt-get install" $missing
  exit 1
fi
