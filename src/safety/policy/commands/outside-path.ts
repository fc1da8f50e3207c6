import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { takesTexts } from "../../command/checks/command-options.ts";
import { specialFileRule } from "../../command/checks/known-paths.ts";
import { isTemporary, resolvePathText } from "../../command/checks/path-rules.ts";
import { onlyPrintsArguments } from "../../command/programs/deletion-verbs.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { isUnderstood } from "./foreseen-programs.ts";

const maxWords = 60;
const maxChars = 2_000;

/** Returns the path outside the workspace that a program gets, if Hermes does not know what the program does with it. */
export function outsidePath(
  { argv, cwd }: SimpleCommand,
  name: string,
  program: string,
  { home, workspace }: { readonly home: string; readonly workspace: string },
  coveredPaths: readonly string[],
): string | undefined {
  const isUnknown = !isUnderstood(name) || program !== name;
  const leaving =
    isUnknown && name !== "git"
      ? argv.slice(1, maxWords).find(({ text }) => isElsewhere(text, cwd, { home, workspace }))
      : undefined;
  if (leaving) return leaving.text;
  if (takesTexts.has(name) && program === name && name !== "git") return undefined;
  if (onlyPrintsArguments(name) || readers.test(program)) return undefined;
  for (let index = 1; index < argv.length && index <= maxWords; index++) {
    const text = (argv[index]?.text ?? "").slice(0, maxChars);
    const offset = text.indexOf(home);
    if (offset < 0 || !/[/\s'"`,;:)\]}]|^$/u.test(text.charAt(offset + home.length))) continue;
    const isWhole = offset === 0 || /^-{0,2}[\w.-]{0,60}[=:]?$/u.test(text.slice(0, offset));
    const [path = ""] = text.slice(offset).split(/[\s'"`,;:)\]}]/u, 1);
    if (coveredPaths.includes(path)) continue;
    const isStartFile = /^(?:user_secret|persistence)$/u.test(specialFileRule(path, { home, workspace }) ?? "");
    const option = offset === 0 ? (argv[index - 1]?.text ?? "") : text.slice(0, offset);
    const isTarget = writers.has(name) ? !/^-[CRi]$/u.test(option) : outputOption.test(option);
    if (isWhole && !isUnknown && !isStartFile && !isTarget) continue;
    if (isWhole && readsOption(text.slice(0, offset), argv[index - 1]?.text ?? "")) continue;
    if (!isInside(workspace, path) && !isTemporary(path) && !path.includes("/.cache/")) return path;
  }
  return undefined;
}

/** A path that leads out of the current folder. */
const upward = /^(?:-[^=]*=)?\.\.(?:\/|$)/u;

function isElsewhere(
  text: string,
  cwd: string,
  { home, workspace }: { readonly home: string; readonly workspace: string },
): boolean {
  if (text === home || /^[A-Z_]+=\/(?!tmp\/|var\/tmp\/|dev\/)/u.test(text)) return true;
  if (!upward.test(text)) return false;
  const resolved = resolvePathText(text.replace(/^[^=]*=/u, ""), cwd);
  return resolved.startsWith("/") && !isInside(workspace, resolved) && !isTemporary(resolved);
}

const outputOption = /^-.*(?:out|dir|dest|prefix|backup|save|target|export|location)/iu;

/** Known programs that write to their operands in subcommands that their tables do not list. */
const writers: ReadonlySet<string> = new Set(words("hg svn jj bzr aria2c sftp"));

/** Options whose value is only read. */
function readsOption(attached: string, before: string): boolean {
  const option = attached === "" ? before : attached;
  return (
    option.startsWith("-") &&
    /conf|key|cert|ident|cred|input|source|from|read|ca|profile|env|rc|prefix|in=?$/iu.test(option)
  );
}

const readers =
  /lint|check|test|valid|diff|cmp|view|show|info|dump|grep|read|stat|scan|list|audit|^(?:ls|lsd|ssh|scp|sftp|curl|code|open|xdg-open|bat|vim|nano|emacs|ffprobe|sha\d+sum|feh|eog|evince|mpv|vlc|play|pandoc|pygmentize|glow|ssh-add|ssh-keygen|source|cd|pushd|hermes|tmux)$/u;
