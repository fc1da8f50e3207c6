import { quoteForShell } from "../../base/text/shell-quote.ts";

/** Exit codes of the scripts. */
export const fileCodes = {
  missing: 10,
  exists: 11,
  notAFile: 12,
  notAFolder: 13,
  notAllowed: 14,
  noSpace: 15,
  notEmpty: 16,
  loop: 17,
  tooLong: 18,
  failed: 19,
  linked: 20,
} as const;

/**
 * `enter FOLDER` makes an absolute folder without links the working folder, whatever its path resolves to later; with
 * `make` it creates missing folders. The built-in `pwd` may return a cached path, `env pwd` asks the system. `place
 * PATH` enters the folder of a path and leaves the name as `$P`. `try WORDS…` runs a program; when it fails, exits with
 * the code for its error text (always in English, LC_ALL=C).
 */
const common = `
export LC_ALL=C
is_here() { [ "$(env pwd -P && echo x)" = "$1
x" ]; }
enter() {
  d=$1; r=
  while ! cd -P "$d" 2>/dev/null; do
    [ -d "$d" ] && exit ${fileCodes.notAllowed}
    [ -L "$d" ] && exit ${fileCodes.linked}
    [ -e "$d" ] && exit ${fileCodes.notAFolder}
    r=\${d##*/}/$r; d=\${d%/*}; d=\${d:-/}
  done
  is_here "$d" || exit ${fileCodes.linked}
  [ -n "$r" ] && [ -z "$2" ] && exit ${fileCodes.missing}
  while [ -n "$r" ]; do
    n=\${r%%/*}; r=\${r#*/}; d=\${d%/}/$n
    e=$(mkdir "./$n" 2>&1) || [ -d "./$n" ] || fault "$e"
    cd -P "./$n" 2>/dev/null || exit ${fileCodes.notAllowed}
    is_here "$d" || exit ${fileCodes.linked}
  done
}
place() {
  P=\${1##*/}; D=\${1%/*}; D=\${D:-/}
  enter "$D" "$2"
  P=./\${P:-.}
}
regular() {
  [ -L "$P" ] && exit ${fileCodes.linked}
  [ -e "$P" ] || exit ${fileCodes.missing}
  [ -f "$P" ] || exit ${fileCodes.notAFile}
}
fault() {
  case $1 in
    *'No space left'*|*[Qq]'uota exceeded'*|*'File too large'*) exit ${fileCodes.noSpace};;
    *'ermission denied'*|*'not permitted'*|*'ead-only file system'*) exit ${fileCodes.notAllowed};;
    *'Not a directory'*) exit ${fileCodes.notAFolder};;
    *'not empty'*) exit ${fileCodes.notEmpty};;
    *'ile name too long'*|*'ilename too long'*) exit ${fileCodes.tooLong};;
    *'levels of symbolic links'*|*'ymbolic link loop'*) exit ${fileCodes.loop};;
    *'No such file'*) exit ${fileCodes.missing};;
  esac
  printf '%s\\n' "$1" >&2; exit ${fileCodes.failed}
}
try() { e=$("$@" 2>&1 >/dev/null) || fault "$e"; }
`;

export function readScript(path: string, range?: { readonly from: number; readonly bytes: number }): string {
  const whole = "cat <&3";
  // Seeks in a regular file, so that bytes before the requested piece are not read.
  const piece =
    range &&
    `tail -c +${Math.floor(range.from) + 1} <&3 | head -c ${Math.min(Math.floor(range.bytes), Number.MAX_SAFE_INTEGER)}`;
  return `${common}
place ${quoteForShell(path)}
regular
[ -r "$P" ] || exit ${fileCodes.notAllowed}
exec 3<"$P" || exit ${fileCodes.notAllowed}
l=$(readlink /proc/self/fd/3 && echo x)
case $l in ''|"\${D%/}/\${P#./}
x") ;; *) exit ${fileCodes.linked};; esac
${piece ?? whole}
exit 0
`;
}

/**
 * Sets the `mv` option that treats the target as a file, where `mv` supports it, so that it never moves into a folder
 * at the target.
 */
const exactMove = `
if mv --help 2>&1 | grep -q -e -T; then t=T; else t=; fi`;

/** Replaces the old content only when all of the new content is on disk. */
export function writeScript(path: string, bytes: number, temp: string): string {
  return `${common}
place ${quoteForShell(path)} make
[ -L "$P" ] && exit ${fileCodes.linked}
[ -e "$P" ] && [ ! -f "$P" ] && exit ${fileCodes.notAFile}
[ -e "$P" ] && [ ! -w "$P" ] && exit ${fileCodes.notAllowed}${exactMove}
T=./${temp}
trap 'rm -f "$T"' EXIT
s=
if [ -e "$P" ]; then
  s=$(stat -c '%a %u:%g' -- "$P" 2>/dev/null || stat -f '%Lp %u:%g' -- "$P" 2>/dev/null)
  umask 077
fi
e=$(cat 2>&1 >"$T") || fault "$e"
[ $(wc -c <"$T") -eq ${bytes} ] || { echo 'the connection broke before all of it had arrived' >&2; exit ${fileCodes.failed}; }
if [ -n "$s" ]; then
  chown "\${s#* }" "$T" 2>/dev/null
  try chmod "\${s% *}" "$T"
fi
e=$(sync "$T" 2>&1) || case $e in *'No space'*|*uota*|*'nput/output'*) fault "$e";; esac
try mv -f$t "$T" "$P"
sync . 2>/dev/null
exit 0
`;
}

/** The script prints, for each entry, a letter for its kind and its name, each ended by NUL. */
export function listFilesScript(path: string): string {
  return `${common}
enter ${quoteForShell(path)}
[ -r . ] || exit ${fileCodes.notAllowed}
for f in * .[!.]* ..?*; do
  if [ -L "$f" ]; then k=l; elif [ -f "$f" ]; then k=f; elif [ -d "$f" ]; then k=d; elif [ -e "$f" ]; then k=o; else continue; fi
  printf '%s%s\\0' $k "$f"
done
exit 0
`;
}

/**
 * Prints the kind and mode in the system's format, the size, and the times of the last content change and of any
 * change, in seconds.
 */
export function statScript(path: string): string {
  return `${common}
place ${quoteForShell(path)}
[ -e "$P" ] || [ -L "$P" ] || exit ${fileCodes.missing}
s=$(stat -c '%f %s %.9Y %.9Z' -- "$P" 2>/dev/null)
case $s in ''|*[!0-9a-f.\\ ]*) s=$(stat -c '%f %s %Y %Z' -- "$P" 2>/dev/null || stat -f '%Xp %z %m %c' -- "$P");; esac
[ -n "$s" ] || exit ${fileCodes.failed}
printf '%s\\n' "$s"
exit 0
`;
}

export function deleteScript(path: string): string {
  return `${common}
place ${quoteForShell(path)}
[ -e "$P" ] || [ -L "$P" ] || exit ${fileCodes.missing}
if [ -d "$P" ] && [ ! -L "$P" ]; then try rmdir -- "$P"; else try rm -f -- "$P"; fi
exit 0
`;
}

/** The target folder stays open as descriptor 4 while the source folder is the working folder. */
export function moveScript(from: string, to: string): string {
  return `${common}
place ${quoteForShell(from)}
[ -e "$P" ] || [ -L "$P" ] || exit ${fileCodes.missing}
place ${quoteForShell(to)} make
[ -e "$P" ] || [ -L "$P" ] && exit ${fileCodes.exists}
exec 4<.
if [ -d /proc/self/fd ]; then to=/proc/self/fd/4/\${P#./}; else to=\${D%/}/\${P#./}; fi
place ${quoteForShell(from)}${exactMove}
try mv -n$t -- "$P" "$to"
[ -e "$P" ] || [ -L "$P" ] && exit ${fileCodes.exists}
exit 0
`;
}

/** Prints the resolved path, as far as it exists. */
export function realPathScript(path: string): string {
  return `${common}
P=${quoteForShell(path)}; r=; h=0
while :; do
  if cd -P "$P" 2>/dev/null; then P=$(env pwd -P && echo x); P=\${P%?x}; break; fi
  if [ -L "$P" ]; then
    h=$((h + 1)); [ $h -gt 40 ] && exit ${fileCodes.loop}
    cd -P "\${P%/*}/" 2>/dev/null || exit ${fileCodes.notAllowed}
    l=$(readlink "$P" && echo x); l=\${l%?x}
    case $l in /*) P=$l;; *) P=$(env pwd -P && echo x); P=\${P%?x}; P=\${P%/}/$l;; esac
  else
    [ -n "$r" ] && [ -e "$P" ] && [ ! -d "$P" ] && exit ${fileCodes.notAFolder}
    r=/\${P##*/}$r; P=\${P%/*}; P=\${P:-/}
  fi
done
printf '%s\\0' "\${P%/}$r"
exit 0
`;
}
