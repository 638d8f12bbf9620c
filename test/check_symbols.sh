#!/bin/bash
# check_symbols.sh SHARED STATIC: every name that libscree gives to a linker starts with scree_.
set -eu

check() { # what, then nm's arguments
  local what=$1 names bad
  shift
  names=$(nm --defined-only --format=posix "$@" | awk 'NF >= 3 { print $1 }')
  if [ -z "$names" ]; then
    echo "$what defines no names at all"
    return 1
  fi
  bad=$(grep -v '^scree_' <<<"$names" || true)
  if [ -n "$bad" ]; then
    echo "$what defines names without the prefix scree_:"
    sed 's/^/  /' <<<"$bad"
    return 1
  fi
  echo "$what: $(wc -l <<<"$names") names, all with the prefix scree_"
}

status=0
check "$1" --dynamic "$1" || status=1
check "$2" --extern-only "$2" || status=1
exit $status
