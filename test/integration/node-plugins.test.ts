// covers: src/plugins/runner/node, src/plugins/sources, src/plugins/in-process.ts, src/plugin.ts
import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import type { FoundPlugin } from "../../src/contracts/plugin/manifest.ts";
import { createPluginProxy } from "../../src/plugins/proxy/plugin-proxy.ts";
import { readSources } from "../../src/plugins/sources/read-sources.ts";
import { load, plugin, refusal, signal, start, toolText } from "../support/node-plugin.ts";
import { nodeRunner } from "../support/plugin-rig.ts";
import { tempHome } from "../support/temp-home.ts";

describe("the TypeScript features that plugin authors use work", () => {
  const files = {
    "index.ts": plugin(
      `{ tools: [defineTool({ name: "show", description: "", input: z.object({ n: z.number().default(2) }),
        run: ({ n }) => \`\${Colour[n]} \${new Point(1).x} \${Shapes.count} \${double(n)} \${Unit.Km} \${data.size} \${deep()}\` })] }`,
      `import { double, Unit } from "./tools.ts";
       import data from "./data.json";
       import { deep } from "./lib/deep.js";
       enum Colour { Red, Green, Blue }
       namespace Shapes { export const count = 3; }
       class Point { constructor(public readonly x: number) {} }`,
    ),
    "tools.ts": `export const double = (n: number): number => n * 2; export enum Unit { Km = "km" }`,
    "lib/deep.ts": `import { leaf } from "./leaf"; import type { Nothing } from "./missing.ts"; export const deep = () => leaf;`,
    "lib/leaf.ts": `import pkg from "small-package"; export const leaf: string = pkg.word;`,
    "data.json": `{ "size": 7 }`,
    "node_modules/small-package/package.json": `{ "name": "small-package", "version": "1.0.0", "main": "main.js" }`,
    "node_modules/small-package/main.js": `module.exports = { word: "leaf" };`,
  };

  for (const inProcess of [false, true]) {
    test(`enums, namespaces, parameter properties, JSON, packages (${inProcess ? "in-process" : "process"})`, async () => {
      const { "index.ts": code, ...others } = files;
      await using rig = await start(code, { files: others, inProcess });
      const { tools } = await load(rig);
      assert.deepEqual(tools[0]?.inputSchema["properties"], { n: { type: "number", default: 2 } });
      assert.equal(await toolText(rig, "show"), "Blue 1 3 4 km 7 leaf");
      assert.equal(
        await toolText(rig, "show", { n: "?" }),
        "failed: Invalid arguments for show: n: Invalid input: expected number, received string",
      );
    });
  }

  test("the host converts each file once, and only files that the plugin itself may read", async () => {
    await using home = await tempHome();
    const { "index.ts": code, ...others } = files;
    await using rig = await start(code, { files: others });
    const cacheFile = join(home.path, "cache", "plugin.json");
    const secret = join(home.path, "secret.ts");
    writeFileSync(secret, "export const secret = 1;");
    symlinkSync(secret, join(rig.plugin.folder, "lib", "missing.ts"));
    const read = (one: FoundPlugin) => readSources(one, { cacheFile, clock, signal });
    const sources = await read(rig.plugin);
    const names = Object.keys(sources).map((path) => path.slice(rig.plugin.folder.length + 1));
    assert.deepEqual(names.toSorted(), ["index.ts", "lib/deep.ts", "lib/leaf.ts", "tools.ts"]);
    await using second = await start("throw new Error('not this text');", {
      load: { folder: rig.plugin.folder, entry: rig.plugin.entry, sources },
    });
    assert.equal(await toolText(second, "show"), "Blue 1 3 4 km 7 leaf");

    // A changed file is converted again; the others come from the cache, which is invalid with another hash.
    writeFileSync(join(rig.plugin.folder, "tools.ts"), `export const double = () => 0; export enum Unit { Km = "mi" }`);
    const changed = await read(rig.plugin);
    assert.match(changed[join(rig.plugin.folder, "tools.ts")] ?? "", /"mi"/u);
    assert.equal(changed[join(rig.plugin.folder, "index.ts")], sources[join(rig.plugin.folder, "index.ts")]);
    assert.deepEqual(await readSources({ ...rig.plugin, language: "python" }, { cacheFile, clock, signal }), {});
  });

  test("plain JavaScript plugins work as a module, a module without package.json, and CommonJS", async () => {
    const parts = `{ tools: [{ name: "x" }].map(({ name }) => defineTool({ name, description: "", input: {}, run: () => "js" })) }`;
    for (const entry of ["index.mjs", "index.js"]) {
      await using rig = await start(plugin(parts), { entry });
      assert.equal(await toolText(rig, "x"), "js");
    }
    await using rig = await start(
      `const { defineTool } = require("hermes-agent-ts/plugin");
       module.exports = { setup: () => ({ tools: [defineTool({ name: "x", description: "", input: {}, run: () => "cjs" })] }) };`,
      { entry: "index.cjs" },
    );
    assert.equal(await toolText(rig, "x"), "cjs");
  });

  test("two plugins with the same module names stay separate, even in one process", async () => {
    const code = plugin(
      `{ tools: [defineTool({ name: "who", description: "", input: {}, run: () => name })] }`,
      `import { name } from "./tools.ts";`,
    );
    await using one = await start(code, {
      inProcess: true,
      files: { "tools.ts": `export const name: string = "one";` },
    });
    await using two = await start(code, {
      inProcess: true,
      files: { "tools.ts": `export const name: string = "two";` },
    });
    assert.deepEqual([await toolText(one, "who"), await toolText(two, "who")], ["one", "two"]);
  });
});

describe("a broken plugin reports the error with file and line", () => {
  const cases: readonly (readonly [
    name: string,
    code: string,
    message: RegExp,
    files?: Readonly<Record<string, string>>,
  ])[] = [
    [
      "a throw in setup",
      `enum A { B }\n\nexport default { setup() {\n  throw new Error("no weather");\n} };`,
      /^sample: setup failed: no weather \(index\.ts:4\)$/u,
    ],
    [
      "a throw at the top, in another file",
      `import "./tools.ts"; export default {};`,
      /^sample: loading failed: early \(tools\.ts:3\)$/u,
      { "tools.ts": `type A = 1;\n\nthrow new Error("early");` },
    ],
    [
      "a syntax error",
      `const a: number = 1;\nconst b = ;\n`,
      /^sample: loading failed: Expression expected \(index\.ts:2\)$/u,
    ],
    [
      "a syntax error in JavaScript",
      `import "./tools.mjs";`,
      /^sample: loading failed: Expression expected \(tools\.mjs:2\)$/u,
      { "tools.mjs": `\nconst b = ;` },
    ],
    [
      "a missing file",
      `import "./nothing.ts";`,
      /loading failed: Cannot find module '.*nothing\.ts' imported from .*index\.ts$/u,
    ],
    [
      "a missing package",
      `import "no-such-package";`,
      /Cannot find package 'no-such-package'.*Run "npm install no-such-package" in the plugin's folder\.$/u,
    ],
    [
      "a type imported as a value",
      `import { Tool } from "hermes-agent-ts/plugin";\nexport default {};`,
      /'Tool'.*\(index\.ts:1\)\. If Tool is a type, write: import type \{ Tool \}$/u,
    ],
    [
      "no default export",
      `export const x = 1;`,
      /index\.ts has no default export\. Write: export default definePlugin\(/u,
    ],
    ["another default export", `export default { tools: [] };`, /exports an object with tools by default\. Write:/u],
    [
      "setup returns nothing",
      `export default { setup() {} };`,
      /setup returned nothing\. Return an object with the parts of the plugin/u,
    ],
    ["tools is not a list", `export default { setup: () => ({ tools: {} }) };`, /tools must be a list/u],
    [
      "a tool without defineTool",
      `export default { setup: () => ({ tools: [{ name: "calc", handler() {} }] }) };`,
      /tool "calc" was not created with defineTool\. Write: defineTool\(/u,
    ],
    [
      "a tool that needs a service",
      plugin(
        `{ tools: [defineTool({ name: "x", description: "", needs: ["environment"], input: {}, run: () => "" })] }`,
      ),
      /needs environment, which exists only in Hermes' own process/u,
    ],
    [
      "a tool without run",
      plugin(`{ tools: [defineTool({ name: "x", description: "", input: {} })] }`),
      /tool x: run must be a function \(index\.ts:3\)/u,
    ],
    [
      "a bad tool name",
      plugin(`{ tools: [defineTool({ name: "a b", description: "", input: {}, run: () => "" })] }`),
      /tool name "a b": use 1 to 64 letters/u,
    ],
    [
      "a command without run",
      `export default { setup: () => ({ commands: [{ name: "x", summary: "" }] }) };`,
      /commands\[0\]: run is missing and must be a function\. Write: commands: \[\{ name:/u,
    ],
    [
      "unknown middleware",
      `export default { setup: () => ({ middleware: { toolReqest() {} } }) };`,
      /toolReqest is not one of toolRequest, toolExecution/u,
    ],
  ];
  for (const [name, code, message, files = {}] of cases) {
    test(name, async () => {
      await using rig = await start(code, { files, inProcess: true });
      assert.match(await refusal(rig), message);
    });
  }

  test("folder names that need escaping work", async () => {
    await using rig = await start(`import "./a b/c#d.ts";`, { files: { "a b/c#d.ts": `\nthrow new Error("early")` } });
    assert.match(await refusal(rig), /early \(a b\/c#d\.ts:2\)|Cannot find module/u);
  });

  test("a plugin tool that refuses a call does not run it", async () => {
    const code = plugin(
      `{ tools: [defineTool({ name: "sell", description: "", input: z.object({ n: z.number() }),
        refuses: async ({ n }) => (n > 9 ? { kind: "failed", message: "too many", effect: "none" } : undefined),
        run: async ({ n }) => \`sold \${n}\` })] }`,
    );
    await using rig = await start(code);
    await load(rig);
    assert.equal(await toolText(rig, "sell", { n: 3 }), "sold 3");
    assert.equal(await toolText(rig, "sell", { n: 10 }), "failed: too many");
  });

  test("unknown parts and hooks of a plugin cause warnings with the nearest name", async () => {
    await using rig = await start(`export default { setup: () => ({ tool: [], hooks: { beforToolCall() {} } }) };`);
    const { warnings } = await load(rig);
    assert.match(
      warnings.join(" "),
      /"tool", which is not a part of a plugin\. Did you mean tools.*no hook beforToolCall\. Did you mean beforeToolCall/u,
    );
  });

  test("a plugin that hangs at module level is stopped", async () => {
    await using rig = await start(`await new Promise(() => {});`);
    const loaded = await rig.client.request("load", {} as never, { signal: AbortSignal.timeout(300) });
    assert.ok(!loaded.ok);
    assert.equal(loaded.error.kind, "aborted");
  });
});

test("fetch, node:http and the proxy variables use the proxy, which connects only to granted hosts", async () => {
  await using home = await tempHome();
  const server = createServer((_, response) => void response.end("hello"));
  using _server = { [Symbol.dispose]: () => server.close().closeAllConnections() };
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const refused: string[] = [];
  const proxySocket = join(home.path, "proxy");
  using proxy = createPluginProxy({
    net: [`127.0.0.1:${port}`],
    onRefused: (target) => void refused.push(target),
    addressFault: () => undefined,
    resolve: async (host) => [{ address: host, family: 4 }],
  });
  await proxy.listen(proxySocket);
  await using rig = await start(
    plugin(
      `{ tools: [
        defineTool({ name: "get", description: "", input: {}, run: async ({ url }) => (await fetch(url)).text() }),
        defineTool({ name: "old", description: "", input: {}, run: ({ url }) => new Promise((resolve, reject) =>
          http.get(url, (response) => response.on("data", (data) => resolve(String(data)))).on("error", reject)) }),
        defineTool({ name: "early", description: "", input: {}, run: () => early }),
        defineTool({ name: "variables", description: "", input: {}, run: () => /^http:\\/\\/127\\.0\\.0\\.1:\\d+$/.test(process.env.https_proxy) }),
      ] }`,
      `import http from "node:http";
       const early = new Promise((resolve, reject) =>
         http.get("http://127.0.0.1:${port}/", (response) => resolve(response.statusCode)).on("error", reject));`,
    ),
    {
      async start(given) {
        const started = await nodeRunner(given);
        return started.ok ? ok({ ...started.value, proxySocket }) : started;
      },
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  assert.equal(await toolText(rig, "early"), "200");
  assert.equal(await toolText(rig, "get", { url }), "hello");
  assert.equal(await toolText(rig, "old", { url }), "hello");
  assert.equal(await toolText(rig, "variables"), "true");
  assert.doesNotMatch(await toolText(rig, "get", { url: "http://127.0.0.2:8123/" }), /hello/u);
  assert.match(await toolText(rig, "get", { url: "https://elsewhere.example/" }), /failed/u);
  assert.deepEqual(refused, ["127.0.0.2:8123", "elsewhere.example"]);
});

test("the network stays closed until the plugin declares it", async () => {
  const startNetworked = (code: string) =>
    start(plugin(`{ tools: [defineTool({ name: "open", description: "", input: {}, run: () => ${code} })] }`), {
      start: async (given) => {
        const started = await nodeRunner(given);
        return started.ok ? ok({ ...started.value, proxySocket: "/nowhere" }) : started;
      },
    });
  const isOpen = `String(process.env.http_proxy !== undefined)`;
  for (const [code, expected] of [
    [isOpen, "false"],
    [`typeof WebSocket + ${isOpen}`, "functiontrue"],
    [`typeof fetch + ${isOpen}`, "functiontrue"],
  ] as const) {
    await using rig = await startNetworked(code);
    assert.equal(await toolText(rig, "open"), expected);
  }
});
