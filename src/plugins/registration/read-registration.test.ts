import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { emptyRegistration, type PluginRegistration } from "../../contracts/plugin/registration.ts";
import { readRegistration } from "./read-registration.ts";

const folder = "/plugins/weather";

function read(value: unknown): PluginRegistration {
  const result = readRegistration(value, folder);
  assert.ok(result.ok, result.ok ? "" : result.error);
  return result.value;
}

/** The warnings about one list of a registration. */
function warningsAbout(kind: string, entries: unknown): string {
  return read({ [kind]: entries }).warnings.join("\n");
}

const tool = { name: "forecast", toolset: "weather", inputSchema: { type: "object", properties: {} } };

test("an empty registration is valid", () => {
  assert.deepEqual(read({}), emptyRegistration);
});

test("a valid registration is returned unchanged", () => {
  const registration = {
    ...emptyRegistration,
    tools: [
      {
        ...tool,
        description: "Weather of a city",
        emoji: "⛅",
        requiresEnv: ["WEATHER_API_KEY"],
        overrides: false,
        declaresEffects: false,
        isAvailable: true,
        timeoutMs: 5000,
      },
    ],
    hooks: [{ id: "h1", hook: "beforeToolCall", original: "pre_tool_call", isPolicy: true, mayAnswer: true }],
    skills: [{ name: "rain", path: `${folder}/skills/rain`, description: "" }],
    promptSections: [{ id: "tips", position: "after_memory", maxChars: 4000, content: "Use Celsius." }],
  };
  assert.deepEqual(read(registration), registration);
});

test("an invalid part of a registration is dropped with a warning, and the other parts are kept", () => {
  const { tools, warnings } = read({
    tools: [{ ...tool, name: "two words" }, 7, tool, { ...tool, name: "b", inputSchema: [] }],
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["forecast"],
  );
  assert.match(warnings.join("\n"), /"two words" is ignored: name "two words" must be 1 to 64 letters/u);
  assert.match(warnings.join("\n"), /entry 2 is ignored: it is not an object/u);
  assert.match(warnings.join("\n"), /"b" is ignored: inputSchema must be an object/u);
});

test("a value that is not a registration is rejected", () => {
  for (const value of [null, "text", [], 3]) assert.equal(readRegistration(value, folder).ok, false);
  const circular: Record<string, unknown> = {};
  circular["tools"] = [circular];
  assert.equal(readRegistration(circular, folder).ok, false);
  assert.equal(readRegistration({ warnings: ["x".repeat(5_000_000)] }, folder).ok, false);
});

test("a tool without a schema takes no arguments; a tool whose schema is not an object is dropped", () => {
  const [first] = read({ tools: [{ name: "ping", toolset: "net" }] }).tools;
  assert.deepEqual(first?.inputSchema, { type: "object", properties: {} });
  assert.match(warningsAbout("tools", [{ ...tool, inputSchema: { type: "string" } }]), /must describe an object/u);
  const long = { ...tool, inputSchema: { type: "object", description: "x".repeat(1_000_000) } };
  assert.match(warningsAbout("tools", [long]), /inputSchema has more than 1000000 characters/u);
});

test("a part with the name of an Object.prototype member is dropped", () => {
  for (const name of ["__proto__", "constructor", "toString"])
    assert.match(warningsAbout("tools", [{ ...tool, name }]), /name \w+ is a reserved word/u);
  const parts = {
    tools: [{ ...tool, toolset: "valueOf" }],
    toolsets: [{ name: "constructor", tools: [] }],
    commands: [{ name: "constructor" }],
    cliCommands: [{ name: "constructor" }],
    providers: [{ id: "p1", name: "constructor" }],
    environments: [{ id: "e1", name: "__proto__" }],
    platforms: [{ id: "f1", name: "__proto__" }],
    skills: [{ name: "constructor", path: "skills/x" }],
    contextEngines: [{ id: "c1", name: "toString" }],
    auxiliaryTasks: [{ key: "constructor" }],
  };
  for (const [kind, entries] of Object.entries(parts))
    assert.match(warningsAbout(kind, entries), /is a reserved word of JavaScript/u, kind);
});

test("the name of a slash command is normalised as in Python Hermes", () => {
  const { commands } = read({ commands: [{ name: "/Rain Radar", summary: "Shows\nrain", args: "[city]" }] });
  assert.deepEqual(commands, [{ name: "rain-radar", aliases: [], summary: "Shows rain", args: "[city]" }]);
  assert.match(warningsAbout("commands", [{ name: "../etc" }]), /must be 1 to 32 lower-case letters/u);
});

test("the warning about an unknown hook suggests the nearest name", () => {
  const hook = { id: "h", hook: "beforeToolCal", isPolicy: false, mayAnswer: false };
  assert.match(warningsAbout("hooks", [hook]), /Did you mean beforeToolCall/u);
});

test("a skill outside the plugin's folder is dropped", () => {
  const skills = ["/etc/passwd", "../other/skills/x", `${folder}/../other`, "skills/ok"].map((path, index) => ({
    name: `s${index}`,
    path,
  }));
  const result = read({ skills });
  assert.deepEqual(result.skills, [{ name: "s3", path: `${folder}/skills/ok`, description: "" }]);
  assert.equal(result.warnings.length, 3);
});

test("prompt sections respect the limit per section and the limit for all sections together", () => {
  const long = "x".repeat(4000);
  const sections = ["c", "a", "b"].map((name) => ({ id: name, content: long }));
  const result = read({
    promptSections: [...sections, { id: "Bad Id", content: "" }, { id: "d", content: `${long}x` }],
  });
  assert.deepEqual(
    result.promptSections.map((section) => section.id),
    ["a", "b"],
  );
  assert.equal(result.warnings.length, 3);
  const many = Array.from({ length: 40 }, (_, index) => ({ id: `s${index}`, content: "" }));
  assert.equal(read({ promptSections: many }).promptSections.length, 32);
});

test("a provider with a header that would break the request is dropped", () => {
  const provider = { id: "p", name: "Odd", defaultHeaders: { "X-A": "1\r\nX-B: 2" } };
  assert.match(warningsAbout("providers", [provider]), /one line of text/u);
  const [odd] = read({
    providers: [{ ...provider, defaultHeaders: { "X-A": "1" }, baseUrl: "https://odd.example/v1" }],
  }).providers;
  assert.deepEqual([odd?.name, odd?.apiMode, odd?.authType], ["odd", "chat_completions", "api_key"]);
});

test("reading a registration never throws, and reading its result again changes nothing", () => {
  const kinds = Object.keys(emptyRegistration);
  const field = fc.constantFrom(
    "name",
    "id",
    "toolset",
    "hook",
    "path",
    "content",
    "position",
    "maxChars",
    "key",
    "kind",
  );
  const value = fc.oneof(
    fc.string(),
    fc.anything(),
    fc.constantFrom("a", "beforeToolCall", "tool_request", "a/b", 1, true),
  );
  const part = fc.oneof(fc.anything(), fc.dictionary(field, value, { maxKeys: 6 }));
  const registration = fc.dictionary(
    fc.constantFrom(...kinds),
    fc.oneof(fc.anything(), fc.array(part, { maxLength: 4 })),
  );
  fc.assert(
    fc.property(registration, (given) => {
      const first = readRegistration(given, folder);
      if (!first.ok) return;
      const again = readRegistration(first.value, folder);
      assert.ok(again.ok);
      assert.deepEqual({ ...again.value, warnings: [] }, { ...first.value, warnings: [] });
    }),
  );
});
