#!/bin/sh
# Runs each line of a list and keeps the command, its output and its exit code. Usage: run-cases.sh CASES FOLDER
set -eu
cases=$1
folder=$2
mkdir -p "$folder"
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
number=0
while IFS= read -r line <&3 || [ -n "$line" ]; do
  case $line in "" | "#"*) continue ;; esac
  number=$((number + 1))
  file=$folder/$(printf '%04d' "$number")
  code=0
  printf '$ %s\n' "$line" >"$file"
  sh -c "$line" >>"$file" 2>"$errors" </dev/null || code=$?
  { [ ! -s "$errors" ] || { echo "-- standard error"; cat "$errors"; }; echo "-- exit code $code"; } >>"$file"
done 3<"$cases"
[ "$number" -gt 0 ] || { echo "$cases has no command" >&2; exit 2; }
