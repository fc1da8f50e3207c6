import { oneLine } from "../../../base/text/text.ts";
import type { PolicyRequest } from "../../../contracts/safety/approval.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import { askAbout, askOnce, askPerSession, type SubjectAsk } from "../approvals/question.ts";
import { namedSubject, shownWords, type Subject } from "../rules/subject.ts";

/** Returns questions about effects outside the sandbox, for commands that normally run inside it. */

export function askToLeave(subject: Subject): SubjectAsk {
  const message = `wants to run outside the sandbox: ${shownWords(subject).join(" ")}`;
  return askAbout(subject, { rule: "outside", message });
}

/** The rule of a question that a person answers once per session. */
export const unconfinedRule = "unconfined";

/** Asks once per session, because without a working sandbox nothing limits effects that the analysis misses. */
export function askForUnconfined(why: string): SubjectAsk {
  const message = `no sandbox works here (${why}), so commands of this session would run unconfined; \`isolation: off\` in the settings allows it for good`;
  return askPerSession(askOnce(unconfinedRule, { rule: unconfinedRule, message }), unconfinedRule);
}

/** Text that is typed into a process outside the sandbox takes effect outside the sandbox. */
export async function askToType(
  { id: processId, text = "" }: Extract<Effect, { readonly kind: "process" }>,
  { environment, place }: PolicyRequest,
  signal: AbortSignal,
): Promise<readonly SubjectAsk[]> {
  if (place.isolated !== true || environment?.processes === undefined) return [];
  const listed = await environment.processes(signal);
  const message = `types into a process outside the sandbox: ${oneLine(text, maxSaid)}`;
  if (!listed.ok) return [askOnce(`${processId} ${text}`, { rule: "outside", message })];
  return listed.value
    .filter(({ id, isConfined }) => isConfined !== true && id.startsWith(fullProcessId(processId)))
    .map(({ id, command }) => {
      const reason = { rule: "outside", message: `${message} (${oneLine(command, maxSaid)})` };
      return askAbout(namedSubject(["@type", id], place.cwd), reason);
    });
}

/** Returns the id of a process, or its beginning, with its prefix. */
export function fullProcessId(id: string): string {
  return `proc_${id.trim().replace(/^proc_/u, "")}`;
}

/** A command outside the sandbox would inherit variables that a sandboxed command has set. */
export function askAboutVariables(
  variables: Readonly<Record<string, string>>,
  { place }: PolicyRequest,
): readonly SubjectAsk[] {
  return Object.entries(variables).map(([name, value]) => {
    const message = `outside the sandbox it would use ${name}=${oneLine(value, maxSaid)}, set by a command in it`;
    return askAbout(namedSubject(["@variable", `${name}=${value}`], place.cwd), { rule: "sandbox_variable", message });
  });
}

/**
 * Returns whether the call can run without an answer: all questions are about leaving the sandbox, and the call can
 * stay inside.
 */
export function canStayUnanswered(left: readonly SubjectAsk[], { effects }: PolicyRequest): boolean {
  const wantsOut = effects.some((effect) => effect.kind === "exec" && effect.outside === true);
  return left.every(({ rule }) => rule === "sandbox_variable" && !wantsOut);
}

const maxSaid = 300;
