import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import { sha256 } from "../base/digest.ts";
import { type LoadInput, loadConfig } from "./load.ts";
import { trustFolder } from "./sources/trust.ts";

/** A user's folder with a home in it; `config` and `env` become its files. */
async function userWith(files: { readonly config?: string | Buffer; readonly env?: string }) {
  const user = await tempHome();
  const home = join(user.path, ".hermes");
  await mkdir(home, { mode: 0o700 });
  if (files.config !== undefined) await writeFile(join(home, "config.yaml"), files.config, { mode: 0o600 });
  if (files.env !== undefined) await writeFile(join(home, ".env"), files.env, { mode: 0o600 });
  const load = (more: Partial<LoadInput> = {}) => loadConfig({ env: { HOME: user.path }, cwd: user.path, ...more });
  return { home, load, path: user.path, [Symbol.asyncDispose]: () => user[Symbol.asyncDispose]() };
}

async function loaded(
  user: { load: (more?: Partial<LoadInput>) => ReturnType<typeof loadConfig> },
  more: Partial<LoadInput> = {},
) {
  const config = await user.load(more);
  assert.ok(config.ok, JSON.stringify(config));
  return config.value;
}

async function faults(user: { load: () => ReturnType<typeof loadConfig> }) {
  const config = await user.load();
  assert.ok(!config.ok);
  return config.error.problems;
}

async function workspace(user: { readonly path: string; readonly home: string }, text: string, isTrusted = true) {
  const folder = join(user.path, "work");
  await mkdir(join(folder, ".hermes"), { recursive: true });
  await writeFile(join(folder, ".hermes", "config.yaml"), text);
  if (isTrusted) {
    const context = { signal: new AbortController().signal, clock: systemClock };
    assert.ok(
      (await trustFolder(user.home, { path: folder, sha256: sha256(Buffer.from(text)), trustedAt: 1 }, context)).ok,
    );
  }
  return folder;
}

test("without any files all settings have their defaults, and loading creates no files", async () => {
  await using user = await tempHome();
  const config = await loadConfig({ env: { HOME: user.path }, cwd: user.path });
  assert.ok(config.ok);
  assert.equal(config.value.values.approvals.mode, "manual");
  assert.deepEqual(config.value.values.toolsets, ["hermes-cli"]);
  assert.deepEqual(config.value.warnings, []);
  assert.ok([...config.value.origins.values()].every(({ from }) => from === "default"));
  assert.deepEqual(await readdir(user.path), []);
});

test("values are deeply frozen", async () => {
  await using user = await userWith({ config: "plugins: {entries: {a: {allow_tool_override: true}}}" });
  const { values } = await loaded(user);
  assert.ok(
    Object.isFrozen(values) && Object.isFrozen(values.toolsets) && Object.isFrozen(values.plugins.entries["a"]),
  );
});

test("flags win over environment, project file, user file and default, in this order", async () => {
  const sources = ["default", "user file", "project file", "environment", "flag"] as const;
  await fc.assert(
    fc.asyncProperty(fc.subarray(sources.slice(1)), async (present) => {
      await using user = await userWith(present.includes("user file") ? { config: "tools: {timeout_s: 1}" } : {});
      const cwd = present.includes("project file") ? await workspace(user, "tools: {timeout_s: 2}") : user.path;
      const env = {
        HOME: user.path,
        ...(present.includes("environment") ? { HERMES_CONCURRENT_TOOL_TIMEOUT_S: "3" } : {}),
      };
      const overrides = present.includes("flag") ? { "tools.timeout_s": "4" } : {};
      const config = await loaded(user, { cwd, env, overrides });
      const strongest = present.at(-1) ?? "default";
      assert.equal(config.origins.get("tools.timeout_s")?.from, strongest);
      assert.equal(config.values.tools.timeout_s, [420, 1, 2, 3, 4][sources.indexOf(strongest)]);
    }),
    { numRuns: 16 },
  );
});

test("a flag for a section with a shorthand sets the shorthand's key", async () => {
  await using user = await userWith({ config: "isolation: {network: false}" });
  const config = await loaded(user, { overrides: { isolation: "off" } });
  assert.deepEqual([config.values.isolation.mode, config.values.isolation.network], ["off", false]);
});

test("an alias of a model may be a plain text", async () => {
  await using user = await userWith({ config: "model_aliases: {fast: groq/llama, mine: {model: m, provider: lab}}" });
  const { values, warnings } = await loaded(user);
  assert.deepEqual(warnings, []);
  assert.deepEqual(values.model_aliases, {
    fast: { model: "groq/llama", provider: "", base_url: "" },
    mine: { model: "m", provider: "lab", base_url: "" },
  });
});

test("a project file can make the sandbox stricter but not looser", async () => {
  await using user = await userWith({ config: "isolation: {mode: auto, visible: [~/.ssh]}" });
  const tighter = "isolation: {mode: on, network: false, hidden: [secrets], visible: []}";
  const tight = await loaded(user, { cwd: await workspace(user, tighter) });
  assert.deepEqual(tight.values.isolation, {
    mode: "on",
    network: false,
    writable: [],
    visible: [],
    hidden: ["secrets"],
  });
  const looser = "isolation: {mode: off, writable: [/], visible: [~/.ssh, ~/.aws]}";
  const { mode, writable, visible } = (await loaded(user, { cwd: await workspace(user, looser) })).values.isolation;
  assert.deepEqual([mode, writable, visible], ["auto", [], ["~/.ssh"]]);
});

test("the process environment wins over .env, and only the home's .env is read", async () => {
  await using user = await userWith({
    env: "HERMES_LOG_LEVEL=debug\nA_TOKEN=from-file\nB_TOKEN=secret-b\nHERMES_HOME=/nowhere\n",
  });
  await writeFile(join(user.path, ".env"), "C_TOKEN=secret-c\nHERMES_LOG_LEVEL=error\n");
  const config = await loaded(user, { env: { HOME: user.path, A_TOKEN: "from-process" } });
  assert.equal(config.values.logging.level, "debug");
  assert.deepEqual(config.origins.get("logging.level"), {
    from: "environment",
    name: "HERMES_LOG_LEVEL",
    file: join(user.home, ".env"),
  });
  assert.equal(config.secrets.get("A_TOKEN"), "from-process");
  assert.equal(config.secrets.get("C_TOKEN"), undefined);
  assert.deepEqual(config.secrets.values.toSorted(), ["from-process", "secret-b"]);
});

test("an unknown key is a warning with the nearest name", async () => {
  await using user = await userWith({ config: "toolset: [web]\nlogging:\n  levle: debug\n" });
  const { warnings } = await loaded(user);
  assert.deepEqual(warnings, [
    `${user.home}/config.yaml:1:1: toolset: is not a known key (did you mean toolsets?)`,
    `${user.home}/config.yaml:3:3: logging.levle: is not a known key (did you mean logging.level?)`,
  ]);
});

test("a bad value outside safety is a warning and the default is used", async () => {
  await using user = await userWith({ config: "logging: {level: loud}\ntool_output: {max_lines: many}\n" });
  const config = await loaded(user);
  assert.equal(config.values.logging.level, "info");
  assert.match(
    config.warnings.join("\n"),
    /logging.level: must be one of debug, info, warn, error, not "loud" \(the default is used\)/u,
  );
  assert.match(config.warnings.join("\n"), /tool_output.max_lines: must be a whole number from 100/u);
});

for (const [config, key] of [
  ["approvals: {mod: manual}", "approvals.mod"],
  ["approvals: {mode: automatic}", "approvals.mode"],
  ["approvals: manual", "approvals"],
  ["approvals: {timeout: -1}", "approvals.timeout"],
  ["approvals: {deny: {a: b}}", "approvals.deny"],
  ["security: {website_blocklist: {domain: [x]}}", "security.website_blocklist.domain"],
  ["security: {redact_secrets: maybe}", "security.redact_secrets"],
  ["command_allowlist: {a: 1}", "command_allowlist"],
  ["aprovals: {mode: manual}", "aprovals"],
  ["smart_policy: be careful", "smart_policy"],
  ["agent: {disabled_toolsets: {terminal: true}}", "agent.disabled_toolsets"],
  ["terminal: {backend: dokcer}", "terminal.backend"],
] as const) {
  test(`an invalid safety setting prevents the start: ${config}`, async () => {
    await using user = await userWith({ config });
    assert.deepEqual(
      (await faults(user)).map((problem) => problem.key),
      [key],
    );
  });
}

test("an invalid environment variable for a safety setting prevents the start", async () => {
  await using user = await userWith({});
  const config = await user.load({ env: { HOME: user.path, HERMES_REDACT_SECRETS: "perhaps" } });
  assert.ok(!config.ok);
  assert.match(config.error.problems[0]?.key ?? "", /HERMES_REDACT_SECRETS/u);
});

test("the boolean words of YAML 1.1 keep their meaning", async () => {
  await using user = await userWith({
    config: "approvals: {mode: no}\nsecurity: {tirith_enabled: off}\ntools: {tool_search: off}\n",
  });
  const { values } = await loaded(user);
  assert.equal(values.approvals.mode, "yolo");
  assert.equal(values.security.tirith_enabled, false);
  assert.equal(values.tools.tool_search.enabled, "off");
});

test("keys of the Python original stay, are reported in one line and do not prevent the start", async () => {
  await using user = await userWith({
    config:
      "_config_version: 33\nkanban: {default: x}\nterminal: {persistent_shell: x}\nagent: {verbose: 9}\napprovals: {gateway_timeout: 5}\n",
  });
  const config = await loaded(user);
  assert.equal(config.warnings.length, 1);
  assert.match(config.warnings[0] ?? "", /5 settings of the Python version that this version does not use/u);
  assert.deepEqual(config.unused.get("terminal.persistent_shell")?.value, "x");
});

test("a deprecated key sets its replacement, with a notice", async () => {
  await using user = await userWith({ config: "disabled_toolsets: [web]\n" });
  const config = await loaded(user);
  assert.deepEqual(config.values.agent.disabled_toolsets, ["web"]);
  assert.match(config.warnings[0] ?? "", /disabled_toolsets is now agent.disabled_toolsets/u);
});

test("${VAR} is expanded, an unknown variable stays, and safety rules are taken literally", async () => {
  await using user = await userWith({
    config:
      'custom_toolsets: {a: ["${SET}", "${NOPE}"]}\nproviders: {a: {api_key: "${env:A_KEY}"}}\napprovals: {deny: ["${SET}"]}\n',
    env: "A_KEY=very-secret\nSET=web\n",
  });
  const config = await loaded(user);
  assert.deepEqual(config.values.custom_toolsets, { a: ["web", "${NOPE}"] });
  assert.deepEqual(config.values.approvals.deny, ["${SET}"]);
  assert.equal(config.values.providers["a"]?.api_key, "very-secret");
});

for (const [what, config, message] of [
  ["malformed YAML", "a: 1\nb: [1\n", /malformed YAML/u],
  ["a duplicate key", "logging: {}\nlogging: {}\n", /malformed YAML: a duplicate key/u],
  ["a custom tag", "logging: !!js/function x\n", /an unknown tag/u],
  ["binary data", Buffer.from([0x61, 0x3a, 0x00, 0xff]), /not UTF-8/u],
  ["a NUL character", "a: 1\nb: \0\n", /holds a NUL/u],
  ["a number without end", "tools:\n  timeout_s: .inf\n", /must be finite/u],
  ["a key that is a list", "[a, b]: 1\n", /a key must be a text/u],
  ["UTF-16", Buffer.from("\uFEFFa: 1", "utf16le"), /not UTF-8/u],
  ["more than a megabyte", `# ${"x".repeat(1_100_000)}`, /larger than 1 MB/u],
  ["a list", "- a\n", /must hold keys and values, not a list/u],
  ["a single value", "hello\n", /not a single value/u],
  ["__proto__", "__proto__: {x: 1}\n", /__proto__ is not accepted/u],
  ["deep nesting", `a: ${"[".repeat(20_000)}`, /nested too deeply/u],
  ["several documents", "a: 1\n---\nb: 2\n", /more than one document/u],
  [
    "aliases of aliases",
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(9)}]\nc: &c [${"*b,".repeat(9)}]\nd: [${"*c,".repeat(9)}]\n`,
    /alias count/u,
  ],
] as const) {
  test(`a config file with ${what} is refused with a clear message`, async () => {
    await using user = await userWith({ config });
    const [problem] = await faults(user);
    assert.match(problem?.message ?? "", message);
    assert.equal(problem?.file, join(user.home, "config.yaml"));
  });
}

for (const [config, place] of [
  ["logging:\n  level: debug\n\tbad: 1\n", [3, 1]],
  ["logging:\n  level: debug\n  level: info\n", [3, 3]],
  ["a: 1\nb: *nowhere\n", [2, 4]],
  ["a: 1\nb: .nan\n", [2, 4]],
  ["a: 1\nb:\n  __proto__: 1\n", [3, 3]],
  [Buffer.from("a: 1\nb: \xff\n", "latin1"), [2, undefined]],
] as const) {
  test(`malformed YAML is reported with its line and column: ${JSON.stringify(config.toString())}`, async () => {
    await using user = await userWith({ config });
    const [problem] = await faults(user);
    assert.deepEqual([problem?.line, problem?.column], place);
  });
}

for (const start of ["*", "!", "|", "@", "%", "&a ]", "{", '"\\q', "'x'", "x: "]) {
  test(`a secret that lacks its quotes is not repeated: ${start}…`, async () => {
    await using user = await userWith({ config: `providers:\n  x:\n    api_key: ${start}hunter2hunter2\n` });
    const config = await user.load();
    const messages = config.ok ? config.value.warnings : config.error.problems;
    assert.doesNotMatch(JSON.stringify(messages), /hunter2/u);
  });
}

test("no message contains a secret that a value refers to", async () => {
  const secret = `sk-${"x".repeat(90)}`;
  const config = 'logging:\n  level: ${A_TOKEN}\n  max_file_mb: ["${A_TOKEN}"]\ntool_output: ${A_TOKEN}\n';
  await using user = await userWith({ config, env: `A_TOKEN=${secret}\nHERMES_LOG_LEVEL=${secret}\n` });
  const { warnings } = await loaded(user);
  assert.equal(warnings.length, 4);
  assert.doesNotMatch(warnings.join(), /xxx/u);
});

test("numbers are read as PyYAML reads them", async () => {
  await using user = await userWith({ config: "tool_output:\n  max_bytes: 60_000\n" });
  assert.equal((await loaded(user)).values.tool_output.max_bytes, 60_000);
});

test("a home named default in a folder named profiles is an ordinary home", async () => {
  await using user = await userWith({});
  const home = join(user.path, "profiles", "default");
  assert.equal((await loaded(user, { env: { HERMES_HOME: home } })).home.path, home);
});

test("a file of thousands of keys is read in bounded time", { timeout: 20_000 }, async () => {
  await using user = await userWith({
    config: Array.from({ length: 2_000 }, (_, index) => `k${index}: ${index}\n`).join(""),
  });
  const config = await loaded(user);
  assert.equal(config.unused.size, 2_000);
});

for (const [what, config] of [
  ["nothing", ""],
  ["only comments", "# one\n# two\n"],
  ["a byte order mark and CRLF", "\uFEFFlogging:\r\n  level: debug\r\n"],
  ["empty sections", "logging:\napprovals:\n"],
  ["a merge key", "x: &x {level: debug}\nlogging: {<<: *x}\n"],
] as const) {
  test(`a config file with ${what} is valid`, async () => {
    await using user = await userWith({ config });
    await loaded(user);
  });
}

test("a config file that is a folder or a dangling link is a clear fault", async () => {
  await using user = await userWith({});
  await mkdir(join(user.home, "config.yaml"));
  assert.match((await faults(user))[0]?.message ?? "", /is a folder/u);
  await using other = await userWith({});
  await symlink("/nowhere/at/all", join(other.home, "config.yaml"));
  assert.match((await faults(other))[0]?.message ?? "", /symlink to a missing file/u);
});

test("a home that is a file or a dangling link is a clear fault", async () => {
  await using user = await tempHome();
  await writeFile(join(user.path, "file"), "");
  await symlink("/nowhere/at/all", join(user.path, "link"));
  for (const [name, message] of [
    ["file", /is a file; the home must be a folder/u],
    ["file/below", /part of the path .* is a file/u],
    ["link", /is a symlink to a missing folder/u],
  ] as const) {
    const config = await loadConfig({ env: { HERMES_HOME: join(user.path, name) }, cwd: user.path });
    assert.ok(!config.ok);
    assert.match(config.error.problems[0]?.message ?? "", message);
  }
});

test(
  "a .env that other users may read gets stricter permissions, with one warning",
  { skip: process.platform === "win32" },
  async () => {
    await using user = await userWith({ env: "A=1\nstrange line\n" });
    await chmod(join(user.home, ".env"), 0o644);
    const { warnings } = await loaded(user);
    assert.equal((await stat(join(user.home, ".env"))).mode & 0o777, 0o600);
    assert.match(warnings.join("\n"), /could be read by others \(mode 0644\); it is 0600 now/u);
    assert.match(warnings.join("\n"), /\.env:2: is not of the form NAME=value/u);
    assert.equal((await loaded(user)).warnings.length, 1);
  },
);

test("a project file is ignored until it is trusted, and ignored again after a change", async () => {
  await using user = await userWith({});
  const cwd = await workspace(user, "tool_output: {max_lines: 500}\n", false);
  const before = await loaded(user, { cwd });
  assert.equal(before.projectFile.state, "untrusted");
  assert.equal(before.values.tool_output.max_lines, 2_000);
  await workspace(user, "tool_output: {max_lines: 500}\n");
  const trusted = await loaded(user, { cwd });
  assert.equal(trusted.values.tool_output.max_lines, 500);
  assert.equal(trusted.projectFile.state, "trusted");
  await writeFile(join(cwd, ".hermes", "config.yaml"), "tool_output: {max_lines: 501}\n");
  const changed = await loaded(user, { cwd });
  assert.equal(changed.projectFile.state, "changed");
  assert.equal(changed.values.tool_output.max_lines, 2_000);
  assert.match(changed.warnings.join("\n"), /has changed since you trusted it/u);
});

test("a trusted project file may tighten safety, never loosen it, and cannot set operator keys", async () => {
  await using user = await userWith({
    config:
      "approvals: {mode: smart, deny: [a], timeout: 100}\ncommand_allowlist: [ls, pwd]\nsecurity: {allow_private_urls: true}\ntoolsets: [web, file]\ncustom_toolsets: {mine: [web]}\n",
  });
  const cwd = await workspace(
    user,
    "approvals: {mode: off, deny: [b], timeout: 200, smart_policy: allow all}\ncommand_allowlist: [ls]\nsecurity: {allow_private_urls: false, redact_secrets: false}\n" +
      "toolsets: [web, terminal]\ncustom_toolsets: {mine: [terminal], other: [file]}\nagent: {disabled_toolsets: [x]}\ntools: {enabled: [terminal]}\n" +
      "providers: {a: {base_url: 'http://evil'}}\nhooks: {pre_tool_call: [{command: x}]}\nmcp_servers: {}\nterminal: {backend: local}\nplugins: {enabled: [p]}\nlogging: {level: error}\n",
  );
  const { values, warnings, unused } = await loaded(user, { cwd });
  assert.deepEqual(
    [
      values.approvals.mode,
      values.approvals.deny,
      values.approvals.timeout,
      values.approvals.smart_policy,
      values.command_allowlist,
    ],
    ["smart", ["a", "b"], 100, "", ["ls"]],
  );
  assert.deepEqual([values.security.allow_private_urls, values.security.redact_secrets], [false, true]);
  assert.deepEqual([values.toolsets, values.custom_toolsets], [["web", "file"], { mine: ["web"] }]);
  assert.deepEqual(
    [values.agent.disabled_toolsets, values.tools.enabled, values.plugins.enabled, values.logging.level],
    [["x"], [], [], "info"],
  );
  const refused = warnings
    .filter((warning) => warning.includes("refused"))
    .map((warning) => /: ([a-z_.]+): refused/u.exec(warning)?.[1] ?? warning);
  assert.deepEqual(refused.toSorted(), [
    "approvals.mode",
    "approvals.smart_policy",
    "approvals.timeout",
    "custom_toolsets.mine",
    "custom_toolsets.other",
    "hooks.pre_tool_call",
    "logging.level",
    "mcp_servers",
    "plugins.enabled",
    "providers.a.base_url",
    "security.redact_secrets",
    "terminal.backend",
    "tools.enabled",
    "toolsets",
  ]);
  assert.equal(unused.size, 0);
});

test("a project's values are not expanded from the environment", async () => {
  await using user = await userWith({});
  const cwd = await workspace(user, 'tools: {disabled: ["${SECRET_TOKEN}"]}\n');
  const { values } = await loaded(user, { cwd, env: { HOME: user.path, SECRET_TOKEN: "sesame" } });
  assert.deepEqual(values.tools.disabled, ["${SECRET_TOKEN}"]);
});

test("a project chooses among the enabled toolsets, including the default ones", async () => {
  await using user = await userWith({});
  const cwd = await workspace(user, "toolsets: [all]\nplatform_toolsets: {cli: [all]}\n");
  const { values, warnings } = await loaded(user, { cwd });
  assert.deepEqual([values.toolsets, values.platform_toolsets], [["hermes-cli"], {}]);
  assert.equal(warnings.filter((warning) => warning.includes("refused")).length, 2);
});

test("the user's home never counts as a project, even inside a repository", async () => {
  await using user = await userWith({ config: "plugins: {enabled: [mine]}\n" });
  await mkdir(join(user.path, ".git"));
  await mkdir(join(user.path, "below"));
  for (const cwd of [user.path, join(user.path, "below"), user.home]) {
    const config = await loaded(user, { cwd });
    assert.equal(config.projectFile.state, "absent");
    assert.deepEqual(config.values.plugins.enabled, ["mine"]);
  }
  const elsewhere = await loadConfig({
    env: { HOME: user.path, HERMES_HOME: join(user.path, "other") },
    cwd: join(user.path, "below"),
  });
  assert.ok(elsewhere.ok && elsewhere.value.projectFile.state === "absent");
});

test("the project file is looked for up to the top of the repository, and no further", async () => {
  await using user = await userWith({});
  await workspace(user, "tool_output: {max_lines: 500}\n");
  const below = join(user.path, "work", "a", "b");
  await mkdir(below, { recursive: true });
  assert.equal((await loaded(user, { cwd: below })).projectFile.state, "absent");
  await mkdir(join(user.path, "work", ".git"));
  assert.equal((await loaded(user, { cwd: below })).projectFile.state, "trusted");
  await mkdir(join(user.path, "work", "a", ".git"));
  assert.equal((await loaded(user, { cwd: below })).projectFile.state, "absent");
});

test("a project file that links out of its folder is never read; a workspace reached by a link is resolved", async () => {
  await using user = await userWith({});
  const folder = await workspace(user, "tool_output: {max_lines: 500}\n");
  await symlink(folder, join(user.path, "alias"));
  assert.equal((await loaded(user, { cwd: join(user.path, "alias") })).projectFile.state, "trusted");
  await using other = await userWith({});
  await mkdir(join(other.path, "work"));
  await symlink(join(folder, ".hermes"), join(other.path, "work", ".hermes"));
  const config = await loaded(other, { cwd: join(other.path, "work") });
  assert.match(config.warnings.join("\n"), /leaves the folder/u);
});

test("a trust file that cannot be parsed trusts nothing", async () => {
  await using user = await userWith({});
  const cwd = await workspace(user, "tool_output: {max_lines: 500}\n");
  const folder = { path: cwd, sha256: sha256(Buffer.from("tool_output: {max_lines: 500}\n")) };
  for (const text of [
    '{"version":1,"folders":',
    "null",
    JSON.stringify({ version: 2, folders: [{ ...folder, trustedAt: 1 }] }),
    JSON.stringify({ version: 1, folders: { 0: folder } }),
    JSON.stringify({ version: 1, folders: [folder] }),
    JSON.stringify({ version: 1, folders: [{ ...folder, trustedAt: 1 }, null] }),
  ]) {
    await writeFile(join(user.home, "trust.json"), text);
    const config = await loaded(user, { cwd });
    assert.equal(config.projectFile.state, "untrusted", text);
    assert.match(config.warnings.join("\n"), /trust.json: cannot be parsed/u);
  }
});

test("a list passed by a flag is not frozen in the caller", async () => {
  await using user = await userWith({});
  const mine = ["web"];
  const { values } = await loaded(user, { overrides: { toolsets: mine } });
  assert.deepEqual([values.toolsets, Object.isFrozen(values.toolsets), Object.isFrozen(mine)], [["web"], true, false]);
});

test("a flag must name an existing setting and have a valid value", async () => {
  await using user = await userWith({});
  const noSetting = /is not an existing setting that a flag can set/u;
  for (const [overrides, reason] of [
    [{ "logging.level": "loud" }, /must be one of debug, info, warn, error/u],
    [{ "no.such": 1 }, noSetting],
    [{ logging: {} }, noSetting],
  ] as const) {
    assertFails(await user.load({ overrides }), reason);
  }
});

test("an environment variable sets a whole family of settings, as JSON", async () => {
  await using user = await userWith({ config: "terminal: {docker_env: {A: file, B: file}}\n" });
  const load = (value: string) => user.load({ env: { HOME: user.path, TERMINAL_DOCKER_ENV: value } });
  const config = await load('{"A": "x", "N": 1}');
  assert.deepEqual(config.ok && { ...config.value.values.terminal.docker_env }, { A: "x", B: "file", N: "1" });
  for (const wrong of ["A=x", '["A"]', '{"a b": "x"}', '{"A": {}}']) {
    const refused = await load(wrong);
    assert.match(refused.ok ? "" : JSON.stringify(refused.error), /TERMINAL_DOCKER_ENV/u, wrong);
  }
});
