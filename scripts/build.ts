// The bundle: one entry for the command, one for the supervisor of processes, one for the library, one for plugin authors, and chunks that are loaded when used.
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { version } from "../src/base/version.ts";
import { builtinToolsModule } from "./builtin-tools.ts";
import { sliceDataModule } from "./config-tree.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
// A package holds one build; in a clone the chunks of older ones stay for those who still run them.
const keepOldChunksDays = process.argv.includes("--release") ? 0 : 7;
// A file saved while we build is newer than this, so the next start builds again.
const startedAt = new Date(Date.now() - 20);

const result = await build({
  absWorkingDir: root,
  entryPoints: {
    hermes: "src/bin/hermes.ts",
    supervisor: "src/bin/supervisor.ts",
    index: "src/index.ts",
    plugin: "src/plugin.ts",
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // They bring programs and native code along, or are large and seldom used: loaded from their packages.
  external: ["@lydell/node-pty", "@vscode/ripgrep", "modal", "unpdf"],
  // Its entry for browsers is the same code as modules: nothing is loaded by `require`, and what nobody uses is left out.
  alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") },
  plugins: [
    {
      // Importing a module of Node's as ES module costs several times what asking for it does.
      name: "node-modules-by-request",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^node:/ }, ({ path, kind }) =>
          kind === "import-statement" ? { path, namespace: "node" } : undefined,
        );
        onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
          contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
        }));
      },
    },
    {
      // zod brings its messages in fifty languages along; ours are English.
      name: "one-language",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /locales\/index\.js$/ }, ({ importer }) =>
          /[\\/]node_modules[\\/]zod[\\/]/.test(importer) ? { path: "locales", namespace: "unused" } : undefined,
        );
        onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default {};", loader: "js" }));
      },
    },
    {
      name: "builtin-tools",
      setup({ onLoad }) {
        onLoad({ filter: /[\\/]runtime[\\/]builtin-tools\.ts$/ }, async ({ path }) => ({
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
});

mkdirSync(join(dist, "chunks"), { recursive: true });
// Chunks first, entries last, each by rename: a process that starts meanwhile sees a whole build, old or new.
const files = result.outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
for (const file of files) {
  const temporary = `${file.path}.${process.pid}.tmp`;
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(temporary, file.contents);
  renameSync(temporary, file.path);
}
removeOldChunks(new Set(files.map((file) => file.path)));
writeFileSync(join(dist, "build-stamp"), `${version}\n`);
utimesSync(join(dist, "build-stamp"), startedAt, startedAt);
if (process.argv.includes("--sizes")) {
  for (const file of files) console.log(`${String(file.contents.length).padStart(8)}  ${relative(root, file.path)}`);
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
