// covers: package.json, scripts, src/index.ts, src/plugin.ts
import assert from "node:assert/strict";
import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
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

const oldNode = encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");

test("the package installs as a dependency, globally and by npx, and does not touch the project's Node", async () => {
  await using home = await tempHome();
  const npm = async (cwd: string, ...args: readonly string[]) => {
    const ran = await runProgram("npm", args, { cwd, timeoutMs: 600_000 });
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  const packed = await npm(root, "pack", "--ignore-scripts=false", "--json", "--pack-destination", home.path);
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf("[")));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  assert.ok(paths.includes("hermes") && paths.includes("dist/hermes.js") && paths.includes("dist/types/plugin.d.ts"));
  assert.deepEqual(
    paths.filter((path) => /^(src|test|node_modules|pinned-node|dist\/cache)\/|\.test\.|build-stamp/.test(path)),
    [],
    "only what users need is packed",
  );
  const file = join(home.path, filename);
  const env = { HERMES_HOME: join(home.path, "home") };
  const works = async (command: string, ...args: readonly string[]) => {
    const listed = await runProgram(command, [...args, "tools", "list", "--json"], {
      cwd: home.path,
      env,
      timeoutMs: 600_000,
    });
    assert.equal(listed.code, 0, listed.stderr);
    assert.ok(JSON.parse(listed.stdout).tools.length > 0);
  };

  const project = join(home.path, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  const install = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await npm(project, ...install, file);
  const bin = join(project, "node_modules", ".bin");
  assert.ok(!(await readdir(bin)).some((name) => /^node(\.|$)/.test(name)), "scripts of the project keep their Node");
  const bytes = await sizeOf(join(project, "node_modules"));
  // 20 MB of it are the image library.
  assert.ok(bytes <= 70e6, `${bytes} bytes installed, at most 70 MB`);
  await works(join(bin, "hermes"));
  await npm(home.path, ...install, "--global", "--prefix", join(home.path, "prefix"), file);
  await works(join(home.path, "prefix", "bin", "hermes"));
  await works("npx", "--yes", "--prefer-offline", "--package", file, "hermes");

  const tooOld = { cwd: home.path, env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${oldNode}` } };
  assert.deepEqual(await runProgram(join(bin, "hermes"), ["tools", "list"], tooOld), {
    code: 1,
    stdout: "",
    stderr: `hermes: Hermes needs Node 24.20 or newer; this is Node 20.20.2. Install a newer one, for example with "nvm install 24", and run this again.\n`,
  });
  const embedded = 'await import("hermes-agent-ts").catch(({ message }) => console.log(message));';
  const refused = await runProgram(process.execPath, ["--input-type=module", "-e", embedded], {
    ...tooOld,
    cwd: project,
  });
  assert.match(refused.stdout, /^Hermes needs Node 24\.20 or newer/, "a program that embeds Hermes can catch it");

  await symlink(join(root, "node_modules", "@types"), join(project, "node_modules", "@types")).catch(() => {});
  const compilerOptions = { module: "nodenext", target: "esnext", strict: true, noEmit: true, types: ["node"] };
  const source = join(project, "good.ts");
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["good.ts"] }));
  const compile = async (text: string) => {
    await writeFile(source, text);
    const { code, stdout } = await runProgram(join(root, "node_modules", ".bin", "tsc"), ["-p", project]);
    return { code, stdout };
  };
  assert.deepEqual(await compile(goodTool), { code: 0, stdout: "" });
  const bad = await compile(goodTool.replace('needs: ["todos"]', 'needs: ["memory"]'));
  assert.match(bad.stdout, /Property 'todos' does not exist/, "a service that was not named is a compile error");
  assert.deepEqual(await compile(embedding), { code: 0, stdout: "" });
  const mistaken = await compile(embedding.replace("durationMs", "delta"));
  assert.match(mistaken.stdout, /Property 'delta' does not exist/, "an event is known by its type");
  assert.equal((await runProgram(process.execPath, [source], { cwd: project, env })).code, 0, "and the program runs");
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
