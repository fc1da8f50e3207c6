/** Records the demo of the guide with asciinema: `npm run demo`. A scripted model answers, so every recording shows the same. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { screenOf } from "../test/support/screen-chat.ts";
import { program, talking } from "../test/support/talking-program.ts";

const cast = join(import.meta.dirname, "..", "docs", "demo.cast");
const columns = 92;
const rows = 26;

const turns = [
  { calls: [{ name: "read_file", args: { path: "notes.md" } }] },
  {
    calls: [
      {
        name: "patch",
        args: { mode: "replace", path: "notes.md", old_string: "- [ ] write tests", new_string: "- [x] write tests" },
      },
    ],
  },
  {
    text: "Done: the tests are **checked off**. Two items are left.".split(/(?<= )/u),
    fault: { chunkBytes: 180, dripMs: 40 },
  },
  { calls: [{ name: "terminal", args: { command: "rm -rf build" } }] },
  { text: "I left `build` alone, as you said." },
];
await using chat = await talking(turns);
const { work, env } = chat;
await writeFile(join(work, "notes.md"), "# Release\n\n- [ ] write tests\n- [ ] update docs\n- [ ] publish\n");
const shell = `"${process.execPath}" "${program}" --tui`;
await using screen = screenOf(
  ["asciinema", "rec", "--overwrite", "--quiet", "--idle-time-limit", "2", "-c", shell, cast],
  {
    columns,
    rows,
    cwd: work,
    env: { ...env, COLORTERM: "truecolor", LANG: "C.UTF-8" },
  },
);

async function type(text: string): Promise<void> {
  for (const character of text) {
    screen.type(character);
    await pause(45);
  }
  await pause(300);
  screen.type("\r");
}

await screen.until("m1");
await pause(800);
await type("check off the tests in notes.md");
await screen.untilWritten("Two items are left.");
await pause(1_500);
await type("and delete the build folder");
await screen.until("Deny");
await pause(2_000);
screen.type("d");
await screen.untilWritten("I left");
await pause(1_500);
screen.type("\x04");
await screen.code;
console.log(cast);
