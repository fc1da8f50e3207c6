// covers: src/plugins, src/runtime/plugins, src/hosts/cli/chat
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { ok } from "../../src/base/result.ts";
import { chatTerminal } from "../support/chat-terminal.ts";
import { hermes } from "../support/fake-terminal.ts";
import { type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const guide = join(import.meta.dirname, "..", "fixtures", "plugins", "calculator");

/** The same plugin in TypeScript. */
const twin = {
  "plugin.yaml": "name: calculator\nversion: 1.0.0\ndescription: Math calculator\n",
  "index.ts": `import { definePlugin, defineTool, text } from "hermes-agent-ts/plugin";

enum Unit { Metre = 1, Kilometre = 1000 }

const calculate = defineTool({
  name: "calculate",
  toolset: "calculator",
  description: "Evaluate a power such as 2**16",
  input: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  async run({ expression }) {
    const [base = 0, power = 1] = String(expression).split("**").map(Number);
    return text(JSON.stringify({ expression, result: base ** power }));
  },
});

const unitConvert = defineTool({
  name: "unit_convert",
  toolset: "calculator",
  description: "Convert kilometres to metres",
  input: { type: "object", properties: { value: { type: "number" } }, required: ["value"] },
  run: async ({ value }) => text(String(Number(value) * Unit.Kilometre)),
});

export default definePlugin({ setup: () => ({ tools: [calculate, unitConvert] }) });
`,
};

/** A question ignores keys that were typed before it appeared. */

type Home = Awaited<ReturnType<typeof tempHome>>;
const languages: readonly [string, (home: Home) => void][] = [
  ["Python", ({ path }) => cpSync(guide, join(path, "plugins", "calculator"), { recursive: true })],
  ["TypeScript", ({ path }) => writePlugin(path, "calculator", twin)],
];

function writePlugin(home: string, name: string, files: Readonly<Record<string, string>>): void {
  const folder = join(home, "plugins", name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

const power: readonly ScriptedAnswer[] = [
  { calls: [{ name: "calculate", args: { expression: "2**16" } }] },
  { text: "It is 65536." },
];
const toolNames = (model: ReturnType<typeof scriptedModel>) => model.requests[0]?.tools?.map(({ name }) => name) ?? [];

for (const [language, place] of languages) {
  test(`the calculator in ${language}: it is offered once, its tools are sent at once, and the model calls one`, async () => {
    await using home = await tempHome();
    place(home);
    {
      const model = scriptedModel(power);
      await using chat = chatTerminal([], { home: home.path, model });
      await chat.until(
        /New plugin calculator v1\.0\.0[\s\S]*tools calculate, unit_convert[\s\S]*Enable calculator\? \[y\/N\] $/u,
      );
      assert.match(chat.said(), /may only read its own folder, write its data folder and place a skill/u);
      chat.type("y\r");
      await chat.until(/\ncalculator: calculate, unit_convert\n[\s\S]*❯ $/u);
      chat.type("What's 2 to the power of 16?\r");
      await chat.until("It is 65536.");
      assert.deepEqual(
        toolNames(model).filter((name) => ["calculate", "unit_convert"].includes(name)),
        ["calculate", "unit_convert"],
      );
      const results = JSON.stringify(model.requests[1]?.messages.at(-1));
      assert.match(results, /65536/u);
      chat.type("\x04");
      assert.equal(await chat.code, 0);
    }
    const model = scriptedModel(power);
    await using again = chatTerminal([], { home: home.path, model });
    await again.until(/\ncalculator: calculate, unit_convert\n[\s\S]*❯ $/u);
    assert.doesNotMatch(again.said(), /Enable calculator/u);
    again.type("and again?\r");
    await again.until("It is 65536.");
    const listed = await hermes(["toolsets", "list"], { home: home.path });
    assert.match(listed.out, /\ncalculator: calculate, unit_convert\n/u);
  });
}

test("a denial is remembered; a script does not load a new plugin and prints how to enable it", async () => {
  await using home = await tempHome();
  languages[0]?.[1](home);
  const model = scriptedModel([{ text: "hello" }]);
  const script = await hermes(["-z", "hi"], { home: home.path, models: { open: async () => ok(model) } });
  assert.equal(script.code, 0);
  assert.equal(script.out.trim(), "hello");
  assert.match(script.err, /The new plugin calculator is not loaded\. To load: hermes plugins enable calculator/u);
  assert.ok(!toolNames(model).includes("calculate"));
  assert.ok(!existsSync(join(home.path, "plugin-data")), "nothing of it ran");
  {
    await using chat = chatTerminal([], { home: home.path, model: scriptedModel([]) });
    await chat.until("Enable calculator? [y/N] ");
    chat.type("\r");
    await chat.until(/Not loaded\. To load it later: hermes plugins enable calculator[\s\S]*❯ $/u);
  }
  assert.match(readFileSync(join(home.path, "config.yaml"), "utf8"), /disabled: \[calculator\]/u);
  await using again = chatTerminal([], { home: home.path, model: scriptedModel([]) });
  await again.until("❯ ");
  assert.doesNotMatch(again.said(), /calculator/u);
});

test("broken and hostile folders, safe mode and missing variables never harm the start", async () => {
  await using home = await tempHome();
  writePlugin(home.path, "syntax", { "plugin.yaml": "name: syntax\n", "__init__.py": "def register(ctx:\n" });
  writePlugin(home.path, "throws", {
    "plugin.yaml": "name: throws\n",
    "index.ts": "throw new Error('boom at import')",
  });
  writePlugin(home.path, "yaml", { "plugin.yaml": "name: [\n", "__init__.py": "" });
  writePlugin(home.path, "weather", {
    "plugin.yaml": "name: weather\nrequires_env: [WEATHER_API_KEY]\n",
    "__init__.py": "",
  });
  languages[0]?.[1](home);
  writeFileSync(
    join(home.path, "config.yaml"),
    "plugins: {enabled: [syntax, throws, yaml, weather, calculator, nowhere]}\n",
  );
  const run = async (...args: readonly string[]) => {
    const model = scriptedModel([{ text: "hello" }]);
    const result = await hermes([...args, "-z", "hi"], { home: home.path, models: { open: async () => ok(model) } });
    assert.deepEqual([result.code, result.out.trim()], [0, "hello"]);
    return { err: result.err, tools: toolNames(model) };
  };
  for (const _ of [1, 2]) {
    const { err, tools } = await run();
    assert.match(err, /Plugin syntax is not loaded: [\s\S]*__init__\.py/u);
    assert.match(err, /Plugin throws is not loaded: [\s\S]*boom at import/u);
    assert.match(err, /Plugin weather disabled \(missing: WEATHER_API_KEY\)/u);
    assert.ok(tools.includes("calculate"));
  }
  const safe = await run("--safe-mode");
  assert.doesNotMatch(safe.err, /lugin/u);
  assert.ok(!safe.tools.includes("calculate"));
});

test("without Python its plugins are unavailable, a call that one of them guards is blocked, and the turn goes on", async () => {
  await using home = await tempHome();
  languages[0]?.[1](home);
  writePlugin(home.path, "guard", {
    "plugin.yaml": "name: guard\n",
    "__init__.py":
      "def check(**kwargs):\n    return None\n\ndef register(ctx):\n    ctx.register_hook('pre_tool_call', check, policy=True)\n",
  });
  writeFileSync(join(home.path, "config.yaml"), "plugins: {enabled: [calculator, guard]}\n");
  const turn = async (env: Readonly<Record<string, string>>) => {
    const model = scriptedModel([{ calls: [{ name: "search_files", args: { pattern: "x" } }] }, { text: "done" }]);
    const result = await hermes(["-z", "hi"], { home: home.path, env, models: { open: async () => ok(model) } });
    assert.deepEqual([result.code, result.out.trim()], [0, "done"], result.err);
    return { err: result.err, result: JSON.stringify(model.requests[1]?.messages.at(-1)) };
  };
  assert.doesNotMatch((await turn({})).result, /Blocked/u);
  const env = { PATH: join(home.path, "no-programs") };
  const { err, result } = await turn(env);
  assert.match(
    err,
    /Plugin calculator cannot start: Python plugins need Python 3\.9 or newer: PATH contains no python3/u,
  );
  assert.match(result, /Blocked: the policy hook of plugin guard failed/u);
  for (const name of ["calculator", "guard"]) {
    const info = await hermes(["plugins", "info", name], { home: home.path, env });
    assert.match(info.out, /state unavailable/u);
  }
});

test("project plugins load only if the project is trusted and they are enabled; the variable enables but does not trust", async () => {
  await using home = await tempHome();
  const project = join(home.path, "project");
  const hermesHome = join(home.path, "hermes");
  mkdirSync(hermesHome);
  mkdirSync(join(project, ".git"), { recursive: true });
  cpSync(guide, join(project, ".hermes", "plugins", "calculator"), { recursive: true });
  writeFileSync(join(project, ".hermes", "config.yaml"), "display: {}\n");
  const tools = async (env: Readonly<Record<string, string>> = {}) => {
    const model = scriptedModel([{ text: "hello" }]);
    const result = await hermes(["-z", "hi"], {
      home: hermesHome,
      cwd: project,
      env,
      models: { open: async () => ok(model) },
    });
    assert.equal(result.code, 0, result.err);
    return toolNames(model).includes("calculate");
  };
  const enabling = { HERMES_ENABLE_PROJECT_PLUGINS: "1" };
  assert.equal(await tools(), false);
  assert.equal(await tools(enabling), false, "not trusted");
  const trusted = await hermes(["trust", "--yes"], { home: hermesHome, cwd: project });
  assert.equal(trusted.code, 0, trusted.err);
  assert.equal(await tools(), false, "trusted, not enabled");
  assert.equal(await tools(enabling), true);
  const enabled = await hermes(["plugins", "enable", "calculator", "--yes"], { home: hermesHome, cwd: project });
  assert.equal(enabled.code, 0, enabled.err);
  assert.equal(await tools(), true);
});

test("the skill that the guide's plugin bundles is placed once, and the user's edits are kept", async () => {
  await using home = await tempHome();
  languages[0]?.[1](home);
  const folder = join(home.path, "plugins", "calculator");
  writeFileSync(
    join(folder, "skill.md"),
    "---\nname: my-plugin\ndescription: How to calculate\n---\nUse the tool calculate.\n",
  );
  const code = readFileSync(join(folder, "__init__.py"), "utf8");
  const install = `import shutil
from pathlib import Path

def _install_skill():
    """Copy our skill to ~/.hermes/skills/ on first load."""
    try:
        from hermes_cli.config import get_hermes_home
        dest = get_hermes_home() / "skills" / "my-plugin" / "SKILL.md"
    except Exception:
        dest = Path.home() / ".hermes" / "skills" / "my-plugin" / "SKILL.md"
    if dest.exists():
        return
    source = Path(__file__).parent / "skill.md"
    if source.exists():
        dest.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, dest)

`;
  writeFileSync(
    join(folder, "__init__.py"),
    code.replace("def register(ctx):", `${install}def register(ctx):\n    _install_skill()`),
  );
  const enabled = await hermes(["plugins", "enable", "calculator", "--yes"], { home: home.path });
  assert.equal(enabled.code, 0, enabled.err);
  const placed = join(home.path, "skills", "my-plugin", "SKILL.md");
  assert.match(readFileSync(placed, "utf8"), /Use the tool calculate/u);
  const listed = await hermes(["skills", "list"], { home: home.path });
  assert.match(listed.out, /my-plugin/u);
  writeFileSync(placed, readFileSync(placed, "utf8").replace("Use the tool", "Never use the tool"));
  writeFileSync(join(folder, "data.txt"), "a change registers again");
  await hermes(["tools", "list"], { home: home.path });
  assert.match(readFileSync(placed, "utf8"), /Never use the tool/u);
});
