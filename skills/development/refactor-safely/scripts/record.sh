#!/bin/sh
# Records what each command of a list does. Usage: record.sh CASES FOLDER
set -eu
[ $# -eq 2 ] || { echo "usage: record.sh CASES FOLDER" >&2; exit 2; }
[ -f "$1" ] || { echo "no such list: $1" >&2; exit 2; }
[ ! -e "$2" ] || { echo "$2 exists already: choose another name, or delete it" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/run-cases.sh" "$1" "$2"
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
sh "$here/run-cases.sh" "$1" "$again"
unstable=0
for file in "$2"/*; do
  cmp -s "$file" "$again/${file##*/}" || { unstable=$((unstable + 1)); echo "differs from run to run: $(head -n 1 "$file")"; }
done
echo "recorded $(ls "$2" | wc -l | tr -d ' ') cases in $2, unstable: $unstable"
[ "$unstable" -eq 0 ]
