import type { JsonObject } from "../../base/json.ts";

/** What became of one call of a step. */
export interface Outcome {
  readonly name: string;
  readonly args: JsonObject;
  readonly failed: boolean;
  /** A person or a rule said no. */
  readonly denied: boolean;
  /** The result as data, where it is JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What a step does next: a call, or its report. */
export type Action =
  | { readonly call: { readonly name: string; readonly args: JsonObject } }
  | { readonly say: string; readonly failed?: boolean };

export interface ToolsHere {
  readonly names: readonly string[];
  /** It can be called, by its name or after it was searched for. */
  canReach(name: string): boolean;
}

/** A step at work. `seen`: what its calls gave so far, in order. Depends on nothing else. */
export type Act = (seen: readonly Outcome[], tools: ToolsHere) => Action;

/** A step that is one call. */
export function oneCall(name: string, args: JsonObject, report: (outcome: Outcome) => string): Act {
  return ([outcome]) => {
    if (!outcome) return { call: { name, args } };
    return outcome.failed ? failure(outcome) : { say: report(outcome) };
  };
}

/** In the words of the tool. Nothing is made nicer than it is. */
export function failure({ name, args, denied, data, text }: Outcome): Action {
  // What follows is advice for a model that might try another way.
  const why = (stringIn(data, "error") ?? text)
    .replace(/^Denied: \S+ was not run: /u, "")
    .replace(/ Do not try it again\b.*$/su, "");
  const what = stringIn(args, "command") ?? stringIn(args, "path");
  const about = what === undefined ? name : `\`${what}\``;
  const say = denied ? `I was not allowed to do that (${about}): ${why}` : `That did not work (${about}): ${why}`;
  return { say, failed: true };
}

export function stringIn(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = data[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberIn(data: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = data[key];
  return typeof value === "number" ? value : undefined;
}

/** What a tool adds for its reader: hints, warnings, notes, new faults. */
export function remarks(data: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  const said = keys.flatMap((key) => stringIn(data, key) ?? []);
  return said.length === 0 ? "" : `\n${said.join("\n")}`;
}

/** A block that nothing in the text can end, its middle left out when it is long. */
export function block(text: string, maxLines = 60): string {
  const body = text.replace(/\s+$/u, "");
  const lines = body.split("\n");
  const half = Math.floor(maxLines / 2);
  const shown =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, half), `[… ${lines.length - 2 * half} lines left out …]`, ...lines.slice(-half)];
  const ticks = "`".repeat(Math.max(3, ...Array.from(body.matchAll(/`+/gu), ([run]) => run.length + 1)));
  return `${ticks}\n${shown.map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line)).join("\n")}\n${ticks}`;
}
