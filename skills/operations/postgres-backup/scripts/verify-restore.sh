#!/bin/sh
# Restores a backup into a database of its own, compares, and drops it. Usage: verify-restore.sh FILE.dump
set -eu
[ $# -eq 1 ] || { echo "usage: verify-restore.sh FILE.dump" >&2; exit 2; }
file=$1
[ -f "$file.sha256" ] && (cd "$(dirname "$file")" && sha256sum --quiet -c "$(basename "$file").sha256")
scratch="verify_restore_$$"
createdb --no-password "$scratch"
counts=$(mktemp)
trap 'rm -f "$counts"; dropdb --no-password --if-exists "$scratch"' EXIT
pg_restore --exit-on-error --no-owner --no-privileges --no-password -d "$scratch" "$file"
"$(dirname "$0")/row-counts.sh" "$scratch" >"$counts"
if diff "$file.counts" "$counts"; then
  echo "restore verified: $(wc -l <"$counts" | tr -d ' ') tables, $(awk '{ sum += $NF } END { print sum + 0 }' "$counts") rows"
else
  echo "the restored database differs (< backup, > restored); rows that were written during the backup are no fault" >&2
  exit 1
fi
