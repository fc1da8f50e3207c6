import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { findPlugins } from "./find-plugins.ts";
import type { PluginPlace } from "./plugin-place.ts";

async function folderWith(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await tempHome();
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { path: realpathSync(folder.path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const manifest = (name: string) => `name: ${name}\nversion: 1.0.0\n`;

test("the calculator plugin of the guide is discovered by its name", async () => {
  await using folder = await folderWith({
    "plugins/calculator/plugin.yaml":
      "name: calculator\nversion: 1.0.0\ndescription: Math calculator — evaluate expressions\nprovides:\n  tools: true\n  hooks: true\n",
    "plugins/calculator/__init__.py": "def register(ctx): pass\n",
  });
  const { plugins, problems } = await findPlugins([{ source: "home", folder: join(folder.path, "plugins") }]);
  assert.deepEqual(problems, []);
  assert.deepEqual(plugins, [
    {
      key: "calculator",
      source: "home",
      folder: join(folder.path, "plugins/calculator"),
      manifest: {
        name: "calculator",
        version: "1.0.0",
        description: "Math calculator — evaluate expressions",
        author: "",
        kind: "standalone",
        requiresEnv: [],
      },
      language: "python",
      entry: join(folder.path, "plugins/calculator/__init__.py"),
    },
  ]);
});

test("a folder without a manifest is a category: its subfolders are searched, and its name becomes part of the key", async () => {
  await using folder = await folderWith({
    "plugins/web/brave/plugin.yml": manifest("anything"),
    "plugins/web/brave/index.ts": "",
    "plugins/web/deeper/still/plugin.yaml": manifest("never"),
    "plugins/web/deeper/still/index.ts": "",
  });
  const { plugins } = await findPlugins([{ source: "home", folder: join(folder.path, "plugins") }]);
  assert.deepEqual(
    plugins.map(({ key, language }) => [key, language]),
    [["web/brave", "typescript"]],
  );
});

test("if two sources have the same key, the later source wins; a plugin without a name uses its folder's name", async () => {
  const names = ["bundled", "home", "project"] as const;
  await using folder = await folderWith(
    Object.fromEntries(
      names.flatMap((name) => [
        [`${name}/same/plugin.yaml`, `description: of ${name}\n`],
        [`${name}/same/handler.py`, ""],
        [`${name}/${name}-only/plugin.yaml`, ""],
        [`${name}/${name}-only/index.ts`, ""],
      ]),
    ),
  );
  const places = names.map((source): PluginPlace => ({ source, folder: join(folder.path, source) }));
  const { plugins } = await findPlugins(places);
  assert.deepEqual(
    plugins.map(({ key, source }) => [key, source]),
    [
      ["bundled-only", "bundled"],
      ["home-only", "home"],
      ["project-only", "project"],
      ["same", "project"],
    ],
  );
});

test("the kind of a plugin comes from the manifest, or is guessed from the first 8 KB of its code", async () => {
  const files: Record<string, string> = {};
  const add = (name: string, kind: string, code: string): void => {
    files[`p/${name}/plugin.yaml`] = kind;
    files[`p/${name}/__init__.py`] = code;
  };
  add("memory", "", "from agent.memory_provider import MemoryProvider\n");
  add("model", "", "from providers import register_provider, ProviderProfile\n");
  add("late", "", `${"#".repeat(8_192)}\nMemoryProvider`);
  add("chat", "kind: platform", "MemoryProvider");
  add("odd", "kind: gadget", "MemoryProvider");
  add("spelled", "kind: model_provider", "");
  await using folder = await folderWith(files);
  const { plugins } = await findPlugins([{ source: "home", folder: join(folder.path, "p") }]);
  assert.deepEqual(Object.fromEntries(plugins.map(({ key, manifest: { kind } }) => [key, kind])), {
    memory: "exclusive",
    model: "model-provider",
    late: "standalone",
    chat: "platform",
    odd: "standalone",
    spelled: "model-provider",
  });
});

test("required variables may be names or objects; malformed entries are ignored", async () => {
  await using folder = await folderWith({
    "p/weather/plugin.yaml":
      "requires_env:\n  - WEATHER_API_KEY\n  - {name: OTHER, prompt: Key of the service, url: 'https://example.com/keys'}\n  - 'not a name'\n  - 7\n",
    "p/weather/__init__.py": "",
  });
  const { plugins } = await findPlugins([{ source: "home", folder: join(folder.path, "p") }]);
  assert.deepEqual(plugins[0]?.manifest.requiresEnv, [
    { name: "WEATHER_API_KEY" },
    { name: "OTHER", prompt: "Key of the service", url: "https://example.com/keys" },
  ]);
});

test("a broken plugin folder is reported with its path, and the other plugins still load", async () => {
  await using folder = await folderWith({
    "p/good/plugin.yaml": manifest("good"),
    "p/good/index.ts": "",
    "p/yaml/plugin.yaml": "name: [unclosed\n  : : :",
    "p/yaml/index.ts": "",
    "p/list/plugin.yaml": "- a\n- b\n",
    "p/list/index.ts": "",
    "p/nocode/plugin.yaml": manifest("nocode"),
    "p/spaces/plugin.yaml": "name: two words/../x\n",
    "p/spaces/index.ts": "",
    "p/outside/plugin.yaml": "entry: ../good/index.ts\n",
    "p/forgotten/__init__.py": "",
    "p/file.txt": "not a folder",
  });
  const root = join(folder.path, "p");
  symlinkSync("loop", join(root, "loop"));
  symlinkSync(root, join(root, "self"));
  mkdirSync(join(root, "pipe"));
  execFileSync("mkfifo", [join(root, "pipe", "plugin.yaml")]);
  mkdirSync(join(root, "locked"));
  writeFileSync(join(root, "locked", "plugin.yaml"), "");
  chmodSync(join(root, "locked"), 0o000);
  const { plugins, problems } = await findPlugins([{ source: "home", folder: root }]);
  chmodSync(join(root, "locked"), 0o700);
  assert.deepEqual(
    plugins.map(({ key }) => key).filter((key) => key !== "locked"),
    ["good"],
  );
  const bad = ["yaml", "list", "nocode", "spaces", "outside", "forgotten", "loop"];
  for (const name of bad) {
    const path = join(root, name);
    assert.ok(
      problems.some((problem) => problem.path === path && problem.message.includes(path)),
      name,
    );
  }
});

test("a plugin in a project is rejected if it is a link to a place outside the project", async () => {
  await using folder = await folderWith({
    "elsewhere/plugin.yaml": manifest("elsewhere"),
    "elsewhere/index.ts": "",
    "project/.hermes/plugins/own/plugin.yaml": manifest("own"),
    "project/.hermes/plugins/own/index.ts": "",
  });
  const root = join(folder.path, "project/.hermes/plugins");
  symlinkSync(join(folder.path, "elsewhere"), join(root, "linked"));
  const inProject = await findPlugins([{ source: "project", folder: root }]);
  assert.deepEqual(
    inProject.plugins.map(({ key }) => key),
    ["own"],
  );
  assert.match(inProject.problems[0]?.message ?? "", /link to a place outside the project/u);
  const inHome = await findPlugins([{ source: "home", folder: root }]);
  assert.deepEqual(
    inHome.plugins.map(({ key, folder: path }) => [key, path]),
    [
      ["elsewhere", join(folder.path, "elsewhere")],
      ["own", join(root, "own")],
    ],
  );
});

test("npm packages with the plugin keyword are discovered; in a project only if the project depends on them", async () => {
  const keywords = ["hermes-plugin"];
  await using folder = await folderWith({
    "node_modules/weather/package.json": JSON.stringify({
      name: "weather",
      version: "2.1.0",
      description: "Weather",
      author: { name: "Ann" },
      main: "main.mjs",
      keywords,
      hermes: { permissions: { net: ["api.example.com"] }, requires_env: ["WEATHER_API_KEY"] },
    }),
    "node_modules/weather/main.mjs": "",
    "node_modules/@acme/notes/package.json": JSON.stringify({ keywords }),
    "node_modules/@acme/notes/plugin.yaml": manifest("notes"),
    "node_modules/@acme/notes/index.ts": "",
    "node_modules/left-pad/package.json": "{}",
    "node_modules/broken/package.json": "{",
    "package.json": JSON.stringify({ dependencies: { weather: "2", "../escape": "1" } }),
  });
  const modules = join(folder.path, "node_modules");
  const all = await findPlugins([{ source: "npm", folder: modules }]);
  assert.deepEqual(
    all.plugins.map(({ key, manifest: { version, author, permissions } }) => [key, version, author, permissions?.net]),
    [
      ["acme/notes", "1.0.0", "", undefined],
      ["weather", "2.1.0", "Ann", ["api.example.com"]],
    ],
  );
  const ofProject = await findPlugins([
    { source: "npm", folder: modules, manifest: join(folder.path, "package.json") },
  ]);
  assert.deepEqual(
    ofProject.plugins.map(({ key }) => key),
    ["weather"],
  );
});

test("Python packages are discovered by the entry points in their metadata", async () => {
  await using folder = await folderWith({
    "site/hermes_calc-1.2.dist-info/entry_points.txt":
      "[console_scripts]\ncalc = calc:main\n\n[hermes_agent.plugins]\nmy-calc = calc_package\nother = calc_package.sub:setup [extra]\n",
    "site/hermes_calc-1.2.dist-info/METADATA":
      "Metadata-Version: 2.1\nName: hermes-calc\nVersion: 1.2\nSummary: Counts\nAuthor: Ann\n",
    "site/calc_package/__init__.py": "",
    "site/single-1.dist-info/entry_points.txt": "[hermes_agent.plugins]\nsingle = single_file\n",
    "site/single_file.py": "MemoryProvider",
    "site/edited-1.dist-info/entry_points.txt": "[hermes_agent.plugins]\nedited = edited\n",
    "site/edited-1.dist-info/direct_url.json": "",
    "checkout/src/edited/__init__.py": "",
    "checkout/src/edited/plugin.yaml": "name: ignored\nversion: 3\nrequires_env: [A]\n",
    "site/gone-1.dist-info/entry_points.txt": "[hermes_agent.plugins]\ngone = nowhere\n",
    "site/others-1.dist-info/entry_points.txt": "[console_scripts]\nx = y:z\n",
  });
  writeFileSync(
    join(folder.path, "site/edited-1.dist-info/direct_url.json"),
    JSON.stringify({ url: `file://${join(folder.path, "checkout")}`, dir_info: { editable: true } }),
  );
  const { plugins, problems } = await findPlugins([{ source: "python", folder: join(folder.path, "site") }]);
  assert.deepEqual(
    plugins.map((each) => [each.key, each.entry, each.folder.slice(folder.path.length), each.manifest.version]),
    [
      ["edited", "edited", "/checkout/src/edited", "3"],
      ["my-calc", "calc_package", "/site/calc_package", "1.2"],
      ["other", "calc_package.sub:setup", "/site/calc_package", "1.2"],
      ["single", "single_file", "/site", ""],
    ],
  );
  assert.deepEqual(
    plugins.map(({ manifest: { kind } }) => kind),
    ["standalone", "standalone", "standalone", "exclusive"],
  );
  assert.equal(problems.length, 1);
  assert.match(problems[0]?.message ?? "", /nowhere/u);
});

test("the names that a plugin registers are read from its manifest or its code before it runs", async () => {
  await using folder = await folderWith({
    "p/calculator/plugin.yaml": "provides:\n  tools: true\n  hooks: true\n",
    "p/calculator/__init__.py":
      'def register(ctx):\n    ctx.register_tool(name="calculate", toolset="calculator",\n        schema=schemas.CALCULATE)\n' +
      '    ctx.register_tool(name="unit_convert", toolset="calculator")\n    ctx.register_hook("post_tool_call", _f)\n',
    "p/listed/plugin.yaml": "provides_tools: [a, b]\n",
    "p/listed/__init__.py": 'ctx.register_tool("z")\nctx.register_command("stats", f)\n',
    "p/typed/plugin.yaml": "",
    "p/typed/index.ts":
      'const one = defineTool({\n  name: "count",\n  input: {},\n});\ndefineHook("beforeToolCall", () => {});\n',
  });
  const { plugins } = await findPlugins([{ source: "home", folder: join(folder.path, "p") }]);
  assert.deepEqual(Object.fromEntries(plugins.map(({ key, manifest: { provides } }) => [key, provides])), {
    calculator: { tools: ["calculate", "unit_convert"], hooks: ["post_tool_call"] },
    listed: { tools: ["a", "b"], commands: ["stats"] },
    typed: { tools: ["count"], hooks: ["beforeToolCall"] },
  });
});
