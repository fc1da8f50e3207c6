import { quoteForShell } from "../../base/text/shell-quote.ts";
import { alwaysSkipped } from "../skipped-folders.ts";

/**
 * Programs for a POSIX shell with find, xargs, stat, sha256sum, tar and gzip, of GNU or busybox. `$1` divides parts of the
 * output, `$2` is the workspace, `$3` the folder where contents are kept.
 */

/** Lists missing programs; prints root, home and name of the machine. `$2`: the start folder of the session. */
export const openScript = `
next() { printf '\\n%s\\n' "$mark"; }
mark=$1
for p in find xargs stat sha256sum tar gzip cut sed du; do command -v "$p" >/dev/null 2>&1 || printf '%s ' "$p"; done
next
case $2 in "~") cd ;; *) cd -- "$2" || exit 9 ;; esac
here=$(pwd -P); root=$here; at=$here
while [ -n "$at" ]; do if [ -e "$at/.git" ]; then root=$at; break; fi; at=\${at%/*}; done
printf '%s' "$root"; next; (cd && pwd -P) | tr -d '\\n'; next; uname -n | tr -d '\\n'
`;

/** Parts: scope, names, facts, links (name and target), the project's .gitignore. Paths follow as arguments. */
export function scanScript(skipped: readonly string[]): string {
  const names = [...alwaysSkipped, ...skipped].map((name) => `-name ${quoteForShell(name)}`).join(" -o ");
  const rule = `-xdev -mindepth 0 \\( -type d \\( ${names} \\) -prune \\) -o`;
  return `
next() { printf '\\n%s\\n' "$mark"; }
mark=$1; root=$2; shift 3
cd -- "$root" || exit 9
n=$#
while [ "$n" -gt 0 ]; do
  q=$1; h=$1; shift; n=$((n-1))
  while [ ! -e "$q" ] && [ ! -L "$q" ]; do
    h=$q; up=\${q%/*}
    [ "$up" = "$q" ] && break; [ -z "$up" ] && break; [ "$up" = . ] && break
    q=$up
  done
  printf '%s\\0' "$h"
  { [ -e "$h" ] || [ -L "$h" ]; } && set -- "$@" "$h"
done
next
if [ $# -gt 0 ]; then
  list() { find "$@" ${rule} \\( -name '.hermes-*.tmp' -o -name .git \\) -o -print0 2>/dev/null | head -c 16000000; }
  list "$@"; next
  list "$@" | xargs -0 stat -c '%f %s %y %z %i' -- 2>/dev/null; next
  find "$@" ${rule} -type l -print0 2>/dev/null | xargs -0 -n 1 sh -c '[ $# -gt 0 ] || exit 0; t=$(readlink -n -- "$1"; printf x); printf "%s\\0%s\\0" "$1" "\${t%x}"' sh; next
else next; next; next; fi
head -c 200000 .gitignore 2>/dev/null
exit 0
`;
}

/** Makes everything in an unpacked pack readable, and removes everything except regular files. */
export const keepRegularFiles =
  "find . -type d -o -type f -perm -400 -o -type f -exec chmod u+r {} + -o -exec rm -f {} +";

/**
 * The maximum number of files to unpack again for hashing. More files are hashed in place, if none of them changed
 * between packing and hashing.
 */
const fewFiles = 100;

/**
 * Keeps files whose names come in, each with a NUL behind it and relative to \`$7\`, in packs whose names begin with \`$4\`.
 * Parts: bytes in use before, then for each pack its number and how many files it has, their hashes and their sizes, or
 * \`lost\` when it could not be written. Hashes and sizes are of what is in the pack, whatever happens to the files
 * meanwhile. \`$6\` is \`each\` for names with a line end in them, which not every sha256sum prints on one line.
 */
export const keepScript = `
next() { printf '\\n%s\\n' "$mark"; }
mark=$1; store=$3; pack=$4; most=$5; how=$6; base=$7
umask 077
mkdir -p -- "$store" || exit 9
cd -- "$base" || exit 9
used=$(du -sk -- "$store" | cut -f1); printf '%s' "$((used * 1024))"; next
if [ "$((used * 1024))" -gt "$most" ]; then echo full; exit 0; fi
list=$store/$pack.list; temp=$store/restore-$pack
cat > "$list" || exit 9
trap 'rm -rf -- "$list" "$temp"' EXIT
export how temp
xargs -0 sh -c '
sums() { if [ "$how" = each ]; then for f do sha256sum < "$f"; done; else sha256sum -- "$@"; fi 2>/dev/null | sed "s/^[^0-9a-f]//" | cut -c1-64; }
look() { stat -c "%i %s %z" -- "$@" 2>/dev/null; }
seen=$(look "$@")
if tar -czf "$0.$$.tmp" "$@" 2>/dev/null && [ $# -gt ${fewFiles} ] && said=$(sums "$@") && [ "$seen" = "$(look "$@")" ]; then
  mv -f -- "$0.$$.tmp" "$0.$$.tgz" || { echo lost; exit 0; }
  echo "$$ $#"; echo "$said"; echo "$seen" | cut -d" " -f2
else
  mkdir -p -- "$temp/$$" && tar -xzf "$0.$$.tmp" -C "$temp/$$" 2>/dev/null && mv -f -- "$0.$$.tmp" "$0.$$.tgz" && cd -- "$temp/$$" ||
    { rm -f -- "$0.$$.tmp"; echo lost; exit 0; }
  echo "$$ $#"
  ${keepRegularFiles}
  sums "$@"; look "$@" | cut -d" " -f2
  rm -rf -- "$temp/$$"
fi' "$store/$pack" < "$list"
exit 0
`;

/** Prints one content. \`$4\`: the pack, \`$5\`: its name in it. Unpacks everything, because some tar programs treat names as patterns. */
export const contentScript = `
temp=$3/restore-$4-$$
umask 077
mkdir -p -- "$temp" || exit 9
trap 'rm -rf -- "$temp"' EXIT
tar -xzf "$3/$4.tgz" -C "$temp" && cd -- "$temp" && ${keepRegularFiles} && cat -- "$5"
`;

/** Deletes packs that are not among the arguments, and leftovers of killed programs. */
export const cleanScript = `
store=$3; shift 3
cd -- "$store" 2>/dev/null || exit 0
keep=" $* "
for f in *.tgz *.tmp *.list; do
  [ -e "$f" ] || continue
  case $keep in *" \${f%.tgz} "*) ;; *) rm -f -- "$f" ;; esac
done
rm -rf -- restore-*
`;

/** Start of every restore script. \`undone N why\` reports a failed step. */
export const restoreHead = `
mark=$1; root=$2; store=$3; temp=$store/restore-$4
umask 077
cd -- "$root" || exit 9
mkdir -p -- "$temp" || exit 9
trap 'rm -rf -- "$temp"' EXIT
undone() { printf '%s %s\\n' "$1" "$2"; }
safe() {
  p=$1
  while :; do
    case $p in */*) p=\${p%/*} ;; *) return 0 ;; esac
    [ -n "$p" ] || return 0
    [ "$p" = . ] && return 0
    [ -L "$p" ] && return 1
    if [ -e "$p" ] && [ ! -d "$p" ]; then return 1; fi
  done
}
above() { case $1 in */*) mkdir -p -- "\${1%/*}" ;; esac; }
drop() {
  safe "$2" || { undone "$1" "a folder above it is a link or a file now"; return; }
  [ -e "$2" ] || [ -L "$2" ] || return
  if [ "$3" = folder ]; then rmdir -- "$2" 2>/dev/null || undone "$1" "it contains files that were not recorded"
  else rm -f -- "$2" || undone "$1" "it could not be removed"; fi
}
dir() {
  safe "$2" || { undone "$1" "a folder above it is a link or a file now"; return; }
  { mkdir -p -- "$2" && chmod "$3" -- "$2"; } 2>/dev/null || undone "$1" "the folder could not be made"
}
put() {
  safe "$2" || { undone "$1" "a folder above it is a link or a file now"; return; }
  if [ -d "$2" ] && [ ! -L "$2" ]; then rmdir -- "$2" 2>/dev/null || { undone "$1" "a folder with files is in its place"; return; }; fi
  above "$2"
  t=\${2%/*}; [ "$t" = "$2" ] && t=.
  t=$t/.hermes-$5.tmp
  { if [ "$3" = link ]; then ln -s -- "$4" "$t"; else cp -- "$temp/$4" "$t" && chmod "$3" -- "$t"; fi && mv -f -- "$t" "$2"; } 2>/dev/null ||
    { rm -f -- "$t"; undone "$1" "it could not be written"; }
}
`;
