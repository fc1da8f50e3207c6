// covers: src/mcp/client, src/mcp/adapt, src/mcp/fleet, src/runtime/mcp, src/store
// Files, roots and logs of MCP servers at the command line.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { parsedObject } from "../../src/base/json.ts";
import { pdfFile } from "../support/pdf-file.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";

const fixture = (name: string) => join(import.meta.dirname, "..", "fixtures", "mcp-servers", `${name}.ts`);
const savedPath = /\/\S*outputs\/out-\d+-[0-9a-f]{12}-q3-report\.pdf/u;
type Turns = Parameters<typeof talking>[0];

/** A home with a server that has a PDF document. */
async function withDocuments(turns: Turns) {
  const scene = await talking(turns);
  const pdf = Buffer.from(pdfFile([["Revenue grew by 12 percent"]]));
  await writeFile(join(scene.work, "report.pdf"), pdf);
  const file = join(scene.env.HERMES_HOME, "config.yaml");
  const docs = { command: process.execPath, args: [fixture("documents"), join(scene.work, "report.pdf")] };
  const config = parsedObject(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...config, mcp_servers: { docs } }));
  const outputs = join(scene.env.HERMES_HOME, "outputs");
  return { ...scene, pdf, saved: () => (existsSync(outputs) ? readdirSync(outputs) : []), outputs };
}

/** The path in the last message of a request. */
function pathIn(json: unknown): string {
  return savedPath.exec(JSON.stringify(Object(json)["messages"].at(-1)))?.[0] ?? assert.fail(JSON.stringify(json));
}

test("a PDF document in a result is saved, the model reads it, and erasing the session deletes it", async () => {
  await using at = await withDocuments([
    { calls: [{ name: "mcp__docs__report" }] },
    ({ json }) => ({ calls: [{ name: "read_file", args: { path: pathIn(json) } }] }),
    { text: "It grew." },
  ]);
  const ran = await runHere(at, ["-z", "go"]);
  assert.equal(ran.stdout.trim(), "It grew.", ran.stderr);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /Revenue grew by 12 percent/u);
  const [name = "", ...others] = at.saved();
  assert.deepEqual(others, []);
  assert.deepEqual(readFileSync(join(at.outputs, name)), at.pdf);
  assert.equal(statSync(join(at.outputs, name)).mode & 0o777, 0o600);
  const sessions = parsedObject((await runHere(at, ["sessions", "list", "--all", "--json"])).stdout);
  const id = String(Object(sessions)["sessions"][0]["id"]);
  assert.equal((await runHere(at, ["sessions", "delete", id, "--now", "--yes"])).code, 0);
  assert.deepEqual(at.saved(), []);
});

test("a PDF resource is saved by the resource tool and by a reference in the prompt", async () => {
  const uri = "doc:///reports/Q3%20Report.pdf";
  const paths: string[] = [];
  await using at = await withDocuments([
    ({ json }) => {
      paths.push(pathIn(json));
      return { calls: [{ name: "mcp__docs__read_resource", args: { uri } }] };
    },
    ({ json }) => {
      paths.push(pathIn(json));
      return { text: "Done." };
    },
  ]);
  const ran = await runHere(at, ["-z", `read @docs:${uri}`]);
  assert.equal(ran.stdout.trim(), "Done.", ran.stderr);
  assert.equal(new Set(paths).size, 2);
  assert.equal(at.saved().length, 2);
});

test("the root of a server is the project, also from a folder inside it", async () => {
  await using at = await withDocuments([{ calls: [{ name: "mcp__docs__roots" }] }, { text: "Done." }]);
  const project = join(at.work, "project");
  const inner = join(project, "src");
  await mkdir(inner, { recursive: true });
  await runProgram("git", ["init", "-q"], { cwd: project, env: at.env });
  const ran = await runProgram(process.execPath, [program, "-z", "go"], { cwd: inner, env: at.env, input: "" });
  assert.equal(ran.code, 0, ran.stderr);
  const { href } = pathToFileURL(project);
  const messages = JSON.stringify(Object(at.server.requests.at(-1)?.json)["messages"].at(-1));
  assert.ok(messages.replaceAll("\\", "").includes(`{"roots":[{"uri":"${href}","name":"project"}]}`), messages);
});

test("a server that floods its error output fills no disk, and its log has no control characters", async () => {
  await using scene = await talking([
    { calls: [{ name: "mcp__hostile__echo", args: { text: "one" } }] },
    { text: "Done." },
  ]);
  const file = join(scene.env.HERMES_HOME, "config.yaml");
  const config = parsedObject(await readFile(file, "utf8"));
  const hostile = { command: process.execPath, args: [fixture("hostile"), "flood-stderr"] };
  await writeFile(file, JSON.stringify({ ...config, mcp_servers: { hostile } }));
  const ran = await runHere(scene, ["-z", "go"]);
  assert.equal(ran.stdout.trim(), "Done.", ran.stderr);
  const log = readFileSync(join(scene.env.HERMES_HOME, "logs", "mcp", "hostile.log"), "utf8");
  assert.match(log, /stderr: e{100}[^]*more messages were dropped/u);
  assert.doesNotMatch(log.replaceAll("\n", ""), /\p{Cc}/u);
  assert.ok(log.length < 2_000_000, `${log.length} characters`);
});

test("secrets in a result are masked, and a long result is written to a file", async () => {
  const secret = `ghp_${"aB3dE6gH9".repeat(4)}`;
  const long = "a line of text\n".repeat(20_000);
  const echo = (text: string) => ({ calls: [{ name: "mcp__hostile__echo", args: { text } }] });
  await using scene = await talking([echo(`token: ${secret}`), echo(long), { text: "Done." }]);
  const file = join(scene.env.HERMES_HOME, "config.yaml");
  const config = parsedObject(await readFile(file, "utf8"));
  const hostile = { command: process.execPath, args: [fixture("hostile"), "well-behaved"] };
  await writeFile(file, JSON.stringify({ ...config, mcp_servers: { hostile } }));
  const ran = await runHere(scene, ["-z", "go"]);
  assert.equal(ran.stdout.trim(), "Done.", ran.stderr);
  const messages: readonly object[] = Object(scene.server.requests.at(-1)?.json)["messages"];
  const [masked = "", spilled = ""] = messages.flatMap((message) =>
    "role" in message && message.role === "tool" ? [JSON.stringify(message)] : [],
  );
  assert.match(masked, /token: /u);
  assert.ok(!masked.includes(secret), masked);
  assert.match(spilled, /<persisted-output>/u);
  assert.ok(spilled.length < 20_000, `${spilled.length} characters`);
});
