import { join } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { plainWords } from "../../../contracts/host/command-line.ts";
import { resolvePathText } from "../../command/checks/path-rules.ts";
import { onlyPrintsArguments } from "../../command/programs/deletion-verbs.ts";
import { isKnownProgram } from "../../command/programs/program-facts.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole, isKnown, knownField } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { matchesGlob } from "../../command/text/glob.ts";
import { askAbout } from "../approvals/question.ts";
import { type FilePlace, judgePath } from "../files/path-lists.ts";
import type { Subject } from "../rules/subject.ts";
import type { JudgedCommand } from "./judged-command.ts";
import { changesNothing } from "./reading-commands.ts";

/** Finds commands of Hermes that only a person may run, because the agent must not approve its own requests. */
export function isSelfApproval(ran: SimpleCommand): boolean {
  const given = hermesWords(ran);
  if (given === undefined) return false;
  const line = plainWords(given).join(" ");
  if (
    /^(?:approvals answer|policy (?:allow|forget|confirm)|(?:memory|skills) (?:approve|allow)|plugins? (?:enable|grant)|trust(?! list))(?: |$)/u.test(
      line,
    )
  )
    return true;
  if (
    /^config (?:edit|(?:set|unset) (?:approvals|security|command_allowlist|terminal|isolation|plugins|hooks(?:_auto_accept)?))\b/u.test(
      line,
    )
  )
    return true;
  return given.some((word, index) => {
    if (word === "--approve" || word === "--accept-hooks") return true;
    const setting = word === "--set" ? given[index + 1] : /^--set=(.*)$/su.exec(word)?.[1];
    return (
      setting !== undefined &&
      /^(?:approvals|security|command_allowlist|terminal|isolation|plugins|hooks(?:_auto_accept)?)\b/u.test(setting)
    );
  });
}

/** Returns whether the command starts another Hermes, which uses its own settings instead of these. */
export function isOtherHermes(ran: SimpleCommand): boolean {
  const given = hermesWords(ran);
  if (given === undefined || given.some((word) => /^(?:-h|--help|-V|--version)$/u.test(word))) return false;
  const isElsewhere = ran.assignments.some(({ name }) => name.startsWith("HERMES_"));
  const line = plainWords(given);
  return isElsewhere || /^(?:tools call|chat)\b/u.test(line.join(" ")) || !onlyTell.has(line[0] ?? "");
}

/** First words of commands that use no model and call no tool. Any other word starts a conversation. */
const onlyTell: ReadonlySet<string> = new Set(
  words(`
  model auth fallback sessions memory skills bundles usage tools toolsets config profile trust policy approvals
  audit check prompt-size doctor
`),
);

/** Returns the words after `hermes`, `sh ./hermes` or `node dist/hermes.js`. Undefined for another program. */
function hermesWords({ argv }: SimpleCommand): readonly string[] | undefined {
  const words = argv.map(({ text }) => text);
  const runner = programName(argv[0]) ?? "";
  const index = words.slice(0, 6).findIndex((word) => isHermes.test(programName(knownField(word)) ?? ""));
  // A shell runs its first operand as a script.
  const isRead = shells.has(runner) && words.slice(1, index).every((word) => word.startsWith("-"));
  // An unknown program may run the words after it: `ssh-agent hermes …`.
  const isCarried =
    index > 0 && !isKnownProgram(runner) && !onlyPrintsArguments(runner) && isCommandWord.test(words[index + 1] ?? "");
  return index === 0 || isCarried || (index > 0 && (isRead || runners.has(runner)))
    ? words.slice(index + 1)
    : undefined;
}

/** Words that can follow the name of Hermes. */
const isCommandWord = /^(?:-|(?:approvals|policy|memory|skills|plugins?|hooks|trust|config|chat|tools)$)/u;
const isHermes = /^hermes(?:-agent(?:-ts)?)?(?:@.*|\.[cm]?[jt]s)?$/u;
const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", ".", "source"]);

const runners: ReadonlySet<string> = new Set(words("node bun bunx deno npx tsx pnpx npm pnpm yarn"));

/**
 * Returns arguments that are files of Hermes in any home. They are denied if the path lists deny them; otherwise they
 * need approval.
 */
export function hermesFileAsks(
  commands: readonly SimpleCommand[],
  place: FilePlace,
  subjectOf: (ran: SimpleCommand) => Subject,
): Pick<JudgedCommand, "denials" | "asks"> {
  const matches = commands
    .filter((ran) => !onlySays.has(programName(ran.argv[0]) ?? ""))
    .flatMap((ran) =>
      ran.argv.slice(1).flatMap((word) => {
        const path = resolvePathText(word.text.replace(/^-[^=]*=/u, ""), ran.cwd);
        const home = isKnown(word) && !path.includes(hole) && place.hermes.find((each) => isInside(each, path));
        if (home === undefined || home === false) return [];
        const use = changesNothing(ran) ? "read" : "write";
        if (use === "read" && path === home && !onlyLists.has(programName(ran.argv[0]) ?? ""))
          return [{ ran, verdict: { ask: { rule: "own_files", message: `reads all data of Hermes: ${path}` } } }];
        // In the home itself, any word could be the name of one of its files. For known programs, the facts show which
        // words are files.
        const isPath = word.text.includes("/") || !place.hermes.includes(ran.cwd);
        const kept = word.isPattern ? keptNames.find((name) => matchesGlob(path, join(home, name))) : undefined;
        const verdict = judgePath(use, kept === undefined ? path : join(home, kept), place);
        return isPath || (verdict && "deny" in verdict) ? [{ ran, verdict }] : [];
      }),
    );
  return {
    denials: matches.flatMap(({ verdict }) =>
      verdict && "deny" in verdict ? [{ ...verdict.deny, isHardline: false }] : [],
    ),
    asks: matches.flatMap(({ ran, verdict }) =>
      verdict && "ask" in verdict ? [askAbout(subjectOf(ran), verdict.ask)] : [],
    ),
  };
}

/** Programs that list files but do not show their contents. */
const onlyLists: ReadonlySet<string> = new Set(["ls", "du", "stat", "find", "tree", "file", "realpath", "readlink"]);

/** Names that a pattern must not match. */
const keptNames: readonly string[] = words(`
  audit/audit.jsonl audit-head.json approvals/apr_x.json auth.json .env credentials.json mcp-tokens/x.json
`);

/** Programs whose arguments are only text. */
const onlySays: ReadonlySet<string> = new Set(["echo", "printf", "true", ":", "cd", "test", "["]);
