import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { LocalFile } from "./local-files-to-sync.ts";

export const syncCodes = { same: 50, locked: 51, cut: 52, noSpace: 53, raced: 54 } as const;

const place = (homeId: string) => `
export LC_ALL=C
umask 077
R=$HOME/.hermes; K=$R/.sync-${homeId}
mkdir -p "$K" || exit 1
`;

/** Shell code for a lock that one program can hold at a time. A lock whose holder died is broken after a while. */
const lock = `
n=0
until mkdir "$K/lock" 2>/dev/null; do
  find "$K/lock" -prune -mmin +2 -exec rmdir {} \\; 2>/dev/null
  n=$((n + 1)); [ $n -lt 200 ] || exit ${syncCodes.locked}
  sleep 0.05 2>/dev/null || sleep 1
done
trap 'rm -rf "$S" "$K/blob.$$"; rmdir "$K/lock"' EXIT
`;

/** Exits with `same` if the remote manifest has this digest; else prints its digest and the manifest. */
export function compareScript(homeId: string, digest: string): string {
  return `${place(homeId)}
{ read -r d <"$K/digest"; } 2>/dev/null
[ "$d" = ${digest} ] && exit ${syncCodes.same}
printf '%s\\n' "$d"
cat "$K/manifest" 2>/dev/null
exit 0
`;
}

export interface SendOptions {
  readonly homeId: string;
  /** The expected digest of the remote manifest. The script refuses if another program has changed it. */
  readonly seen: string;
  /** Lengths of the parts of standard input: `orders`, all files, and the new manifest. */
  readonly ordersBytes: number;
  readonly manifestBytes: number;
  readonly bytes: number;
  readonly digest: string;
}

/**
 * One line of shell code for each file, sent as input because the script would be too long. `before`: its hash when it
 * was sent last.
 */
export function transferLines(
  files: readonly (LocalFile & { readonly before: string | undefined })[],
  removed: readonly { readonly to: string; readonly before: string }[],
): string {
  const folders = [...new Set(files.map(({ to }) => folderOf(to)))].filter((folder) => folder !== "");
  return [
    ...folders.map((folder) => `folder ${quoteForShell(folder)}`),
    ...files.map(({ to, bytes, hash, isReadOnly, before }) => {
      return `put ${quoteForShell(to)} ${bytes} ${hash} ${isReadOnly ? "r" : "w"} ${before ?? "none"}`;
    }),
    ...removed.map(({ to, before }) => `drop ${quoteForShell(to)} ${before}`),
    "",
  ].join("\n");
}

/**
 * Script that writes the files. If some of them changed on the backend since they were last sent, it only prints their
 * paths and does not replace the manifest.
 */
export function sendScript({ homeId, seen, ordersBytes, manifestBytes, bytes, digest }: SendOptions): string {
  return `${place(homeId)}${lock}
d=; { read -r d <"$K/digest"; } 2>/dev/null
[ "$d" = ${quoteForShell(seen)} ] || exit ${syncCodes.raced}
S=$K/stage.$$; mkdir "$S" || exit 1; c=0
e=$(cat 2>&1 >"$K/blob.$$") || case $e in *'No space'*|*uota*) exit ${syncCodes.noSpace};; *) exit 1;; esac
[ $(wc -c <"$K/blob.$$") -eq ${bytes} ] || exit ${syncCodes.cut}
exec 3<"$K/blob.$$"
take() {
  n=$(($1 / 1048576)); k=$(($1 % 1048576)); : >"$S/f"
  [ $n -eq 0 ] || dd bs=1048576 count=$n <&3 >>"$S/f" 2>/dev/null || exit ${syncCodes.noSpace}
  [ $k -eq 0 ] || dd bs=$k count=1 <&3 >>"$S/f" 2>/dev/null || exit ${syncCodes.noSpace}
}
folder() { [ -d "$R/$1" ] || mkdir -p "$R/$1" || exit 1; }
changed() {
  [ -e "$R/$1" ] || [ -L "$R/$1" ] || return 1
  [ -f "$R/$1" ] && [ ! -L "$R/$1" ] || return 0
  h=$(sha256sum <"$R/$1"); h=\${h%% *}
  [ "$h" != "$2" ] && [ "$h" != "$3" ]
}
put() {
  take "$2"
  if [ "$4" = r ]; then chmod 400 "$S/f"
  elif changed "$1" "$5" "$3"; then c=1; printf '%s\\n' "$1"; return; fi
  mv -f "$S/f" "$R/$1" || exit 1
}
drop() {
  if changed "$1" "$2" "$2"; then c=1; printf '%s\\n' "$1"; return; fi
  rm -f "$R/$1"; (cd "$R" && rmdir -p "\${1%/*}") 2>/dev/null
}
take ${ordersBytes}
mv "$S/f" "$S/orders"
. "$S/orders"
[ $c -eq 0 ] || exit 0
take ${manifestBytes}
mv -f "$S/f" "$K/manifest" && printf '%s\\n' ${digest} >"$S/d" && mv -f "$S/d" "$K/digest"
exit 0
`;
}

/** Prints the manifest, a separator line, and the hash and path of every file below these paths. */
export function listScript(homeId: string, places: readonly string[]): string {
  return `${place(homeId)}
cat "$K/manifest" 2>/dev/null
echo ---
cd "$R" || exit 1
for p in ${places.map(quoteForShell).join(" ")}; do
  [ -L "$p" ] || [ ! -e "$p" ] || find "$p" -type f -exec sha256sum {} +
done
exit 0
`;
}

/** Prints the size of each file on a line, then their bytes in the same order. */
export function fetchScript(homeId: string, paths: readonly string[]): string {
  const words = paths.map(quoteForShell).join(" ");
  return `${place(homeId)}
cd "$R" || exit 1
B=$K/fetch.$$
trap 'rm -f "$B"' EXIT
for p in ${words}; do
  if [ -f "$p" ] && [ ! -L "$p" ]; then cp "$p" "$B.f" && wc -c <"$B.f" && cat "$B.f" >>"$B"; else echo gone; fi
done
rm -f "$B.f"
echo ---
cat "$B" 2>/dev/null
exit 0
`;
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}
