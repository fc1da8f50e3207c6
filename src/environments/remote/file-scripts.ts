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
} as const;

/**
 * `why PATH` exits with the code for a missing path. `try WORDS…` runs a program; when it fails, exits with the code
 * for its error text (always in English, LC_ALL=C).
 */
const common = `
export LC_ALL=C
why() {
  a=$1; h=0
  while [ -L "$a" ]; do
    h=$((h + 1)); [ $h -gt 40 ] && exit ${fileCodes.loop}
    l=$(readlink "$a" && echo x); l=\${l%?x}
    case $l in /*) a=$l;; *) a=\${a%/*}/$l;; esac
  done
  while :; do
    a=\${a%/*}; a=\${a:-/}
    if [ -d "$a" ]; then [ -x "$a" ] && exit ${fileCodes.missing}; exit ${fileCodes.notAllowed}; fi
    [ -e "$a" ] && exit ${fileCodes.notAFolder}
    [ "$a" = / ] && exit ${fileCodes.missing}
  done
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
  // A regular file is not read up to where the piece begins.
  const piece =
    range &&
    `tail -c +${Math.floor(range.from) + 1} <&3 | head -c ${Math.min(Math.floor(range.bytes), Number.MAX_SAFE_INTEGER)}`;
  return `${common}
P=${quoteForShell(path)}
[ -e "$P" ] || why "$P"
[ -f "$P" ] || exit ${fileCodes.notAFile}
[ -r "$P" ] || exit ${fileCodes.notAllowed}
exec 3<"$P" || exit ${fileCodes.notAllowed}
${piece ?? whole}
exit 0
`;
}

/** Nothing of the old content is touched before all of the new is on the disk. */
export function writeScript(path: string, bytes: number, temp: string): string {
  return `${common}
P=${quoteForShell(path)}; h=0
while [ -L "$P" ]; do
  h=$((h + 1)); [ $h -gt 40 ] && exit ${fileCodes.loop}
  cd -P "\${P%/*}/" 2>/dev/null || why "$P"
  l=$(readlink "$P" && echo x); l=\${l%?x}
  case $l in /*) P=$l;; *) P=$(pwd -P && echo x); P=\${P%?x}; P=\${P%/}/$l;; esac
done
d=\${P%/*}; d=\${d:-/}
[ -d "$P" ] && exit ${fileCodes.notAFile}
[ -e "$P" ] && [ ! -f "$P" ] && exit ${fileCodes.notAFile}
[ -e "$P" ] && [ ! -w "$P" ] && exit ${fileCodes.notAllowed}
if [ ! -d "$d" ]; then e=$(mkdir -p "$d" 2>&1) || { [ -d "$d" ] || why_folder "$d" "$e"; }; fi
T=$d/${temp}
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
try mv -f "$T" "$P"
sync "$d" 2>/dev/null
exit 0
`.replace("why() {", `${whyFolder}\nwhy() {`);
}

/** Explains why a folder could not be created: a part of its path is a file, or the error text. */
const whyFolder = `
why_folder() {
  a=$1
  while [ ! -e "$a" ] && [ "$a" != / ]; do a=\${a%/*}; a=\${a:-/}; done
  [ -d "$a" ] || exit ${fileCodes.notAFolder}
  fault "$2"
}`;

/** Prints a letter for the kind and the name, each ended by NUL. */
export function listFilesScript(path: string): string {
  return `${common}
P=${quoteForShell(path)}
[ -e "$P" ] || why "$P"
[ -d "$P" ] || exit ${fileCodes.notAFolder}
[ -r "$P" ] && cd "$P" 2>/dev/null || exit ${fileCodes.notAllowed}
for f in * .[!.]* ..?*; do
  if [ -L "$f" ]; then k=l; elif [ -f "$f" ]; then k=f; elif [ -d "$f" ]; then k=d; elif [ -e "$f" ]; then k=o; else continue; fi
  printf '%s%s\\0' $k "$f"
done
exit 0
`;
}

/** Prints the kind and mode as the system has them, the size, and when it was changed, in seconds. */
export function statScript(path: string): string {
  return `${common}
P=${quoteForShell(path)}
[ -e "$P" ] || [ -L "$P" ] || why "$P"
s=$(stat -c '%f %s %.9Y' -- "$P" 2>/dev/null)
case $s in ''|*[!0-9a-f.\\ ]*) s=$(stat -c '%f %s %Y' -- "$P" 2>/dev/null || stat -f '%Xp %z %m' -- "$P");; esac
[ -n "$s" ] || exit ${fileCodes.failed}
printf '%s\\n' "$s"
exit 0
`;
}

export function deleteScript(path: string): string {
  return `${common}
P=${quoteForShell(path)}
[ -e "$P" ] || [ -L "$P" ] || why "$P"
if [ -d "$P" ] && [ ! -L "$P" ]; then try rmdir -- "$P"; else try rm -f -- "$P"; fi
exit 0
`;
}

export function moveScript(from: string, to: string): string {
  return `${common}${whyFolder}
F=${quoteForShell(from)}; P=${quoteForShell(to)}
[ -e "$F" ] || [ -L "$F" ] || why "$F"
[ -e "$P" ] || [ -L "$P" ] && exit ${fileCodes.exists}
d=\${P%/*}; d=\${d:-/}
if [ ! -d "$d" ]; then e=$(mkdir -p "$d" 2>&1) || { [ -d "$d" ] || why_folder "$d" "$e"; }; fi
if mv --help 2>&1 | grep -q -e -T; then t=T; else t=; fi
try mv -n$t -- "$F" "$P"
[ -e "$F" ] || [ -L "$F" ] && exit ${fileCodes.exists}
exit 0
`;
}

/** Prints where the path leads, as far as it exists. */
export function realPathScript(path: string): string {
  return `${common}
P=${quoteForShell(path)}; r=; h=0
while :; do
  if cd -P "$P" 2>/dev/null; then P=$(pwd -P && echo x); P=\${P%?x}; break; fi
  if [ -L "$P" ]; then
    h=$((h + 1)); [ $h -gt 40 ] && exit ${fileCodes.loop}
    cd -P "\${P%/*}/" 2>/dev/null || exit ${fileCodes.notAllowed}
    l=$(readlink "$P" && echo x); l=\${l%?x}
    case $l in /*) P=$l;; *) P=$(pwd -P && echo x); P=\${P%?x}; P=\${P%/}/$l;; esac
  else
    [ -n "$r" ] && [ -e "$P" ] && [ ! -d "$P" ] && exit ${fileCodes.notAFolder}
    r=/\${P##*/}$r; P=\${P%/*}; P=\${P:-/}
  fi
done
printf '%s\\0' "\${P%/}$r"
exit 0
`;
}
