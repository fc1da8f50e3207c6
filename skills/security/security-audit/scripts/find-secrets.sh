#!/bin/sh
# Possible secrets in a git repository, values masked. Usage: find-secrets.sh [COMMITS of history, 500]
set -eu
cd "$(git rev-parse --show-toplevel)"
depth=${1:-500}
pattern='AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,}|xox[abprs]-[A-Za-z0-9-]{10,}|sk_live_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{32,}|AIza[0-9A-Za-z_-]{35}|glpat-[A-Za-z0-9_-]{20}|npm_[A-Za-z0-9]{36}|-----BEGIN [A-Z ]*PRIVATE KEY|[a-z]+://[^/ :@]+:[^/ :@]{6,}@'
words='(password|passwd|secret|api_?key|access_?token|auth_?token|client_?secret)["'"'"']? *[:=] *["'"'"'][^"'"'"' ]{8,}["'"'"']'
mask() { sed -E "s/([A-Za-z0-9+\/=_-]{4})[A-Za-z0-9+\/=_-]{8,}/\1********/g" | cut -c1-180; }

echo "== working tree"
found=$(git grep -nIE -e "$pattern" -- . ':!*lock*' ':!*.min.js' | mask || true)
echo "${found:-no known keys}"
git grep -niIE -e "$words" -- . ':!*lock*' ':!*test*' ':!*.md' | grep -viE 'example|placeholder|changeme|your[_-]|xxxx|<[a-z]|\$\{|process\.env|os\.environ' | mask | head -40 || true

echo "== files that should not be in git"
git ls-files | grep -E '(^|/)(\.env(\.[a-z]+)?|id_(rsa|ed25519|ecdsa)|.*\.(pem|key|p12|pfx|jks|keystore)|credentials(\.json)?|\.netrc|\.pgpass|.*\.sqlite3?|.*\.dump|.*\.sql\.gz)$' | grep -vE '\.(example|sample|template)$' || echo "none by name"

echo "== history, last $depth commits (also what was removed since)"
found=$(git log -p --all --no-color -n "$depth" --format='commit %h %as %an' -- . ':!*lock*' ':!*.min.js' |
  awk '/^commit / { at = $0 } /^\+\+\+ / { file = substr($0, 7) } /^\+/ && !/^\+\+\+ / { print at ": " file ": " substr($0, 2) }' |
  grep -E -e "$pattern" | mask | sort -u | head -40 || true)
echo "${found:-no known keys}"
