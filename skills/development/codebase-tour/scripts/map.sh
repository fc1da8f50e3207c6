#!/bin/sh
# A first map of a git repository.
set -eu
cd "$(git rev-parse --show-toplevel)"
skip=':!*lock*' ; min=':!*.min.*'
echo "== $(basename "$PWD"): $(git ls-files | wc -l | tr -d ' ') files, $(git rev-list --count HEAD 2>/dev/null || echo 0) commits, last $(git log -1 --format=%as 2>/dev/null || echo never)"

echo "== lines by kind of file"
git ls-files -z -- . "$skip" "$min" ':!vendor' ':!third_party' | xargs -0 wc -l 2>/dev/null | awk '
  $2 == "total" { next }
  { n = split($2, part, "/"); name = part[n]; kind = (match(name, /\.[A-Za-z0-9]+$/) && RSTART > 1) ? substr(name, RSTART + 1) : "(none)"; lines[kind] += $1; files[kind]++ }
  END { for (kind in lines) printf "%8d  %5d  %s\n", lines[kind], files[kind], kind }' | sort -nr | head -12

echo "== folders by files"
git ls-files | awk -F/ 'NF > 1 { print (NF > 2 ? $1 "/" $2 : $1) }' | sort | uniq -c | sort -nr | head -15

echo "== says what it is"
git ls-files | grep -iE '^(readme|contributing|agents|claude|architecture|changelog|makefile|justfile|dockerfile|docker-compose|compose)[^/]*$|^docs/[^/]*\.md$' | head -20 || true

echo "== built and tested with"
for file in package.json pyproject.toml Cargo.toml go.mod Makefile pom.xml build.gradle Gemfile composer.json CMakeLists.txt; do
  [ ! -f "$file" ] || echo "$file"
done
[ ! -f package.json ] || awk '/"scripts"/ { on = 1; next } on && /}/ { exit } on' package.json
[ ! -f Makefile ] || grep -oE '^[a-zA-Z][a-zA-Z0-9_-]*:' Makefile | sort -u | tr '\n' ' '
git ls-files | grep -E '^(\.github/workflows|\.gitlab-ci|\.circleci|Jenkinsfile|\.ci)' | head -5 || true

echo "== entry points, by name"
git ls-files | grep -E '(^|/)(main|index|app|server|cli|__main__|manage)\.[a-z]+$|^bin/|^cmd/[^/]+/main\.go$' | head -15 || true

echo "== changed most, last 500 commits"
git log -500 --format= --name-only | grep -v '^$' | grep -vE 'lock|CHANGELOG' | sort | uniq -c | sort -nr | head -12
