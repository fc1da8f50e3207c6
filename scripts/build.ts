// Builds the bundle: entries for the command, the process supervisor, plugin processes, the library and plugin authors,
// and chunks that are loaded on demand.
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
} from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build, type BuildOptions } from "esbuild";

import manifest from "../package.json" with { type: "json" };
import { version } from "../src/base/version.ts";
import { builtinToolsModule } from "./builtin-tools.ts";
import { sliceDataModule } from "./config-tree.ts";
import { type ChunkGroup, mergeChunks, supported } from "./merge-chunks.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
// A package contains only one build. In a clone, chunks of older builds stay, because running processes may still load
// them.
const keepOldChunksDays = process.argv.includes("--release") ? 0 : 7;
// Time of the build's start. A file that is saved during the build is newer, so the next start builds again.
const startedAt = new Date(Date.now() - 20);

/** Groups of modules that are loaded together, in the order in which a session needs them. */
const groups: readonly ChunkGroup[] = [
  { name: "base", entries: ["src/bin/hermes.ts"] },
  {
    name: "start",
    asScript: true,
    entries: [
      "src/hosts/cli/start.ts",
      "src/hosts/cli/chat/chat-request.ts",
      "src/hosts/cli/screen/choose-interface.ts",
    ],
  },
  { name: "screen", asScript: true, entries: ["src/hosts/cli/screen/run-screen.ts"] },
  {
    name: "services",
    asScript: true,
    entries: [
      "src/runtime/services.ts",
      "src/runtime/calls/create-toolbox.ts",
      "src/operations/tools/tools.ts",
      "src/operations/tools/toolsets.ts",
      "src/runtime/plugins/open-plugins.ts",
      "src/tools/delegation/delegate-task.tool.ts",
    ],
  },
  {
    name: "turn",
    asScript: true,
    entries: [
      "src/hosts/cli/chat/one-shot.ts",
      "src/providers/protocols/openai-chat/adapter.ts",
      "src/providers/schema/normalise.ts",
      "src/runtime/models/models.ts",
      "src/runtime/store/open-search.ts",
      "src/runtime/knowledge/open-memory.ts",
      "src/runtime/knowledge/open-learnings.ts",
      "src/runtime/knowledge/offer-skills.ts",
      "src/skills/curator/skill-usage.ts",
      "src/skills/watch-skills.ts",
      "src/runtime/policy/open-policy.ts",
      "src/runtime/session/builtin-engines.ts",
      "src/safety/isolation.ts",
      "src/environments/local/try-bubblewrap.ts",
      "src/environments/local/local-environment.ts",
      "src/runtime/environment/find-sandbox.ts",
      "src/runtime/agents/agent-definitions.ts",
    ],
  },
  { name: "behind", asScript: true, entries: ["src/hosts/cli/screen/open-behind.ts"] },
  {
    name: "plugins",
    asScript: true,
    entries: ["src/runtime/plugins/run-plugins.ts", "src/plugins/adapt/plugin-tools.ts"],
  },
  {
    name: "mcp",
    asScript: true,
    entries: ["src/runtime/mcp/open-mcp.ts", "src/operations/mcp/mcp-content.ts"],
  },
  { name: "call", asScript: true, entries: ["src/tools/terminal/terminal.tool.ts", "src/learnings/learner.ts"] },
];

const options = {
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  supported,
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // Packages that are not bundled, because they contain programs or native code, or are large and rarely used.
  external: ["@lydell/node-pty", "@vscode/ripgrep", "sharp", "unpdf"],
  // The `browser` entry points of packages contain the same code as ES modules, so that no `require` is needed and
  // unused code is dropped.
  alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") },
  plugins: [
    {
      // Importing a Node module as an ES module costs several times as much as `getBuiltinModule`, and so does copying
      // unused exports, because reading some of them loads them.
      name: "node-modules-by-request",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^node:/ }, ({ path, kind }) =>
          kind === "import-statement" ? { path, namespace: "node" } : undefined,
        );
        onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({ contents: nodeModule(path) }));
      },
    },
    {
      // zod includes messages in fifty languages; only English is needed.
      name: "one-language",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /locales\/index\.js$/ }, ({ importer }) =>
          /[\\/]node_modules[\\/]zod[\\/]/.test(importer) ? { path: "locales", namespace: "unused" } : undefined,
        );
        onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default {};", loader: "js" }));
      },
    },
    {
      // The MCP packages import a JSON Schema validator that is as large as themselves; Hermes passes its own instead.
      name: "mcp-without-validator",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@modelcontextprotocol\/(client|server)\/_shims$/ }, ({ path }) => ({
          path,
          namespace: "mcp-shims",
        }));
        onLoad({ filter: /.*/, namespace: "mcp-shims" }, () => ({
          contents:
            "export const CORS_IS_POSSIBLE = false, process = globalThis.process;" +
            'export class DefaultJsonSchemaValidator { getValidator() { throw new Error("no validator was passed"); } }',
        }));
      },
    },
    {
      // Bundles the package into one script of 2 MB that is loaded on demand; with its dependencies it would take 22
      // MB.
      name: "modal-as-script",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^modal$/ }, ({ path }) => ({ path, namespace: "modal" }));
        onLoad({ filter: /.*/, namespace: "modal" }, async () => ({ contents: await modalModule(), resolveDir: root }));
      },
    },
    {
      // Loading zod takes longer than a whole call, so built-in tools use a small replacement.
      name: "plain-input",
      setup({ onLoad }) {
        onLoad({ filter: /\.tool\.ts$/ }, ({ path }) => {
          const plainInput = relative(dirname(path), join(root, "src", "contracts", "tool", "plain-input.ts"));
          const contents = readFileSync(path, "utf8").replace(
            'import { z } from "zod";',
            `import * as z from ${JSON.stringify(plainInput)};`,
          );
          return { contents, loader: "ts" };
        });
      },
    },
    {
      name: "builtin-tools",
      setup({ onLoad }) {
        onLoad({ filter: /[\\/]runtime[\\/]calls[\\/]builtin-tools\.ts$/ }, async ({ path }) => ({
          contents: await builtinToolsModule(join(root, "src", "tools"), dirname(path)),
          resolveDir: dirname(path),
          loader: "ts",
        }));
      },
    },
    {
      name: "config-tree",
      setup({ onLoad }) {
        onLoad({ filter: /[\\/]config[\\/]slice-data\.ts$/ }, () => ({ contents: sliceDataModule() }));
      },
    },
  ],
  write: false,
  metafile: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** The SDK of Modal as a module. Its packages use `require`, also for modules of Node. */
async function modalModule(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: 'export { ModalClient } from "modal";', resolveDir: root },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  return `import { createRequire } from "node:module";
const script = { exports: {} };
((module, require) => {${outputFiles[0]?.text}})(script, createRequire(import.meta.url));
export const { ModalClient } = script.exports;`;
}

const split = await build({
  ...options,
  entryPoints: { hermes: "src/bin/hermes.ts", index: "src/index.ts" },
});
// The plugin entry contains all of zod for authors; the other entries omit the parts that built-in tools do not use.
const plugin = await build({ ...options, entryPoints: { plugin: "src/plugin.ts" }, splitting: false });
// A separate, small program that shares no chunk with the others.
const supervisor = await build({
  ...options,
  entryPoints: { supervisor: "src/bin/supervisor.ts" },
  chunkNames: "chunks/supervisor-[name]-[hash]",
});
// The process of a plugin and the modules that plugins import in it. They are small, because every plugin process loads
// them.
const runner = await build({
  ...options,
  entryPoints: {
    "plugin-runner": "src/bin/plugin-runner.ts",
    "network-runner": "src/bin/network-runner.ts",
    "plugin-author": "src/plugins/runner/node/author-entry.ts",
  },
  splitting: false,
});
const loader = await build({
  ...options,
  entryPoints: { "load-group": "src/bin/load-group.ts" },
  entryNames: "chunks/[name]-[hash]",
});
const [loaderFile] = loader.outputFiles.map(({ path }) => relative(dist, path));
if (loaderFile === undefined || loader.outputFiles.length > 1)
  throw new Error("src/bin/load-group.ts must compile to exactly one file");
const merged = await mergeChunks(split, dist, groups, loaderFile);
const built = [
  ...merged.files,
  // For tests that check the modules of a start. A package does not contain it.
  { path: "modules.json", contents: JSON.stringify(merged.modules) },
  ...[...plugin.outputFiles, ...supervisor.outputFiles, ...runner.outputFiles, ...loader.outputFiles].map(
    ({ path, contents }) => ({
      path: relative(dist, path),
      contents,
    }),
  ),
].map(({ path, contents }) => ({
  path: join(dist, path),
  contents: /^chunks.(base|load-group)-/.test(path) ? checkNode() + Buffer.from(contents).toString() : contents,
}));

mkdirSync(join(dist, "chunks"), { recursive: true });
// Writes chunks first and entries last, each by rename, so that a process that starts meanwhile sees a complete build,
// old or new.
const files = built.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
for (const file of files) {
  const temporary = `${file.path}.${process.pid}.tmp`;
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(temporary, file.contents);
  renameSync(temporary, file.path);
}
removeOldChunks(new Set(files.map((file) => file.path)));
// Python reads the program for Python plugins as source. A package contains no file of an older build.
if (keepOldChunksDays === 0) rmSync(join(dist, "python"), { recursive: true, force: true });
cpSync(join(root, "src", "plugins", "runner", "python"), join(dist, "python"), {
  recursive: true,
  preserveTimestamps: true,
  filter: (path) => (statSync(path).isDirectory() ? !path.endsWith("__pycache__") : path.endsWith(".py")),
});
// The programs for script processes: Hermes writes them as text into the folder of each script.
if (keepOldChunksDays === 0) rmSync(join(dist, "code"), { recursive: true, force: true });
const childPrograms = join(root, "src", "code", "child", "programs");
for (const language of ["python", "node"]) {
  mkdirSync(join(dist, "code", language), { recursive: true });
  for (const name of readdirSync(join(childPrograms, language)).filter((each) => /\.(?:py|ts)$/.test(each))) {
    const source = readFileSync(join(childPrograms, language, name), "utf8");
    const isPython = name.endsWith(".py");
    const text = isPython ? source : stripTypeScriptTypes(source).replaceAll(/"\.\/(\w+)\.ts"/g, '"./$1.mjs"');
    writeFileSync(join(dist, "code", language, isPython ? name : name.replace(/\.ts$/, ".mjs")), text);
  }
}
// Creates a new file, because the old stamp may belong to another user, and only its owner can set its time.
const stamp = join(dist, `build-stamp.${process.pid}.tmp`);
writeFileSync(stamp, `${version}\n`);
utimesSync(stamp, startedAt, startedAt);
renameSync(stamp, join(dist, "build-stamp"));
if (process.argv.includes("--sizes")) {
  for (const file of files) console.log(`${String(file.contents.length).padStart(8)}  ${relative(root, file.path)}`);
}

function nodeModule(path: string): string {
  const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => /^[A-Za-z_]\w*$/u.test(name));
  // Loading these takes 4 to 8 ms, and many commands do not use them. The source imports only functions of them.
  if (path === "node:child_process" || path === "node:crypto")
    return [
      "const pick = (name) => process[name];",
      'const load = /* @__PURE__ */ pick("getBuiltinModule");',
      ...names.map((name) => `export const ${name} = (...args) => load(${JSON.stringify(path)}).${name}(...args);`),
    ].join("\n");
  return [
    `const all = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
    "const pick = (name) => all[name];",
    "export default all;",
    ...names.map((name) => `const $${name} = /* @__PURE__ */ pick("${name}"); export { $${name} as ${name} };`),
  ].join("\n");
}

/**
 * Runs before all other code, in the chunk that every entry loads first, because an older Node fails while it loads the
 * rest. The command prints what to install; a program that embeds Hermes can catch the error.
 */
function checkNode(): string {
  const [major, minor] = manifest.engines.node.replace(">=", "").split(".").map(Number);
  const needed = `Hermes needs Node ${major}.${minor} or newer; this is Node `;
  const toDo = `. Install a newer one, for example with "nvm install ${major}", and run this again.`;
  return `{let[a,b]=process.versions.node.split(".").map(Number);if(a<${major}||a===${major}&&b<${minor}){let t=${JSON.stringify(needed)}+process.versions.node+${JSON.stringify(toDo)};if(!/hermes\\.js$/.test(process.argv[1]))throw Error(t);process.stderr.write("hermes: "+t+"\\n");process.exit(1)}}\n`;
}

function isEntry(path: string): boolean {
  return dirname(path) === dist;
}

function removeOldChunks(current: ReadonlySet<string>): void {
  for (const name of readdirSync(join(dist, "chunks"))) {
    const path = join(dist, "chunks", name);
    if (!current.has(path) && Date.now() - statSync(path).mtimeMs > keepOldChunksDays * 86_400_000)
      rmSync(path, { force: true });
  }
}
