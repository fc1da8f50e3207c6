import { hole } from "../../command/shell/field.ts";

/**
 * Returns whether a shell text starts with a program that is common in awk, sed and vim scripts. Such a text is judged
 * like any command; an unknown program needs approval.
 */
export function startsWithCommonProgram(text: string): boolean {
  const names = text.split(/[|;&\n]+/u).map((part) => /^\s*(\S*)/u.exec(part)?.[1] ?? "");
  return names.every(
    (name) => name === "" || name.includes(hole) || everyday.has(name.slice(name.lastIndexOf("/") + 1)),
  );
}

const everyday: ReadonlySet<string> = new Set(
  `awk basename bc black cal cargo cat cksum clang-format cmp column comm ctags cut date dc df diff dirname du echo eslint
  expand expr false file fmt fold gawk git go gofmt goimports grep gunzip gzip head hexdump host hostname iconv id jq less
  ls make md5sum more nl node npm npx nproc nslookup dig paste ping prettier printf ps pwd python python3 rev rg ruff
  rustfmt sed seq sha1sum sha256sum shuf sleep sort stat strings sum tac tail test time tput tr true tsc tsort tty uname
  uniq uptime wc which who whoami xmllint xxd yq zcat [`
    .split(/\s+/u)
    .filter(Boolean),
);
