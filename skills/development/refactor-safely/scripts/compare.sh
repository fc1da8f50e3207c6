#!/bin/sh
# Runs the commands of a list again and shows what differs from the record. Usage: compare.sh CASES FOLDER
set -eu
[ $# -eq 2 ] || { echo "usage: compare.sh CASES FOLDER" >&2; exit 2; }
[ -d "$2" ] || { echo "no such record: $2 (make it with record.sh)" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
now=$(mktemp -d)
trap 'rm -rf "$now"' EXIT
sh "$here/run-cases.sh" "$1" "$now"
diff -ru "$2" "$now" | sed "s|$now|now|" || true
changed=0
for file in "$2"/* "$now"/*; do
  cmp -s "$2/${file##*/}" "$now/${file##*/}" || changed=$((changed + 1))
done
if [ "$changed" -gt 0 ]; then echo "the behaviour changed"; exit 1; fi
echo "no difference in $(ls "$now" | wc -l | tr -d ' ') cases"
