// covers: src/hosts/cli/screen/terminal, src/hosts/cli/terminal-device.ts
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { program, talking } from "../support/talking-program.ts";
import type { ModelServerOptions } from "../support/wire-servers/model-server.ts";

const skip = missingPrograms({ tmux: "tmux" });

/** The full screen in a window of tmux. */
async function inTmux(turns: ModelServerOptions["turns"], columns: number, rows: number) {
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

test("in tmux the scrollback has finished lines once, and no rows of the prompt", { skip }, async () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1} of the answer.\n\n`);
  await using chat = await inTmux([{ text, fault: { chunkBytes: 120, dripMs: 4 } }], 40, 10);
  await chat.untilSeen(/interrupts\n❯\ncustom\/m1/u);
  // Now the rows of the prompt begin at the first cell of the window.
  await chat.type("C-l");
  await chat.untilSeen(/^❯\ncustom\/m1/u);
  await chat.resize(60, 12);
  await chat.untilSeen(/^❯\ncustom\/m1 .*no sandbox · asks first/u);
  await chat.type("count them");
  await chat.until("❯ count them");
  await chat.type("Enter");
  await chat.until("line 40 of the answer.");
  await chat.type("C-d");
  await chat.until("the shell again");
  const everything = await chat.everything();
  const numbers = [...everything.matchAll(/^line (\d+) of the answer\.$/gmu)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    text.map((_, index) => index + 1),
    everything,
  );
  assert.equal(everything.match(/count them/gu)?.length, 1, everything);
  assert.doesNotMatch(everything, /^❯$|^custom\/m1 ·|loading/mu);
});
