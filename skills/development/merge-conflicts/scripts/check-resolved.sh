#!/bin/sh
# Fails while a file is in conflict or a conflict marker is left in a changed file.
set -eu
cd "$(git rev-parse --show-toplevel)"
left=$(git diff --name-only --diff-filter=U)
[ -z "$left" ] || { echo "not resolved (git add them when they are):"; printf '%s\n' "$left" | sed 's/^/  /'; }
names=$(mktemp)
trap 'rm -f "$names"' EXIT
{ git diff --name-only HEAD; git ls-files --others --exclude-standard; } | sort -u >"$names"
marked=$(while IFS= read -r file; do
  [ -f "$file" ] || continue
  # All three marks, each at the beginning of a line: a heading of equal signs alone is none.
  if grep -q '^<<<<<<< ' "$file" || grep -q '^>>>>>>> ' "$file"; then grep -nE '^(<<<<<<<|>>>>>>>) ' "$file" | sed "s|^|  $file:|"; fi
done <"$names")
[ -z "$marked" ] || { echo "markers left:"; printf '%s\n' "$marked"; }
[ -z "$left$marked" ] || exit 1
echo "resolved: no file in conflict, no marker in $(wc -l <"$names" | tr -d ' ') changed files"
