import { dirname } from "node:path/posix";

import { reasonOf } from "../../base/result.ts";
import type { ProcessHandle, ShellState } from "../../contracts/environment/environment.ts";
import type { PolicyRequest, Reason } from "../../contracts/safety/approval.ts";
import type { TextSource } from "../../contracts/safety/text-source.ts";
import { type ChangedPlace, describeEffect, type ResolvedEffect } from "../../contracts/tool/effect.ts";
import type { SimpleCommand } from "../command/shell/simple-command.ts";
import { type Surroundings, Unreachable } from "../surroundings.ts";
import { askAbout, askOnce, distinct, type SubjectAsk } from "./approvals/question.ts";
import { AnalysedCommand, startOf } from "./commands/analysed-command.ts";
import { type ExecPlace, judgeExec } from "./commands/judge-exec.ts";
import { askAboutSessionCode } from "./commands/project-code.ts";
import {
  askAboutVariables,
  askForUnconfined,
  askToLeave,
  askToType,
  fullProcessId,
} from "./commands/sandbox-questions.ts";
import { analyseInSession } from "./commands/session-files.ts";
import { askAboutKeys, typedReader } from "./commands/typed-text.ts";
import { askWithoutSandbox } from "./commands/without-sandbox.ts";
import { judgePath } from "./files/path-lists.ts";
import { indexRules } from "./rules/match-rule.ts";
import type { PolicyRules } from "./rules/read-rules.ts";
import { effectSubject, type Subject } from "./rules/subject.ts";
import { readByCommands, readFromFile, taintAsks } from "./taint.ts";

/** All denials and questions about a call, before rules and grants clear them. */
export interface GatheredAsks {
  readonly denials: readonly Denial[];
  readonly asks: readonly SubjectAsk[];
  /** The subjects of every command and effect that was judged. */
  readonly subjects: readonly Subject[];
  /** True if the call certainly changes nothing. */
  readonly isReading: boolean;
  /** Files that the call is known to write. */
  readonly written: readonly string[];
  /** Sources of the texts that the call would show. */
  readonly reads: readonly TextSource[];
  /** The full text of the question. The spans of the asks refer to it. */
  readonly text: string;
}

export interface Denial extends Reason {
  readonly isHardline: boolean;
}

export function gatherAsks(
  request: PolicyRequest,
  rules: Pick<PolicyRules, "ask" | "deny">,
  around: Surroundings,
  signal: AbortSignal,
  written: ReadonlySet<string>,
): Promise<GatheredAsks> | GatheredAsks {
  const { effects, tainted, askedBy = [] } = request;
  const isHarmless = effects.length === 0 && tainted.length === 0 && askedBy.length === 0;
  return isHarmless ? { ...nothing, text: textOf(request) } : judgeEffects(request, rules, around, signal, written);
}

/** Without effects there is nothing to judge. */
const nothing: Omit<GatheredAsks, "text"> = {
  denials: [],
  asks: [],
  subjects: [],
  isReading: true,
  written: [],
  reads: [],
};

async function judgeEffects(
  request: PolicyRequest,
  rules: Pick<PolicyRules, "ask" | "deny">,
  around: Surroundings,
  signal: AbortSignal,
  written: ReadonlySet<string>,
): Promise<GatheredAsks> {
  const judged = [];
  for (const effect of request.effects) judged.push(await judgeEffect(effect, request, around, written, signal));
  const denials = judged.flatMap((each) => each.denials);
  const subjects = judged.flatMap((each) => each.subjects);
  const ruled = new Set(subjects.flatMap(indexRules(rules.deny)));
  const isGrave = ({ isHardline, rule }: Denial) => isHardline && (around.reachesHost || rule === "self_approval");
  const reads = judged.flatMap((each) => each.reads ?? []);
  const text = textOf(request);
  const isOneText = request.effects.length === 1;
  const asks = [
    ...judged.flatMap((each) => each.asks),
    ...denials.filter((each) => each.isHardline && !isGrave(each)).map((each) => askOnce(text, each)),
    ...asksByRule(subjects, rules),
    ...taintAsks(
      request,
      judged.flatMap((each) => each.commands ?? []),
      reads,
    ),
    ...(request.askedBy ?? []).map(({ hook, reason, ruleKey }) =>
      askOnce(`${hook} ${request.callId}`, {
        rule: ruleKey ? `hook:${ruleKey}` : "hook",
        message: `${hook} requires approval by a person: ${reason}`,
      }),
    ),
  ];
  return {
    denials: [
      ...denials.filter(isGrave),
      ...[...ruled].map((rule) => ({
        rule: "user_deny",
        message: `your deny rule "${rule.text}" forbids it`,
        isHardline: false,
      })),
      ...denials.filter(({ isHardline }) => !isHardline),
    ],
    asks: distinct([
      ...(isOneText ? asks : asks.map((ask) => ({ ...ask, spans: [] }))),
      ...(asks.length > 0 ? await variableAsks(request, signal) : []),
    ]),
    subjects,
    isReading: judged.every((each) => each.isReading),
    written: judged.flatMap((each) => each.written ?? []),
    reads,
    text,
  };
}

interface JudgedEffect {
  readonly denials: readonly Denial[];
  readonly asks: readonly SubjectAsk[];
  readonly subjects: readonly Subject[];
  readonly isReading: boolean;
  readonly commands?: readonly SimpleCommand[];
  readonly written?: readonly string[];
  readonly reads?: readonly TextSource[];
}

const harmless: JudgedEffect = { denials: [], asks: [], subjects: [], isReading: false };

async function judgeEffect(
  effect: ResolvedEffect,
  request: PolicyRequest,
  around: Surroundings,
  written: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<JudgedEffect> {
  const subject = effectSubject(effect, request.tool, request.place.cwd);
  const subjects = subject ? [subject] : [];
  switch (effect.kind) {
    case "exec": {
      const { analysis } = effect;
      const isAnalysed = analysis instanceof AnalysedCommand && analysis.command === effect.command;
      const analysed = isAnalysed ? analysis : await analyse(effect.command, effect.cwd, request, around, signal);
      const place = execPlace(request, around, written, signal, effect.places);
      const judged = await judgeExec(analysed, place);
      const { unconfined } = request.place;
      const isWalled = unconfined === undefined || judged.isReading || request.origin === "user";
      const isHeld = request.place.isolated !== false || !around.reachesHost || request.origin === "user";
      const leaving = effect.outside === true && request.place.isolated === true ? judged.commands : [];
      return {
        ...judged,
        asks: [
          ...judged.asks,
          ...leaving.map((ran) => askToLeave(judged.subjectOf(ran))),
          ...(isWalled ? [] : [askForUnconfined(unconfined)]),
          ...(isHeld ? [] : askAboutSessionCode(analysed, written, around.files.workspace)),
          ...(isHeld ? [] : await askWithoutSandbox(judged, around.files, place.project, analysed.start.functions)),
        ],
        reads: readByCommands(judged.commands, judged.used, around.files),
      };
    }
    case "process": {
      if (effect.action !== "type") return { ...harmless, subjects };
      const text = typedText(effect.text ?? "");
      if (text.trim() === "") return { ...harmless, subjects };
      const process = await typedProcess(effect.id, request, signal);
      const start = startOf(request.place.cwd, around, await shellState(request.environment, signal));
      const { command, keys } = typedReader(process, text, start);
      const leaving = await askToType(effect, request, signal);
      if (command === undefined)
        return { ...harmless, subjects, asks: [...askAboutKeys(effect.id, keys ?? "", text, request), ...leaving] };
      const analysed = await analyse(command, request.place.cwd, request, around, signal);
      const typed = await judgeExec(analysed, execPlace(request, around, written, signal));
      // The process may not be a shell, so invalid shell syntax alone needs no approval; a sandbox confines unreadable
      // code.
      const isHeld = process?.isConfined === true;
      const isLeftOut = (rule: string) =>
        rule === "unparsable" || (isHeld && /^un(?:readable|known)_code$/u.test(rule));
      const asks = typed.asks.filter(({ rule }) => !isLeftOut(rule));
      const shown = command === text ? asks : asks.map((ask) => ({ ...ask, spans: [] }));
      return { ...typed, isReading: false, asks: [...shown, ...leaving] };
    }
    case "read":
    case "write":
    case "delete":
      return withoutGranted(effect, judgeFile(effect.kind, effect.path, subject, around));
    case "move": {
      const from = judgeFile("delete", effect.from, subject, around);
      const to = judgeFile("write", effect.to, subject, around);
      const [denials, asks] = [
        [...from.denials, ...to.denials],
        [...from.asks, ...to.asks],
      ];
      return { ...harmless, subjects, denials, asks, written: [effect.to] };
    }
    case "spawn":
      return { ...harmless, subjects, isReading: true };
    case "network":
    case "message":
    case "state":
    case "sample":
    case "opaque": {
      if (subject === undefined || request.readOnly) return { ...harmless, subjects, isReading: request.readOnly };
      if (effect.kind === "state" && undoable.has(effect.store)) return { ...harmless, subjects };
      if (effect.kind === "network" && effect.isGranted) return { ...harmless, subjects };
      const reason = { rule: `effect_${effect.kind}`, message: `${request.tool} ${describeEffect(effect)}` };
      // A rule may use the older spelling of a tool name.
      const former = effect.kind === "opaque" ? /^mcp__(.+?)__(.+)$/u.exec(request.tool) : null;
      const spelled = former && effectSubject(effect, `mcp_${former[1]}_${former[2]}`, request.place.cwd);
      if (spelled) subjects.push(spelled);
      const isFresh = effect.kind === "opaque" && effect.isAskedEachTime === true;
      return { ...harmless, subjects, asks: [isFresh ? askOnce(request.callId, reason) : askAbout(subject, reason)] };
    }
  }
}

/** A path that a person granted needs no approval; denials still apply. */
function withoutGranted({ isGranted }: { readonly isGranted?: boolean }, judged: JudgedEffect): JudgedEffect {
  return isGranted ? { ...judged, asks: [] } : judged;
}

/**
 * Effects on data that Hermes scans when it is written, that can be undone, and that have their own approval setting.
 */
const undoable: ReadonlySet<string> = new Set(["memory", "skill"]);

/** Returns the text that these keys write: Enter ends a line; Ctrl-C, Escape and arrows write nothing. */
function typedText(keys: string): string {
  const lines = keys.replaceAll(/\r\n?/gu, "\n");
  // oxlint-disable-next-line no-control-regex -- the pattern matches these keys
  return lines.replaceAll(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z]|.)?|[\u0000-\u0008\u000b-\u001f\u007f]/gsu, "");
}

function judgeFile(
  use: "read" | "write" | "delete",
  path: string,
  subject: Subject | undefined,
  around: Surroundings,
): JudgedEffect {
  const verdict = judgePath(use, path, around.files);
  const base = {
    ...harmless,
    subjects: subject ? [subject] : [],
    isReading: use === "read",
    written: use === "write" ? [path] : [],
    reads: use === "read" ? readFromFile(path, around.files) : [],
  };
  if (verdict === undefined || subject === undefined) return base;
  if ("ask" in verdict) return { ...base, asks: [askAbout(subject, verdict.ask)] };
  const isHardline = verdict.deny.rule === "delete_root" || verdict.deny.rule === "raw_disk";
  return { ...base, denials: [{ ...verdict.deny, isHardline }] };
}

/** Questions about variables are needed because an approved command runs outside the sandbox. */
async function variableAsks(request: PolicyRequest, signal: AbortSignal): Promise<readonly SubjectAsk[]> {
  if (request.place.isolated !== true || !request.effects.some(({ kind }) => kind === "exec")) return [];
  const { fromSandbox = {} } = await shellState(request.environment, signal);
  return askAboutVariables(fromSandbox, request);
}

/** Returns the process that an effect refers to by the beginning of its id. */
async function typedProcess(
  processId: string,
  { environment }: PolicyRequest,
  signal: AbortSignal,
): Promise<ProcessHandle | undefined> {
  const listed = await environment?.processes?.(signal);
  return listed?.ok ? listed.value.find(({ id }) => id.startsWith(fullProcessId(processId))) : undefined;
}

/** Analyses text that is typed into a process, and requests that were not analysed before. */
async function analyse(
  command: string,
  cwd: string,
  { environment, place }: PolicyRequest,
  around: Surroundings,
  signal: AbortSignal,
): Promise<AnalysedCommand> {
  const start = startOf(cwd, around, await shellState(environment, signal));
  if (!environment) return new AnalysedCommand(command, start, around.parse);
  const session = { files: environment.files, startedAt: place.sessionStartedAt };
  return analyseInSession(command, start, session, signal, { parse: around.parse });
}

/** `places` are paths that were already resolved. The decision must apply to the same paths. */
function execPlace(
  { environment, origin }: PolicyRequest,
  { files }: Surroundings,
  written: ReadonlySet<string>,
  signal: AbortSignal,
  places: readonly ChangedPlace[] = [],
): ExecPlace {
  const resolved = new Map([
    ...places.map(({ path, entry }) => [dirname(path), dirname(entry)] as const),
    ...places.map(({ path, target }) => [path, target] as const),
  ]);
  const realPath = async (path: string) => {
    const before = resolved.get(path);
    if (before !== undefined) return before;
    const real = await environment?.files.realPath(path, signal);
    return real?.ok ? real.value : path;
  };
  const project = environment && {
    workspace: files.workspace,
    realPath,
    async read(path: string) {
      const bytes = await environment.files.read(path, signal);
      return bytes.ok ? Buffer.from(bytes.value).toString("latin1") : undefined;
    },
    async isMissing(path: string) {
      const stat = await environment.files.stat(path, signal);
      return !stat.ok && stat.error.kind === "missing";
    },
  };
  return { files, written, isTyped: origin === "user", realPath, ...(project && { project }) };
}

async function shellState(
  environment: PolicyRequest["environment"],
  signal: AbortSignal,
): Promise<Omit<ShellState, "cwd">> {
  if (!environment) return { functions: {}, aliases: {}, programs: {}, path: "" };
  try {
    return await environment.state(signal);
  } catch (thrown) {
    throw new Unreachable(reasonOf(thrown), { cause: thrown });
  }
}

function asksByRule(subjects: readonly Subject[], { ask }: Pick<PolicyRules, "ask">): readonly SubjectAsk[] {
  const asking = indexRules(ask);
  return subjects.flatMap((subject) =>
    asking(subject).map((rule) =>
      askAbout(subject, { rule: "user_ask", message: `your ask rule "${rule.text}" requires approval` }),
    ),
  );
}

function textOf({ effects, tool }: PolicyRequest): string {
  const [only] = effects;
  if (effects.length === 1 && only?.kind === "exec") return only.command;
  if (effects.length === 1 && only?.kind === "process" && only.action === "type") return only.text ?? "";
  return effects.length === 0
    ? `${tool} runs`
    : effects.map((effect) => `${tool} ${describeEffect(effect)}`).join("\n");
}
