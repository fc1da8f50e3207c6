import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { PluginClient, PluginFault } from "../contracts/plugin/client.ts";
import { noPermissions } from "../contracts/plugin/manifest.ts";
import { emptyRegistration, type PluginRegistration } from "../contracts/plugin/registration.ts";
import { fingerprint } from "./fingerprint.ts";
import { readIndex } from "./plugin-index.ts";
import { openPluginShelf, type PluginShelf, type PluginShelfDeps } from "./plugin-shelf.ts";
import type { CheckFiles } from "./process/plugin-process.ts";

const tools: PluginRegistration = {
  ...emptyRegistration,
  tools: [
    {
      name: "calculate",
      toolset: "calculator",
      description: "Calculates π and 𝑒",
      inputSchema: { type: "object" },
      emoji: "",
      requiresEnv: [],
      overrides: false,
      declaresEffects: false,
      isAvailable: true,
    },
  ],
};

const guard: PluginRegistration = {
  ...emptyRegistration,
  hooks: [{ id: "1", hook: "beforeToolCall", isPolicy: true, mayAnswer: true }],
};

interface Rig {
  readonly path: string;
  readonly messages: readonly string[];
  /** The keys of plugins in the order in which they registered. */
  readonly registered: string[];
  readonly clients: Set<string>;
  readonly loaded: Set<string>;
  lists: readonly (readonly string[])[];
  write(path: string, text: string): void;
  open(changes?: Partial<PluginShelfDeps>): Promise<PluginShelf>;
  join(shelf: PluginShelf): Promise<void>;
}

/** A Hermes home with plugins. Functions replace the plugin processes. */
async function rig(files: Readonly<Record<string, string>>): Promise<Rig & AsyncDisposable> {
  const home = await tempHome();
  const messages: string[] = [];
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const one: Rig = {
    path: home.path,
    messages,
    registered: [],
    clients: new Set(),
    loaded: new Set(),
    lists: [],
    write,
    open: (changes = {}) =>
      openPluginShelf({
        indexFile: join(home.path, "plugin-index.json"),
        canWrite: () => true,
        places: async () => [{ source: "home", folder: join(home.path, "plugins") }],
        rules: {
          enabled: [],
          disabled: [],
          isSafeMode: false,
          enablesProject: false,
          chosen: [],
          isSet: () => false,
        },
        env: {},
        permissionsOf: () => ok(noPermissions),
        factsOf: () => "",
        pinFault: () => undefined,
        acceptPin: async () => ok(undefined),
        async saveLists(...lists) {
          one.lists = lists;
          return ok(undefined);
        },
        createClient: async ({ key }) => clientOf(key, one.clients),
        async register({ key }, client) {
          // Creates the client, as a real request does.
          client.observe([]);
          one.registered.push(key);
          return ok(tools);
        },
        say: (sentence) => void messages.push(sentence),
        clock: systemClock,
        signal: new AbortController().signal,
        ...changes,
      }),
    join: (shelf) =>
      shelf.join(async ({ plugin }) => {
        one.loaded.add(plugin.key);
        return {
          async [Symbol.asyncDispose]() {
            one.loaded.delete(plugin.key);
          },
        };
      }),
  };
  return { ...one, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() } satisfies Rig & AsyncDisposable;
}

function clientOf(key: string, clients: Set<string>): PluginClient {
  clients.add(key);
  return {
    key,
    request: async () => err({ kind: "failed", message: "not used here" }),
    observe: () => {},
    async [Symbol.asyncDispose]() {
      clients.delete(key);
    },
  };
}

test("an enabled name without a plugin is reported, unless another project or a broken folder contains it", async () => {
  await using home = await rig({
    ...calculator,
    "plugins/broken/plugin.yaml": "[",
    "elsewhere/theirs/plugin.yaml": "name: theirs\n",
    "elsewhere/theirs/__init__.py": "",
  });
  const elsewhere = join(home.path, "elsewhere");
  const places = async () => [{ source: "project" as const, folder: elsewhere }];
  {
    await using shelf = await home.open({ places, rules: enabled("theirs") });
    shelf.saveIndex();
  }
  const rules = enabled("calculator", "theirs", "broken", "calculater");
  await using shelf = await home.open({ rules });
  await home.join(shelf);
  const message = "plugins.enabled lists calculater, but there is no plugin of this name. Did you mean calculator?";
  assert.deepEqual(home.messages, [message]);
  assert.deepEqual(shelf.problems.map(({ path }) => path).slice(1), ["calculater"]);
  await using safe = await home.open({ rules: { ...rules, isSafeMode: true }, places: async () => [] });
  assert.deepEqual(safe.problems, []);
});

test("every file of a plugin is part of its hash, and a folder with too many files is refused", async () => {
  await using home = await rig(calculator);
  const folder = join(home.path, "plugins/calculator");
  mkdirSync(join(folder, "a"));
  for (let index = 0; index < 520; index++) writeFileSync(join(folder, `a/${index}`), "");
  home.write("plugins/calculator/z/last.py", "a = 1");
  const start = async () => {
    await using shelf = await home.open({ rules: enabled("calculator") });
    await home.join(shelf);
    return shelf.list()[0]!.plugin;
  };
  await start();
  home.write("plugins/calculator/z/last.py", "a = 2");
  const plugin = await start();
  assert.equal(home.registered.length, 2);
  assert.equal(fingerprint(plugin, "").ok, true);
  const refused = fingerprint(plugin, "", 500);
  assert.match(refused.ok ? "" : refused.error, /calculator holds more than 500 files and folders/u);
});

const calculator = {
  "plugins/calculator/plugin.yaml": "name: calculator\nversion: 1.0.0\n",
  "plugins/calculator/__init__.py": "def register(ctx): pass\n",
};
const enabled = (...names: string[]): PluginShelfDeps["rules"] => ({
  enabled: names,
  disabled: [],
  isSafeMode: false,
  enablesProject: false,
  chosen: [],
  isSet: () => false,
});
const states = (shelf: PluginShelf) => shelf.list().map(({ plugin, state }) => [plugin.key, state]);

test("a new plugin in the home is offered but does not run; enabling it registers it once", async () => {
  await using home = await rig(calculator);
  {
    await using shelf = await home.open();
    await home.join(shelf);
    assert.deepEqual(states(shelf), [["calculator", "offered"]]);
    assert.deepEqual([home.registered, [...home.clients], [...home.loaded]], [[], [], []]);
    const status = await shelf.enable("calculator");
    assert.ok(status.ok);
    assert.equal(status.value.state, "active");
    assert.equal(status.value.registration?.tools[0]?.name, "calculate");
    assert.deepEqual([...home.loaded], ["calculator"]);
  }
  assert.deepEqual([home.registered, [...home.clients], [...home.loaded]], [["calculator"], [], []]);
  await using again = await home.open({ rules: enabled("calculator") });
  await home.join(again);
  assert.deepEqual([home.registered, [...home.loaded]], [["calculator"], ["calculator"]]);
  assert.equal(again.list()[0]?.registration?.tools[0]?.name, "calculate");
});

test("a plugin registers again when a file, the interpreter, or a fact outside its folder changes", async () => {
  await using home = await rig(calculator);
  const start = async (changes: Partial<PluginShelfDeps> = {}): Promise<number> => {
    await using shelf = await home.open({ rules: enabled("calculator"), ...changes });
    await home.join(shelf);
    return home.registered.splice(0).length;
  };
  assert.deepEqual([await start(), await start()], [1, 0]);
  home.write("plugins/calculator/__init__.py", "def register(ctx): ...\n");
  assert.deepEqual([await start(), await start()], [1, 0]);
  home.write("plugins/calculator/data/units.yaml", "a: 1\n");
  assert.deepEqual([await start(), await start()], [1, 0]);
  home.write("plugins/calculator/plugin.yaml", "name: calculator\nversion: 2.0.0\n");
  assert.deepEqual([await start(), await start()], [1, 0]);
  assert.deepEqual([await start({ factsOf: () => "KEY" }), await start({ factsOf: () => "KEY" })], [1, 0]);
  home.write("bin/python3", "#!/bin/sh\n");

  chmodSync(join(home.path, "bin/python3"), 0o755);
  const other = { env: { PATH: join(home.path, "bin") }, factsOf: () => "KEY" };
  assert.deepEqual([await start(other), await start(other)], [1, 0]);
  const older = { version: 3, ...readIndex(join(home.path, "plugin-index.json")) };
  home.write("plugin-index.json", JSON.stringify(older));
  assert.equal(await start(other), 0);
  home.write("plugin-index.json", "{damaged");
  assert.deepEqual([await start(other), await start(other)], [1, 0]);
  home.write("bin/python3", "#!/bin/sh\n# newer\n");
  assert.deepEqual([await start(other), await start(other)], [1, 0]);
});

test("a plugin that cannot register stays broken until it changes or is enabled again; other plugins load", async () => {
  await using home = await rig({
    ...calculator,
    "plugins/bad/plugin.yaml": "name: bad\n",
    "plugins/bad/index.ts": "throw 1",
  });
  let outcome: Result<PluginRegistration, PluginFault> = err({ kind: "crashed", message: "bad.ts line 3: boom." });
  const register: PluginShelfDeps["register"] = async ({ key }, client) => {
    client.observe([]);
    home.registered.push(key);
    return key === "bad" ? outcome : ok(tools);
  };
  const deps = { rules: enabled("bad", "calculator"), register };
  for (const round of [1, 2]) {
    await using shelf = await home.open(deps);
    await home.join(shelf);
    assert.deepEqual(states(shelf), [
      ["bad", "broken"],
      ["calculator", "active"],
    ]);
    assert.equal(home.registered.length, 2, `round ${round}`);
    assert.deepEqual([...home.loaded], ["calculator"]);
    assert.ok(!home.clients.has("bad"));
    assert.match(home.messages.at(-1) ?? "", /bad is not loaded: bad\.ts line 3: boom\. To retry/u);
  }
  outcome = ok(tools);
  await using shelf = await home.open(deps);
  await home.join(shelf);
  const status = await shelf.enable("bad");
  assert.equal(status.ok && status.value.state, "active");
  assert.ok(home.loaded.has("bad"));
});

test("a plugin that hangs does not delay the start, and loads when it is ready", async () => {
  await using home = await rig(calculator);
  const clock = fakeClock();
  const ready = Promise.withResolvers<Result<PluginRegistration, PluginFault>>();
  await using shelf = await home.open({ rules: enabled("calculator"), clock, register: () => ready.promise });
  const joined = home.join(shelf);
  await new Promise(setImmediate);
  clock.advance(20_000);
  await joined;
  assert.deepEqual([...home.loaded], []);
  assert.match(home.messages.join(), /plugins are still loading: calculator/u);
  ready.resolve(ok(tools));
  await new Promise(setImmediate);
  assert.deepEqual([...home.loaded], ["calculator"]);
});

test("disabling unloads a plugin and ends its process", async () => {
  await using home = await rig(calculator);
  await using shelf = await home.open({ rules: enabled("calculator") });
  await home.join(shelf);
  assert.deepEqual([...home.loaded], ["calculator"]);
  const status = await shelf.disable("calculator");
  assert.equal(status.ok && status.value.state, "disabled");
  assert.deepEqual([[...home.loaded], [...home.clients]], [[], []]);
});

test("a tool that outlives its plugin does not start the plugin again", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator");
  await using before = await home.open({ rules });
  await home.join(before);
  await before[Symbol.asyncDispose]();
  await using shelf = await home.open({ rules });
  let client: PluginClient | undefined;
  await shelf.join(async (active) => {
    client = active.client;
    return { async [Symbol.asyncDispose]() {} };
  });
  await shelf.disable("calculator");
  const answer = await client?.request("tool.check", { name: "calculate" }, { signal: new AbortController().signal });
  assert.deepEqual(answer, err({ kind: "unavailable", message: "Plugin calculator is unloaded." }));
  assert.deepEqual([...home.clients], []);
});

test("a plugin from a later source neither replaces the plugin that the user enabled nor prevents it from loading", async () => {
  const theirs = { "project/calculator/plugin.yaml": "name: calculator\n", "project/calculator/index.ts": "" };
  await using home = await rig({ ...calculator, ...theirs });
  {
    await using shelf = await home.open({ rules: enabled("calculator") });
    await home.join(shelf);
  }
  const places: PluginShelfDeps["places"] = async () => [
    { source: "home", folder: join(home.path, "plugins") },
    { source: "project", folder: join(home.path, "project") },
  ];
  {
    await using shelf = await home.open({ rules: enabled("calculator"), places });
    await home.join(shelf);
    assert.deepEqual([states(shelf), shelf.list()[0]?.plugin.source], [[["calculator", "active"]], "home"]);
    assert.match(shelf.problems[0]?.message ?? "", /project\/calculator is not loaded, because you enabled/u);
  }
  await using shelf = await home.open({ rules: enabled(), places });
  const status = await shelf.enable("calculator");
  assert.equal(status.ok && status.value.plugin.source, "project");
  assert.equal(status.ok && status.value.state, "active");
});

test("when the enabled plugin is removed, a plugin of the same name elsewhere needs the user's approval", async () => {
  await using home = await rig({
    "project/calculator/plugin.yaml": "",
    "project/calculator/index.ts": "",
    ...calculator,
  });
  {
    await using shelf = await home.open({ rules: enabled("calculator") });
    await home.join(shelf);
  }
  const places: PluginShelfDeps["places"] = async () => [{ source: "project", folder: join(home.path, "project") }];
  await using shelf = await home.open({ rules: enabled("calculator"), places });
  await home.join(shelf);
  assert.deepEqual(states(shelf), [["calculator", "disabled"]]);
  assert.match(shelf.list()[0]?.why ?? "", /You enabled the plugin in .*plugins\/calculator/u);
});

test("the policy hooks of a plugin stay active when a change to the plugin breaks it", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator");
  {
    await using shelf = await home.open({ rules, register: async () => ok(guard) });
    await home.join(shelf);
  }
  home.write("plugins/calculator/__init__.py", "broken(");
  const register: PluginShelfDeps["register"] = async () => err({ kind: "failed", message: "line 1." });
  for (const _ of [1, 2]) {
    await using shelf = await home.open({ rules, register });
    await home.join(shelf);
    assert.deepEqual(states(shelf), [["calculator", "broken"]]);
    assert.deepEqual([...home.loaded], ["calculator"]);
    assert.deepEqual(shelf.list()[0]?.registration, guard);
  }
});

test("the policy hooks of a plugin stay active while its process cannot start", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator");
  {
    await using shelf = await home.open({ rules, register: async () => ok(guard) });
    await home.join(shelf);
  }
  const register: PluginShelfDeps["register"] = async () => err({ kind: "unavailable", message: "No Python." });
  for (const _ of [1, 2]) {
    await using shelf = await home.open({ rules, register, factsOf: () => "without Python" });
    await home.join(shelf);
    assert.deepEqual(states(shelf), [["calculator", "unavailable"]]);
    assert.deepEqual([...home.loaded], ["calculator"]);
    assert.deepEqual(shelf.list()[0]?.registration, guard);
  }
  await using shelf = await home.open({ rules, register: async () => ok(tools), factsOf: () => "with Python" });
  await home.join(shelf);
  assert.deepEqual(states(shelf), [["calculator", "active"]]);
  assert.deepEqual(shelf.list()[0]?.registration, tools);
});

test("the last result of a tool's availability check is saved for the next start", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator");
  {
    await using shelf = await home.open({ rules });
    await shelf.join(async ({ keepCheck }) => {
      keepCheck("calculate", false);
      return { async [Symbol.asyncDispose]() {} };
    });
  }
  await using shelf = await home.open({ rules });
  assert.equal(shelf.list()[0]?.registration?.tools[0]?.isAvailable, false);
  assert.deepEqual(home.registered, ["calculator"]);
});

test("refresh loads new plugins, unloads removed ones and registers changed ones", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator", "second");
  await using shelf = await home.open({ rules });
  await home.join(shelf);
  home.write("plugins/second/plugin.yaml", "name: second\n");
  home.write("plugins/second/index.ts", "");
  home.write("plugins/calculator/__init__.py", "changed");
  await shelf.refresh();
  assert.deepEqual(home.registered, ["calculator", "calculator", "second"]);
  assert.deepEqual([...home.loaded].toSorted(), ["calculator", "second"]);

  rmSync(join(home.path, "plugins/calculator"), { recursive: true });
  await shelf.refresh();
  assert.deepEqual([[...home.loaded], [...home.clients]], [["second"], ["second"]]);
});

test("a plugin does not load if variables are missing, in safe mode, or if it is listed as disabled", async () => {
  await using home = await rig({
    "plugins/weather/plugin.yaml": "name: weather\nrequires_env: [WEATHER_API_KEY]\n",
    "plugins/weather/__init__.py": "",
  });
  const base = enabled("weather");
  await using missing = await home.open({ rules: base });
  await home.join(missing);
  assert.deepEqual(home.messages, ["Plugin weather disabled (missing: WEATHER_API_KEY)"]);
  const cases: readonly [Partial<PluginShelfDeps["rules"]>, string][] = [
    [{}, "missing"],
    [{ isSet: () => true }, "active"],
    [{ isSet: () => true, disabled: ["weather"] }, "disabled"],
    [{ isSet: () => true, isSafeMode: true }, "disabled"],
    [{ enabled: [], isSet: () => true }, "offered"],
  ];
  for (const [change, state] of cases) {
    await using shelf = await home.open({ rules: { ...base, ...change } });
    assert.deepEqual(states(shelf), [["weather", state]]);
  }
});

test("the plugin index is written in ASCII and keeps every character", async () => {
  await using home = await rig(calculator);
  {
    await using shelf = await home.open({ rules: enabled("calculator") });
    await home.join(shelf);
  }
  const file = join(home.path, "plugin-index.json");
  assert.match(readFileSync(file, "utf8"), /^[\x20-\x7e]+$/u);
  const [plugin] = Object.values(readIndex(file).plugins);
  assert.deepEqual(plugin?.registration, tools);
});

test("concurrent processes that write the plugin index keep each other's plugins", async () => {
  await using home = await rig({
    ...calculator,
    "plugins/second/plugin.yaml": "name: second\n",
    "plugins/second/index.ts": "",
  });
  await Promise.all(
    ["calculator", "second"].map(async (name) => {
      await using shelf = await home.open({ rules: enabled(name) });
      await home.join(shelf);
    }),
  );
  const index: unknown = JSON.parse(readFileSync(join(home.path, "plugin-index.json"), "utf8"));
  assert.deepEqual(Object.keys((index as { accepted: object }).accepted).toSorted(), ["calculator", "second"]);
});

test("a package folder without plugins is searched only once", async () => {
  await using home = await rig(calculator);
  const packages = join(home.path, "site-packages");
  const places: PluginShelfDeps["places"] = async () => [{ source: "python", folder: packages }];
  for (const rules of [enabled(), enabled("calculator")]) {
    await using shelf = await home.open({ rules, places });
    shelf.saveIndex();
  }
  const { places: saved } = readIndex(join(home.path, "plugin-index.json"));
  assert.deepEqual(saved[`python ${packages}`]?.stamps, [[packages, "absent"]]);
});

test("package folders are searched only while an enabled name could refer to a package", async () => {
  await using home = await rig(calculator);
  const searched: boolean[] = [];
  const places: PluginShelfDeps["places"] = async (packages) => {
    searched.push(packages);
    return [{ source: "home", folder: join(home.path, "plugins") }];
  };
  const open = async (...names: readonly string[]) => {
    searched.length = 0;
    await using shelf = await home.open({ rules: enabled(...names), places });
    shelf.saveIndex();
    return searched.includes(true);
  };
  assert.equal(await open(), false, "nothing is enabled");
  assert.equal(await open("calculator"), true, "it could mean a package until the person has this one");
  assert.equal(await open("calculator"), false);
  assert.equal(await open("calculator", "weather"), true, "a name that is not here");
  rmSync(join(home.path, "plugins", "calculator"), { recursive: true });
  assert.equal(await open("calculator"), true, "it is no longer here");
});

test("the error for an unknown plugin name suggests the nearest name", async () => {
  await using home = await rig(calculator);
  await using shelf = await home.open();
  const status = await shelf.enable("calculatr");
  assert.ok(!status.ok);
  assert.match(status.error, /calculator/u);
});

test("a plugin that registers different parts without a file change is reported, and the index keeps the new parts", async () => {
  await using home = await rig(calculator);
  const rules = enabled("calculator");
  let onRegistered: ((registration: PluginRegistration) => void) | undefined;
  {
    await using shelf = await home.open({
      rules,
      async createClient(plugin, _permissions, registered) {
        onRegistered = registered;
        return clientOf(plugin.key, home.clients);
      },
    });
    await home.join(shelf);
    onRegistered?.(tools);
    assert.deepEqual(home.messages, []);
    onRegistered?.(guard);
    assert.match(home.messages.join(), /calculator registered different parts than before/u);
  }
  await using shelf = await home.open({ rules });
  assert.deepEqual(shelf.list()[0]?.registration, guard);
});

test("an enabled package that requests more permissions is not loaded until the user enables it again", async () => {
  const packageOf = (permissions: object) =>
    JSON.stringify({ name: "weather", main: "main.mjs", keywords: ["hermes-plugin"], hermes: { permissions } });
  await using home = await rig({
    "node_modules/weather/package.json": packageOf({ net: ["api.example.com"] }),
    "node_modules/weather/main.mjs": "",
  });
  const places: PluginShelfDeps["places"] = async () => [{ source: "npm", folder: join(home.path, "node_modules") }];
  const rules = enabled("weather");
  {
    await using shelf = await home.open({ rules, places });
    await home.join(shelf);
    shelf.saveIndex();
    assert.deepEqual(states(shelf), [["weather", "active"]]);
  }
  home.write("node_modules/weather/package.json", packageOf({ net: ["api.example.com", "*"], exec: true }));
  await using shelf = await home.open({ rules, places });
  await home.join(shelf);
  assert.deepEqual(states(shelf), [["weather", "broken"]]);
  assert.deepEqual([home.registered, [...home.loaded]], [["weather"], []]);
  assert.match(home.messages.join(), /asks for more than you accepted \(net:\*, exec\)/u);

  await shelf.enable("weather");
  assert.deepEqual([home.registered, [...home.loaded]], [["weather", "weather"], ["weather"]]);
});

test("code of a project or a package that changes after the user enabled it is not loaded", async () => {
  await using home = await rig({
    "node_modules/weather/package.json": JSON.stringify({
      name: "weather",
      main: "a.mjs",
      keywords: ["hermes-plugin"],
    }),
    "node_modules/weather/a.mjs": "",
    "node_modules/weather/node_modules/.venv/b.mjs": "",
    "plugins/own/plugin.yaml": "name: own\n",
    "plugins/own/__init__.py": "",
  });
  const folderOf = (name: string) => join(home.path, name);
  const start = async () => {
    await using shelf = await home.open({
      rules: enabled("weather", "own"),
      places: async () => [
        { source: "npm", folder: folderOf("node_modules") },
        { source: "project", folder: folderOf("plugins") },
      ],
    });
    await home.join(shelf);
    shelf.saveIndex();
    return { states: states(shelf), enable: await shelf.enable("weather") };
  };
  const active = [
    ["own", "active"],
    ["weather", "active"],
  ];
  assert.deepEqual((await start()).states, active);
  home.write("plugins/own/__pycache__/x.pyc", "");
  assert.deepEqual((await start()).states, active, "compiled code is not used");
  home.write("node_modules/weather/node_modules/.venv/b.mjs", "planted()");
  home.write("plugins/own/__init__.py", "planted()");
  const changed = await start();
  assert.deepEqual(changed.states, [
    ["own", "broken"],
    ["weather", "broken"],
  ]);
  assert.match(home.messages.join("\n"), /weather changed since you enabled it and is not loaded.*enable weather/u);
  assert.equal(changed.enable.ok && changed.enable.value.state, "active");
  assert.deepEqual((await start()).states, [
    ["own", "broken"],
    ["weather", "active"],
  ]);
});

test("a pinned folder that changes after it was checked does not register", async () => {
  await using home = await rig(calculator);
  const faults = [undefined, "Plugin calculator changed since you installed it and is not loaded."];
  await using shelf = await home.open({ rules: enabled("calculator"), pinFault: () => faults.shift() });
  await home.join(shelf);
  assert.deepEqual([states(shelf), home.registered], [[["calculator", "broken"]], []]);
  assert.match(home.messages.join(), /changed since you installed it/u);
});

test("a plugin's process starts only if the files in its sandbox are the files that were checked", async () => {
  await using home = await rig(calculator);
  const watchers: (() => CheckFiles)[] = [];
  let faults = 0;
  await using shelf = await home.open({
    rules: enabled("calculator"),
    async createClient({ key }, _permissions, _onRegistered, watchFiles) {
      watchers.push(watchFiles);
      return clientOf(key, home.clients);
    },
    pinFault: () => (faults === 0 ? undefined : "Plugin calculator changed since you installed it."),
  });
  await home.join(shelf);
  const watchFiles = watchers[0]!;
  assert.equal(watchFiles()(""), undefined);
  const sandbox = join(home.path, "sandbox");
  const folder = join(home.path, "plugins/calculator");
  cpSync(folder, join(sandbox, folder), { recursive: true });
  assert.match(watchFiles()(sandbox) ?? "", /its files changed while it started/u, "another folder was mounted");
  assert.match(watchFiles()(join(home.path, "nothing")) ?? "", /changed while it started/u);
  const check = watchFiles();
  home.write("plugins/calculator/__init__.py", "planted()\n");
  assert.match(check("") ?? "", /its files changed while it started/u);
  assert.equal(watchFiles()(""), undefined, "nobody pinned it");
  faults = 1;
  assert.match(watchFiles()("") ?? "", /changed since you installed it/u);
});
