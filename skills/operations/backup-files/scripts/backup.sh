#!/bin/sh
# Archives a folder with checksums and keeps the newest archives. Usage: backup.sh SOURCE TARGET [KEEP]
set -eu
[ $# -ge 2 ] || { echo "usage: backup.sh SOURCE TARGET [KEEP]" >&2; exit 2; }
keep=${3:-7}
case $keep in "" | *[!0-9]* | 0) echo "KEEP must be a number above 0" >&2; exit 2 ;; esac
[ -d "$1" ] || { echo "no such folder: $1" >&2; exit 1; }
[ -n "$(ls -A "$1")" ] || { echo "$1 is empty: is a disk missing?" >&2; exit 1; }
umask 077
mkdir -p "$2"
source=$(cd "$1" && pwd)
target=$(cd "$2" && pwd)
case $target/ in "$source"/*) echo "the target is inside the source" >&2; exit 2 ;; esac
name=$(basename "$source")
sum=$(command -v sha256sum || echo "shasum -a 256")
work=$(mktemp -d)
trap 'rm -rf "$work"; rm -f "$target/.$name.partial"' EXIT
trap 'exit 130' INT TERM
cd "$source"
# Paths in .backupignore, one on each line, are left out with everything below them.
if [ -f .backupignore ]; then sed 's|/$||; s|^\./||; /^#/d; /^$/d' .backupignore; fi >"$work/ignored"
wanted() {
  find . "$@" ! -name .backupignore | awk -v list="$work/ignored" '
    BEGIN { while ((getline line <list) > 0) skip[++n] = "./" line }
    { for (i = 1; i <= n; i++) if ($0 == skip[i] || index($0, skip[i] "/") == 1) next; print }'
}
wanted -type f >"$work/files"
wanted -type l >"$work/links"
tr '\n' '\0' <"$work/files" | xargs -0 $sum >"$work/.backup-sums"
cat "$work/files" "$work/links" | tar -cf "$work/a.tar" -T -
tar -rf "$work/a.tar" -C "$work" .backup-sums
gzip -c "$work/a.tar" >"$target/.$name.partial"
file=$name-$(date +%Y%m%d-%H%M%S).tar.gz
[ ! -e "$target/$file" ] || { echo "$file exists already" >&2; exit 1; }
mv "$target/.$name.partial" "$target/$file"
echo "backed up $(wc -l <"$work/files" | tr -d ' ') files to $target/$file ($(wc -c <"$target/$file" | tr -d ' ') bytes)"
ls "$target" | grep -E "^$(printf '%s' "$name" | sed 's/[][\.*^$()+?{|]/\\&/g')-[0-9]{8}-[0-9]{6}\.tar\.gz$" | sort -r | sed "1,${keep}d" | while IFS= read -r old; do
  rm -f -- "$target/$old"
  echo "deleted $old"
done
