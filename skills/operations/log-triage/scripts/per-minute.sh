#!/bin/sh
# Hits for each minute, as bars. Usage: per-minute.sh PATTERN [FILE…]
set -eu
[ $# -ge 1 ] || { echo "usage: per-minute.sh PATTERN [FILE...]" >&2; exit 2; }
pattern=$1; shift
cat -- "$@" | grep -E "$pattern" | awk '
  match($0, /[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]/) { hits[substr($0, RSTART, RLENGTH)]++; next }
  match($0, /[A-Z][a-z][a-z] [ 0-9][0-9] [0-9][0-9]:[0-9][0-9]/) { hits[substr($0, RSTART, RLENGTH)]++; next }
  { hits["(no time)"]++ }
  END { for (minute in hits) print minute "\t" hits[minute] }' | sort | awk -F '\t' '
  { at[NR] = $1; count[NR] = $2; if ($2 > most) most = $2 }
  END { for (i = 1; i <= NR; i++) { bar = ""; for (j = 0; j < count[i] * 50 / most; j++) bar = bar "#"; printf "%-17s %6d %s\n", at[i], count[i], bar } }'
