#!/bin/sh
# Lists functions and classes that no test names. Usage: untested.sh SOURCES TESTS
set -eu
[ $# -eq 2 ] || { echo "usage: untested.sh SOURCES TESTS" >&2; exit 2; }
for folder in "$1" "$2"; do [ -d "$folder" ] || { echo "no such folder: $folder" >&2; exit 2; }; done
words=$(mktemp)
trap 'rm -f "$words"' EXIT
find "$2" -type f -size -1000k -exec cat {} + | tr -cs 'A-Za-z0-9_' '\n' | sort -u >"$words"
find "$1" -type f \( -name '*.ts' -o -name '*.tsx' -o -name '*.js' -o -name '*.mjs' -o -name '*.py' -o -name '*.go' -o -name '*.rs' -o -name '*.rb' -o -name '*.sh' \) \
  ! -name '*.test.*' ! -name '*.spec.*' ! -name '*_test.*' ! -name 'test_*' ! -path '*/node_modules/*' | sort | while IFS= read -r file; do
  sed -nE \
    -e 's/^export (default )?(async )?(function\*?|class|const|let) +([A-Za-z_][A-Za-z0-9_]*).*/\4/p' \
    -e 's/^(async )?(def|class) +([A-Za-z][A-Za-z0-9_]*).*/\3/p' \
    -e 's/^func +(\([^)]*\) *)?([A-Z][A-Za-z0-9_]*).*/\2/p' \
    -e 's/^ *pub (async )?fn +([a-z_][a-z0-9_]*).*/\2/p' \
    -e 's/^([a-z_][a-z0-9_]*) *\(\) *\{.*/\1/p' "$file" | while IFS= read -r name; do
    grep -qx -- "$name" "$words" || echo "$name  $file ($(wc -l <"$file" | tr -d ' ') lines)"
  done
done
