import { quoteForShell } from "../../../src/base/text/shell-quote.ts";
import { ordinaryFolder } from "../../../src/safety/command/check-lines.ts";
import { carriedCommands } from "../../../src/safety/command/checks/carried-commands.ts";
import { resolvePathText } from "../../../src/safety/command/checks/path-rules.ts";
import type { Fact } from "../../../src/safety/command/fact.ts";
import { judgeCommand } from "../../../src/safety/command/judge-command.ts";
import { programFacts } from "../../../src/safety/command/programs/program-facts.ts";
import type { RuleId } from "../../../src/safety/command/rules.ts";
import { hole } from "../../../src/safety/command/shell/field.ts";
import type { SimpleCommand } from "../../../src/safety/command/shell/simple-command.ts";
import type { ShellName, ShellRun } from "./shell-sandbox.ts";

/** The predictions of the analysis: which programs run and which files change. */
export interface Foresight {
  readonly isUnresolved: boolean;
  readonly isAsked: boolean;
  /** A shell without braces and arrays runs a part of it. */
  readonly hasOtherShell: boolean;
  readonly commands: readonly SimpleCommand[];
  readonly rules: readonly RuleId[];
}

/** Findings that report an unknown program or an unknown write. */
const unresolvedRules: ReadonlySet<RuleId> = new Set<RuleId>([
  "unparsable",
  "too_much",
  "unknown_program",
  "unknown_code",
  "unreadable_code",
  "hidden_code",
  "remote_code",
  "shadowing",
  "loader_variable",
  "git_config",
  "exec_option",
  "overwrite_unknown",
  "delete_unknown",
  "delete_listed",
  "permission_unknown",
  "inline_code",
]);

export function foresee(text: string): Foresight {
  const { findings, verdict } = judgeCommand(text, ordinaryFolder);
  const rules = findings.map(({ rule }) => rule);
  return {
    isUnresolved: rules.some((rule) => unresolvedRules.has(rule)),
    isAsked: verdict !== "safe",
    hasOtherShell: /(?<![\w.])(?:sh|dash|busybox)\b/u.test(text),
    commands: commandsOf(text),
    rules,
  };
}

/** `sh` may be another shell than bash. */
export function foreseeIn(shell: ShellName, text: string): Foresight {
  return foresee(shell === "bash" ? text : `sh -c ${quoteForShell(text)}`);
}

/** Includes scripts that are written and run, and programs that run under the name of a copy. */
export function commandsOf(text: string, depth = 0): readonly SimpleCommand[] {
  const { commands } = judgeCommand(text, ordinaryFolder);
  const carried = depth > 3 ? [] : carriedCommands(commands, new Set()).filter((each) => !each.isGuess);
  return [...commands, ...carried.flatMap((script) => commandsOf(script.text, depth + 1))];
}

/** Calls and changes that the analysis neither predicts nor reports as unresolved. */
export function missedEffects(
  { isUnresolved, commands, hasOtherShell }: Foresight,
  { calls, changes }: ShellRun,
  shell: ShellName,
): readonly string[] {
  if (isUnresolved) return [];
  const own = calls.filter((call) => !isOwnFile(call));
  const missedCalls = missingCalls(commands, own, shell !== "bash" || hasOtherShell);
  const folders = [...new Set([ordinaryFolder.cwd, ...commands.map(({ cwd }) => cwd)])];
  const targets = changes.length === 0 ? [] : commands.flatMap((ran) => targetsOf(ran, folders));
  // `git config --global` is an everyday command, and needs no approval.
  const missedChanges = changes.filter(
    (path) =>
      path !== "/home/user/.gitconfig" &&
      // There are no other users.
      !path.includes("~") &&
      !(hasOtherShell && path.includes("{")) &&
      !targets.some((target) => target(path)),
  );
  return [...missedCalls.map((call) => `ran ${call.join(" ")}`), ...missedChanges.map((path) => `changed ${path}`)];
}

/** Existing files belong to the user, git fetches by ssh, and pip reports the version of a compiler. */
function isOwnFile([name, first, second]: readonly string[]): boolean {
  return (
    (name === "p" && /^(?:from-file|make|profile)$/u.test(first ?? "")) ||
    (name === "ssh" && /^SendEnv|^-/u.test(second ?? "")) ||
    (name === "man" && first?.startsWith("git-") === true) ||
    (name === "rustc" && first === "--version")
  );
}

/**
 * The calls that no command matches. A shell without braces, arrays or `$'…'` runs the same programs with other words:
 * then only the name counts (`isByName`).
 */
export function missingCalls(
  commands: readonly SimpleCommand[],
  calls: ShellRun["calls"],
  isByName = false,
): ShellRun["calls"] {
  if (calls.length === 0) return [];
  const shapes = commands.map((ran) => shapeOf(ran, isByName));
  return calls.filter((call) => !shapes.some((shape) => shape.test(joined(call))));
}

function joined(call: readonly string[]): string {
  return call.map((word) => `\0${word}`).join("");
}

/** Words as a pattern: an unknown part matches anything. */
function shapeOf({ argv, via }: SimpleCommand, isByName: boolean): RegExp {
  const below = via.includes("find") ? "(?:/[^]*)?(?:\0[^]*)?" : "";
  const words = argv.map(({ text, maySplit, isPattern }, index) => {
    const plain = index === 0 ? text.slice(text.lastIndexOf("/") + 1) : text;
    if (isPattern && index > 0) return "(?:\0[^]*)?";
    const parts = plain
      .replaceAll(/\/dev\/fd\/substituted-\d+|\/bin\/bash|\*/gu, hole)
      .split(hole)
      .map((part) => RegExp.escape(part));
    if (maySplit && text === hole) return "(?:\0[^]*)?";
    // `find -execdir` gives names below the current folder.
    const own = parts.join("[^]*");
    const shape = `\0${index > 0 && below !== "" ? `(?:${own}|\\.)${below}` : own}`;
    return maySplit && index > 0 ? `(?:${shape})?` : shape;
  });
  return new RegExp(isByName ? `^${words[0] ?? ""}(?:\0|$)` : `^${words.join("")}$`, "u");
}

type Covers = (path: string) => boolean;

/**
 * The files that a command changes, everything below them, and their parent folders. `folders`: where it runs if an
 * earlier `cd` fails.
 */
function targetsOf(ran: SimpleCommand, folders: readonly string[]): readonly Covers[] {
  return programFacts(ran).flatMap((fact): readonly Covers[] => {
    if (fact.kind === "rule" || fact.kind === "code" || fact.kind === "send") return [];
    if (fact.how === "read") return [];
    return [ran.cwd, ...folders].map((folder) => covering(fact, folder));
  });
}

function covering(fact: Extract<Fact, { readonly kind: "path" }>, folder: string): Covers {
  const whole = resolvePathText(fact.path.text, folder).replace(/\/$/u, "");
  const pattern = whole.replaceAll(/[*?]|\[[^\]]*\]|[@!+]\([^)]*\)/gu, hole);
  const exact = new RegExp(
    `^${pattern
      .split(hole)
      .map((part) => RegExp.escape(part))
      .join(".*")}(?:/.*)?$`,
    "su",
  );
  return (path) => exact.test(path) || whole.startsWith(`${path}/`);
}
