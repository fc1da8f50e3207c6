// covers: src/store, src/hosts, src/runtime
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";

import { isObject } from "../../src/base/json.ts";
import { runHere } from "../support/run-here.ts";
import { type Ran, runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
const canary = "Xylophonary";

/** Prints more than fits into a conversation. */
const loud = `
import { defineTool, text, z } from "hermes-agent-ts/plugin";
export default defineTool({
  name: "loud", toolset: "mine", description: "Says much.", traits: { readOnly: true }, input: z.object({}),
  async run() { return text(["Xylo", "phonary"].join("") + " and much more".repeat(60_000)); },
});`;

/** Files and folders of the home that contain the canary, in any case. */
async function placesIn(home: string): Promise<readonly string[]> {
  // Sockets and pipes of a program that ends may disappear meanwhile; files stay.
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const places = new Set<string>();
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const name = relative(home, path);
    const text = (await readFile(path, "latin1")).toLowerCase();
    // The search file stores only the part of a word that differs from the previous word.
    if (text.includes(canary.toLowerCase().slice(1))) places.add(name.replace(/-wal$|\/.*/u, ""));
  }
  return [...places].toSorted();
}

test("an erased session leaves no byte of its messages, results, files and output behind", async () => {
  await using folder = await tempHome();
  const [home, work] = ["home", "work"].map((name) => join(folder.path, name));
  assert.ok(home !== undefined && work !== undefined);
  await mkdir(join(home, "tools"), { recursive: true, mode: 0o700 });
  await mkdir(join(work, ".git"), { recursive: true });
  await writeFile(join(home, "tools", "loud.tool.ts"), loud);
  const env = { HERMES_HOME: home, HOME: folder.path };
  const done = ({ code, stdout, stderr }: Ran): string => {
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const hermes = async (...args: readonly string[]) => done(await runHere({ work, env }, args));
  const say = async (prompt: string) =>
    done(await runProgram(process.execPath, [bundle, "--yolo", "--record", "-z", prompt], { cwd: work, env }));
  const ids = async (): Promise<readonly string[]> => {
    const listed: unknown = JSON.parse(await hermes("sessions", "list", "--all", "--json"));
    const sessions = isObject(listed) && Array.isArray(listed["sessions"]) ? listed["sessions"] : [];
    return sessions.map((session) => String(isObject(session) ? session["id"] : ""));
  };

  await say("write something else to stays.txt");
  const [stays = ""] = await ids();
  await say(`write ${canary} to notes.txt`);
  await say(`replace ${canary} with ${canary}-again in notes.txt`);
  await say(`run \`echo ${canary}; seq 1 20000\``);
  await say(`start \`echo ${canary}\` in the background`);
  await say("use tool loud with {}");
  await hermes("sessions", "search", "--wait", canary);
  assert.deepEqual(await placesIn(home), [
    "file-checkpoints",
    "outputs",
    "processes",
    "recordings",
    "results",
    "sessions-search.db",
    "sessions.db",
  ]);

  const erased = (await ids()).filter((id) => id !== stays);
  assert.equal(erased.length, 5);
  await hermes("sessions", "delete", ...erased, "--now", "--yes");
  assert.deepEqual(await placesIn(home), []);
  assert.deepEqual(await ids(), [stays]);
  assert.match(await hermes("sessions", "show", stays), /something else/u);
  assert.match(await hermes("checkpoints", "status"), /kB +1 /u);
  assert.match(await readFile(join(work, "notes.txt"), "utf8"), new RegExp(`${canary}-again`, "u"));
});
