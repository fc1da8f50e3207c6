#!/bin/sh
# Rows of every table, one line each. Usage: row-counts.sh DATABASE
set -eu
psql -X -A -t -v ON_ERROR_STOP=1 --no-password -d "$1" -c "
  select format('select %L || '' '' || count(*) from %I.%I', schemaname || '.' || tablename, schemaname, tablename)
  from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1" |
  while read -r query; do psql -X -A -t -v ON_ERROR_STOP=1 --no-password -d "$1" -c "$query"; done
