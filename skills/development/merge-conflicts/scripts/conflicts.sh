#!/bin/sh
# Lists the files in conflict, with kind, places and the commits of both sides. Changes nothing.
set -eu
cd "$(git rev-parse --show-toplevel)"
dir=$(git rev-parse --git-dir)
if [ -d "$dir/rebase-merge" ] || [ -d "$dir/rebase-apply" ]; then
  operation="rebase (ours: the branch below; theirs: your commit)"; other=REBASE_HEAD
elif [ -f "$dir/MERGE_HEAD" ]; then operation="merge (ours: HEAD; theirs: the merged branch)"; other=MERGE_HEAD
elif [ -f "$dir/CHERRY_PICK_HEAD" ]; then operation="cherry-pick (ours: HEAD; theirs: the picked commit)"; other=CHERRY_PICK_HEAD
elif [ -f "$dir/REVERT_HEAD" ]; then operation="revert"; other=REVERT_HEAD
else operation="none"; other=""
fi
echo "operation: $operation"
count=$(git diff --name-only --diff-filter=U | wc -l | tr -d ' ')
echo "files in conflict: $count"
[ "$count" -gt 0 ] || exit 0
base=$([ -z "$other" ] || git merge-base HEAD "$other" 2>/dev/null || true)
git status --porcelain | while IFS= read -r line; do
  case $line in
    "UU "*) kind="both changed" ;;
    "AA "*) kind="added on both sides" ;;
    "DU "*) kind="deleted by ours, changed by theirs" ;;
    "UD "*) kind="changed by ours, deleted by theirs" ;;
    "AU "* | "UA "*) kind="added on one side, moved on the other" ;;
    "DD "*) kind="deleted on both sides" ;;
    *) continue ;;
  esac
  file=${line#???}
  case $file in \"*) file=$(printf '%b' "$(printf '%s' "$file" | sed 's/^"//; s/"$//')") ;; esac
  places=$([ -f "$file" ] && grep -c '^<<<<<<< ' "$file" || true)
  echo "== $file: $kind, places: ${places:-0}"
  [ -n "$base" ] || continue
  git log --format='   ours   %h %an: %s' -5 "$base..HEAD" -- "$file"
  git log --format='   theirs %h %an: %s' -5 "$base..$other" -- "$file"
done
