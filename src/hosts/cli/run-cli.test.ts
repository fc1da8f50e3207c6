import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../test/support/temp-home.ts";

/** A home with the user's own tools, as plain JavaScript without imports. */
async function homeWithTools(path: string, tools: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(path, "tools"), { recursive: true });
  for (const [name, body] of Object.entries(tools)) await writeFile(join(path, "tools", `${name}.tool.mjs`), body);
}

const entry = JSON.stringify(new URL("../../plugin.ts", import.meta.url).href);
const echo = `
import { defineTool, json, z } from ${entry};
export default defineTool({
  name: "echo_words", toolset: "mine", description: "Say the words again.",
  input: z.object({ words: z.array(z.string()), times: z.int().min(1).max(3).default(1) }),
  traits: { readOnly: true, parallel: true },
  run: async (args) => json(args),
});`;

test("without a command, terminal or input it prints an introduction and creates nothing", async () => {
  await using home = await tempHome();
  const result = await hermes([], { home: join(home.path, "new") });
  assert.deepEqual([result.code, result.out], [0, ""]);
  assert.match(result.err, /^Hermes .+One prompt: hermes -z /su);
  const inJson = await hermes(["--json"], { home: join(home.path, "new") });
  assert.equal(inJson.code, 2);
  assert.deepEqual(await readdir(home.path), []);
});

test("an unknown command is rejected with the nearest one and exit code 2", async () => {
  await using home = await tempHome();
  assert.deepEqual(pick(await hermes(["doctr"], { home: home.path })), {
    code: 2,
    out: "",
    err: 'error: There is no command "doctr".\nDid you mean hermes doctor?\n',
  });
  const inJson = await hermes(["tols", "--json"], { home: home.path });
  assert.equal(inJson.code, 2);
  assert.deepEqual(inJson.json, {
    error: { message: 'There is no command "tols".', hint: "Did you mean hermes tools?" },
  });
});

test("a missing argument or an unknown option gives exit code 2 with the valid ones", async () => {
  await using home = await tempHome();
  for (const line of [
    ["tools", "show"],
    ["tools", "list", "--nope"],
    ["tools", "lst"],
    ["tools", "search", "x", "--limit", "0"],
  ]) {
    const result = await hermes(line, { home: home.path });
    assert.equal(result.code, 2, line.join(" "));
    assert.notEqual(result.err, "");
    assert.equal(result.out, "");
  }
});

test("an empty value, a wrong value of --set and a missing folder are errors with exit code 2 that name the option", async () => {
  await using home = await tempHome();
  const run = async (...args: readonly string[]) => {
    const { code, err } = await hermes(args, { home: home.path });
    assert.equal(code, 2, err);
    return err;
  };
  assert.match(await run("-z", "hi", "-m", ""), /^error: -m needs a value; it is empty\./u);
  assert.match(await run("-z", "hi", "--cwd", ""), /^error: --cwd needs a value; it is empty\./u);
  assert.match(await run("setup", "--model", ""), /^error: --model needs a value; it is empty\./u);
  assert.match(await run("status", "--set", "approvals.mode=maybe"), /"maybe"\nCorrect --set approvals\.mode=VALUE\./u);
  assert.match(
    await run("-z", "hi", "--usage-file", "/no/such/u.json"),
    /--usage-file: the folder \/no\/such does not/u,
  );
  assert.match(await run("model", "gpt"), /There is no command "gpt"\.[^]*To use a model: hermes model use gpt\n/u);
  assert.match(await run("setup", "--import", "nosuch"), /No folder of "nosuch" was found/u);
  assert.match(await run("mcp", "serve", "--port", "abc"), /^error: --port needs a whole number/u);
  assert.match(await run("mcp", "serve", "--port", "8000"), /^error: --port needs --http\./u);
});

test("backup takes the file as an argument, and names a folder that does not exist", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "home");
  await mkdir(home, { mode: 0o700 });
  const run = (...args: readonly string[]) => hermes(["backup", "--no-secrets", ...args], { home });
  const file = join(folder.path, "b.tar.gz");
  const created = await run(file);
  assert.match(created.out, /^Backed up and verified: /u, created.err);
  assert.equal((await run("/no/such/b.tar.gz")).err, "error: The folder /no/such does not exist.\n");
  assert.equal((await run(file, "-o", file)).code, 2);
});

test("errors are JSON with --json and with --format stream-json", async () => {
  await using home = await tempHome();
  for (const args of [
    ["--format", "stream-json", "-z", " "],
    ["--format=stream-json", "--nosuch"],
    ["--format", "stream-json", "-z", "hi", "-c", "nosuch"],
    ["sessions", "show", "nosuch", "--json"],
  ]) {
    const { code, out, err } = await hermes(args, { home: home.path });
    assert.ok(code === 1 || code === 2);
    assert.match(out, /^\{"error":\{"message":"[^\n]+\}\n$/u, args.join(" "));
    assert.equal(err, "", args.join(" "));
  }
});

test("help exists for the program, a group and a command", async () => {
  await using home = await tempHome();
  for (const line of [
    ["--help"],
    ["help"],
    ["tools", "--help"],
    ["sessions"],
    ["tools", "call", "--help"],
    ["help", "tools"],
    ["tools", "help"],
  ]) {
    const result = await hermes(line, { home: home.path });
    assert.equal(result.code, 0, line.join(" "));
    assert.match(result.out, /Usage: hermes/);
  }
});

test("every common spelling of the version option works", async () => {
  await using home = await tempHome();
  for (const word of ["--version", "-V", "-v", "version"]) {
    assert.match((await hermes([word], { home: home.path })).out, /^hermes \d+\.\d+\.\d+\n$/, word);
  }
});

test("toolsets shows which are on, and which tools are unavailable and why", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "tools:\n  disabled: [todo]\n");
  const result = await hermes(["toolsets", "show", "todo", "--json"], { home: home.path });
  assert.deepEqual((result.json as { on: boolean; unavailable: unknown }).unavailable, [
    { name: "todo", why: "disabled by tools.disabled: [todo]" },
  ]);
  const desktop = await hermes(["toolsets", "show", "computer_use"], { home: home.path });
  assert.match(desktop.out, /not in this version: .*computer_use/);
});

test("a user's own tool can be listed, shown, searched and called", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo });
  const listed = await hermes(["tools", "list", "--json"], { home: home.path });
  const { tools } = listed.json as { tools: { name: string; state: string; source: { kind: string } }[] };
  assert.deepEqual(
    tools.filter(({ name }) => name === "echo_words").map(({ state, source }) => [state, source.kind]),
    [["searchable", "user"]],
  );
  assert.match((await hermes(["tools", "show", "echo_words"], { home: home.path })).out, /words\*\s+string\[\]/);
  assert.match((await hermes(["tools", "search", "say", "words"], { home: home.path })).out, /^echo_words/);
  const oddOrder = await hermes(["--json", "tools", "--limit", "1", "search", "say"], { home: home.path });
  assert.equal((oddOrder.json as { matches: unknown[] }).matches.length, 1);
  const called = await hermes(["tools", "call", "echo_words", "--args", '{"words":"hi","times":"2"}'], {
    home: home.path,
  });
  assert.deepEqual(pick(called), { code: 0, out: '{"words":["hi"],"times":2}\n', err: "" });
  const fromStdin = await hermes(["tools", "call", "echo_words", "--args", "-", "--json"], {
    home: home.path,
    input: '{"words":[]}',
  });
  assert.deepEqual((fromStdin.json as { data: unknown }).data, { words: [], times: 1 });
});

test("a call through tool_call returns the tool's own result", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo });
  const args = JSON.stringify({ name: "echo_words", arguments: { words: ["a"] } });
  const result = await hermes(["tools", "call", "tool_call", "--args", args, "--json"], { home: home.path });
  assert.deepEqual((result.json as { data: unknown }).data, { words: ["a"], times: 1 });
});

test("`tools call --jsonl` writes one answer per line, in order, for any input", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo });
  const lines = [
    '{"id":1,"name":"echo_words","args":{"words":["a"]}}',
    "not json",
    "",
    '{"id":"two","args":"{\\"words\\":[]}"}',
    '{"id":3,"name":"echo_words","args":{"words":["a"],"times":9}}',
    '{"id":4,"name":"echo_wrods"}',
    '{"id":5,"name":"todo","args":{}}',
    "[1]",
  ];
  const result = await hermes(["tools", "call", "echo_words", "--jsonl"], { home: home.path, input: lines.join("\n") });
  const answers = result.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    answers.map(({ id, ok, error }) => [id, ok, error?.kind]),
    [
      [1, true, undefined],
      [undefined, false, "invalid_args"],
      ["two", true, undefined],
      [3, false, "invalid_args"],
      [4, false, "unknown_tool"],
      [5, false, "unavailable"],
      [undefined, false, "invalid_args"],
    ],
  );
  assert.match(answers[4].error.message, /echo_words/, "the nearest name is offered");
  assert.equal(result.code, 0);
});

test("colours are used only on terminals that support them", async () => {
  await using home = await tempHome();
  const options = { home: home.path, stdoutIsTerminal: true };
  const painted = async (env: Readonly<Record<string, string>>) =>
    (await hermes(["model", "list"], { ...options, env })).out.includes("\x1b[");
  assert.deepEqual(
    [await painted({}), await painted({ TERM: "dumb" }), await painted({ NO_COLOR: "1" })],
    [true, false, false],
  );
});

test("a tool that needs a session says so outside a session", async () => {
  await using home = await tempHome();
  const result = await hermes(["tools", "call", "todo", "--args", "{}"], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.err, /todo needs a session/);
});

test("a tool file that throws is named, and the rest load", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo, broken: 'throw new Error("no such luck");', empty: "export const x = 1;" });
  const result = await hermes(["tools", "list", "--json"], { home: home.path });
  const { tools, diagnostics } = result.json as {
    tools: { name: string }[];
    diagnostics: { source: string; message: string }[];
  };
  assert.ok(tools.some(({ name }) => name === "echo_words"));
  assert.deepEqual(
    diagnostics.map(({ source }) => source.split("/").at(-1)),
    ["broken.tool.mjs", "empty.tool.mjs"],
  );
  assert.match(diagnostics[0]?.message ?? "", /no such luck/);
});

test("every command that selects tools rejects a selection without tools and names the setting", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "agent:\n  disabled_toolsets: [todo]\ntoolsets: [todo]\n");
  const answered = await hermes(["-z", "say hi"], { home: home.path });
  assert.match(answered.err, /error: No tool is left.*disabled_toolsets: \[todo\]/, "a conversation can go on without");
  for (const line of [["tools", "list"], ["tools", "list", "--all"], ["doctor"], ["tools", "call", "todo"]]) {
    const result = await hermes(line, { home: home.path });
    assert.equal(result.code, 1, line.join(" "));
    assert.match(result.err + result.out, /No tool is left.*disabled_toolsets: \[todo\]/, line.join(" "));
  }
  const inJson = await hermes(["tools", "list", "--json"], { home: home.path });
  assert.match((inJson.json as { error: { message: string } }).error.message, /disabled_toolsets/);
});

test("an unknown toolset is reported with the nearest name", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "toolsets: [hermes-cli, brwser]\n");
  const result = await hermes(["tools", "list"], { home: home.path });
  assert.equal(result.code, 0);
  assert.match(result.err, /warning: .*brwser.*browser/);
});

test("with tool search off its tools are neither shown nor callable", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "tools:\n  tool_search: off\n");
  const result = await hermes(["tools", "call", "tool_search", "--args", '{"query":"x"}'], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.err, /tool search is off/);
});

test("the limits in the settings are enforced", async () => {
  await using home = await tempHome();
  const long = `
import { defineTool, text, z } from ${entry};
export default defineTool({
  name: "long", toolset: "mine", description: "Says much.", input: z.object({}), traits: { readOnly: true },
  run: async () => text("x".repeat(150_000)),
});`;
  await homeWithTools(home.path, { long });
  const defaultRun = await hermes(["tools", "call", "long"], { home: home.path });
  assert.match(defaultRun.out, /^<persisted-output>/);
  await writeFile(join(home.path, "config.yaml"), "tool_output:\n  result_chars: 300000\n");
  const more = await hermes(["tools", "call", "long"], { home: home.path });
  assert.equal(more.out.trim().length, 150_000);
  await writeFile(join(home.path, "config.yaml"), "tool_output:\n  max_lines: 100\n  max_line_length: 100\n");
  await writeFile(join(home.path, "many.txt"), `${"y".repeat(500)}\n`.repeat(300));
  const args = JSON.stringify({ path: join(home.path, "many.txt") });
  const read = await hermes(["tools", "call", "read_file", "--args", args, "--json"], { home: home.path });
  const { data } = read.json as { data: { content: string; next_offset: number } };
  assert.equal(data.next_offset, 101);
  assert.match(data.content, /^1\|y{100}… \[cut/);
});

test("flags take precedence over the environment, and the environment over the file", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "logging:\n  level: warn\n");
  const level = async (flags: readonly string[], env = {}) =>
    (await hermes(["config", "get", "logging.level", ...flags], { home: home.path, env })).out.trim();
  assert.equal(await level([]), "warn");
  assert.equal(await level([], { HERMES_LOG_LEVEL: "error" }), "error");
  assert.equal(await level(["--set", "logging.level=debug"], { HERMES_LOG_LEVEL: "error" }), "debug");
  const wrong = await hermes(["tools", "list", "--set", "logging.level=loud"], { home: home.path });
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /logging\.level: must be one of/);
  assert.equal((await hermes(["tools", "list", "--set", "logging.level"], { home: home.path })).code, 2);
});

test("-t overrides the platform's toolsets for one call", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "platform_toolsets:\n  cli: [todo]\n");
  const shown = async (flags: readonly string[]) => {
    const result = await hermes(["tools", "list", "--json", ...flags], { home: home.path });
    return (result.json as { tools: { name: string }[] }).tools.some(({ name }) => name === "todo");
  };
  assert.equal(await shown([]), true);
  assert.equal(await shown(["-t", "web,file"]), false);
  const unknown = await hermes(["-t", "brwser", "-z", "hi"], { home: home.path });
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /^error: -t brwser selects no tool\.\n.*did you mean browser/u);
});

test("a user's tool replaces another only with the operator's permission", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { todo: echo.replace("echo_words", "todo") });
  const source = async () => {
    const { tools } = (await hermes(["tools", "list", "--json"], { home: home.path })).json as {
      tools: { name: string; source: { kind: string } }[];
    };
    return tools.find(({ name }) => name === "todo")?.source.kind;
  };
  assert.equal(await source(), "builtin");
  assert.match((await hermes(["tools", "list"], { home: home.path })).out, /todo .*is refused/);
  await hermes(["config", "set", "plugins.entries.user.allow_tool_override", "true"], { home: home.path });
  assert.equal(await source(), "user");
});

test("a disabled tool is refused when called by name", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo });
  await writeFile(join(home.path, "config.yaml"), "tools:\n  disabled: [echo_words]\n");
  const result = await hermes(["tools", "call", "echo_words", "--args", '{"words":[]}'], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.err, /tools\.disabled/);
});

test("an unknown toolset or tool is answered with the nearest names", async () => {
  await using home = await tempHome();
  assert.match((await hermes(["tools", "show", "tod"], { home: home.path })).err, /Did you mean todo/);
  assert.match((await hermes(["toolsets", "show", "broswer"], { home: home.path })).err, /Did you mean browser/);
  const all = await hermes(["toolsets", "list", "--json"], { home: home.path });
  const { toolsets } = all.json as { toolsets: { name: string }[] };
  assert.ok(toolsets.some(({ name }) => name === "hermes-cli"));
});

test("`check schemas` rewrites each schema on its own line", async () => {
  await using home = await tempHome();
  const input =
    '{"id":"a","provider":"gemini","schema":{"type":"object","properties":{"x":{"type":["string","null"]}}}}\nbad\n';
  const result = await hermes(["check", "schemas"], { home: home.path, input });
  const [first, second] = result.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(first.id, "a");
  assert.deepEqual(first.schema.properties.x, { type: "string", nullable: true });
  assert.ok(second.error);
  assert.equal(result.code, 1);
  const named = '{"id":1,"provider":"openai","schema":{"type":"object","properties":{"error":{"type":"string"}}}}\n';
  const fine = await hermes(["check", "schemas", "--json"], { home: home.path, input: named });
  assert.equal(fine.code, 0, "a property named error does not mark a failure");
  assert.equal(fine.out.trim().split("\n").length, 1);
});

test("a home that is a file, and an unreadable configuration, give a plain error message", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "file"), "");
  const asFile = await hermes(["tools", "list"], { home: join(home.path, "file") });
  assert.equal(asFile.code, 1);
  assert.match(asFile.err, /error: /);
  await mkdir(join(home.path, "config.yaml"));
  const asFolder = await hermes(["tools", "list"], { home: home.path });
  assert.equal(asFolder.code, 1);
  assert.match(asFolder.err, /config\.yaml/);
  const doctor = await hermes(["doctor", "--json"], { home: home.path });
  assert.equal(doctor.code, 1);
  assert.equal((doctor.json as { ok: boolean }).ok, false);
});

test("a configured secret never reaches a result or a log", async () => {
  await using home = await tempHome();
  const leaky = `
import { defineTool, text, z } from ${entry};
export default defineTool({
  name: "leak", toolset: "mine", description: "Says a secret.", input: z.object({}), traits: { readOnly: true },
  requiresEnv: ["LEAK_API_KEY"],
  run: async (_, { secrets, log }) => { log.warn("leak", { key: secrets.LEAK_API_KEY }); return text("key=" + secrets.LEAK_API_KEY); },
});`;
  await homeWithTools(home.path, { leaky });
  const without = await hermes(["tools", "list", "--json"], { home: home.path });
  assert.match(without.out, /hermes config set LEAK_API_KEY/);
  await writeFile(join(home.path, ".env"), "LEAK_API_KEY=canary-1234567890\n", { mode: 0o600 });
  const result = await hermes(["tools", "call", "leak", "--json"], { home: home.path });
  assert.equal(result.code, 0, result.out);
  assert.doesNotMatch(result.out, /canary/);
  assert.match(result.out, /key=\*\*\*/);
  const { readFile } = await import("node:fs/promises");
  const log = await readFile(join(home.path, "logs", "hermes.jsonl"), "utf8");
  assert.match(log, /"leak"/);
  assert.doesNotMatch(log, /canary/);
});

test("a line that nests too deeply, or has an odd id, gets a normal answer", async () => {
  await using home = await tempHome();
  await homeWithTools(home.path, { echo });
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const input = [
    `{"id":"deep","name":"echo_words","args":${deep}}`,
    `{"id":${deep},"name":"echo_words","args":{"words":["b"]}}`,
    `{"id":{"n":1},"name":"echo_words","args":{"words":["c"]}}`,
  ].join("\n");
  const result = await hermes(["tools", "call", "--jsonl"], { home: home.path, input });
  const answers = result.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id?: unknown; ok: boolean });
  assert.deepEqual(
    answers.map(({ id, ok }) => [id, ok]),
    [
      ["deep", false],
      [undefined, true],
      [{ n: 1 }, true],
    ],
  );
});

test("a tool is shown with the schema that is enforced", async () => {
  await using home = await tempHome();
  const refined = `
import { defineTool, text, z } from ${entry};
export default defineTool({
  name: "refined", toolset: "mine", description: "Before.", input: z.object({}), traits: { readOnly: true },
  refine: () => ({ description: "After.", input: z.object({ needed: z.string() }) }),
  run: async () => text("ran"),
});`;
  await homeWithTools(home.path, { refined });
  const { description, inputSchema } = (await hermes(["tools", "show", "refined", "--json"], { home: home.path }))
    .json as { description: string; inputSchema: { required: string[] } };
  assert.deepEqual([description, inputSchema.required], ["After.", ["needed"]]);
  assert.equal((await hermes(["tools", "call", "refined"], { home: home.path })).code, 1);
});

function pick({ code, out, err }: { code: number; out: string; err: string }) {
  return { code, out, err };
}
