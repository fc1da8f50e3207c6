// covers: src/operations/mcp, src/hosts/cli/commands/mcp, src/mcp/entries, src/runtime/mcp, docs/guide/mcp.md
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, parsedObject } from "../../src/base/json.ts";
import { playOfficialClient } from "../support/mcp-clients.ts";
import { type OAuthScene, startOAuthScene } from "../support/mcp-oauth-server.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";

const guide = await readFile(join(import.meta.dirname, "../../docs/guide/mcp.md"), "utf8");
const { folder, skip } = await npmPrograms("mcp");

/** The commands of the guide below a heading. */
function commandsOf(heading: string): string {
  const section = guide.slice(guide.indexOf(`## ${heading}\n`));
  return /```sh\n(.*?)```\n/su.exec(section)?.[1] ?? assert.fail(heading);
}

/** A home whose `npx` starts installed packages, so that no test needs the network. */
async function withNpx(turns: Parameters<typeof talking>[0]) {
  const scene = await talking(turns);
  const bin = join(scene.env.HOME, "bin");
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift\npackage=\${1%@*}; shift\nexec "${process.execPath}" "${folder}/$package/dist/index.js" "$@"\n`;
  await writeFile(join(bin, "npx"), npx);
  await chmod(join(bin, "npx"), 0o755);
  const env = { ...scene.env, PATH: `${bin}:${scene.env.PATH}` };
  const run = (args: readonly string[]) => runHere({ work: scene.work, env }, args);
  const shell = (lines: string) =>
    runProgram("/bin/sh", ["-ec", `hermes() { "${process.execPath}" "${program}" "$@"; }\n${lines}`], {
      cwd: scene.work,
      env,
    });
  return { ...scene, env, run, shell };
}

test("adding the first MCP server of the guide takes three commands", { skip }, async () => {
  const search = { calls: [{ name: "tool_search", args: { query: "sum of two numbers" } }] };
  await using at = await withNpx([search, { text: "42" }]);
  const ran = await at.shell(commandsOf("A first server"));
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /everything answers: \d+ tools/u);
  assert.match(ran.stdout, /everything +ready +\d+ tools +unconfined +npx -y/u);
  assert.match(ran.stdout, /\n42\n/u);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /mcp__everything__get_sum/u);
});

test("a server that does not respond is not saved, and its settings are checked first", async () => {
  await using at = await withNpx([]);
  const silent = await at.run(["mcp", "add", "gone", "--", process.execPath, "-e", "process.exit(3)"]);
  assert.equal(silent.code, 1);
  assert.match(silent.stdout, /✗ .*gone[^]*Nothing was saved/u);
  const wrong = await at.run(["mcp", "add", "bad", "https://me:pw@host/x"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /contains a password/u);
  const unpinned = await at.run(["mcp", "add", "loose", "--", "npx", "-y", "x"]);
  assert.equal(unpinned.code, 2);
  assert.match(unpinned.stderr, /fetches the newest x[^]*Pass --yes/u);
  assert.doesNotMatch(await readFile(join(at.env.HERMES_HOME, "config.yaml"), "utf8"), /mcp_servers/u);
});

test("MCP servers of other programs are imported with their secrets in .env, and can be configured and removed", async () => {
  await using at = await withNpx([]);
  const file = join(at.work, "mcp.json");
  const servers = {
    tracker: {
      type: "http",
      url: "http://127.0.0.1:9/mcp",
      headers: { Authorization: "Bearer abcdefgh" },
      alwaysAllow: [],
    },
    tools: { command: "node", args: ["server.js"], disabled: true },
  };
  await writeFile(file, JSON.stringify({ mcpServers: servers }));
  const boxed = await at.run(["mcp", "import", "mcp.json", "--only", "tools", "--sandbox", "--yes"]);
  assert.match(boxed.stdout, /tools[^]*In a sandbox \(--sandbox\) it could only use its own files\. --allow gives/u);
  const shown = parsedObject((await at.run(["mcp", "inspect", "tools", "--json"])).stdout);
  assert.deepEqual([shown["isUnconfined"], Object(shown["settings"])["permissions"]], [false, {}]);
  const refused = await at.run(["mcp", "remove", "tools"]);
  assert.deepEqual(
    [refused.code, refused.stderr],
    [2, "error: Remove the MCP server tools?\nPass --yes to confirm.\n"],
  );
  assert.equal((await at.run(["mcp", "remove", "tools", "--yes"])).code, 0);
  for (const verb of ["remove", "logout"]) {
    const none = await at.run(["mcp", verb, "tools"]);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^error: There is no MCP server tools\./u);
  }
  const imported = await at.run(["mcp", "import", "mcp.json", "--yes"]);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(imported.stdout, /alwaysAllow was skipped[^]*Imported tracker, tools/u);
  const config = await readFile(join(at.env.HERMES_HOME, "config.yaml"), "utf8");
  assert.match(config, /\$\{MCP_TRACKER_AUTHORIZATION\}/u);
  assert.doesNotMatch(config, /abcdefgh/u);
  assert.match(await readFile(join(at.env.HERMES_HOME, ".env"), "utf8"), /MCP_TRACKER_AUTHORIZATION=.*abcdefgh/u);

  const changed = await at.run(["mcp", "configure", "tools", "--enable", "tools.include=read_*,find", "timeout=20"]);
  assert.equal(changed.code, 0, changed.stderr);
  const misspelt = await at.run(["mcp", "configure", "tools", "trsut=untrusted"]);
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.stderr, /Did you mean trust\?/u);
  const inspected = parsedObject((await at.run(["mcp", "inspect", "tools", "--json"])).stdout);
  assert.deepEqual(inspected["settings"], {
    command: "node",
    args: ["server.js"],
    tools: { include: ["read_*", "find"] },
    timeout: 20,
  });
  const parts = ["tools.include=", "sampling.max_rpm=2", "env.A=1"];
  assert.equal((await at.run(["mcp", "configure", "tools", ...parts])).code, 0);
  assert.equal((await at.run(["mcp", "configure", "tools", "sampling.timeout=9", "env.B=2", "timeout="])).code, 0);
  assert.deepEqual(parsedObject((await at.run(["mcp", "inspect", "tools", "--json"])).stdout)["settings"], {
    command: "node",
    args: ["server.js"],
    tools: {},
    sampling: { max_rpm: 2, timeout: 9 },
    env: { A: 1, B: 2 },
  });
  assert.equal((await at.run(["mcp", "remove", "tools", "--yes"])).code, 0);
  const { servers: left } = parsedObject((await at.run(["mcp", "list", "--json"])).stdout);
  assert.ok(Array.isArray(left));
  assert.deepEqual(
    left.map((server: unknown) => isObject(server) && server["name"]),
    ["tracker"],
  );
});

test("a program in the settings that nobody accepted does not start until `hermes mcp trust`", { skip }, async () => {
  await using at = await withNpx([]);
  const file = join(at.env.HERMES_HOME, "config.yaml");
  const config = parsedObject(await readFile(file, "utf8"));
  const memory = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory@latest"] };
  await writeFile(file, JSON.stringify({ ...config, mcp_servers: { memory } }));
  const before = await at.run(["mcp", "test", "memory"]);
  assert.equal(before.code, 1);
  assert.match(before.stdout, /was not started[^]*hermes mcp trust memory/u);
  assert.match((await at.run(["mcp", "trust", "memory", "--yes"])).stdout, /Accepted its program/u);
  const after = await at.run(["mcp", "test", "memory"]);
  assert.equal(after.code, 0, after.stdout);
  assert.match(after.stdout, /create_entities/u);
});

/** Types the address of the last page, or lets the browser follow it, until the command ends. */
async function signIn(
  scene: Awaited<ReturnType<typeof withNpx>>,
  args: readonly string[],
  { browse, redirectOf }: OAuthScene,
  isPasted: boolean,
) {
  await using seen = scene.terminal(args);
  await seen.until(/Waiting …/u);
  const [address = ""] = /http\S*\/authorize\S*/u.exec(seen.said()) ?? [];
  if (isPasted) seen.type(`${await redirectOf(address)}\r`);
  else assert.equal(await browse(address), 200);
  return { code: await seen.code, said: seen.said() };
}

test("the remote MCP server of the guide supports sign-in in a browser, a test, sign-out, and a pasted URL", async () => {
  await using scene = await startOAuthScene();
  await using at = await withNpx([]);
  const lines = commandsOf("A remote server").trim().replace("https://mcp.linear.app/mcp", scene.url).split("\n");
  const [add = [], login = [], check = []] = lines.map((line) => line.split(" ").slice(1));
  const added = await at.run(add);
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, /It needs a sign-in: hermes mcp login linear/u);
  assert.match((await at.run(["mcp", "list"])).stdout, /linear +signed out/u);

  const signedIn = await signIn(at, login, scene, false);
  assert.equal(signedIn.code, 0, signedIn.said);
  assert.match(signedIn.said, /✓ Signed in to linear: 1 tool/u);
  const checked = await at.run(check);
  assert.equal(checked.code, 0, checked.stdout);
  assert.match(checked.stdout, /linear answers[^]*look/u);

  const out = await at.run(["mcp", "logout", "linear"]);
  assert.match(out.stdout, /Signed out of linear\./u);
  assert.equal(scene.validTokens.size, 0);
  assert.match((await at.run(["mcp", "logout", "linear"])).stdout, /You were not signed in/u);
  const locked = await at.run(check);
  assert.equal(locked.code, 1);
  assert.match(locked.stdout, /hermes mcp login linear/u);

  const pasted = await signIn(at, login, scene, true);
  assert.equal(pasted.code, 0, pasted.said);
  assert.equal((await at.run(check)).code, 0);
});

test("a sign-in whose token the server refuses fails and stores nothing", async () => {
  await using scene = await startOAuthScene({
    answer: ({ host, path, headers }) =>
      host === "mcp" && path === "/mcp" && headers.authorization !== undefined ? { status: 401 } : undefined,
  });
  await using at = await withNpx([]);
  assert.equal((await at.run(["mcp", "add", "linear", scene.url])).code, 0);
  const signedIn = await signIn(at, ["mcp", "login", "linear"], scene, false);
  assert.equal(signedIn.code, 1, signedIn.said);
  assert.match(signedIn.said, /error: linear rejects the token/u);
  assert.match((await at.run(["mcp", "list"])).stdout, /linear +signed out/u);
});

test("the entry that `serve --print-config` prints starts a server that offers guarded tools", async () => {
  await using at = await withNpx([]);
  const bin = join(at.env.HOME, "bin", "hermes");
  await writeFile(bin, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(bin, 0o755);
  const printed = await at.shell(commandsOf("Hermes in another agent"));
  assert.equal(printed.code, 0, printed.stderr);
  const [, command = ""] = /^claude mcp add hermes -- (.*)$/mu.exec(printed.stdout) ?? [];
  await writeFile(join(at.work, "note.txt"), "remember the milk");
  const [first = "", ...args] = command.split(" ");
  const env = { ...at.env, NO_COLOR: "1" };
  const texts = await playOfficialClient({ command: first, args, env, cwd: at.work }, [
    { name: "read_file", args: { path: "note.txt" } },
    { name: "terminal", args: { command: "sudo rm -rf /" } },
  ]);
  assert.match(texts[0] ?? "", /remember the milk/u);
  assert.match(texts[1] ?? "", /[Dd]enied|blocked|refused/u);
});
