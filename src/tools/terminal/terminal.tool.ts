import { resolve } from "node:path";

import { z } from "zod";

import { expandHome } from "../../base/path.ts";
import { homeFolder } from "../../base/this-user.ts";
import { defineTool } from "../../contracts/define-tool.ts";
import { fail } from "../../contracts/tool.ts";
import { startBackground } from "./background.ts";
import { maxSeconds, runForeground } from "./foreground.ts";

/** For opening the environment before a command and ending its processes after it. */
const marginMs = 60_000;

export default defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command and wait for its end, or start it with background: true (servers, long work) and look after it " +
    "with the process tool. The working folder, exported variables, functions and aliases carry over to the next command. " +
    "Output and errors come together, without colours; of long output the beginning and the end are shown and a file holds " +
    "the rest. exit_code is the command's own: a code other than 0 is an answer, not a failure of this tool. There is " +
    "nobody to type: give options such as --yes, or use background and pty and type with process. What is still running " +
    "when a foreground command ends (a job with &) is ended and named in left_running. To read, write and search files, " +
    "use the file tools where there are any.",
  emoji: "💻",
  input: z.object({
    command: z.string().min(1).describe("The command line, as for bash -c"),
    background: z.boolean().default(false).describe("Start it, do not wait; answers a session_id for process"),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`Foreground: seconds it may run, at most ${maxSeconds}; left out: the user's setting`),
    workdir: z.string().min(1).optional().describe("Folder for this command alone; left out: where the last one ended"),
    pty: z.boolean().default(false).describe("With a terminal: REPLs, full-screen and interactive programs"),
    notify_on_complete: z.boolean().default(false).describe("Background: a message tells you once when it has ended"),
    watch_patterns: z
      .array(z.string().min(1).max(500))
      .max(50)
      .default([])
      .describe("Background: a message tells you of output lines with one of these texts in them; at most every 15 s"),
    keep: z.boolean().default(false).describe("Background: goes on after Hermes is left; else it is ended then"),
  }),
  needs: ["environment", "commandDefaults", "processes"],
  traits: {
    callers: "both",
    // Without a limit of its own, or when a person may be asked for a password, the environment's holds.
    timeoutMs: ({ timeout, background, command }) => {
      if (background === true) return marginMs;
      const mayAsk = typeof command !== "string" || command.includes("sudo");
      return typeof timeout === "number" && !mayAsk ? timeout * 1000 + marginMs : Infinity;
    },
  },
  effects: ({ command, workdir, background }, { cwd, backend }) => [
    { kind: "exec", command, cwd: workdir === undefined ? cwd : resolve(cwd, homed(workdir, backend)), background },
  ],
  async run(args, context) {
    const { environment, commandDefaults, signal } = context;
    const { command, timeout, pty, keep, notify_on_complete: notifyOnComplete, watch_patterns: watchPatterns } = args;
    const place = args.workdir === undefined ? {} : { cwd: homed(args.workdir, environment.kind) };
    if (place.cwd?.startsWith("~") && environment.kind !== "local") {
      const why = `workdir: the home folder on ${environment.kind} is not known here`;
      return fail(`${why}. Write the path in full, or begin the command with cd ~`, "invalid_args");
    }
    if (args.background) {
      const wish = { command, pty, keep, notifyOnComplete, watchPatterns, hasTimeout: timeout !== undefined, ...place };
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
    return runForeground({ command, timeoutMs, pty, ignored, ...place }, environment, commandDefaults, signal);
  },
});

/** Only the home folder of this machine is known. */
function homed(workdir: string, backend: string): string {
  return backend === "local" ? expandHome(workdir, homeFolder()) : workdir;
}
