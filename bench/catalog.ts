/**
 * Time to find the tools and to build their definitions: built-in tools (listed at build time), a user's tools in a
 * folder, and the same tools from the cache.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

import { builtinToolsModule } from "../scripts/builtin-tools.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const root = join(import.meta.dirname, "..");
const count = 70;
/** The first rounds fill the compile cache. */
const [warmUps, rounds] = process.argv.includes("--quick") ? [0, 1] : [2, 15];
// The folder is inside the project, so that the generated files can import its packages.
const folder = mkdtempSync(join(root, "dist", "bench-"));

try {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  for (let index = 0; index < count; index++) writeFileSync(join(tools, `sample-${index}.tool.ts`), sampleTool(index));
  const runtime = join(folder, "runtime");
  mkdirSync(runtime);
  writeFileSync(
    join(runtime, "builtin.ts"),
    (await builtinToolsModule(tools, runtime)).replaceAll("../kernel", join(root, "src/kernel")),
  );
  writeFileSync(
    join(runtime, "measure.ts"),
    measured("await builtinTools()", 'import { builtinTools } from "./builtin.ts";'),
  );
  writeFileSync(
    join(runtime, "foreign.ts"),
    measured(
      `await discoverTools(${JSON.stringify(join(folder, "foreign"))}, { signal }).then(({ tools: matches }) => ({ tools: matches.map(({ tool }) => tool) }))`,
      `import { discoverTools } from ${JSON.stringify(join(root, "src/kernel/registry/discover.ts"))};`,
    ),
  );
  await build({
    entryPoints: { builtin: join(runtime, "measure.ts"), foreign: join(runtime, "foreign.ts") },
    outdir: join(folder, "out"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "error",
    banner: { js: 'import{createRequire as __require}from"node:module";const require=__require(import.meta.url);' },
  });
  // A sample of a user's tool in the home folder: plain JavaScript that imports only the plugin entry point.
  mkdirSync(join(folder, "foreign"));
  for (let index = 0; index < count; index++) {
    writeFileSync(
      join(folder, "foreign", `sample-${index}.tool.ts`),
      sampleTool(index).replaceAll("../../../src/", `${root}/src/`),
    );
  }
  const results: Record<"builtin" | "foreign", { first: number; repeat: number }[]> = { builtin: [], foreign: [] };
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "cache") };
  const run = (name: "builtin" | "foreign") => () => {
    results[name].push(
      JSON.parse(execFileSync(process.execPath, [join(folder, "out", `${name}.js`)], { encoding: "utf8", env })),
    );
  };
  await interleaved({ builtin: run("builtin"), foreign: run("foreign") }, warmUps + rounds);
  for (const [name, limit] of [
    ["builtin", 40],
    ["foreign", 250],
  ] as const) {
    const first = median(results[name].slice(warmUps).map((result) => result.first));
    report(
      "catalog",
      `${count} ${name === "builtin" ? "built-in tools" : "tools of a user"}: discovery and first build`,
      { ms: rounded(first, 1), limit, holds: first <= limit },
    );
  }
  const repeat = median(results.builtin.map((result) => result.repeat));
  report("catalog", "definitions again", { ms: rounded(repeat, 4), limit: 0.1, holds: repeat <= 0.1 });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function sampleTool(index: number): string {
  return `
import { z } from "zod";
import { defineTool } from "../../../src/contracts/tool/define-tool.ts";
import { text } from "../../../src/contracts/tool/tool-result.ts";
export default defineTool({
  name: "sample_${index}",
  toolset: "sample_${index % 8}",
  description: "Sample number ${index}: looks at a path and returns what it finds there, sorted and cut to a limit.",
  input: z.object({
    path: z.string().describe("Where to look"),
    mode: z.enum(["fast", "careful", "deep"]).default("fast").describe("How carefully"),
    limit: z.int().min(1).max(500).default(50).describe("How many at most"),
    filters: z.array(z.object({ field: z.string(), value: z.union([z.string(), z.number()]) })).optional(),
  }),
  traits: { readOnly: true, parallel: true },
  run: async ({ path }) => text(path),
});
`;
}

function measured(discovery: string, imports: string): string {
  return `
const startedAt = performance.now();
${imports.replace(/^import (.*) from (.*);$/, "const $1 = await import($2);")}
const { createRegistry } = await import(${JSON.stringify(join(root, "src/kernel/registry/registry.ts"))});
const signal = new AbortController().signal;
const registry = createRegistry();
const { tools } = ${discovery};
for (const tool of tools) registry.add(tool, { kind: "builtin" });
const available = { missing: async () => undefined };
const search = { enabled: true, direct: [], directPluginBytes: 2048, listing: true, listingMaxTokens: 500, defaultLimit: 5, maxLimit: 20 };
const options = { signal, search: { ...search, enabled: false } };
const catalog = await registry.catalog({}, available, options);
if (catalog.definitions.length < ${count}) throw new Error("only " + catalog.definitions.length + " tools");
const first = performance.now() - startedAt;
const rounds = 200;
const againAt = performance.now();
for (let round = 0; round < rounds; round++) await registry.catalog({}, available, options);
process.stdout.write(JSON.stringify({ first, repeat: (performance.now() - againAt) / rounds }));
`;
}
