import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonValue } from "../../base/json.ts";
import { readMcpEntries } from "./read-entries.ts";
import { serverKeys } from "./server-keys.ts";

const places = { userFolder: "/home/ada", profile: "work" };
const read = (raw: JsonValue) => readMcpEntries(raw, places);

test("a server with two lines of settings gets every default value", () => {
  assert.deepEqual(read({ files: { command: "npx", args: ["-y", "x@1.0.0", 7] } }), {
    entries: [
      {
        name: "files",
        target: { kind: "stdio", command: "npx", args: ["-y", "x@1.0.0", "7"], env: {} },
        isEnabled: true,
        timeoutMs: 300_000,
        connectTimeoutMs: 60_000,
        protocol: "auto",
        isLazy: false,
        isParallel: false,
        isForScripts: false,
        keepaliveMs: 180_000,
        idleMs: 0,
        maxLifetimeMs: 0,
        trust: "full",
        sampling: {
          isEnabled: true,
          allowedModels: [],
          maxTokens: 4_096,
          timeoutMs: 30_000,
          maxPerMinute: 10,
          maxToolRounds: 5,
        },
        elicitation: { isEnabled: true, timeoutMs: 300_000 },
        tools: { exclude: [], resources: true, prompts: true },
      },
    ],
    problems: [],
    notices: [],
  });
});

test("every key of a remote server is passed on, and ~ resolves to the user's home folder", () => {
  const { entries, problems } = read([
    {
      name: "linear",
      url: "https://mcp.example.com/mcp",
      command: "ignored",
      headers: { "X-Team": "core" },
      transport: "streamable-http",
      timeout: "20",
      lifecycle: { idle_timeout_seconds: 60, max_lifetime_seconds: 3_600 },
      skip_preflight: "yes",
      ssl_verify: "~/ca.pem",
      client_cert: ["~/c.pem", "/k.pem", "pw"],
      identity_header: "X-Agent",
      auth: "oauth",
      oauth: { scope: "read write", redirect_port: 8_765 },
      sampling: false,
      elicitation: { timeout: 10 },
      trust: "untrusted",
      tools: { include: [], exclude: "delete_*", prompts: false },
    },
  ]);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    entries.map(({ name, target, timeoutMs, idleMs, maxLifetimeMs, sampling, elicitation, trust, tools }) => ({
      name,
      target,
      timeoutMs,
      idleMs,
      maxLifetimeMs,
      elicitation,
      trust,
      tools,
      sampling: sampling.isEnabled,
    })),
    [
      {
        name: "linear",
        target: {
          kind: "http",
          url: "https://mcp.example.com/mcp",
          headers: { "X-Team": "core", "X-Agent": "work" },
          hasPreflight: false,
          tls: { verify: "/home/ada/ca.pem", cert: "/home/ada/c.pem", key: "/k.pem", keyPassword: "pw" },
          oauth: { scope: "read write", redirectPort: 8_765, clientName: "Hermes", timeoutMs: 300_000 },
        },
        timeoutMs: 20_000,
        idleMs: 60_000,
        maxLifetimeMs: 3_600_000,
        sampling: false,
        elicitation: { isEnabled: true, timeoutMs: 10_000 },
        trust: "untrusted",
        tools: { include: [], exclude: ["delete_*"], resources: true, prompts: false },
      },
    ],
  );
});

const mistakes: readonly (readonly [settings: JsonValue, message: RegExp])[] = [
  [{ command: "x", trsut: "untrusted" }, /trsut is not a known key\. Did you mean trust\?/u],
  [{ command: "x", type: "stdio" }, /type is not a known key\. Hermes calls it transport\./u],
  [{ command: "x", tools: { includes: ["a"] } }, /tools\.includes is not a known key\. Did you mean include\?/u],
  [{ command: "x", tools: 3 }, /tools must contain keys and values\./u],
  [{ command: "x", timeout: "soon" }, /timeout must be a number of seconds from 1/u],
  [{ command: "x", keepalive_interval: 1 }, /keepalive_interval must be a number of seconds from 5/u],
  [{ command: "x", env: { "A=B": "c" } }, /env has an entry "A=B"/u],
  [{ command: "" }, /command must not be empty/u],
  [{}, /needs a command, or the url/u],
  [{ url: "ftp://host/x" }, /must start with http/u],
  [{ url: "https://me:pw@host/x" }, /contains a password/u],
  [{ url: "https://host/x", permissions: {} }, /permissions are for a server with a command/u],
  [{ command: "x", transport: "sse" }, /transport sse needs a url/u],
  [{ url: "https://host/x", transport: "grpc" }, /transport must be one of http, sse, stdio/u],
  [{ url: "https://host/x", identity_header: "a b" }, /identity_header must name a header/u],
  ["npx x", /must contain keys and values/u],
];

for (const [settings, message] of mistakes) {
  test(`a mistake disables only its own server: ${JSON.stringify(settings)}`, () => {
    const { entries, problems } = read({ bad: settings, good: { command: "y" } });
    assert.deepEqual(
      entries.map(({ name }) => name),
      ["good"],
    );
    assert.deepEqual(
      problems.map(({ name }) => name),
      ["bad"],
    );
    assert.match(problems[0]?.message ?? "", message);
    assert.match(problems[0]?.message ?? "", /^MCP server bad is disabled: /u);
  });
}

test("an unsafe server name, a list without names and a duplicate name are refused", () => {
  const listed = read([{ command: "a" }, { name: "b", command: "b" }, { name: "b", command: "c" }]);
  assert.deepEqual(listed.entries, []);
  assert.deepEqual(
    listed.problems.map(({ name }) => name),
    ["number 1", "b"],
  );
  const named = read({ "../x": { command: "a" }, "a\u001b[2Jb": { command: "a" }, constructor: { command: "a" } });
  assert.deepEqual(
    named.entries.map(({ name }) => name),
    ["constructor"],
  );
  assert.deepEqual(
    named.problems.map(({ name }) => name),
    ["../x", "a?[2Jb"],
  );
  assert.equal(read("x").problems.length, 1);
  assert.deepEqual(read({}), { entries: [], problems: [], notices: [] });
});

test("a safety key without a value is strict; any other key without a value is not set", () => {
  const { entries, problems } = read({
    a: { command: "x", trust: null, permissions: null, tools: { include: null, exclude: null }, timeout: null },
  });
  assert.deepEqual(problems, []);
  const [entry] = entries;
  assert.deepEqual(
    [entry?.trust, entry?.tools, entry?.timeoutMs],
    ["untrusted", { include: [], exclude: [], resources: true, prompts: true }, 300_000],
  );
  assert.deepEqual(entry?.target.kind === "stdio" && entry.target.permissions, {});
});

test("unusual settings that still work cause a notice", () => {
  const { notices } = read({
    a: { command: "x", env: { TOKEN: "abc\u200b", OTHER: "${env:NOT_SET}" }, trust: "some" },
  });
  assert.deepEqual(
    notices.map(({ message }) => message.replace(/\..*$/u, "")),
    ["env", "${env:NOT_SET} in env", "trust must be full or untrusted"],
  );
});

/** Each way to misspell a key: a letter is missing, doubled or swapped, or the key is written in another style. */
function misspellings(key: string): readonly string[] {
  const letters = key
    .split("")
    .flatMap((letter, index) => [
      key.slice(0, index) + key.slice(index + 1),
      key.slice(0, index) + letter + key.slice(index),
      key.slice(0, index) + (key[index + 1] ?? "") + letter + key.slice(index + 2),
    ]);
  const styles = [key.toUpperCase(), `${key} `, `${key}s`, ...["", "-", " "].map((each) => key.replaceAll("_", each))];
  return [...new Set([...letters, ...styles])];
}

test("a server with any misspelling of any key is disabled, and the message names the key first", () => {
  const sections = Object.entries(serverKeys).flatMap(([section, { keys }]) =>
    keys === undefined ? [] : [[section, Object.keys(keys)] as const],
  );
  let count = 0;
  for (const [section, keys] of [["", Object.keys(serverKeys)] as const, ...sections])
    for (const key of keys)
      for (const wrong of misspellings(key).filter((each) => !keys.includes(each))) {
        const settings = section === "" ? { [wrong]: "x" } : { [section]: { [wrong]: "x" } };
        const { entries, problems } = read({ a: { url: "https://host/x", ...settings } });
        assert.deepEqual(entries, [], wrong);
        const [, first] = /Did you mean (\w+)/u.exec(problems[0]?.message ?? "") ?? [];
        // `outh` and `aouth` are as close to auth.
        if (wrong.length > 2) assert.ok(first === key || /^a?ou?th$/u.test(wrong), problems[0]?.message);
        count += 1;
      }
  assert.ok(count > 1_000, "every key of every section");
});
