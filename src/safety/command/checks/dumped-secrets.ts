import { words } from "../../../base/text/words.ts";
import { rule } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { resolvePathText } from "./path-rules.ts";
import type { ScriptFact } from "./script-rules.ts";

/**
 * Finds commands that send a file with the user's environment variables or stored secrets: `env > e; curl -T e URL`.
 */
export function sentDumps(commands: readonly SimpleCommand[]): readonly ScriptFact[] {
  const dumps = new Set<string>();
  const facts: ScriptFact[] = [];
  for (const ran of commands) {
    const isWriting = ran.redirections.some(({ how }) => how !== "read");
    if (dumps.size === 0 && !isWriting && ran.argv[0]?.text !== "tee") continue;
    const name = programName(ran.argv[0]) ?? "";
    const isSaved = (text: string, cwd: string) => dumps.has(resolvePathText(text, cwd));
    const isRead =
      dumps.size > 0 &&
      (ran.argv.slice(1).some(({ text }) => filesIn(text).some((file) => isSaved(file, ran.cwd))) ||
        ran.redirections.some(({ how, target }) => how === "read" && isSaved(target.text, ran.cwd)) ||
        ran.stdin.from.some((from) => from.argv.slice(1).some(({ text }) => isSaved(text, from.cwd))));
    if (isRead && senders.has(name)) facts.push({ ran, fact: rule("exfiltration", ...ran.argv) });
    const isFed = ran.stdin.from.some((from) => isDump(from, programName(from.argv[0]) ?? ""));
    if (!isRead && !isFed && !isDump(ran, name)) continue;
    for (const { how, target } of ran.redirections)
      if (how !== "read") dumps.add(resolvePathText(target.text, ran.cwd));
    // A copy, an archive or an encoded form of such a file.
    if ((isRead && copiers.has(name)) || name === "tee")
      for (const { text } of ran.argv.slice(1)) if (!text.startsWith("-")) dumps.add(resolvePathText(text, ran.cwd));
  }
  return facts;
}

/** Returns whether the command prints all environment variables, or secrets of a key store. */
function isDump({ argv }: SimpleCommand, name: string): boolean {
  const args = argv.slice(1).map(({ text }) => text);
  switch (name) {
    case "env":
    case "printenv":
    case "set":
      return args.every((text) => /^-(?:0|-null)$/u.test(text));
    case "export":
    case "declare":
    case "typeset":
    case "compgen":
      return args.every((text) => /^-[pxve]+$/u.test(text));
    case "op":
    case "pass":
    case "vault":
    case "security":
    case "gopass":
    case "bw":
      return args.length > 1;
    case "cat":
      return args.some((text) => /^\/proc\/(?:self|\d+|\$\$)\/environ$/u.test(text));
    default:
      return false;
  }
}

/** Returns the files that a word can refer to: `e`, `@e`, `field=@e`, `--post-file=e`. */
function filesIn(text: string): readonly string[] {
  const bare = /^(?:[^@=]*=)?[@<]?([^;]+)/u.exec(text)?.[1] ?? "";
  return [text, bare].filter((each) => each !== "");
}

const senders: ReadonlySet<string> = new Set(
  words(
    "curl wget nc http https xh scp sftp rsync ftp lftp tftp socat telnet mail mailx sendmail mutt rclone aws gsutil gcloud az gh croc wormhole ssh",
  ),
);

const copiers: ReadonlySet<string> = new Set(
  words("cp mv tar zip gzip xz bzip2 zstd 7z install ln tee gpg age openssl split"),
);
