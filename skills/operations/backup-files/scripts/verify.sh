#!/bin/sh
# Unpacks an archive of backup.sh into a temporary folder and compares all checksums. Usage: verify.sh FILE.tar.gz
set -eu
[ $# -eq 1 ] || { echo "usage: verify.sh FILE.tar.gz" >&2; exit 2; }
[ -f "$1" ] || { echo "no such file: $1" >&2; exit 2; }
sum=$(command -v sha256sum || echo "shasum -a 256")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if ! gzip -t "$1" 2>/dev/null || ! gzip -dc "$1" | tar -xf - -C "$work" 2>/dev/null; then echo "the archive is damaged: $1"; exit 1; fi
cd "$work"
[ -f .backup-sums ] || { echo "it has no list of checksums: not made by backup.sh"; exit 1; }
failed=$($sum -c .backup-sums 2>/dev/null | grep -v ': OK$' || true)
[ -z "$failed" ] || { printf '%s\n' "$failed"; echo "the archive is damaged"; exit 1; }
echo "restore verified: $(wc -l <.backup-sums | tr -d ' ') files, $(du -sk . | cut -f1) KB"
