import type { SiteState } from "../../test/support/sites/sites.ts";
import type { Step, Target, Task } from "./browser-tasks.ts";

/** A browser as a model drives it: each call returns a text that the model reads. */
export interface TaskBrowser extends AsyncDisposable {
  /**
   * Executes a step; `refOf` finds the reference of an element in the texts read so far. Returns the next text to read.
   */
  act(step: ActingStep, refOf: (target: Target) => Promise<string>): Promise<string>;
  /** Returns the whole page, if the texts so far lack something. */
  readAll(): Promise<string>;
  /** The reference of an element in a text. */
  find(text: string, target: Target): string | undefined;
  /** Closes the pages of the last task. */
  reset(): Promise<void>;
}

export type ActingStep = Exclude<Step, { readonly do: "read" }>;

export interface TaskOutcome {
  readonly bytes: number;
  readonly calls: number;
  /** Undefined: the task succeeded. */
  readonly failure?: string;
}

/** Runs a task as a model without mistakes would, and counts the bytes that it reads. */
export async function runTask(task: Task, browser: TaskBrowser, state: SiteState): Promise<TaskOutcome> {
  /** Texts, newest last. Opening a page makes the older texts useless. */
  let texts: string[] = [];
  let bytes = 0;
  let calls = 0;
  const take = (text: string): void => {
    bytes += Buffer.byteLength(text);
    calls += 1;
    texts.push(text);
  };
  const refOf = async (target: Target): Promise<string> => {
    const search = () => texts.toReversed().flatMap((text) => browser.find(text, target) ?? [])[0];
    const ref = search();
    if (ref !== undefined) return ref;
    take(await browser.readAll());
    const again = search();
    if (again === undefined)
      throw new Error(`no ${target.kind} "${target.name}" in: ${texts.at(-1)?.slice(0, 3000) ?? ""}`);
    return again;
  };
  try {
    for (const step of task.steps) {
      if (step.do === "read") {
        if (texts.some((text) => step.text.test(text))) continue;
        take(await browser.readAll());
        if (!step.text.test(texts.at(-1) ?? ""))
          throw new Error(`${String(step.text)} is not in: ${texts.at(-1)?.slice(0, 3000) ?? ""}`);
        continue;
      }
      if (step.do === "open") texts = [];
      take(await browser.act(step, refOf));
    }
    for (let tries = 0; task.isDone && !task.isDone(state) && tries < 20; tries++) await pause(50);
    if (task.isDone && !task.isDone(state))
      throw new Error(`the server did not get the expected data: ${texts.at(-1)?.slice(0, 1000) ?? ""}`);
    return { bytes, calls };
  } catch (thrown) {
    return { bytes, calls, failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether a role of an accessibility tree belongs to this kind. */
export function isKind(role: string, kind: Target["kind"]): boolean {
  if (kind === "any") return !/^(?:heading|statictext|text|paragraph)$/iu.test(role);
  if (kind === "field")
    return !/^(?:button|link|heading|option|statictext|text|generic|labeltext|group|listitem|table)$/iu.test(role);
  return role === kind;
}
