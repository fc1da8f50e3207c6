#!/bin/sh
# Tries a migration on a copy of a SQLite database. Usage: try-migration.sh DATABASE UP.sql [DOWN.sql]
set -eu
[ $# -ge 2 ] || { echo "usage: try-migration.sh DATABASE UP.sql [DOWN.sql]" >&2; exit 2; }
for file in "$@"; do [ -f "$file" ] || { echo "no such file: $file" >&2; exit 2; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/copy.db
# A consistent copy, also while others write.
sqlite3 -readonly "$1" ".backup '$copy'"
failed=0

facts() { # NAME: schema, rows and a digest of each table
  sqlite3 "$copy" "select type, name, sql from sqlite_master where name not like 'sqlite_%' order by type, name" >"$work/$1.schema"
  : >"$work/$1.rows"
  sqlite3 "$copy" "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name" | while IFS= read -r table; do
    quoted=$(printf '%s' "$table" | sed 's/"/""/g')
    printf '%s %s\n' "$table" "$(sqlite3 "$copy" "select count(*) from \"$quoted\"")" >>"$work/$1.rows"
  done
  sqlite3 "$copy" .dump | grep '^INSERT' | sort >"$work/$1.data" || true
}

run() { # FILE: in one transaction, stops at the first error
  # A migration that brings its own transaction keeps it.
  if grep -qiE '^[[:blank:]]*(BEGIN|COMMIT)\b' "$1"; then sqlite3 -bail "$copy" <"$1"
  else { echo "BEGIN;"; cat "$1"; echo; echo "COMMIT;"; } | sqlite3 -bail "$copy"; fi
}

check() {
  integrity=$(sqlite3 "$copy" "pragma integrity_check")
  keys=$(sqlite3 "$copy" "pragma foreign_key_check" | wc -l | tr -d ' ')
  echo "integrity: $integrity, broken foreign keys: $keys"
  [ "$integrity" = ok ] && [ "$keys" -eq 0 ] || failed=1
}

facts before
echo "== up: $2"
if ! run "$2"; then echo "the migration failed; nothing was changed"; exit 1; fi
facts after
diff -u "$work/before.schema" "$work/after.schema" | sed 1,2d || true
echo "== rows"
diff "$work/before.rows" "$work/after.rows" | sed -n 's/^</before/p; s/^>/after /p' || true
check
if [ $# -ge 3 ]; then
  echo "== down: $3"
  if ! run "$3"; then echo "the way back failed"; exit 1; fi
  facts back
  check
  if ! cmp -s "$work/before.schema" "$work/back.schema"; then echo "the schema is not as before:"; diff -u "$work/before.schema" "$work/back.schema" | sed 1,2d || true; failed=1; fi
  if ! cmp -s "$work/before.data" "$work/back.data"; then
    echo "the data is not as before: $(diff "$work/before.data" "$work/back.data" | grep -c '^<' || true) rows were lost or changed"; failed=1
  fi
fi
[ "$failed" -eq 0 ] || { echo "a check failed"; exit 1; }
echo "all checks passed; $1 was only read"
