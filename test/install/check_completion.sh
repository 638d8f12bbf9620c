#!/bin/bash
# check_completion.sh PROGRAM COMPLETION_FOLDER: what Tab offers in bash, without a terminal, and that zsh can read its
# function. The words expected here are a few of each kind; the lists themselves come from the command.
set -u
folder=$(realpath "$2")
PATH=$(dirname "$(realpath "$1")"):$PATH
source "$folder/scree.bash"
complete -p scree >/dev/null || exit 1
failed=0

tab() { # the words of a line, the last one under the cursor; prints what is offered
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _scree 2>/dev/null
  printf '%s\n' "${COMPREPLY[@]}"
}
expect() { # "all|some", "the offer" (words), then the line
  local how=$1 wanted=$2 offered missing
  shift 2
  offered=$(tab "$@")
  if [ "$how" = all ]; then
    missing=$(comm -3 <(tr ' ' '\n' <<<"$wanted" | sort) <(sort <<<"$offered"))
  else
    missing=$(comm -23 <(tr ' ' '\n' <<<"$wanted" | sort) <(sort <<<"$offered"))
  fi
  [ -n "$missing" ] || return
  echo "FAILED: $* <Tab>: wanted $how of \"$wanted\", offered:" $offered
  failed=1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir figures
touch figure.svg 'with space.csv'

expect some "impact show models calibrate line exact compare" scree ""
expect all "impact" scree im
expect all "impact" scree help imp
expect some "--restitution --speed --separation --csv --json --help" scree impact --
expect all "--young --young2" scree impact --you
expect all "overlap force clamp" scree impact tsuji --separation ""
expect all "clamp" scree impact tsuji --separation = cl
expect some "sphere-plane sphere-sphere" scree impact tsuji --geometry sphere
expect all "zhang_sharf zhang_2020" scree impact zhang
expect some "cyl_johnson cyl_persson" scree line ""
expect all "" scree line tsu
expect all "mindlin coulomb tangential_linear" scree impact flores --tangential ""
expect all "point plastic line tangential" scree models --group ""
expect all "sigma_y=" scree impact thornton --set sig
expect all "figures figure.svg" scree impact flores --plot fig
expect all "figures figure.svg" scree impact flores --plot = fig
expect some "restitution force_overlap" scree compare --figure ""
expect all "tanh sqrt" scree impact flores --regularisation ""
expect all "figures" scree compare flores --plot ""
expect all "box chute dosta-drum dosta-penetration dosta-silo drum gas hopper impact-crater mixer repose screw shear-cell vibrating-screen" scree new ""
expect all "figures" scree new box ""
expect all "figures figure.svg" scree run fig
expect all "figures" scree run figure.svg -o ""
expect some "--threads --until --set --output --overwrite --json" scree run --
expect all "run.duration=" scree run figure.svg --set run.d
expect some "gravity= run.log.every= domain.low=" scree check figure.svg --set ""
expect all "figures" scree render ""
expect all "figures" scree export ""
expect all "lammps-dump extxyz csv" scree export figures --to ""
expect all "velocity" scree render figures --colour vel
expect some "run.output.every= run.output.contacts=" scree run figure.svg --set run.output.
expect all "dem scene impact laws drum engine" scree bench ""
expect all "figures figure.svg" scree bench scene fig
expect some "--warm --steps --windows --threads --set --json" scree bench scene --
expect all "run.duration=" scree bench scene figure.svg --set run.d
expect all "--smallest --seconds" scree bench dem --s
expect all "" scree no_such_verb ""
[ "$(tab scree impact flores --csv with)" = "with space.csv" ] || { echo "FAILED: a name with a space"; failed=1; }
! scree --help 2>/dev/null | grep -q __complete || { echo "FAILED: the help lists __complete"; failed=1; }

if command -v zsh >/dev/null; then
  # the function with zsh's own built-ins replaced by one that prints what it was given
  offered=$(zsh -fc '
    compadd() { print -l -- $names }
    compset() { : }
    words=(scree impact tsuji --separation "") CURRENT=5 PREFIX=
    source "$1"' zsh "$folder/_scree")
  [ "$(xargs <<<"$offered")" = "overlap force clamp" ] || { echo "FAILED: zsh offers \"$offered\""; failed=1; }
fi
[ $failed -eq 0 ] && echo "completion: bash$(command -v zsh >/dev/null && echo ' and zsh') offer what the command has"
exit $failed
