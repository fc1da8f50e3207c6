import { isInside } from "../../base/files/path.ts";
import { definitionFacts, isShadowingLink } from "./checks/definition-rules.ts";
import { hiddenCode } from "./checks/hidden-code.ts";
import { isSecretFile, type PathPlace } from "./checks/known-paths.ts";
import { namedFileRules } from "./checks/named-files.ts";
import { pathRule, resolvePathText } from "./checks/path-rules.ts";
import { isDownloader } from "./checks/script-rules.ts";
import { deletingScripts } from "./checks/scripted-commands.ts";
import type { Fact } from "./fact.ts";
import { codeFacts } from "./interpreters/interpreters.ts";
import { pureOutput } from "./output/pure-output.ts";
import { programFacts } from "./programs/program-facts.ts";
import { programName } from "./programs/program-name.ts";
import type { RuleId } from "./rules.ts";
import { type Field, hole, knownField } from "./shell/field.ts";
import type { SimpleCommand } from "./shell/simple-command.ts";

/** A triggered rule and the words that triggered it. */
export interface RuleHit {
  readonly rule: RuleId;
  readonly words: readonly Field[];
}

/** Returns the rules that apply to one command by itself. */
export function commandHits(ran: SimpleCommand, place: PathPlace): readonly RuleHit[] {
  const hits: RuleHit[] = [];
  const name = programName(ran.argv[0]);
  const isPattern = ran.argv[0]?.isPattern === true && /[*?]|\[./u.test(ran.argv[0].text);
  if (name === undefined || isPattern) hits.push({ rule: unknownName(ran), words: unknownWords(ran) });
  if (ran.redirections.length > 0) {
    const emptied = ran.redirections.filter(({ how, target }) => how === "write" && isEachFile(target, ran));
    if (emptied.length > 0) hits.push({ rule: "truncate", words: emptied.map(({ target }) => target) });
  }
  if (ran.isRecursion && (ran.isBackground || ran.stdin.from.length > 0))
    hits.push({ rule: "fork_bomb", words: ran.argv });
  const facts = programFacts(ran, name);
  for (const fact of facts) addHits(hits, fact, ran, place);
  for (const { rule, word } of namedFileRules(ran, name ?? "", facts, place)) hits.push({ rule, words: [word] });
  for (const fact of definitionFacts(ran, name ?? "")) addHits(hits, fact, ran, place);
  for (const fact of hiddenCode(ran, name ?? "")) addHits(hits, fact, ran, place);
  for (const fact of deletingScripts(ran, name ?? "")) addHits(hits, fact, ran, place);
  return hits;
}

function addHits(hits: RuleHit[], fact: Fact, ran: SimpleCommand, place: PathPlace): void {
  if (fact.kind === "rule") hits.push(fact);
  else for (const hit of factHits(fact, ran, place)) hits.push(hit);
}

/** Returns whether a loop or a search writes to each file that it visits. */
function isEachFile(target: Field, ran: SimpleCommand): boolean {
  const { text } = target;
  const isMany =
    /[*?]/u.test(text) || (ran.via.includes("find") && (text.endsWith(hole) || /^\.{0,2}\/?$/u.test(text)));
  if (!isMany) return false;
  const args = ran.argv.slice(1);
  const isEmpty = args.length > 0 && args.every((word) => word.text === "/dev/null");
  return isEmpty || pureOutput({ ...ran, redirections: [] }) === "" || args.some((word) => word.text === text);
}

/** Returns the rules that a fact triggers in the folder where the command runs. */
export function factHits(fact: Fact, ran: SimpleCommand, place: PathPlace): readonly RuleHit[] {
  switch (fact.kind) {
    case "rule":
      return [fact];
    case "path": {
      const rule =
        socketRule(fact.path.text, fact.how, ran) ?? pathRule(fact, ran.cwd, place) ?? linkRule(fact, ran, place);
      return rule === undefined ? [] : [{ rule, words: [...ran.argv.slice(0, 1), fact.path] }];
    }
    case "send": {
      const rule = sendRule(fact, ran, place);
      const words = [...ran.argv.slice(0, 1), ...(fact.path ? [fact.path] : []), fact.to];
      return rule === undefined ? [] : [{ rule, words }];
    }
    case "code":
      return codeFacts(fact.language, fact.text.text).flatMap((inner) => factHits(inner, ran, place));
  }
}

function linkRule({ how, path }: Extract<Fact, { readonly kind: "path" }>, ran: SimpleCommand, place: PathPlace) {
  if (how !== "link") return undefined;
  const whole = resolvePathText(path.text, ran.cwd);
  return !isInside(place.workspace, whole) && isShadowingLink(whole, ran) ? "shadowing" : undefined;
}

/** `/dev/tcp/host/port` opens a connection to another machine. Checking whether the port is open sends nothing. */
function socketRule(path: string, how: string, ran: SimpleCommand): RuleId | undefined {
  if (!/^\/dev\/(?:tcp|udp)\//u.test(path)) return undefined;
  if (how === "read" && programName(ran.argv[0]) !== "exec") return undefined;
  const isEmpty = ran.argv.length <= 1 && /^(?::|echo|true)$/u.test(programName(ran.argv[0]) ?? "");
  return isEmpty || /^\/dev\/\w+\/(?:localhost|127\.0\.0\.1)\//u.test(path) ? undefined : "reverse_shell";
}

function sendRule(
  { to, path }: Extract<Fact, { readonly kind: "send" }>,
  ran: SimpleCommand,
  place: PathPlace,
): RuleId | undefined {
  const whole = path && resolvePathText(path.text, ran.cwd);
  if (whole !== undefined && (isSecretFile(whole, place) || /^\/(?:etc|root|proc|var\/log)\//u.test(whole)))
    return "exfiltration";
  return to.text.startsWith(hole) || /^https?:\/\/(?:[^/]*@)?\u{10FFFD}/u.test(to.text) ? "send_unknown" : undefined;
}

/** Returns the words of unknown code and of the program that runs it. */
function unknownWords({ argv, via, stdin }: SimpleCommand): readonly Field[] {
  const reader = via.at(-1);
  return argv.length === 1 && argv[0]?.text === hole && reader !== undefined
    ? [...(stdin.from.at(-1)?.argv ?? []), knownField(reader), ...argv]
    : argv;
}

/** A completely unknown command counts as code; a command of which only the name is unknown counts as a program. */
function unknownName({ argv, via, stdin }: SimpleCommand): RuleId {
  if (argv.length > 1 || argv[0]?.text !== hole || via.length === 0) return "unknown_program";
  return stdin.from.some(({ argv: [name] }) => isDownloader(programName(name ?? knownField("")) ?? ""))
    ? "remote_code"
    : "unknown_code";
}
