import { rowsByName, words } from "../../../base/text/words.ts";
import { type Fact, path } from "../fact.ts";
import { interpreters } from "../interpreters/interpreters.ts";
import type { Field } from "../shell/field.ts";
import type { Redirected, SimpleCommand } from "../shell/simple-command.ts";
import { windows } from "../windows/windows-programs.ts";
import { isWrapper } from "../wrappers/payloads.ts";
import { cloud } from "./cloud.ts";
import { containerPrograms } from "./containers.ts";
import { databases } from "./databases.ts";
import { disks } from "./disks.ts";
import { isDryRun } from "./dry-run.ts";
import { execOptions } from "./exec-options.ts";
import { files } from "./files.ts";
import { gitPrograms } from "./git.ts";
import { keys } from "./keys.ts";
import { machine } from "./machine.ts";
import { networkPrograms } from "./network.ts";
import { packages } from "./packages.ts";
import { privilege } from "./privilege.ts";
import { programName } from "./program-name.ts";
import type { Program, Programs } from "./program.ts";
import { readers } from "./readers.ts";
import { unknownProgram } from "./unknown-program.ts";

/** All tables. If a program is in several tables, the facts of all of them apply. */
const tables: readonly Programs[] = [
  files,
  readers,
  machine,
  disks,
  privilege,
  containerPrograms,
  gitPrograms,
  networkPrograms,
  cloud,
  databases,
  packages,
  keys,
  execOptions,
  interpreters,
  windows,
];

const byName: ReadonlyMap<string, readonly Program[]> = joined(tables);

/**
 * Returns the effects of a command, from the table of its program and from its redirections. Help options and dry runs
 * have no effects.
 */
export function programFacts(ran: SimpleCommand, name = programName(ran.argv[0])): readonly Fact[] {
  const redirected = ran.redirections.length === 0 ? noFacts : ran.redirections.flatMap(redirectionFacts);
  const first = ran.argv[0]?.text ?? "";
  const isInitScript = first.startsWith("/etc/init.d/") || first.startsWith("/etc/rc.d/");
  const programs = byName.get(isInitScript ? "service" : (name ?? ""));
  if (name === undefined) return redirected;
  const args = ran.argv.slice(1);
  if (programs === undefined)
    return isWrapper(name) || asksForHelp(args, false)
      ? redirected
      : [...redirected, ...unknownProgram(args, ran, name)];
  if (asksForHelp(args, isWrapper(name)) || isDryRun(name, args)) return redirected;
  const [only] = programs;
  const own =
    programs.length === 1 && only ? only(args, ran, name) : programs.flatMap((program) => program(args, ran, name));
  return redirected.length === 0 ? own : [...redirected, ...own];
}

const noFacts: readonly Fact[] = [];

function redirectionFacts({ how, target }: Redirected): readonly Fact[] {
  return how === "both" ? [path("read", target), path("append", target)] : [path(how, target)];
}

export function isKnownProgram(name: string): boolean {
  return byName.has(name);
}

const helpWords: ReadonlySet<string> = new Set(words("--help --version -h -V help version -?"));

/** Returns whether `--help` is for this program: after a program that runs others, it may be for the other one. */
function asksForHelp(args: readonly Field[], runsOthers: boolean): boolean {
  const last = args.at(-1)?.text ?? "";
  if (args.length === 1) return helpWords.has(last);
  if (runsOthers)
    return (
      args.length <= 3 &&
      /^(?:-h|--?help)$/u.test(last) &&
      /^[a-z][a-z-]*$/u.test(args[0]?.text ?? "") &&
      !/^(?:run|exec|create)$/u.test(args[0]?.text ?? "")
    );
  for (const { text } of args) {
    if (text === "--") break;
    if (text === "--help") return true;
  }
  return args[0]?.text === "help";
}

function joined(list: readonly Programs[]): ReadonlyMap<string, readonly Program[]> {
  const programsByName = new Map<string, readonly Program[]>();
  for (const table of list)
    for (const [name, program] of new Map(rowsByName(table)))
      programsByName.set(name, [...(programsByName.get(name) ?? []), program]);
  return programsByName;
}
