// covers: package.json, scripts, src/index.ts, src/plugin.ts
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { pluginMistakes } from "../support/plugin-mistakes.ts";
import { runProgram } from "../support/run-program.ts";
import { copyBuild, copyClone, copyTree } from "../support/source-clone.ts";
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

/** The compiler is a Go program. If it collects garbage less often, it needs less processor time. */
const compilerEnv = { GOGC: "400" };

const oldNode = encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");

test("the package installs as a dependency and globally, and does not touch the project's Node", async () => {
  await using home = await tempHome();
  const npm = async (cwd: string, ...args: readonly string[]) => {
    const ran = await runProgram("npm", args, { cwd, env: compilerEnv, timeoutMs: 600_000 });
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  // In a copy: the build of a release deletes parts of the old build, which other tests use.
  const clone = await copyClone(home.path);
  await copyBuild(clone);
  await copyTree(["tsconfig.types.json", "skills", "plugins", "agents", "docs", "CHANGELOG.md", "README.md"], clone);
  const packed = await npm(clone, "pack", "--ignore-scripts=false", "--json", "--pack-destination", home.path);
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
  // 20 MB of them are the image library.
  assert.ok(bytes <= 60e6, `${bytes} bytes installed, at most 60 MB`);
  // npx starts the same link.
  await works(join(bin, "hermes"));
  // Without the packages that it depends on, which take npm most of the time: the installation above has them.
  const alone = await withoutDependencies(file, home.path);
  await npm(home.path, ...install, "--global", "--prefix", join(home.path, "prefix"), alone);
  await works(join(home.path, "prefix", "bin", "hermes"));

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
  const sources = {
    "good-tool.ts": goodTool,
    "good-program.ts": embedding,
    "good-plugin.ts": pluginMistakes,
    "bad-tool.ts": goodTool.replace('needs: ["todos"]', 'needs: ["memory"]'),
    "bad-program.ts": embedding.replace("durationMs", "delta"),
  };
  for (const [name, text] of Object.entries(sources)) await writeFile(join(project, name), text);
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(sources) }));
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const compiled = await runProgram(compiler, ["-p", project, "--pretty", "false"], {
    cwd: project,
    env: compilerEnv,
    timeoutMs: 300_000,
  });
  const faults = compiled.stdout.split("\n").filter((line) => line.includes("error TS"));
  const inFile = (name: string) => faults.filter((line) => line.startsWith(`${name}(`)).join("\n");
  assert.match(inFile("bad-tool.ts"), /Property 'todos' does not exist/, "a service that is not named is refused");
  assert.match(inFile("bad-program.ts"), /Property 'delta' does not exist/, "an event is known by its type");
  assert.deepEqual(
    faults.filter((line) => !line.startsWith("bad-")),
    [],
    compiled.stdout,
  );
  const ran = await runProgram(process.execPath, [join(project, "good-program.ts")], { cwd: project, env });
  assert.equal(ran.code, 0, "and the program runs");
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The package file without `dependencies`, below the folder. */
async function withoutDependencies(file: string, folder: string): Promise<string> {
  const tree = join(folder, "alone");
  await mkdir(tree);
  const tar = async (...args: readonly string[]) => {
    const ran = await runProgram("tar", args, { cwd: tree });
    assert.equal(ran.code, 0, ran.stderr);
  };
  await tar("-xzf", file);
  const manifest = join(tree, "package", "package.json");
  await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, "utf8")), dependencies: {} }));
  await tar("-cf", "alone.tgz", "--use-compress-program=gzip -1", "package");
  return join(tree, "alone.tgz");
}
