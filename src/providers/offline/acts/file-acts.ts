import { isObject } from "../../../base/json.ts";
import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { plural } from "../../../base/text/text.ts";
import { type Act, block, failure, numberIn, oneCall, type Outcome, remarks, stringIn } from "../act.ts";
import { runs } from "./command-acts.ts";

export function reads(path: string, from?: number, lines?: number): Act {
  const window = { ...(from !== undefined && { offset: from }), ...(lines !== undefined && { limit: lines }) };
  const command =
    from === undefined
      ? `cat -- ${quoteForShellIfNeeded(path)}`
      : `sed -n ${from},${from + (lines ?? 1) - 1}p -- ${quoteForShellIfNeeded(path)}`;
  const ask = { name: "read_file", args: { path, ...window } };
  return (seen, tools) => {
    if (!tools.canReach("read_file") && tools.canReach("terminal")) return runs(command)(seen, tools);
    const last = seen.at(-1);
    // The tool may only say that nothing changed since it was read last; asked once more it shows the text.
    if (!last || (last.data["dedup"] === true && seen.length < 3)) return { call: ask };
    if (last.failed) return failure(last);
    const total = numberIn(last.data, "total_lines");
    const content = stringIn(last.data, "content");
    const more = remarks(last.data, ["hint"]);
    if (content === undefined)
      return {
        say: `${path}: ${last.data["content"] === "" ? "the file is empty." : (stringIn(last.data, "hint") ?? last.text)}`,
      };
    const size = total === undefined ? "" : ` (${plural(total, "line")})`;
    return { say: `${path}${size}:\n\n${block(content.replaceAll(/^ *\d+\|/gmu, ""))}${more}` };
  };
}

export function writes(path: string, content: string): Act {
  return (seen, tools) => {
    // An empty file is made; one that is there is not emptied.
    if (content === "" && tools.canReach("terminal"))
      return changes(`touch -- ${quoteForShellIfNeeded(path)}`, `${path} is there.`)(seen, tools);
    if (!tools.canReach("write_file") && tools.canReach("terminal"))
      return runs(`printf %s ${quoteForShellIfNeeded(content)} > ${quoteForShellIfNeeded(path)}`)(seen, tools);
    return oneCall("write_file", { path, content }, written(path))(seen, tools);
  };
}

/** To a file that is there as a patch, else as a new file. */
export function appends(path: string, content: string): Act {
  const added = content.replace(/\n$/u, "").split("\n");
  const patch = [
    "*** Begin Patch",
    `*** Update File: ${path}`,
    "@@",
    ...added.map((line) => `+${line}`),
    "*** End of File",
    "*** End Patch",
  ].join("\n");
  return (seen, tools) => {
    if (!tools.canReach("patch") && tools.canReach("terminal"))
      return runs(`printf %s ${quoteForShellIfNeeded(content)} >> ${quoteForShellIfNeeded(path)}`)(seen, tools);
    const [first, ...others] = seen;
    if (!first) return { call: { name: "patch", args: { mode: "patch", patch } } };
    if (!first.failed)
      return { say: `Added ${plural(added.length, "line")} to ${path}.${remarks(first.data, ["note", "warning"])}` };
    if (first.denied || !/does not exist|no such file|is not there|nothing to update/iu.test(first.text))
      return failure(first);
    return oneCall("write_file", { path, content }, written(path))(others, tools);
  };
}

export function replaces(path: string, old: string, wanted: string): Act {
  const args = { mode: "replace", path, old_string: old, new_string: wanted, replace_all: true };
  return oneCall("patch", args, ({ data }) => {
    const diff = stringIn(data, "diff");
    const shown = diff === undefined ? "" : `\n\n${block(diff)}`;
    return `Changed ${path}: "${old}" is now "${wanted}".${shown}${remarks(data, ["note", "warning"])}`;
  });
}

export function lists(path: string | undefined): Act {
  const where = path ?? ".";
  return (seen, tools) => {
    if (!tools.canReach("terminal"))
      return oneCall("search_files", { target: "files", pattern: "*", path: where }, fileNames(where))(seen, tools);
    return oneCall("terminal", { command: `ls -Ap -- ${quoteForShellIfNeeded(where)}` }, ({ data }) => {
      const output = stringIn(data, "output") ?? "";
      if (numberIn(data, "exit_code") !== 0) return `${where} cannot be listed: ${output.trim()}`;
      const names = output.split("\n").filter((name) => name !== "");
      const place = path ?? stringIn(data, "cwd") ?? "this folder";
      return names.length === 0
        ? `${place} is empty.`
        : `${plural(names.length, "entry")} in ${place}:\n\n${block(names.join("\n"))}`;
    })(seen, tools);
  };
}

export function deletes(path: string, isFolder: boolean): Act {
  return changes(`rm ${isFolder ? "-r " : ""}-- ${quoteForShellIfNeeded(path)}`, `Deleted ${path}.`);
}

export function makesFolder(path: string): Act {
  return changes(`mkdir -p -- ${quoteForShellIfNeeded(path)}`, `Made the folder ${path}.`);
}

export function moves(from: string, to: string): Act {
  return changes(`mv -n -- ${quoteForShellIfNeeded(from)} ${quoteForShellIfNeeded(to)}`, `Moved ${from} to ${to}.`);
}

export function copies(from: string, to: string): Act {
  return changes(`cp -R -n -- ${quoteForShellIfNeeded(from)} ${quoteForShellIfNeeded(to)}`, `Copied ${from} to ${to}.`);
}

export function searches(words: string, pattern: string, path: string | undefined): Act {
  const where = path === undefined ? "" : ` in ${path}`;
  return oneCall("search_files", { pattern, ...(path !== undefined && { path }) }, ({ data, text }) => {
    const total = numberIn(data, "total_count");
    if (total === 0) return `Nothing${where} has "${words}" in it.${remarks(data, ["hint", "warning"])}`;
    const lines = matchLines(data);
    const shown = lines.length === 0 ? text : lines.join("\n");
    return `${plural(total ?? lines.length, "match")} for "${words}"${where}:\n\n${block(shown)}${remarks(data, ["warning"])}`;
  });
}

export function finds(name: string, path: string | undefined): Act {
  const args = { target: "files", pattern: name, ...(path !== undefined && { path }) };
  return oneCall("search_files", args, fileNames(name, path));
}

function fileNames(name: string, path?: string) {
  return ({ data, text }: Outcome): string => {
    const files = data["files"];
    const where = path === undefined ? "" : ` in ${path}`;
    if (!Array.isArray(files)) return text;
    if (files.length === 0) return `There is no file like ${name}${where}.${remarks(data, ["hint"])}`;
    return `${plural(numberIn(data, "total_count") ?? files.length, "file")} like ${name}${where}, newest first:\n\n${block(files.join("\n"))}`;
  };
}

/** Few matches come one by one, many as one text. */
function matchLines({ matches, matches_text: text }: Outcome["data"]): readonly string[] {
  if (typeof text === "string") return text.split("\n");
  if (!Array.isArray(matches)) return [];
  return matches
    .filter(isObject)
    .map((match) => `${String(match["path"])}:${String(match["line"])}: ${String(match["content"])}`);
}

/** A command of which only the success counts. */
function changes(command: string, done: string): Act {
  return ([outcome]) => {
    if (!outcome) return { call: { name: "terminal", args: { command } } };
    if (outcome.failed) return failure(outcome);
    if (numberIn(outcome.data, "exit_code") === 0) return { say: done };
    const { data, text } = outcome;
    return {
      say: `That did not work: ${(stringIn(data, "output") ?? stringIn(data, "error") ?? text).trim()}`,
      failed: true,
    };
  };
}

function written(path: string) {
  return ({ data }: Outcome): string =>
    `Wrote ${plural(numberIn(data, "bytes_written") ?? 0, "byte")} to ${path}.${remarks(data, ["warning", "note"])}${lintLines(data)}`;
}

function lintLines({ lint }: Outcome["data"]): string {
  return Array.isArray(lint) && lint.length > 0
    ? `\nNew faults:\n${block(lint.map((fault: unknown) => (typeof fault === "string" ? fault : JSON.stringify(fault))).join("\n"))}`
    : "";
}
