import { resolve } from "node:path";

import { z } from "zod";

import { expandHome } from "../../base/files/path.ts";
import { homeFolder } from "../../base/this-user.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import { hiddenKey } from "../files/masked-line.ts";
import { startBackground } from "./background.ts";
import { maxSeconds, runForeground } from "./foreground.ts";
import { sudoUses } from "./sudo.ts";

/** For opening the environment before a command and ending its processes after it. */
const marginMs = 60_000;

export default defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command and wait until it exits, or start it with background: true (servers, long work) and manage it " +
    "with the process tool. Working directory, exported variables, functions and aliases carry over to the next command. " +
    "Long output is shown as its beginning and end; a file has the rest. A nonzero exit_code is a result, not a failure. " +
    "Nobody can type: pass options such as --yes, or use background and pty and type with process. Processes that a " +
    "foreground command leaves running (&) are killed. For files, use the file tools.",
  emoji: "💻",
  input: z.object({
    command: z.string().min(1),
    background: z.boolean().default(false).describe("Do not wait; returns a session_id"),
    timeout: z.number().positive().optional().describe(`Seconds, at most ${maxSeconds}`),
    workdir: z.string().min(1).optional().describe("For this command only"),
    pty: z.boolean().default(false),
    notify_on_complete: z.boolean().default(false).describe("Background: notify you when it exits"),
    watch_patterns: z
      .array(z.string().min(1).max(500))
      .max(50)
      .default([])
      .describe("Background: notify you of output lines that contain these texts"),
    outside: z.boolean().default(false).describe("Ask to run it outside the sandbox, if the sandbox made it fail"),
    keep: z.boolean().default(false).describe("Background: keep it running after Hermes exits"),
  }),
  needs: ["environment", "commandDefaults", "processes"],
  traits: {
    callers: "both",
    // Those of its commands that leave a trace run alone all the same.
    parallel: true,
    // Without a limit of its own, or when a person may be asked for a password, the environment's holds.
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
    const { environment, commandDefaults, signal } = context;
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
      const why = `workdir: the home folder on ${environment.kind} is not known here`;
      return fail(`${why}. Write the path in full, or begin the command with cd ~`, "invalid_args");
    }
    const hidden = hiddenKey("", command);
    if (hidden !== undefined) {
      const what = `${hidden} is what you were shown of a key that is hidden from you, not the key`;
      return fail(`${what}. Nothing was run. Let the command take the key from where it is.`, "invalid_args");
    }
    const sudo = sudoUses(context.effects);
    if (args.background) {
      const wish = {
        command,
        sudo,
        pty,
        keep,
        notifyOnComplete,
        watchPatterns,
        hasTimeout: timeout !== undefined,
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
    const wish = { command, sudo, timeoutMs, pty, outside, ignored, ...place };
    return runForeground(wish, environment, commandDefaults, signal);
  },
});

/** Only the home folder of this machine is known. */
function homed(workdir: string, backend: string): string {
  return backend === "local" ? expandHome(workdir, homeFolder()) : workdir;
}
