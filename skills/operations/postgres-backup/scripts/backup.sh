#!/bin/sh
# Backs up one database. Usage: backup.sh DATABASE FOLDER      KEEP: how many stay (14)
set -eu
[ $# -eq 2 ] || { echo "usage: backup.sh DATABASE FOLDER" >&2; exit 2; }
database=$1; folder=$2
mkdir -p "$folder"
chmod 700 "$folder"
name="$folder/$database-$(date +%Y%m%d-%H%M%S).dump"
part="$name.part"
trap 'rm -f "$part" "$part.counts"' EXIT

"$(dirname "$0")/row-counts.sh" "$database" >"$part.counts"
pg_dump --format=custom --no-password --file="$part" "$database"
pg_restore --list "$part" >/dev/null
chmod 600 "$part" "$part.counts"
mv "$part.counts" "$name.counts"
mv "$part" "$name"
(cd "$folder" && sha256sum "$(basename "$name")" >"$(basename "$name").sha256")

ls -1t "$folder/$database"-*.dump 2>/dev/null | tail -n "+$((${KEEP:-14} + 1))" | while read -r old; do
  rm -f "$old" "$old.counts" "$old.sha256"
  echo "removed $old"
done
echo "backed up $name ($(wc -c <"$name" | tr -d ' ') bytes, $(wc -l <"$name.counts" | tr -d ' ') tables)"
