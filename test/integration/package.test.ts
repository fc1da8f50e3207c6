// covers: package.json, scripts, src/index.ts, src/plugin.ts
import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

const goodTool = `
import { defineTool, json, z } from "hermes-agent-ts/plugin";
export default defineTool({
  name: "typed",
  toolset: "mine",
  description: "Types from the package.",
  input: z.object({ count: z.number() }),
  needs: ["todos"],
  run: async ({ count }, { todos }) => json({ next: count + 1, open: todos.read().length }),
});
`;

const embedding = `
import { createRuntime } from "hermes-agent-ts";
await using runtime = await createRuntime({ settings: { "approvals.mode": "readonly" } });
await using session = await runtime.openSession({ source: "library" });
for await (const event of session.prompt([{ type: "text", text: "hi" }]).events())
  if (event.type === "tool.finished") console.log(event.durationMs);
`;

test("the package installs: its command starts, and its types compile", async () => {
  await using home = await tempHome();
  const packed = await runProgram(
    "npm",
    ["pack", "--ignore-scripts=false", "--json", "--pack-destination", home.path],
    {
      cwd: root,
      timeoutMs: 600_000,
    },
  );
  assert.equal(packed.code, 0, packed.stderr);
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[")));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  assert.ok(paths.includes("hermes") && paths.includes("dist/hermes.js") && paths.includes("dist/types/plugin.d.ts"));
  assert.deepEqual(
    paths.filter((path) => /^(src|test|node_modules|dist\/cache)\/|\.test\.|stamp/.test(path)),
    [],
    "only what users need is packed",
  );

  const modules = join(home.path, "node_modules");
  const installed = join(modules, "hermes-agent-ts");
  await mkdir(installed, { recursive: true });
  await runProgram("tar", ["-xzf", join(home.path, filename), "-C", installed, "--strip-components=1"]);
  await mkdir(join(modules, ".bin"));
  await symlink(process.execPath, join(modules, ".bin", "node"));
  for (const name of ["zod", "yaml", "@types"]) await symlink(join(root, "node_modules", name), join(modules, name));

  const env = { HERMES_HOME: join(home.path, "home") };
  const listed = await runProgram(join(installed, "hermes"), ["tools", "list", "--json"], { cwd: home.path, env });
  assert.equal(listed.code, 0, listed.stderr);
  assert.ok(JSON.parse(listed.stdout).tools.length > 0);

  const compilerOptions = { module: "nodenext", target: "esnext", strict: true, noEmit: true, types: ["node"] };
  await writeFile(join(home.path, "package.json"), '{"type":"module"}');
  await writeFile(join(home.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["good.ts"] }));
  await writeFile(join(home.path, "good.ts"), goodTool);
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const good = await runProgram(tsc, ["-p", home.path]);
  assert.deepEqual({ code: good.code, said: good.stdout }, { code: 0, said: "" });
  await writeFile(join(home.path, "good.ts"), goodTool.replace('needs: ["todos"]', 'needs: ["memory"]'));
  const bad = await runProgram(tsc, ["-p", home.path]);
  assert.match(bad.stdout, /Property 'todos' does not exist/, "a service that was not named is a compile error");
  await writeFile(join(home.path, "good.ts"), embedding);
  const library = await runProgram(tsc, ["-p", home.path]);
  assert.deepEqual({ code: library.code, said: library.stdout }, { code: 0, said: "" });
  await writeFile(join(home.path, "good.ts"), embedding.replace("durationMs", "delta"));
  const mistaken = await runProgram(tsc, ["-p", home.path]);
  assert.match(mistaken.stdout, /Property 'delta' does not exist/, "an event is known by its type");
  assert.match(await readFile(join(installed, "package.json"), "utf8"), /"hermes-agent-ts"/);
});
