#!/bin/sh
# Runs a command several times and prints min, median and max. Usage: time-it.sh TIMES COMMAND…
set -eu
[ $# -ge 2 ] || { echo "usage: time-it.sh TIMES COMMAND..." >&2; exit 2; }
times=$1; shift
now() { n=$(date +%s%N); case $n in *N) echo "$(date +%s)000000000" ;; *) echo "$n" ;; esac; }
"$@" >/dev/null 2>&1 || { echo "the command fails: $*" >&2; exit 1; }
run=0
while [ "$run" -lt "$times" ]; do
  run=$((run + 1))
  start=$(now)
  "$@" >/dev/null 2>&1
  echo $((($(now) - start) / 1000))
done | sort -n | awk '{ all[NR] = $1 / 1000 } END {
  middle = NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2
  printf "runs %d   min %.1f ms   median %.1f ms   max %.1f ms\n", NR, all[1], middle, all[NR] }'
