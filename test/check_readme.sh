#!/bin/bash
# check_readme.sh PROGRAM README: runs, in order and in one empty folder, every command of the README's ```sh blocks
# that starts with `scree ` or `build/scree `; each must succeed. A backslash at the end of a line continues a command.
set -u
program=$(realpath "$1") readme=$(realpath "$2")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/work"
cd "$folder/work" || exit 1
ln -s "$(dirname "$program")" build
export PATH=$PWD/build:$PATH

commands=$(awk '
  /^```/ { inside = !inside && /^```sh[ \t]*$/; next }
  inside { sub(/^\$ /, ""); command = command $0
           if (sub(/\\$/, "", command)) next
           if (command ~ /^(build\/)?scree( |$)/) print command
           command = "" }' "$readme")
[ -n "$commands" ] || { echo "$readme has no scree commands in its sh blocks"; exit 1; }

failed=0
while IFS= read -r command; do
  echo "\$ $command"
  timeout 120 bash -o pipefail -c "$command" </dev/null >"$folder/output" 2>&1
  status=$?
  if [ $status -ne 0 ]; then
    sed 's/^/  /' "$folder/output"
    echo "  FAILED with exit status $status"
    failed=1
  fi
done <<<"$commands"
exit $failed
