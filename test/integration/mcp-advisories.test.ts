// covers: src/mcp/entries, src/runtime/mcp, src/operations/mcp
// Packages of servers that somebody wrote into config.yaml, and an OSV database on this machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { parsedObject } from "../../src/base/json.ts";
import { runHere } from "../support/run-here.ts";
import { talking } from "../support/talking-program.ts";

const hostile = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");
const listed: Readonly<Record<string, readonly object[]>> = {
  evil: [{ id: "MAL-2026-7", summary: "Steals keys" }],
  flawed: [{ id: "GHSA-aaaa", summary: "Reads any file" }],
};

/** An OSV database. `silent` never answers. */
async function startOsv(isSilent = false) {
  const questions: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { package: subject, version } = parsedObject(body);
      const name = String(Object(subject)["name"]);
      questions.push(`${name} ${String(version)}`);
      if (!isSilent) response.end(JSON.stringify({ vulns: listed[name] ?? [] }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // The cast is safe: the server listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/query`,
    questions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A home with these servers, whose `npx` records the package and starts a server of our own. */
async function withPackages(names: readonly string[], osv: string) {
  const scene = await talking([]);
  const { HOME: home, HERMES_HOME: own } = scene.env;
  await mkdir(join(home, "bin"));
  const npx = `#!/bin/sh\necho "$2" >> "${home}/started"\nexec "${process.execPath}" "${hostile}" well-behaved\n`;
  await writeFile(join(home, "bin", "npx"), npx);
  await chmod(join(home, "bin", "npx"), 0o755);
  const config = parsedObject(await readFile(join(own, "config.yaml"), "utf8"));
  const servers = Object.fromEntries(names.map((name) => [name, { command: "npx", args: ["-y", `${name}@1.0.0`] }]));
  await writeFile(join(own, "config.yaml"), JSON.stringify({ ...config, mcp: { osv_url: osv }, mcp_servers: servers }));
  const env = { ...scene.env, PATH: `${home}/bin:${scene.env.PATH}` };
  return {
    ...scene,
    hermes: (...args: readonly string[]) => runHere({ work: scene.work, env }, args),
    started: async () => (await readFile(join(home, "started"), "utf8").catch(() => "")).split("\n").filter(Boolean),
  };
}

test("a package that the OSV database lists as malware does not start until the user accepts it", async () => {
  await using osv = await startOsv();
  await using at = await withPackages(["evil"], osv.url);
  const refused = await at.hermes("mcp", "test", "evil");
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /was not started\. The OSV database lists its package as malware, MAL-2026-7: Steals/u);
  assert.deepEqual(await at.started(), []);
  assert.match((await at.hermes("mcp", "list")).stdout, /evil +waits for you/u);
  // A change of another key accepts nothing.
  assert.equal((await at.hermes("mcp", "configure", "evil", "timeout=9")).code, 0);
  assert.equal((await at.hermes("mcp", "test", "evil")).code, 1);
  assert.equal((await at.hermes("mcp", "trust", "evil", "--yes")).code, 0);
  assert.equal((await at.hermes("mcp", "test", "evil")).code, 0);
  assert.deepEqual(await at.started(), ["evil@1.0.0"]);
  assert.deepEqual(osv.questions, ["evil 1.0.0"], "the answer is saved");
});

test("a flaw of a package is reported once, and the server starts", async () => {
  await using osv = await startOsv();
  await using at = await withPackages(["flawed", "clean"], osv.url);
  const first = await at.hermes("mcp", "test", "flawed");
  assert.equal(first.code, 0, first.stdout);
  assert.match(
    `${first.stdout}${first.stderr}`,
    /flawed 1\.0\.0, which has known flaws: GHSA-aaaa \(Reads any file\)/u,
  );
  const second = await at.hermes("mcp", "test", "flawed");
  assert.doesNotMatch(second.stderr, /GHSA-aaaa/u);
  const clean = await at.hermes("mcp", "test", "clean");
  assert.equal(clean.code, 0);
  assert.equal(clean.stderr, "");
  assert.deepEqual(osv.questions, ["flawed 1.0.0", "clean 1.0.0"]);
  assert.deepEqual(await at.started(), ["flawed@1.0.0", "flawed@1.0.0", "clean@1.0.0"]);
});

test("without an answer of the OSV database a server starts, and the database is left alone for a while", async () => {
  await using osv = await startOsv(true);
  await using at = await withPackages(["evil"], osv.url);
  for (const _ of ["first", "second"]) {
    const ran = await at.hermes("mcp", "test", "evil");
    assert.equal(ran.code, 0, ran.stdout);
    assert.equal(ran.stderr, "");
  }
  assert.deepEqual(osv.questions, ["evil 1.0.0"]);
});
