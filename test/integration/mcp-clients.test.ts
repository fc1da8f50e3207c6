// covers: src/mcp/serve, src/runtime/mcp, src/checkpoints, src/hosts/cli/commands/mcp
// Third-party clients use Hermes as a server: their actions are guarded and can be undone.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import {
  playClaudeCode,
  playCodex,
  type PlayClient,
  playInspector,
  playOfficialClient,
} from "../support/mcp-clients.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { runProgram } from "../support/run-program.ts";
import { program } from "../support/talking-program.ts";
import { tempHome } from "../support/temp-home.ts";

const published = await npmPrograms("mcp");
// Together 800 MB, so they are installed only on request.
const agents = await npmPrograms("agents");
const clients: readonly (readonly [string, PlayClient, string | false])[] = [
  ["The official client", playOfficialClient, false],
  ["The inspector", playInspector(published.folder), published.skip],
  ["Codex", playCodex(agents.folder), agents.skip],
  ["Claude Code", playClaudeCode(agents.folder), agents.skip],
];

for (const [name, play, skip] of clients) {
  const title = `${name} reads a file, edits it, is refused a dangerous command, and the edit is rolled back`;
  test(title, { skip }, async () => {
    await using folder = await tempHome();
    const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
    await mkdir(home);
    await mkdir(work);
    await writeFile(join(home, "config.yaml"), JSON.stringify({ isolation: { mode: "off" } }));
    const notes = join(work, "notes.txt");
    await writeFile(notes, "the first line\n");
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, HERMES_HOME: home };
    const server = { command: process.execPath, args: [program, "mcp", "serve"], env, cwd: work };

    const [read, edited, refused] = await play(server, [
      { name: "read_file", args: { path: "notes.txt" } },
      { name: "patch", args: { mode: "replace", path: "notes.txt", old_string: "first", new_string: "second" } },
      { name: "terminal", args: { command: "rm -rf / --no-preserve-root" } },
    ]);

    assert.match(read ?? "", /the first line/);
    assert.equal(await readFile(notes, "utf8"), "the second line\n", edited);
    assert.match(refused ?? "", /denied|refused|blocked/i);
    const back = await runProgram(process.execPath, [program, "rollback", "1", "--yes"], { cwd: work, env });
    assert.equal(back.code, 0, back.stdout + back.stderr);
    assert.equal(await readFile(notes, "utf8"), "the first line\n");
  });
}
