import { resolve } from "node:path";

import { z } from "zod";

import type { Clock } from "../../base/clock.ts";
import { expandHome } from "../../base/files/path.ts";
import type { SessionId } from "../../base/ids.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { ProcessTable } from "../../contracts/environment/environment.ts";
import { defaultPtySize } from "../../contracts/environment/process-output.ts";
import type { SudoUse } from "../../contracts/safety/command-analysis.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { hiddenKey } from "../files/masked-line.ts";
import { maxSeconds, runForeground, notRun } from "./foreground.ts";
import { sudoUses, sudoInBackground } from "./sudo.ts";

/** The time for opening the environment before a command and killing its processes after it. */
const marginMs = 60_000;

export default defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command until it exits, or start it with background: true (servers, long work) and manage it with " +
    "process. tool_call runs process. Folder, exported variables, functions and aliases carry over. Long output is cut " +
    "in the middle; a file has the rest. A nonzero exit_code is a result, not a failure. Nobody can type: pass options " +
    "such as --yes, or use background and pty. Processes left running by & are killed.",
  emoji: "💻",
  input: z.object({
    command: z.string().min(1),
    background: z.boolean().default(false).describe("Do not wait; returns a session_id"),
    timeout: z.number().positive().optional().describe(`Seconds, at most ${maxSeconds}`),
    workdir: z.string().min(1).optional().describe("For this command only"),
    pty: z.boolean().default(false),
    notify_on_complete: z.boolean().default(false).describe("Background: notify you at exit"),
    watch_patterns: z
      .array(z.string().min(1).max(500))
      .max(50)
      .default([])
      .describe("Background: notify you of lines with these"),
    outside: z.boolean().default(false).describe("Ask to leave the sandbox that made it fail"),
    keep: z.boolean().default(false).describe("Background: outlives Hermes"),
  }),
  needs: ["environment", "commandDefaults", "processes"],
  traits: {
    callers: "both",
    scriptArguments: ["command", "timeout", "workdir"],
    // Commands that change something still run alone.
    parallel: true,
    // If the call has no timeout, or a password may be requested, the environment's timeout applies.
    timeoutMs: ({ timeout, background, command }) => {
      if (background === true) return marginMs;
      const mayAsk = typeof command !== "string" || command.includes("sudo");
      return typeof timeout === "number" && !mayAsk ? timeout * 1000 + marginMs : Infinity;
    },
  },
  effects: ({ command, workdir, background, outside }, { cwd, backend }) => [
    {
      kind: "exec",
      command,
      cwd: workdir === undefined ? cwd : resolve(cwd, homed(workdir, backend)),
      background,
      ...(outside && { outside }),
    },
  ],
  async run(args, context) {
    const { environment, commandDefaults } = context;
    const {
      command,
      timeout,
      pty,
      outside,
      keep,
      notify_on_complete: notifyOnComplete,
      watch_patterns: watchPatterns,
    } = args;
    const place = args.workdir === undefined ? {} : { cwd: homed(args.workdir, environment.kind) };
    if (place.cwd?.startsWith("~") && environment.kind !== "local") {
      const why = `workdir: Hermes does not know the home folder on ${environment.kind}`;
      return fail(`${why}. Write the path in full, or begin the command with cd ~`, "invalid_args");
    }
    const hidden = hiddenKey("", command);
    if (hidden !== undefined) {
      const what = `${hidden} is the masked form of a key, not the key itself`;
      return fail(`${what}. Nothing was run. Let the command take the key from where it is.`, "invalid_args");
    }
    const sudo = sudoUses(context.effects);
    const places = context.effects.find((effect) => effect.kind === "exec")?.places;
    const changesOnly = new Set(
      places?.flatMap(({ entry, target, isContent }) => (isContent ? [`${target}/`] : [entry, target])),
    );
    const limit = places === undefined ? {} : { changesOnly: Array.from(changesOnly) };
    if (args.background) {
      const wish = {
        command,
        sudo,
        pty,
        keep,
        notifyOnComplete,
        watchPatterns,
        hasTimeout: timeout !== undefined,
        ...limit,
        ...place,
      };
      return startBackground(wish, context);
    }
    const timeoutMs = timeout === undefined ? commandDefaults.timeoutMs : timeout * 1000;
    const { maxTimeoutMs = maxSeconds * 1000 } = commandDefaults;
    if (timeoutMs > Math.max(maxTimeoutMs, commandDefaults.timeoutMs)) {
      return fail(
        `timeout: ${timeout} s is too long; a command may be waited for ${maxTimeoutMs / 1000} s at most. Use background: true with ` +
          "notify_on_complete: true, which has no such limit.",
        "invalid_args",
      );
    }
    const ignored = [
      ...(notifyOnComplete ? ["notify_on_complete"] : []),
      ...(watchPatterns.length > 0 ? ["watch_patterns"] : []),
      ...(keep ? ["keep"] : []),
    ];
    const wish = { command, sudo, timeoutMs, pty, outside, ignored, ...limit, ...place };
    return runForeground(wish, environment, commandDefaults, context);
  },
});

/** Expands only the home folder of this machine. */
function homed(workdir: string, backend: string): string {
  return backend === "local" ? expandHome(workdir, homeFolder()) : workdir;
}

interface BackgroundCommand {
  readonly command: string;
  readonly cwd?: string;
  readonly pty: boolean;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
  readonly keep: boolean;
  readonly sudo: readonly SudoUse[];
  readonly changesOnly?: readonly string[];
  /** True if a timeout was given, which has no effect here. */
  readonly hasTimeout: boolean;
}

interface BackgroundContext {
  readonly processes: ProcessTable;
  readonly sessionId: SessionId;
  readonly environment: { readonly kind: string };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function startBackground(
  wish: BackgroundCommand,
  { processes, sessionId, environment, clock, signal }: BackgroundContext,
): Promise<ToolResult> {
  const { command, notifyOnComplete, keep } = wish;
  const askedAt = clock.elapsed();
  const sudo = sudoInBackground(wish.sudo);
  if (!sudo.ok) return fail(sudo.error, "blocked");
  const pty = wish.pty && !readsToken.test(command);
  const watchPatterns = notifyOnComplete ? [] : wish.watchPatterns;
  const started = await processes.start(
    command,
    {
      sessionId,
      keep,
      notifyOnComplete,
      watchPatterns,
      ...(wish.cwd !== undefined && { cwd: wish.cwd }),
      ...(pty && { pty: defaultPtySize }),
      ...(wish.changesOnly && { changesOnly: wish.changesOnly }),
    },
    signal,
  );
  if (!started.ok) return notRun(started.error, environment.kind);
  const { id, pid } = started.value;
  const hint = [
    notifyOnComplete || watchPatterns.length > 0 ? undefined : lookHint,
    wish.hasTimeout
      ? "timeout applies only in the foreground: this command runs until it ends or is killed."
      : undefined,
  ].filter((each) => each !== undefined);
  return json({
    output: "Background process started",
    session_id: id,
    pid: pid ?? null,
    exit_code: 0,
    error: null,
    backend: started.value.backend,
    cwd: started.value.cwd,
    ...(started.value.isConfined && { sandbox: true }),
    duration_ms: 0,
    waited_ms: Math.round(clock.elapsed() - askedAt),
    next: `${processCall("poll", id)}; other actions: ${processActions}`,
    ...(hint.length > 0 && { hint: hint.join(" ") }),
    ...(wish.pty && { pty_note: pty ? ptyNote : tokenNote }),
    ...(notifyOnComplete && { notify_on_complete: true }),
    ...(watchPatterns.length > 0 && { watch_patterns: [...watchPatterns] }),
    ...(notifyOnComplete && wish.watchPatterns.length > 0 && { watch_patterns_ignored: ignoredNote }),
    ...(keep && { keep: true }),
    ...(sudo.value !== undefined && { sudo_note: sudo.value }),
  });
}

/** Matches a command that reads a token until the end of its input, which a terminal would not send. */
const readsToken = /\bgh\s+auth\s+login\b.*--with-token\b/su;

/** Returns the call of the tool `process`, which a model discovers by search and calls through `tool_call`. */
function processCall(action: string, id: string): string {
  const args = JSON.stringify({ action, session_id: id });
  return `tool_call {"name":"process","arguments":${args}}`;
}
const processActions = "log, wait, kill, write or submit (with data), close, screen";

const lookHint =
  "You will not be notified: check with process poll or wait, or start it with notify_on_complete (work that ends) or " +
  "watch_patterns (a server that gets ready).";
const ptyNote = `It has a terminal of ${defaultPtySize.columns} columns and ${defaultPtySize.rows} rows: read it with process screen, type with submit and write.`;
const tokenNote = "Without a terminal: gh reads the token from its input. Use process write, then close.";
const ignoredNote = "watch_patterns has no effect together with notify_on_complete: you are notified once, at the end.";
