import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { words } from "../../../base/text/words.ts";
import { onlyPrintsArguments } from "../programs/deletion-verbs.ts";
import { readOptions } from "../programs/options.ts";
import { isKnownProgram } from "../programs/program-facts.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, hole, literal } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { isWrapper } from "../wrappers/payloads.ts";
import { namesText, optionCommands, takesTexts } from "./command-options.ts";
import { resolvePathText } from "./path-rules.ts";
import { scriptedCommands } from "./scripted-commands.ts";

export interface CarriedCommand {
  readonly ran: SimpleCommand;
  readonly text: string;
  /** The program may use these words in another way, so only dangerous findings are reported. */
  readonly isGuess: boolean;
}

/**
 * Finds commands among the arguments of unknown programs (`op run -- rm x`), in options that take a command, and copies
 * of programs that run under another name. `scripts`: code that was walked already.
 */
export function carriedCommands(
  commands: readonly SimpleCommand[],
  scripts: ReadonlySet<string>,
): readonly CarriedCommand[] {
  const carried = allCarried(commands);
  if (carried.length === 0) return carried;
  return carried.filter(
    ({ ran, text, isGuess }, index) =>
      !(isGuess && (scripts.has(text) || isHarmlessWord(text))) &&
      index === carried.findIndex((each) => each.text === text && each.ran.cwd === ran.cwd),
  );
}

/** A program without arguments does nothing, or waits for input that is judged elsewhere. */
function isHarmlessWord(text: string): boolean {
  return !text.includes(" ") && harmlessWords.has(text.replaceAll("'", ""));
}

const harmlessWords: ReadonlySet<string> = new Set(
  words("node python python3 perl ruby php bash sh zsh hermes git docker"),
);

function allCarried(commands: readonly SimpleCommand[]): readonly CarriedCommand[] {
  const copies = new Map<string, ReadonlySet<string>>();
  const carried: CarriedCommand[] = [];
  for (const ran of commands) {
    if (carried.length >= maxCarried) break;
    const [first] = ran.argv;
    const name = programName(first);
    if (first === undefined || name === undefined) continue;
    const originals =
      copies.size > 0 && first.text.includes("/") ? copies.get(resolvePathText(first.text, ran.cwd)) : undefined;
    if (originals !== undefined)
      for (const original of originals)
        carried.push({ ran, text: [original, quoted(ran.argv.slice(1))].join(" "), isGuess: false });
    else if (ran.argv.length > 1 && !onlySays.has(name) && !isWrapper(name)) {
      const isUnknown = !isKnownProgram(name) && !onlyPrintsArguments(name);
      if (isUnknown || ran.argv.some(({ text }, index) => index > 0 && expectsCommand.has(text)))
        for (const text of guesses(ran.argv.slice(1), !isUnknown, takesTexts.has(name)))
          carried.push({ ran, text: completed(text, ran), isGuess: true });
    }
    if (!onlySays.has(name)) {
      for (const text of optionCommands(ran, name))
        if (starters.has(programName({ ...first, text: text.split(/\s/u, 1)[0] ?? "" }) ?? ""))
          carried.push({ ran, text, isGuess: true });
    }
    for (const text of scriptedCommands(ran, name)) carried.push({ ran, text, isGuess: true });
    if (copying.has(name)) remember(ran, ran.argv.slice(1), copies);
  }
  return carried;
}

const maxCarried = 40;

const onlySays: ReadonlySet<string> = new Set(words("echo printf print say logger man : cd test [ export true"));

/** Words that a command may follow. */
const expectsCommand: ReadonlySet<string> = new Set(["--", "run", "exec", "shell", "unshare", "--args", "--command"]);

const copying: ReadonlySet<string> = new Set(["cp", "ln", "mv", "install", "rsync", "link"]);

/** Records the target of a copy if the source is a system program or an unknown file. */
function remember({ cwd }: SimpleCommand, args: readonly Field[], copies: Map<string, ReadonlySet<string>>): void {
  const { operands, value } = readOptions(args, { short: "tSogm", long: ["target-directory", "suffix", "mode"] });
  const folder = value("t", "target-directory");
  const target = folder ?? operands.at(-1);
  for (const source of target ? operands.slice(0, folder ? undefined : -1) : []) {
    const isProgram = source.text === hole || /^(?:\/(?:usr\/)?(?:local\/)?s?bin\/)?[\w.+-]+$/u.test(source.text);
    const name = source.text === hole ? hole : (programName(source) ?? "");
    if (!isProgram || !target || (name !== hole && !isKnownProgram(name) && !isWrapper(name) && name !== "hermes"))
      continue;
    for (const path of [target.text, `${target.text}/${source.text.split("/").at(-1) ?? ""}`]) {
      const whole = resolvePathText(path, cwd);
      // Creating a link or a copy fails if the target exists.
      copies.set(whole, new Set([...(copies.get(whole) ?? []), name]));
    }
  }
}

/**
 * Returns possible commands: the arguments from one that is a program name on, and texts that start with a program.
 * `isKnown`: only after a word that expects a command.
 */
function guesses(args: readonly Field[], isKnown: boolean, hasTexts: boolean): readonly string[] {
  const texts: string[] = [];
  for (const [index, word] of args.slice(0, maxWords).entries()) {
    const before = args[index - 1]?.text ?? "";
    const isPlaced = expectsCommand.has(before);
    const text = isKnown && !isPlaced ? undefined : literal(word);
    if (text === undefined || namesText.test(before)) continue;
    const [, inner = ""] = /^(?:--?[\w-]+=)?[|!]?\s*([^]*)$/u.exec(text) ?? [];
    const [first = ""] = inner.split(/\s/u, 1);
    const isText = first !== inner;
    if (isText && isKnown && hasTexts) continue;
    const name = programName({ ...word, text: first }) ?? "";
    if (!starters.has(name) && !((isPlaced || first.includes("/")) && placed.has(name))) continue;
    texts.push(isText ? inner : quoted(args.slice(index)));
    if (texts.length >= maxGuesses) break;
  }
  return texts;
}

/** Handles `xe rm -rf < list`: the operands come from the input. */
function completed(text: string, { stdin, redirections }: SimpleCommand): string {
  const hasInput = stdin.from.length > 0 || redirections.some(({ how }) => how === "read");
  return hasInput && /^'?(?:rm|unlink|shred|truncate)'?(?: '?-[^\s']+'?)*$/u.test(text) ? `${text} "$(cat)"` : text;
}

function quoted(args: readonly Field[]): string {
  return args.map(({ text }) => (text === "*" ? text : quoteForShell(text))).join(" ");
}

const maxWords = 16;
const maxGuesses = 4;

/** Names that mean a command in nearly every argument list. */
const starters: ReadonlySet<string> = new Set(
  words(`
  rm rmdir unlink shred dd mkfs mkfs.ext4 wipefs chmod chown chattr sudo doas su bash sh zsh ksh fish python perl ruby php
  node xargs eval tee truncate crontab systemctl pkill killall nc socat iptables useradd userdel passwd visudo fdisk parted
  kubectl terraform aws gcloud docker git psql mysql curl wget find mv cp ln env nohup timeout hermes
`),
);

/** Names that mean a program only where a command is expected. */
const placed: ReadonlySet<string> = new Set(
  words("shutdown reboot poweroff halt kill cat source exec nice time mount"),
);
