#!/bin/sh
# mark.sh FILE: called by a deck between two windows; adds the nanoseconds that the program which called it has spent on a
# processor so far. Shells in between are passed over.
pid=$PPID
while [ "$(cat /proc/$pid/comm)" = sh ]; do pid=$(cut -d ' ' -f 4 /proc/$pid/stat); done
cut -d ' ' -f 1 /proc/$pid/schedstat >>"$1"
