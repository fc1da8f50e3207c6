#!/bin/sh
# Changes a file in small ways and lists the changes that the tests do not notice. Usage: mutate.sh FILE MAX COMMAND…
set -eu
[ $# -ge 3 ] || { echo "usage: mutate.sh FILE MAX COMMAND..." >&2; exit 2; }
file=$1; max=$2; shift 2
[ -f "$file" ] || { echo "no such file: $file" >&2; exit 2; }
# A change can make a loop endless.
limit=""
! command -v timeout >/dev/null || limit="timeout ${MUTATE_SECONDS:-120}"
$limit "$@" >/dev/null 2>&1 </dev/null || { echo "the tests fail before any change: make them green first" >&2; exit 2; }
kept=$(mktemp)
list=$(mktemp)
cp "$file" "$kept"
trap 'cat "$kept" >"$file"; rm -f "$kept" "$list"' EXIT
trap 'exit 130' INT TERM
# One change on each line: line number, tab, old text, tab, new text. Comments and imports are left alone.
awk '
  function swap(a, b) { try(a, b); try(b, a) }
  function try(from, to) { if (index($0, from)) printf "%d\t%s\t%s\n", NR, from, to }
  /^[ \t]*(\/\/|#|\*|\/\*|import |from |$)/ { next }
  {
    swap("===", "!=="); swap(" == ", " != "); swap(" < ", " >= "); swap(" > ", " <= ")
    swap(" < ", " <= "); swap(" > ", " >= ")
    swap(" && ", " || "); swap(" and ", " or "); swap(" + ", " - "); try(" * ", " / ")
    swap(" -eq ", " -ne "); swap(" -lt ", " -ge "); swap(" -gt ", " -le ")
    swap("true", "false"); swap("True", "False")
  }' "$file" >"$list"
total=$(wc -l <"$list" | tr -d ' ')
[ "$total" -gt 0 ] || { echo "nothing in $file can be changed this way"; exit 0; }
# Spread over the file when there are more than MAX.
step=$(((total + max - 1) / max))
tab=$(printf '\t')
tried=0; survivors=0; number=0
while IFS="$tab" read -r line from to <&3; do
  number=$((number + 1))
  [ $((number % step)) -eq 0 ] || continue
  LINE=$line FROM=$from TO=$to awk '
    NR == ENVIRON["LINE"] {
      from = ENVIRON["FROM"]; start = index($0, from)
      $0 = substr($0, 1, start - 1) ENVIRON["TO"] substr($0, start + length(from))
    }
    { print }' "$kept" >"$file"
  tried=$((tried + 1))
  if $limit "$@" >/dev/null 2>&1 </dev/null; then
    survivors=$((survivors + 1))
    echo "survivor: $file:$line:$from->$to"
    sed -n "${line}p" "$kept"
  fi
done 3<"$list"
echo "$tried changes, $survivors survivors"
[ "$survivors" -eq 0 ]
