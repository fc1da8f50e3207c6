#!/bin/sh
# Runs a command many times and tells how often it failed. Usage: repeat.sh TIMES COMMAND…
set -eu
[ $# -ge 2 ] || { echo "usage: repeat.sh TIMES COMMAND..." >&2; exit 2; }
times=$1; shift
kept=$(mktemp "${TMPDIR:-/tmp}/first-failure.XXXXXX")
now=$(mktemp "${TMPDIR:-/tmp}/run.XXXXXX")
trap 'rm -f "$now"' EXIT
failed=0
run=0
while [ "$run" -lt "$times" ]; do
  run=$((run + 1))
  if ! "$@" >"$now" 2>&1; then
    failed=$((failed + 1))
    [ "$failed" -gt 1 ] || { cp "$now" "$kept"; first=$run; }
  fi
done
echo "$failed/$times failed"
if [ "$failed" -gt 0 ]; then
  echo "first failure: run $first, its output: $kept"
  tail -n 30 "$kept"
else
  rm -f "$kept"
fi
[ "$failed" -eq 0 ]
