#!/bin/sh
# Commits that nothing reaches any more, newest first.
set -eu
git rev-parse --git-dir >/dev/null
list=$(git fsck --no-reflogs --unreachable --no-progress 2>/dev/null | awk '$2 == "commit" { print $3 }')
[ -n "$list" ] || { echo "no lost commits: everything is reached by a branch, a tag or a stash"; exit 0; }
echo "$list" | xargs git log --no-walk=sorted --format='%h  %ad  %an  %s' --date=format:'%Y-%m-%d %H:%M' | head -40
echo
echo "get one back:   git branch found HASH        (a stash: git stash apply HASH)"
echo "look into one:  git show --stat HASH"
