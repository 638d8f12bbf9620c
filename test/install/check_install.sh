#!/bin/bash
# check_install.sh BUILD SOURCE: installs the build into a prefix that is then moved, and uses it as a stranger would:
# through pkg-config, through find_package, from C++, by man, by the shells. DESTDIR is tried too.
set -u
build=$(realpath "$1") source=$(realpath "$2") here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset DESTDIR
export MAKEFLAGS=
failed=0

fail() { echo "FAILED: $*"; failed=1; }
try() { # what, command...: quiet unless it fails
  local what=$1
  shift
  "$@" >"$work/log" 2>&1 && return
  fail "$what: $*"
  sed 's/^/  /' "$work/log"
  return 1
}

# ---- install, and move: nothing may remember where it was
try "install" cmake --install "$build" --prefix "$work/first" || exit 1
prefix="$work/moved to"
mv first "$prefix"
version=$(sed -n 's/^#define SCREE_VERSION_[A-Z]* //p' "$source/include/scree/base.h" | paste -sd.)
libdir=$(dirname "$(find "$prefix" -name libscree.a)")
man="$prefix/share/man/man1"

for file in bin/scree include/scree/scree.h include/scree/catalogue.def share/bash-completion/completions/scree \
  share/zsh/site-functions/_scree share/doc/scree/LICENSE; do
  [ -f "$prefix/$file" ] || fail "$file is not installed"
done
for file in libscree.so libscree.so.${version%%.*} libscree.so.$version pkgconfig/scree.pc cmake/scree/screeConfig.cmake \
  cmake/scree/screeConfigVersion.cmake; do
  [ -e "$libdir/$file" ] || fail "$file is not installed"
done
if grep -q '^CMAKE_BUILD_TYPE:.*=Release' "$build/CMakeCache.txt"; then # a debugger wants the real paths
  leaks=$(grep -rlF -e "$source" -e "$build" -e "$work/first" "$prefix")
  [ -z "$leaks" ] || fail "these name the folders they were built in:" $leaks
fi
[ "$("$prefix/bin/scree" --version)" = "scree $version" ] || fail "the installed command does not run"
soname=$(objdump -p "$libdir/libscree.so" | awk '$1 == "SONAME" { print $2 }')
[ "$soname" = "libscree.so.${version%%.*}" ] || fail "the soname is \"$soname\""

# ---- a stranger's program
expected="scree $version: zhang_sharf delivers e = 0.500000000"
ran() { # what, program
  local said
  said=$(LD_LIBRARY_PATH=$libdir "$2" 2>&1)
  [ "$said" = "$expected" ] || fail "$1 says \"$said\" instead of \"$expected\""
}
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion scree)" = "$version" ] || fail "pkg-config gives another version"
eval "flags=($(pkg-config --cflags --libs scree))"
try "pkg-config, shared" cc -std=c17 -Wall -Wextra -Werror -pedantic "$here/external.c" "${flags[@]}" -lm -o shared &&
  ran "the program linked through pkg-config" ./shared
eval "flags=($(pkg-config --cflags scree))"
try "the static library" cc -std=c17 "$here/external.c" "${flags[@]}" "$libdir/libscree.a" -lm -o static &&
  ran "the program linked statically" ./static
# the program of the manual's first steps, and what it is said to print
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/hello.md" >hello.c
awk '/^```c$/ { seen = 1 } /^```$/ && seen { if (++fence == 3) exit; next } fence == 2' "$source/docs/hello.md" >hello.txt
eval "flags=($(pkg-config --cflags --libs scree))"
try "the manual's program" cc -std=c17 -Wall -Wextra -Werror hello.c "${flags[@]}" -lm -o hello &&
  expected=$(cat hello.txt) ran "the manual's program" ./hello
for example in "$source"/examples/*.c; do
  try "$(basename "$example")" cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" "${flags[@]}" -lm -o example &&
    try "the program of $(basename "$example")" env LD_LIBRARY_PATH="$libdir" ./example
done
if command -v c++ >/dev/null; then
  eval "flags=($(pkg-config --cflags --libs scree))"
  for standard in c++11 c++20; do
    try "$standard" c++ -x c++ -std=$standard -Wall -Wextra -Werror -pedantic "$here/external.c" "${flags[@]}" -o plusplus &&
      ran "the $standard program" ./plusplus
  done
fi
for header in "$prefix"/include/scree/*.h; do # each stands alone
  printf '#include <scree/%s>\nint main(void) { return 0; }\n' "$(basename "$header")" >alone.c
  try "$(basename "$header") alone" cc -std=c17 -Wall -Wextra -Werror -pedantic -I"$prefix/include" -c alone.c -o alone.o
done

try "find_package" cmake -S "$here" -B cmake -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$prefix" &&
  try "the build with find_package" cmake --build cmake &&
  for library in scree shared static; do ran "the program linked with scree::$library" cmake/external_$library; done

# ---- what people read
if [ -f "$build/docs/man/scree.1" ]; then
  for verb in "" $("$prefix/bin/scree" __complete "" | cut -f1); do
    page="$man/scree${verb:+-$verb}.1"
    [ -f "$page" ] || { fail "no man page $(basename "$page")"; continue; }
    if command -v man >/dev/null && command -v groff >/dev/null; then
      warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >"$work/page")
      [ -z "$warnings" ] || fail "man -l $(basename "$page"): $warnings"
      grep -q EXAMPLES "$work/page" || fail "$(basename "$page") shows no examples"
    fi
  done
fi
[ ! -f "$build/docs/html/index.html" ] || [ -f "$prefix/share/doc/scree/html/index.html" ] || fail "the manual is missing"
"$here/check_completion.sh" "$prefix/bin/scree" "$source/completion" || failed=1
cmp -s "$source/completion/scree.bash" "$prefix/share/bash-completion/completions/scree" || fail "bash completion differs"

# ---- DESTDIR
try "DESTDIR" env DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/scree
[ -x "$work/stage/opt/scree/bin/scree" ] || fail "DESTDIR is not honoured"
[ ! -e /opt/scree/bin/scree ] || fail "DESTDIR leaked into /opt/scree"

[ $failed -eq 0 ] && echo "installed, moved, linked by pkg-config, CMake and C++, completed and read: all well"
exit $failed
