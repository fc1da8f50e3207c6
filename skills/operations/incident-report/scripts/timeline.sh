#!/bin/sh
# One table of the dated lines of several files. Usage: [FROM=…] [TO=…] [MATCH=…] timeline.sh FILE…
set -eu
[ $# -ge 1 ] || { echo "usage: timeline.sh FILE..." >&2; exit 2; }
echo "| time | what | source |"
echo "|---|---|---|"
for file in "$@"; do
  grep -E "${MATCH:-.}" -- "$file" | awk -v source="$(basename "$file")" -v from="${FROM:-}" -v to="${TO:-}" '
    match($0, /[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9](:[0-9][0-9])?/) {
      at = substr($0, RSTART, RLENGTH); sub(/ /, "T", at)
      what = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
      sub(/^[][ .,0-9Z+:-]*/, "", what); gsub(/\|/, "\\|", what); gsub(/[ \t]+/, " ", what)
      if ((from == "" || at >= from) && (to == "" || at <= to)) printf "| %s | %s | %s |\n", at, substr(what, 1, 200), source
    }' || true
done | sort -s -k2,2
