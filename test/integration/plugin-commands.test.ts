// covers: src/hosts/cli, src/plugins/adapt, src/runtime/plugins
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../support/fake-terminal.ts";
import { tempHome } from "../support/temp-home.ts";

type Files = Readonly<Record<string, string>>;

async function homeWith(path: string, plugins: Readonly<Record<string, Files>>): Promise<void> {
  const enabled = Object.keys(plugins);
  await writeFile(join(path, "config.yaml"), JSON.stringify({ plugins: { enabled } }));
  for (const [name, files] of Object.entries(plugins)) {
    const folder = join(path, "plugins", name);
    await mkdir(folder, { recursive: true });
    for (const [file, body] of Object.entries(files)) await writeFile(join(folder, file), body);
  }
}

const python: Files = {
  "plugin.yaml": "name: weather\nversion: 1.0.0\npermissions: {tools: [read_file]}\n",
  "__init__.py": `
import json

calls = []

def count(args, **kwargs):
    calls.append(args)
    return json.dumps({"calls": len(calls)})

def run(args):
    print("weather in", args.city)
    return 3

def register(ctx):
    read = {"name": "peek", "description": "Reads", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
    other = {"name": "peek_more", "description": "Runs", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("peek", "weather", read, lambda args, **kw: ctx.dispatch_tool("read_file", args))
    ctx.register_tool("peek_more", "weather", other, lambda args, **kw: ctx.dispatch_tool("terminal", {"command": "ls"}))
    ctx.register_command("Rain Count", lambda args: f"call {len(calls) or calls.append(args) or 1}: {args}")
    ctx.register_cli_command("weather", "Weather of a city", lambda parser: parser.add_argument("city"), run)
`,
};

const typescript: Files = {
  "plugin.yaml": "name: tides\nversion: 1.0.0\n",
  "index.ts": `
import { definePlugin, defineTool } from "hermes-agent-ts/plugin";

enum Level { Low = "low", High = "high" }
let asked = 0;

export default definePlugin({
  setup: () => ({
    tools: [
      defineTool({
        name: "tide",
        description: "Tide of a harbour",
        input: { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] },
        run: ({ harbour }) => ({ harbour, level: Level.High }),
      }),
    ],
    commands: [{ name: "tide", summary: "Tide", args: "[harbour]", run: (args) => \`tide \${++asked} in \${args}\` }],
    cliCommands: [
      {
        name: "tides",
        summary: "Tides of today",
        usage: "HARBOUR",
        run(args, { print, printError }) {
          print(\`high in \${args.join(" ")}\\n\`);
          printError("no radar\\n");
          return 4;
        },
      },
    ],
  }),
});
`,
};

test("hermes NAME runs the command of a plugin and passes output and exit code on", async () => {
  await using home = await tempHome();
  await homeWith(home.path, { weather: python, tides: typescript });
  const run = (...line: readonly string[]) => hermes(line, { home: home.path });
  const weather = await run("weather", "oslo");
  assert.deepEqual([weather.code, weather.out], [3, "weather in oslo\n"]);
  const tides = await run("tides", "bergen", "--json");
  assert.deepEqual([tides.code, tides.out, tides.err], [4, "high in bergen --json\n", "no radar\n"]);
  assert.match((await run("tides", "--help")).out, /^Usage: hermes tides HARBOUR\n\nTides of today\n/u);
  assert.match((await run("help", "weather")).out, /usage: hermes weather \[-h\] city/u);
  assert.match(
    (await run("--help")).out,
    /Commands of plugins:\n {2}\S.*\n {2}weather +Weather of a city \(weather\)/u,
  );
  assert.deepEqual((await run("completion", "values", "commands")).out.trim().split("\n").toSorted(), [
    "tides\tTides of today (tides)",
    "weather\tWeather of a city (weather)",
  ]);
  assert.match((await run("wether")).err, /There is no command "wether"\.\nDid you mean weather\?/u);
});

test("slash commands of plugins keep their state between lines", async () => {
  await using home = await tempHome();
  await homeWith(home.path, { weather: python, tides: typescript });
  const input = "/rain-count one\n/tide oslo\n/tide bergen\n";
  const { out } = await hermes(["chat"], { home: home.path, input });
  assert.deepEqual(out.trim().split("\n"), ["call 1: one", "tide 1 in oslo", "tide 2 in bergen"]);
});

test("a plugin's slash command with the name of a built-in one is ignored, with a notice in the chat", async () => {
  await using home = await tempHome();
  const files = {
    "plugin.yaml": "name: plans\nversion: 1.0.0\n",
    "__init__.py": "def register(ctx):\n    ctx.register_command('todo', lambda args: 'mine')\n",
  };
  await homeWith(home.path, { plans: files });
  const { out, err } = await hermes(["chat"], { home: home.path, input: "/todo\n" });
  assert.match(out, /There is no plan yet/u);
  assert.match(err, /plans: todo \(commands\) is refused: the name is already in use/u);
});

test("enable and doctor list ignored commands, and enabled names without a plugin", async () => {
  await using home = await tempHome();
  const files = (name: string, command: string) => ({
    "plugin.yaml": `name: ${name}\nversion: 1.0.0\n`,
    "__init__.py": `def register(ctx):\n    ctx.register_command('${command}', lambda args: 'mine')\n    ctx.register_cli_command('model', 'Mine', lambda parser: None, lambda args: 0)\n`,
  });
  await homeWith(home.path, { one: files("one", "mine"), plans: files("plans", "todo"), two: files("two", "mine") });
  const place = { home: home.path };
  const enabled = await hermes(["plugins", "enable", "plans", "--yes"], place);
  assert.match(enabled.out, /Note: \/todo is not available: Hermes has a command of this name/u);
  assert.match(enabled.out, /Note: hermes model is not available: Hermes has/u);
  await hermes(["plugins", "enable", "two", "--yes"], place);
  await writeFile(join(home.path, "config.yaml"), "plugins: { enabled: [one, two, plan] }\n");
  const doctor = await hermes(["plugins", "doctor"], place);
  const text = doctor.out.replaceAll(/\s+/gu, " ");
  assert.match(text, /two \/mine is not available: the plugin one has a command of this name/u);
  assert.match(text, /plan plugins\.enabled lists plan, but there is no plugin of this name\. Did you mean plans\?/u);
  const chat = await hermes(["chat"], { ...place, input: "/mine\n" });
  assert.match(chat.err, /plugins\.enabled lists plan, .*Did you mean plans\?/u);
});

test("a tool of a plugin calls the tools that its permissions name, and no others", async () => {
  await using home = await tempHome();
  await homeWith(home.path, { weather: python, tides: typescript });
  await writeFile(join(home.path, "note.txt"), "rain at noon");
  const call = (name: string, args: object) =>
    hermes(["tools", "call", name, "--args", JSON.stringify(args)], { home: home.path });
  assert.match((await call("peek", { path: join(home.path, "note.txt") })).out, /rain at noon/u);
  assert.match((await call("peek_more", {})).err, /hermes plugins grant weather tools:terminal/u);
  assert.equal((await call("tide", { harbour: "Oslo" })).out, '{"harbour":"Oslo","level":"high"}\n');
  assert.match((await call("tide", {})).err, /Invalid arguments for tide/u);
});

test("a secret source of a plugin supplies a variable that a tool requires", async () => {
  await using home = await tempHome();
  const vault: Files = {
    "plugin.yaml": "name: vault\nversion: 1.0.0\n",
    "__init__.py": `
class Vault:
    name = "vault"

    def fetch(self, names):
        return {"RADAR_KEY": "radar-secret-value", "PATH": "/evil"} if "RADAR_KEY" in names else {}

def register(ctx):
    schema = {"name": "radar", "description": "Radar", "parameters": {"type": "object", "properties": {}}}
    ctx.register_secret_source(Vault())
    ctx.register_tool("radar", "radar", schema, lambda args, **kw: "the key is radar-secret-value", requires_env=["RADAR_KEY"])
`,
  };
  await homeWith(home.path, { vault });
  const { code, out } = await hermes(["tools", "call", "radar", "--args", "{}"], { home: home.path });
  assert.equal(code, 0);
  assert.match(out, /the key is \*+/u);
  const set = await hermes(["tools", "call", "radar", "--args", "{}"], { home: home.path, env: { RADAR_KEY: "own" } });
  assert.match(set.out, /the key is radar-secret-value/u);
});
