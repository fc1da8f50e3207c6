import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { ShellState } from "../../contracts/environment/environment.ts";
import type { ShellDialect } from "./dialect.ts";
import { asText, logicalLines, unquoted, unquotedWords } from "./words.ts";

/** The shell state that one command passes to the next. */
export interface CarriedState {
  readonly cwd: string;
  /** Passed to the child in its environment. */
  readonly exports: ReadonlyMap<string, string>;
  /**
   * Shell code, one byte per character, for the rest: functions, aliases, options, and exports that no environment can
   * hold.
   */
  readonly script: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** Parts of the script: code that sets options, and exports that the shell itself must run. */
  readonly options?: string;
  readonly odd?: readonly string[];
}

/**
 * Parses the state that a shell saved, one byte per character. Undefined when it is truncated or its folder has no
 * UTF-8 name.
 */
export function parseCarriedState(dump: string, mark: string, dialect: ShellDialect): CarriedState | undefined {
  const parts = dump.split(`${mark}\n`);
  const [folder = "", exported = "", aliased = "", options = "", names = "", functions = "", end] = parts;
  const cwd = asText(folder.replace(/\n$/u, ""));
  if (end !== "" || parts.length !== 7 || !cwd?.startsWith("/")) return undefined;
  const { exports, odd } = readExports(exported);
  const aliases = readAliases(aliased);
  const setting = optionCode(options.trim(), dialect);
  const script = [
    setting,
    ...odd,
    functions.trimEnd(),
    // Aliases come after the functions, because an alias of the same name would break the definition.
    ...aliases.map(({ code }) => code),
  ].filter(Boolean);
  return {
    cwd,
    exports,
    script: script.length > 0 ? `${script.join("\n")}\n` : "",
    functions: splitFunctions(functions, names, dialect),
    aliases: Object.fromEntries(aliases.map(({ name, value }) => [name, value])),
    options: setting,
    odd,
  };
}

/** Restores variables that were set for one command only. */
export function withoutExtras(
  left: CarriedState,
  before: CarriedState,
  extras: Readonly<Record<string, string>>,
): CarriedState {
  const names = Object.keys(extras);
  if (names.length === 0) return left;
  const exports = new Map(left.exports);
  for (const name of names) {
    const value = before.exports.get(name);
    if (value === undefined) exports.delete(name);
    else exports.set(name, value);
  }
  return { ...left, exports };
}

/** A description of the state, for checks before a command runs. `initial`: the exports of the first command. */
export function describeState(
  { cwd, exports, functions, aliases }: CarriedState,
  initial: CarriedState["exports"],
): ShellState {
  const variables = [...exports].filter(([name, value]) => initial.get(name) !== value);
  const programs = [...exports].filter(([name]) => namesProgram.test(name) || namesPlace.test(name));
  return {
    cwd,
    path: exports.get("PATH") ?? "",
    functions,
    aliases,
    variables: Object.fromEntries(variables),
    programs: Object.fromEntries(programs),
  };
}

const namesProgram =
  /^(?:BASH_ENV|ENV|SHELL|ZDOTDIR|PROMPT_COMMAND|(?:LD|DYLD)_.+|GIT_.+|(?:|MAN|GH_|SYSTEMD_)PAGER|EDITOR|VISUAL|FCEDIT|BROWSER|LESSOPEN|LESSCLOSE|(?:SSH|SUDO)_ASKPASS|RSYNC_RSH|CVS_RSH|PYTHON(?:STARTUP|PATH|HOME|BREAKPOINT)|NODE_(?:OPTIONS|PATH)|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|RUSTC_WRAPPER|RUSTC|CC|CXX|LD|TAR_OPTIONS|GCONV_PATH)$/u;

/**
 * Variables that commands use as the start of a path (`$JAVA_HOME/bin/java`). The checks assume their standard meaning.
 */
const namesPlace =
  /^(?:JAVA_HOME|VIRTUAL_ENV|CONDA_PREFIX|PYENV_ROOT|NVM_(?:DIR|BIN)|GO(?:ROOT|PATH|BIN)|CARGO_HOME|ANDROID_(?:HOME|SDK_ROOT)|FLUTTER_ROOT|HOMEBREW_PREFIX|GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY)|RUNNER_TEMP|[Ee]nv|PSVersionTable)$/u;

interface Exports {
  readonly exports: ReadonlyMap<string, string>;
  /** Lines that the shell itself must run: arrays, read-only variables, bytes that are not text, large values. */
  readonly odd: readonly string[];
}

function readExports(text: string): Exports {
  const exports = new Map<string, string>();
  const odd: string[] = [];
  let total = 0;
  for (const line of logicalLines(text)) {
    const { name, flags, value } = readExport(line);
    if (ofTheShell.test(name)) continue;
    const fits = line.length <= maxValueBytes && total + line.length <= maxEnvironmentBytes;
    if (value !== undefined && fits) {
      total += line.length;
      exports.set(name, value);
    }
    if (value === undefined || !fits || flags !== "x") odd.push(line);
  }
  return { exports, odd };
}

/** Variables that each new shell or Hermes sets, so they are not carried over. */
const ofTheShell = /^(?:_|PWD|SHLVL|SHELLOPTS|BASHOPTS|HERMES_RUN)$/u;

/** Linux accepts no variable over 128 KiB, and 2 MiB with all arguments. */
const maxValueBytes = 100_000;
const maxEnvironmentBytes = 600_000;

interface Export {
  readonly name: string;
  /** `x` for a plain variable; more flags when it is read-only, a number or an array. */
  readonly flags: string;
  readonly value: string | undefined;
}

function readExport(line: string): Export {
  const tied = /^(?:export|typeset) -x?T ([A-Za-z_]\w*) \w+=\(([^]*)\)$/u.exec(line);
  if (tied) return { name: tied[1] ?? "", flags: "x", value: asText(unquotedWords(tied[2] ?? "").join(":")) };
  const [, marks = "", name = "", word] =
    /^(?:declare|typeset|export)((?: -\w+)*) ([A-Za-z_]\w*)(?:=([^]*))?$/u.exec(line) ?? [];
  const flags = marks.replaceAll(/[ -]/gu, "") || "x";
  const isScalar = word !== undefined && !/[aAT]/u.test(flags);
  const value = isScalar ? asText(unquoted(word)) : undefined;
  return { name, flags, value: value?.includes("\0") ? undefined : value };
}

function readAliases(text: string): { readonly name: string; readonly value: string; readonly code: string }[] {
  return logicalLines(text).flatMap((line) => {
    const match = /^(?:alias )?((?:-[gs] )?(?:-- )?)([^=]+)=([^]*)$/u.exec(line);
    if (!match) return [];
    const [, flags = "", name = "", word = ""] = match;
    const value = unquoted(word);
    return [
      {
        name: shownText(unquoted(name)),
        value: shownText(value),
        code: `alias ${flags}${name}=${quoteForShell(value)}`,
      },
    ];
  });
}

/** Lists only options that differ from a fresh shell, because most commands change none. */
function optionCode(options: string, dialect: ShellDialect): string {
  if (dialect.name !== "bash") return "";
  const on = new Set(options.split(":").filter((name) => name !== "login_shell"));
  const added = [...on].filter((name) => !freshOptions.has(name) && /^\w+$/u.test(name));
  const removed = [...freshOptions].filter((name) => !newerOptions.has(name) && !on.has(name));
  return [
    added.length > 0 ? `shopt -s ${added.join(" ")}` : "",
    removed.length > 0 ? `shopt -u ${removed.join(" ")}` : "",
  ]
    .filter(Boolean)
    .join("\n");
}

/** Options that older versions of the shell lack count as off. */
const newerOptions: ReadonlySet<string> = new Set(["globasciiranges", "globskipdots", "patsub_replacement"]);
const freshOptions: ReadonlySet<string> = new Set([
  "checkwinsize",
  "cmdhist",
  "complete_fullquote",
  "expand_aliases",
  "extquote",
  "force_fignore",
  "hostcomplete",
  "interactive_comments",
  "progcomp",
  "promptvars",
  "sourcepath",
  ...newerOptions,
]);

/**
 * Each function with its text. If a here-document imitates the start of another function, the boundaries are ambiguous
 * and each function gets the whole text, so that a check sees too much rather than too little.
 */
function splitFunctions(text: string, listed: string, dialect: ShellDialect): Readonly<Record<string, string>> {
  const names = listed
    .split("\n")
    .map((line) => line.replace(/^declare -\w+ /u, "").trim())
    .filter(Boolean);
  const starts = names.map((name) => `\n${dialect.functionStart(name)}`);
  const whole = `\n${text}`;
  const places = starts.map((start) => whole.indexOf(start));
  const inDoubt = starts.some((start, index) => places[index] === -1 || whole.lastIndexOf(start) !== places[index]);
  const borders = places.toSorted((a, b) => a - b);
  return Object.fromEntries(
    names.map((name, index) => {
      const from = places[index] ?? 0;
      const to = borders.find((border) => border > from);
      return [shownText(name), shownText(inDoubt ? text : whole.slice(from + 1, to))];
    }),
  );
}

function shownText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
