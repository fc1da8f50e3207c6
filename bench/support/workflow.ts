import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { isObject, type JsonObject } from "../../src/base/json.ts";

export interface WorkflowCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** The answers of a model that calls tools one by one: each answer yields parallel calls and receives their results. */
export type SingleCalls = Generator<readonly WorkflowCall[], string, readonly JsonObject[]>;

/** One task, solved by single calls and by a script. Both must give the expected answer. */
export interface Workflow {
  readonly name: string;
  readonly task: string;
  /** Files by their path in the folder. */
  files(): Readonly<Record<string, string>>;
  single(place: WorkflowPlace): SingleCalls;
  /** Python that prints the answer. */
  script(place: WorkflowPlace): string;
  readonly expected: string;
  /** Returns the first incorrect file after the run. Undefined for workflows that change no files. */
  fault?(read: (path: string) => string): string | undefined;
}

export interface WorkflowPlace {
  /** The address of a local site. */
  readonly site: string;
}

/** The number of calls that a strong model makes in one answer. */
const parallelCalls = 10;

export function inGroups<T>(items: readonly T[], size = parallelCalls): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Makes independent calls, as many per answer as a model makes. */
export function* callAll(
  calls: readonly WorkflowCall[],
): Generator<readonly WorkflowCall[], readonly JsonObject[], readonly JsonObject[]> {
  const results: JsonObject[] = [];
  for (const group of inGroups(calls)) results.push(...(yield group));
  return results;
}

export const readFileCall = (path: string): WorkflowCall => ({ name: "read_file", args: { path } });
export const terminalCall = (command: string): WorkflowCall => ({ name: "terminal", args: { command } });
export const searchCall = (args: JsonObject): WorkflowCall => ({ name: "search_files", args });

/** The text of a `read_file` result without line numbers. */
export function fileText(result: JsonObject | undefined): string {
  return textField(result, "content").replaceAll(/^\d+\|/gmu, "");
}

export function outputOf(result: JsonObject | undefined): string {
  return textField(result, "output");
}

function textField(result: JsonObject | undefined, name: string): string {
  const value = result?.[name];
  return typeof value === "string" ? value : "";
}

export function matchesOf(
  result: JsonObject | undefined,
): readonly { readonly path: string; readonly content: string }[] {
  const { matches: list, matches_text: compact } = result ?? {};
  if (typeof compact === "string") return compact.split("\n\n").flatMap(compactMatches);
  return (Array.isArray(list) ? list : []).flatMap((each) =>
    isObject(each) ? [{ path: String(each["path"]), content: String(each["content"]) }] : [],
  );
}

/** A file, then its lines: `LINE:text`. */
function compactMatches(block: string): readonly { readonly path: string; readonly content: string }[] {
  const [path = "", ...lines] = block.split("\n");
  return lines.map((line) => ({ path, content: line.replace(/^ {2}\d+:/u, "") }));
}

export function filesOf(result: JsonObject | undefined): readonly string[] {
  const list = result?.["files"];
  return (Array.isArray(list) ? list : []).map(String).toSorted();
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** An object of `count` generated entries, each a name and a value. */
export function many(count: number, entry: (index: number) => readonly [string, string]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));
}

/** Python code at the start of every script that reads files. */
export const scriptText = `
def text(path):
    return "\\n".join(line.split("|", 1)[1] for line in read_file(path=path)["content"].split("\\n"))
`;
