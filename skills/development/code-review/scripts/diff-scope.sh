#!/bin/sh
# Size, files and lines worth a look of a change. Usage: diff-scope.sh [RANGE | --staged]
set -eu

git rev-parse --show-toplevel >/dev/null 2>&1 || { echo "not a git repository: $PWD" >&2; exit 2; }

echo "== size"
git diff --shortstat "$@"

echo "== files (added removed path)"
git diff --numstat "$@" | sort -k1,1nr | head -50

echo "== sensitive files"
git diff --name-only "$@" |
  grep -E '(^|/)(auth|login|payment|billing|crypto|secur|permission|migrat|Dockerfile|docker-compose|\.github/|\.gitlab-ci|terraform|\.env)' ||
  echo "none by name"

added() { git diff -U0 "$@" | awk '
  /^\+\+\+ / { file = substr($0, 7); next }
  /^@@/ { split($3, at, ","); line = substr(at[1], 2) + 0; next }
  /^\+/ { printf "%s:%d: %s\n", file, line, substr($0, 2); line++ }'; }

look() {
  title=$1; pattern=$2; shift 2
  found=$(added "$@" | grep -iE "^[^:]+:[0-9]+: .*($pattern)" | cut -c1-200 | head -20 || true)
  [ -z "$found" ] || printf '== %s\n%s\n' "$title" "$found"
}

look "debug output" 'console\.log\(|debugger|print\(.*debug|dbg!\(|var_dump|System\.out\.print' "$@"
look "left for later" 'TODO|FIXME|XXX|HACK' "$@"
look "possible secrets" '(api[_-]?key|secret|passw(or)?d|token)["'"'"' ]*[:=] *["'"'"'][^"'"'"']{8,}|BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}' "$@"
look "disabled tests" '\.(only|skip)\(|@(Disabled|Ignore|pytest\.mark\.skip)|xit\(|t\.Skip\(' "$@"
look "swallowed errors" 'catch *(\([^)]*\))? *\{ *\}|except[^:]*: *pass|catch *\(_' "$@"
look "disabled checks" 'eslint-disable|noqa|@ts-ignore|@ts-expect-error|nolint|verify *= *False|InsecureSkipVerify' "$@"

echo "== commits"
case "${1:-}" in
  *..*) git log --oneline --no-decorate "$(echo "$1" | sed 's/\.\.\./../')" | head -30 ;;
  *) echo "working tree" ;;
esac
