import { isObject, type JsonObject } from "../../../base/json.ts";
import { plural } from "../../../base/text/text.ts";
import { type Act, block, failure, numberIn, oneCall, type Outcome, remarks, stringIn } from "../act.ts";

/** A command to its end. Its exit code is told, whatever it is. */
export function runs(command: string, workdir?: string): Act {
  return oneCall("terminal", { command, ...(workdir !== undefined && { workdir }) }, ended);
}

export function starts(command: string, workdir?: string): Act {
  const args = { command, background: true, notify_on_complete: true, ...(workdir !== undefined && { workdir }) };
  return oneCall("terminal", args, ({ data }) => {
    const id = stringIn(data, "session_id") ?? "?";
    return `Started \`${command}\` in the background as ${id}. Say "show the output of ${id}" or "stop ${id}"; I am told when it ends.`;
  });
}

export const showsProcesses: Act = oneCall("process", { action: "list" }, ({ data }) => {
  const all = processesIn(data);
  if (all.length === 0) return "No background process runs, and none has run in this conversation.";
  const lines = all.map((each) => `- ${processLine(each)}`);
  return `${plural(all.length, "background process")}:\n${lines.join("\n")}`;
});

/** With a name in place of an id the list is looked at first. */
export function looks(which: string, action: "poll" | "wait"): Act {
  return onProcess(
    which,
    (id) => ({ action, session_id: id }),
    ({ data }) => {
      const code = numberIn(data, "exit_code");
      const state = stringIn(data, "status") ?? "unknown";
      const output = stringIn(data, "output") ?? stringIn(data, "output_preview");
      const ending = state === "exited" ? `has ended (exit code ${code ?? "unknown"})` : `is ${state}`;
      return `${stringIn(data, "session_id") ?? which} ${ending}${output === undefined ? "; there is no output." : `:\n\n${block(output)}`}`;
    },
  );
}

export function stops(which: string | undefined): Act {
  if (which !== undefined) return onProcess(which, (id) => ({ action: "kill", session_id: id }), stopped);
  return (seen) => {
    const [listed, ...kills] = seen;
    if (!listed) return { call: { name: "process", args: { action: "list" } } };
    if (listed.failed) return failure(listed);
    const running = processesIn(listed.data).filter(isRunning);
    const next = running[kills.length];
    const id = next && stringIn(next, "session_id");
    if (id !== undefined) return { call: { name: "process", args: { action: "kill", session_id: id } } };
    if (running.length === 0) return { say: "No background process is running." };
    const failed = kills.filter((kill) => kill.failed);
    const left = failed.length > 0 ? ` ${plural(failed.length, "of them")} could not be ended.` : "";
    return {
      say: `Ended ${plural(running.length - failed.length, "background process")}.${left}`,
      failed: failed.length > 0,
    };
  };
}

function stopped({ data }: Outcome): string {
  const id = stringIn(data, "session_id") ?? "it";
  return stringIn(data, "status") === "already_exited" ? `${id} had ended already.` : `${id} is stopped.`;
}

function onProcess(which: string, args: (id: string) => JsonObject, report: (outcome: Outcome) => string): Act {
  return (seen) => {
    const isId = /^(?:proc_?\w+|[0-9a-f]{4,})$/iu.test(which);
    const [first, second] = seen;
    const outcome = isId ? first : second;
    if (outcome) return outcome.failed ? failure(outcome) : { say: report(outcome) };
    if (isId) return { call: { name: "process", args: args(which) } };
    if (!first) return { call: { name: "process", args: { action: "list" } } };
    if (first.failed) return failure(first);
    const all = processesIn(first.data);
    const words = which.toLowerCase();
    const fitting = all.filter((each) => (stringIn(each, "command") ?? "").toLowerCase().includes(words));
    const running = fitting.filter(isRunning);
    const meant = running.length > 0 ? running : fitting;
    const id = meant[0] && stringIn(meant[0], "session_id");
    if (meant.length === 1 && id !== undefined) return { call: { name: "process", args: args(id) } };
    const lines = (meant.length > 1 ? meant : all).map((each) => `- ${processLine(each)}`).join("\n");
    if (meant.length > 1) return { say: `Which one? Say it with its id:\n${lines}`, failed: true };
    const none =
      words === "" ? "No background process is running." : `No background process has "${which}" in its command.`;
    return { say: lines === "" ? none : `${none} There are:\n${lines}`, failed: true };
  };
}

function processesIn(data: Outcome["data"]): readonly Readonly<Record<string, unknown>>[] {
  const list = data["processes"];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isRunning(process: Readonly<Record<string, unknown>>): boolean {
  return process["status"] === "running";
}

function processLine(process: Readonly<Record<string, unknown>>): string {
  const state = isRunning(process) ? "running" : `ended, exit code ${numberIn(process, "exit_code") ?? "unknown"}`;
  return `${stringIn(process, "session_id") ?? "?"} \`${stringIn(process, "command") ?? "?"}\` (${state})`;
}

function ended({ args, data, text }: Outcome): string {
  const command = stringIn(args, "command") ?? "";
  const code = numberIn(data, "exit_code");
  if (code === undefined) return `\`${command}\`:\n\n${block(text)}`;
  const output = stringIn(data, "output");
  const error = stringIn(data, "error");
  const seconds = (numberIn(data, "duration_ms") ?? 0) / 1000;
  const how = error ?? (code === 0 ? "ran without error" : `failed with exit code ${code}`);
  const meaning = stringIn(data, "exit_code_meaning");
  const time = seconds >= 1 ? ` after ${seconds.toFixed(1)} s` : "";
  const what = `\`${command}\` ${how}${meaning === undefined ? "" : ` (${meaning})`}${time}`;
  const more = remarks(data, ["hint", "truncation_note"]);
  return output === undefined ? `${what}; there is no output.${more}` : `${what}:\n\n${block(output)}${more}`;
}
