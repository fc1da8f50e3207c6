#!/bin/sh
# What it does, in one sentence. Usage: NAME.sh [-n] SOURCE TARGET
set -eu

usage() {
  echo "usage: ${0##*/} [-n] SOURCE TARGET" >&2
  echo "  -n  only say what would be done" >&2
  exit 2
}
fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

dry=""
while getopts n option; do
  case $option in
    n) dry=yes ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 2 ] || usage
source=$1
target=$2
[ -e "$source" ] || fail "no such file: $source"
command -v cp >/dev/null || fail "cp is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [ -n "$dry" ]; then
  echo "would copy $source to $target"
  exit 0
fi
# Written beside the target and renamed: an abort leaves no half file.
cp -- "$source" "$work/new"
mv -- "$work/new" "$target"
echo "wrote $target"
