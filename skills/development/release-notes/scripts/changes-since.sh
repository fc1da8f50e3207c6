#!/bin/sh
# Changes between two points, grouped by kind. Usage: changes-since.sh [FROM [TO]]   FROM: the last tag when left out
set -eu
to=${2:-HEAD}
from=${1:-$(git describe --tags --abbrev=0 "$to" 2>/dev/null || true)}
if [ -n "$from" ]; then range="$from..$to"; else range=$to; fi
echo "range: $range ($(git rev-list --count --no-merges "$range") commits, $(git log --no-merges --format=%an "$range" | sort -u | wc -l | tr -d ' ') authors)"

# One line for each commit: kind, subject, hash. Fields and records end with characters that no text has.
lines=$(git log --no-merges --reverse --format='%h%x1f%s%x1f%b%x1e' "$range" | awk 'BEGIN { RS = "\036"; FS = "\037" } {
    sub(/^\n/, "", $1)
    if ($1 == "") next
    kind = "others"
    if ($2 ~ /^[a-z]+(\([^)]*\))?!:/ || $3 ~ /BREAKING[ -]CHANGE/) kind = "breaking"
    else if ($2 ~ /^feat(\(|:)|^[Aa]dd(s|ed)? /) kind = "features"
    else if ($2 ~ /^(fix|bugfix|hotfix)(\(|:)|^[Ff]ix(es|ed)? /) kind = "fixes"
    else if ($2 ~ /^perf(\(|:)/) kind = "faster"
    else if ($2 ~ /^docs(\(|:)/) kind = "documentation"
    else if ($2 ~ /^(chore|ci|tests?|style|build|refactor)(\(|:)/) kind = "inside"
    print kind "\t- " $2 " [" $1 "]"
  }')

for kind in breaking features fixes faster documentation others inside; do
  found=$(printf '%s\n' "$lines" | awk -F '\t' -v kind="$kind" '$1 == kind { print $2 }')
  [ -z "$found" ] || printf '\n== %s%s\n%s\n' "$kind" "$([ "$kind" = inside ] && echo ' (users do not notice)' || true)" "$found"
done
