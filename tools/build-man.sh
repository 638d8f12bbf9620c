#!/bin/bash
# build-man.sh PROGRAM FOLDER: writes scree.1 and a page scree-VERB.1 per verb into FOLDER, by help2man from the
# command's own --help. The list of verbs is the command's own too.
set -eu
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verbs=$("$program" __complete "") # name, tab, one line
version=$("$program" --version)

# The help, laid out as help2man understands it: headings at the margin, the examples kept for a section of their own.
help_of() { "$program" ${1:+"$1"} --help; }
without_examples() {
  awk '/^Examples:$/ { examples = 1; next }
       examples && !/^ / && NF { examples = 0 }
       !examples { if (/^ [A-Z].*:$/) sub(/^ /, ""); print }'
}
examples_only() { awk '/^Examples:$/ { inside = 1; next } inside && !/^ / && NF { exit } inside && NF'; }
troff() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\./\\\&./'; }

page() { # verb or nothing, what it does
  local name=scree${1:+-$1} other
  {
    printf '#!/bin/sh\ncase $1 in --version) echo "%s";; *) cat <<"END"\n' "$name ${version#* }"
    help_of "$1" | without_examples
    printf 'END\n;; esac\n'
  } >"$work/$name"
  chmod +x "$work/$name"
  {
    printf '[examples]\n.nf\n'
    help_of "$1" | examples_only | troff
    printf '.fi\n[exit status]\n0 when done, 1 when it failed, 2 when it was used wrongly; the sentence on standard '
    printf 'error names\nthe value and its limit.\n[see also]\n'
    for other in "" $(cut -f1 <<<"$verbs"); do
      [ "$other" = "$1" ] || printf '.BR scree%s (1)\n' "${other:+\\-$other}"
    done
  } >"$work/$name.h2m"
  help2man --no-info --section 1 --name "$2" --source "$version" --manual "Contact mechanics" --include "$work/$name.h2m" \
    --output "$folder/$name.1" "$work/$name"
}

rm -f "$folder"/scree*.1
page "" "contact mechanics: every contact-force law by name, verified against exact solutions"
while IFS=$'\t' read -r verb what; do page "$verb" "$what"; done <<<"$verbs"
