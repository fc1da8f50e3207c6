import type { Field } from "../shell/field.ts";
import { type ReadOptions, readOptions } from "./options.ts";

export interface GitCommand {
  /** The subcommand, such as `commit` or `push`. */
  readonly name: string | undefined;
  readonly rest: readonly Field[];
  /** The settings from `-c key=value` and similar options. */
  readonly settings: readonly GitSetting[];
  readonly options: ReadOptions;
}

export interface GitSetting {
  readonly key: string;
  readonly value: Field | undefined;
  readonly word: Field;
}

/** Parses the arguments of `git` with its global options. */
export function gitCommand(args: readonly Field[]): GitCommand {
  const options = readOptions(args, {
    short: "cC",
    long: ["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "exec-path-value", "attr-source"],
    isPrefix: true,
  });
  const [verb, ...rest] = options.operands;
  const ofClone =
    verb?.text === "clone"
      ? readOptions(rest, { short: "bocju", long: ["config", "branch"] }).values("c", "config")
      : [];
  const settings = [...options.values("c"), ...ofClone].map((word): GitSetting => {
    const index = word.text.indexOf("=");
    return index < 0
      ? { key: word.text, value: undefined, word }
      : { key: word.text.slice(0, index), value: { ...word, text: word.text.slice(index + 1) }, word };
  });
  return { name: verb?.text, rest, settings, options };
}

/** Matches a setting whose value git runs as a program. */
export function isExecKey(key: string): boolean {
  return execKey.test(key);
}

const execKey =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|credential\.(?:.+\.)?helper|diff\.external|diff\..+\.(?:textconv|command)|(?:diff|merge)tool\..+\.cmd|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|gpg\.(?:.+\.)?program|interactive\.difffilter|browser\..+\.cmd|man\..+\.cmd|sendemail\.(?:smtpserver|.*cmd)|web\.browser|trailer\..+\.(?:command|cmd)|remote\..+\.(?:uploadpack|receivepack|vcs)|submodule\..+\.update|init\.templatedir|include\.path|includeif\..+\.path)$/iu;

/** Matches a common pager, editor or helper. */
export function isHarmlessTool(key: string, value: string): boolean {
  if (/^core\.fsmonitor$/iu.test(key)) return /^(?:true|false)?$/u.test(value);
  if (/^credential\./iu.test(key))
    return /^(?:store|cache|manager|manager-core|osxkeychain|libsecret|wincred|cache --timeout[ =]\d+|!?(?:\S*\/)?gh auth git-credential|)$/u.test(
      value,
    );
  if (/^filter\.lfs\./iu.test(key)) return value.startsWith("git-lfs ");
  if (/^include/iu.test(key)) return false;
  return isWellKnownTool(value);
}

/** Returns whether the value only starts a well-known program: `less -R`, `vim`, `code --wait`, `ssh -i key`. */
export function isWellKnownTool(value: string): boolean {
  return (
    /^(?:\/usr\/bin\/|\/bin\/)?(?:less|more|most|cat|bat|batcat|delta|diff-so-fancy|difft|vim|nvim|vi|nano|pico|emacs|emacsclient|micro|helix|hx|kak|ed|code|cursor|subl|mate|gedit|kate|notepad|vimdiff|meld|kdiff3|opendiff|true|false|:|ssh|firefox|google-chrome|open|xdg-open|col|gpg|gpg2)?(?:\s+-{0,2}[\w./=:~@%+,-]+)*$/u.test(
      value,
    ) && !/ProxyCommand|LocalCommand|KnownHostsCommand|\+[!:]|-c\b/iu.test(value)
  );
}
