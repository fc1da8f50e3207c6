#!/bin/sh
# Finds the first commit after GOOD that makes COMMAND fail. Usage: first-bad.sh GOOD COMMAND…
set -eu
[ $# -ge 2 ] || { echo "usage: first-bad.sh GOOD COMMAND..." >&2; exit 2; }
good=$1; shift
cd "$(git rev-parse --show-toplevel)"
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "the working tree has changes: commit or stash them first" >&2; exit 2; }
git rev-parse --verify --quiet "$good^{commit}" >/dev/null || { echo "no such commit: $good" >&2; exit 2; }
trap 'git bisect reset >/dev/null 2>&1 || true' EXIT
if "$@" >/dev/null 2>&1; then echo "the command passes here: nothing to search for" >&2; exit 2; fi
git bisect start HEAD "$good" >/dev/null
log=$(git bisect run "$@" 2>&1) || { printf '%s\n' "$log" | tail -20 >&2; exit 1; }
bad=$(git rev-parse refs/bisect/bad)
echo "first bad commit: $(git log -1 --format='%h %an %ad %s' --date=short "$bad")"
git show --stat --format= "$bad"
