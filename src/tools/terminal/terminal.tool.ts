import { homedir } from "node:os";
import { resolve } from "node:path";

import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { expandHome } from "../../base/path.ts";
import { defineTool } from "../../contracts/define-tool.ts";
import type { EnvironmentError, ExecResult } from "../../contracts/environment.ts";
import { fail, json } from "../../contracts/tool.ts";
import { exitCodeOf, exitMeaning, hintFrom } from "./exit-meaning.ts";
import { showOutput } from "./shown-output.ts";

/** The longest a caller may ask for; the setting may allow more. */
const maxSeconds = 600;
/** For opening the environment before a command and ending its processes after it. */
const marginMs = 60_000;

export default defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command and wait for its end. The working folder, exported variables, functions and aliases carry over to " +
    "the next command. Output and errors come together, without colours; of long output the beginning and the end are " +
    "shown and a file holds the rest. exit_code is the command's own: a code other than 0 is an answer, not a failure of " +
    "this tool. There is nobody to type: give options such as --yes instead of waiting for questions. What is still " +
    "running when the command ends (a server, a job with &) is ended and named in left_running; background processes " +
    "are not in this version. To read, write and search files, use the file tools where there are any.",
  emoji: "💻",
  input: z.object({
    command: z.string().min(1).describe("The command line, as for bash -c"),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`Seconds it may run, at most ${maxSeconds}; left out: the user's setting`),
    workdir: z.string().min(1).optional().describe("Folder for this command alone; left out: where the last one ended"),
  }),
  needs: ["environment", "commandDefaults"],
  traits: {
    callers: "both",
    // Without one of its own the environment's limit holds, which is always there.
    timeoutMs: ({ timeout }) => (typeof timeout === "number" ? timeout * 1000 + marginMs : Infinity),
  },
  effects: ({ command, workdir }, { cwd }) => [
    { kind: "exec", command, cwd: workdir === undefined ? cwd : resolve(cwd, homed(workdir)), background: false },
  ],
  async run({ command, timeout, workdir }, { environment, commandDefaults, signal }) {
    const timeoutMs = timeout === undefined ? commandDefaults.timeoutMs : timeout * 1000;
    if (timeoutMs > Math.max(maxSeconds * 1000, commandDefaults.timeoutMs)) {
      return fail(
        `timeout: ${timeout} s is too long; a command may run for at most ${maxSeconds} s. Split the work into steps: ` +
          "background: true, which has no such limit, is not in this version.",
        "invalid_args",
      );
    }
    const ran = await environment.exec(command, {
      signal,
      timeoutMs,
      ...(workdir !== undefined && { cwd: homed(workdir) }),
    });
    return ran.ok ? json(resultData(command, timeoutMs, ran.value)) : notRun(ran.error, environment.kind);
  },
});

function homed(workdir: string): string {
  return expandHome(workdir, homedir());
}

/** What is short comes first: it stays readable when a long result is cut. */
function resultData(command: string, timeoutMs: number, ran: ExecResult): JsonObject {
  const { text, cut } = showOutput(ran);
  const exitCode = exitCodeOf(ran);
  const error = errorOf(ran, timeoutMs);
  const meaning = error === null ? exitMeaning(command, exitCode, text) : undefined;
  const hint = [
    ran.ended === "timeout" ? timeoutHint : ran.ended === "exit" && exitCode !== 0 ? hintFrom(text) : undefined,
    ran.leftRunning.length > 0 ? leftHint : undefined,
  ].filter((each) => each !== undefined);
  return {
    exit_code: exitCode,
    error,
    ...(ran.ended === "timeout" && { timed_out: true }),
    ...(meaning !== undefined && { exit_code_meaning: meaning }),
    ...(hint.length > 0 && { hint: hint.join(" ") }),
    ...(ran.leftRunning.length > 0 && { left_running: [...ran.leftRunning] }),
    cwd: ran.cwd,
    backend: ran.backend,
    duration_ms: Math.round(ran.durationMs),
    waited_ms: Math.round(ran.waitedMs),
    ...(cut && {
      output_total_bytes: ran.totalBytes,
      ...(cut.path !== undefined && { full_output_path: cut.path }),
      truncation_note: cut.note,
    }),
    output: withEnding(text, ran, timeoutMs),
  };
}

const timeoutHint =
  `Give a longer timeout (at most ${maxSeconds} s) or do less at once. A command that waits for input or runs for ever ` +
  "never ends by itself.";
const leftHint =
  "What a command leaves running is ended with it. Start it and use it within one command; background: true is not in " +
  "this version.";

function errorOf({ ended }: ExecResult, timeoutMs: number): string | null {
  if (ended === "timeout") return `timed out after ${timeoutMs / 1000} s; it and all it had started were ended`;
  return ended === "aborted" ? "interrupted; it and all it had started were ended" : null;
}

function withEnding(text: string, { ended }: ExecResult, timeoutMs: number): string {
  const said =
    ended === "timeout"
      ? `[Command timed out after ${timeoutMs / 1000}s]`
      : ended === "aborted"
        ? "[Command interrupted]"
        : undefined;
  if (said === undefined) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${said}`;
}

function notRun({ kind, message, hint }: EnvironmentError, backend: string) {
  const said = `The command was not run (${backend}): ${message}.${hint === undefined ? "" : ` ${hint}`}`;
  return fail(said, kind === "refused" ? "invalid_args" : "unavailable", { data: { backend, reason: kind } });
}
