#!/bin/sh
# Loads CSV and TSV files into a SQLite database, one table each. Usage: load-csv.sh DATABASE FILE…
set -eu
[ $# -ge 2 ] || { echo "usage: load-csv.sh DATABASE FILE..." >&2; exit 2; }
database=$1; shift
for file in "$@"; do
  [ -f "$file" ] || { echo "no such file: $file" >&2; exit 1; }
  table=$(basename "$file" | sed 's/\.[^.]*$//; s/[^A-Za-z0-9_]/_/g; s/^\([0-9]\)/_\1/')
  case $file in *.tsv | *.tab) mode=tabs ;; *) mode=csv ;; esac
  raw="raw_$table"
  quoted=$(printf '%s' "$file" | sed "s/'/''/g")
  sqlite3 "$database" "drop table if exists \"$raw\"" "drop table if exists \"$table\"" ".mode $mode" ".import '$quoted' \"$raw\""
  columns=$(sqlite3 "$database" "select group_concat(
      'case when trim(\"' || replace(name, '\"', '\"\"') || '\") = '''' then null'
      || ' when cast(cast(\"' || replace(name, '\"', '\"\"') || '\" as integer) as text) = trim(\"' || replace(name, '\"', '\"\"') || '\") then cast(\"' || replace(name, '\"', '\"\"') || '\" as integer)'
      || ' when \"' || replace(name, '\"', '\"\"') || '\" glob ''*[0-9].[0-9]*'' and \"' || replace(name, '\"', '\"\"') || '\" not glob ''*[^0-9.+-]*'' then cast(\"' || replace(name, '\"', '\"\"') || '\" as real)'
      || ' else \"' || replace(name, '\"', '\"\"') || '\" end as \"' || replace(name, '\"', '\"\"') || '\"', ', ')
    from pragma_table_info('$raw')")
  sqlite3 "$database" "create table \"$table\" as select $columns from \"$raw\"" "drop table \"$raw\""
  echo "== $table: $(sqlite3 "$database" "select count(*) from \"$table\"") rows"
  sqlite3 "$database" "select name from pragma_table_info('$table')" | while read -r column; do
    name=$(printf '%s' "$column" | sed 's/"/""/g')
    sqlite3 "$database" "select '  ' || substr('$(printf '%s' "$column" | sed "s/'/''/g")                              ', 1, 24)
      || ' ' || coalesce((select group_concat(distinct typeof(\"$name\")) from \"$table\"), '-')
      || ', empty ' || sum(\"$name\" is null) || ', distinct ' || count(distinct \"$name\")
      || ', ' || coalesce(min(\"$name\"), '') || ' .. ' || coalesce(max(\"$name\"), '') from \"$table\""
  done
done
