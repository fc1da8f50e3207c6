import { join } from "node:path";

import { eventually } from "./eventually.ts";
import { runProgram } from "./run-program.ts";
import { program, talking } from "./talking-program.ts";
import type { ModelServerOptions } from "./wire-servers/model-server.ts";

/** The full screen in a window of tmux. */
export async function tmuxChat(turns: ModelServerOptions["turns"], columns: number, rows: number) {
  const { work, env, ...rest } = await talking(turns);
  const socket = join(env.HOME, "tmux");
  const tmux = async (...args: readonly string[]) => runProgram("tmux", ["-S", socket, ...args], { cwd: work, env });
  const size = ["-x", String(columns), "-y", String(rows)];
  const shell = `${process.execPath} ${program} --tui; echo the shell again; exec sleep 600`;
  await tmux("-f", "/dev/null", "new-session", "-d", ...size, `LC_ALL=C.UTF-8 ${shell}`);
  const everything = async () => (await tmux("capture-pane", "-p", "-S", "-")).stdout.trimEnd();
  const seen = async () => (await tmux("capture-pane", "-p")).stdout;
  return {
    everything,
    /** The scrollback and the window; a line that tmux wrapped is one line. */
    joined: async () => (await tmux("capture-pane", "-p", "-J", "-S", "-")).stdout.trimEnd(),
    untilSeen: async (words: RegExp) => eventually(async () => words.test(await seen())),
    /** Waits until the scrollback or the window has it. */
    until: async (words: string) => eventually(async () => (await everything()).includes(words)),
    type: (...keys: readonly string[]) => tmux("send-keys", ...keys),
    resize: (width: number, height: number) => tmux("resize-window", "-x", String(width), "-y", String(height)),
    async [Symbol.asyncDispose]() {
      await tmux("kill-server");
      await rest[Symbol.asyncDispose]();
    },
  };
}
