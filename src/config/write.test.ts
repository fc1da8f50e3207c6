import assert from "node:assert/strict";
import { chmod, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import * as fc from "fast-check";
import { parse } from "yaml";

import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { Home } from "./home.ts";
import { valueAt } from "./keys/deprecated-keys.ts";
import { loadConfig } from "./load.ts";
import { restoreConfig, saveLastGood } from "./restore-config.ts";
import { parseEnv } from "./sources/dotenv.ts";
import { setKey, unsetKey } from "./write.ts";
import { editYaml } from "./yaml/edit-yaml.ts";
import { parseYaml } from "./yaml/read-yaml.ts";

const context = { signal: new AbortController().signal, clock: systemClock };

async function homeWith(config?: string) {
  const folder = await tempHome();
  const path = join(folder.path, ".hermes");
  const home: Home = { path, root: path, profile: "default" };
  const file = join(path, "config.yaml");
  if (config !== undefined) {
    await mkdir(path);
    await writeFile(file, config);
  }
  return {
    home,
    file,
    set: (key: string, text: string, force = false) => setKey(home, key, text, { ...context, force }),
    text: () => readFile(file, "utf8"),
    env: () => readFile(join(path, ".env"), "utf8"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const sample = `# Settings of mine

approvals:   # who decides
  mode: "smart"      # for now
  # a list
  deny:
    - rm -rf *   # never
    # pushing
    - 'git push --force*'

tools: {disabled: [a,   b], enabled: []}
logging:
    level: 'debug'
    # the end

# last words
`;

test("setting a value changes only its own bytes", async () => {
  await using house = await homeWith(sample);
  assert.ok((await house.set("approvals.mode", "manual")).ok);
  assert.equal(await house.text(), sample.replace('"smart"', '"manual"'));
  assert.ok((await house.set("logging.level", "warn")).ok);
  assert.equal(await house.text(), sample.replace('"smart"', '"manual"').replace("'debug'", "'warn'"));
});

test("a new key is appended to its section with the section's indent", async () => {
  await using house = await homeWith(sample);
  assert.ok((await house.set("logging.max_file_mb", "7")).ok);
  assert.equal(await house.text(), sample.replace("'debug'\n", "'debug'\n    max_file_mb: 7\n"));
  assert.ok((await house.set("tools.timeout_s", "9")).ok);
  assert.match(await house.text(), /tools: \{disabled: \[a, {3}b\], enabled: \[\], timeout_s: 9\}/u);
});

test("items of a list are set and added one by one, and other comments stay", async () => {
  await using house = await homeWith(sample);
  assert.ok((await house.set("approvals.deny[2]", "dd *")).ok);
  assert.ok((await house.set("approvals.deny.1", "git push -f")).ok);
  assert.equal(await house.text(), sample.replace("'git push --force*'\n", "'git push -f'\n    - dd *\n"));
  assert.ok((await house.set("tools.disabled[2]", "c")).ok);
  assert.match(await house.text(), /disabled: \[a, {3}b, c\]/u);
  assertFails(await house.set("tools.disabled[9]", "c"), /is a list of 3; use an index from 0 to 3/u);
});

test("unset removes the line, and its section if empty", async () => {
  await using house = await homeWith(sample);
  assert.deepEqual(await unsetKey(house.home, "logging.level", context), {
    ok: true,
    value: { file: house.file, removed: true },
  });
  assert.equal(await house.text(), sample.replace("logging:\n    level: 'debug'\n", ""));
  const again = await unsetKey(house.home, "logging.level", context);
  assert.ok(again.ok && !again.value.removed);
});

test("CRLF and a byte order mark stay", async () => {
  await using house = await homeWith("\uFEFF# a\r\nlogging:\r\n  level: debug # b\r\n");
  assert.ok((await house.set("logging.max_file_mb", "7")).ok);
  assert.equal(await house.text(), "\uFEFF# a\r\nlogging:\r\n  level: debug # b\r\n  max_file_mb: 7\r\n");
});

test("a string key accepts any text as a string", async () => {
  await using house = await homeWith("");
  for (const text of ["123", "on", "null", "a: b", "# x", "- y", "true", "'quoted", "x\ny", "${A}"]) {
    assert.ok((await house.set("approvals.smart_policy", text)).ok, text);
    assert.equal(parse(await house.text()).approvals.smart_policy, text);
  }
  assert.ok((await house.set("tools.disabled", "[007, on, 1e3]")).ok);
  assert.deepEqual(parse(await house.text()).tools.disabled, ["007", "on", "1e3"]);
  assert.ok((await house.set("tools.disabled", "web")).ok);
  assert.deepEqual(parse(await house.text()).tools.disabled, ["web"]);
});

test("a boolean word of YAML 1.1 is quoted, because the original reads YAML 1.1", async () => {
  await using house = await homeWith("");
  assert.ok((await house.set("tools.tool_search.enabled", "off")).ok);
  assert.equal(await house.text(), 'tools:\n  tool_search:\n    enabled: "off"\n');
});

test("invalid, unknown and masked values are not written", async () => {
  await using house = await homeWith(sample);
  for (const [key, text, force, reason] of [
    ["approvals.mode", "automatic", true, /must be one of readonly/u],
    ["approvals.mod", "manual", true, /is not a key of this safety section/u],
    ["tool_output.max_lines", "-5", true, /must be a whole number/u],
    ["logging.levle", "debug", false, /is not a known key/u],
    ["logging", "debug", false, /must hold keys and values/u],
    ["logging.level.deep", "x", true, /holds a plain value/u],
    ["approvals.smart_policy", "sk-***", true, /the value is masked/u],
    ["OPENAI_API_KEY", "***", true, /the value is masked/u],
    ["HERMES_HOME", "/x", true, /cannot be set in the home folder that it selects/u],
    ["a.__proto__.b", "1", true, /the key __proto__ is not accepted/u],
    ["a..b", "1", true, /is not a key: /u],
  ] as const) {
    assertFails(await house.set(key, text, force), reason);
  }
  assert.equal(await house.text(), sample);
});

test("an unknown key is written when forced, a key of the original with a note", async () => {
  await using house = await homeWith("");
  assert.ok((await house.set("my.own", "{a: [1, two]}", true)).ok);
  const result = await house.set("terminal.persistent_shell", "22");
  assert.ok(result.ok && result.value.notices.length === 1);
  assert.deepEqual(parse(await house.text()), { my: { own: { a: [1, "two"] } }, terminal: { persistent_shell: 22 } });
});

test("an existing problem does not prevent another change", async () => {
  await using house = await homeWith("approvals: {mode: automatic}\n");
  assert.ok((await house.set("logging.level", "debug")).ok);
  assert.ok((await house.set("approvals.mode", "manual")).ok);
});

test("malformed YAML, a folder and a dangling link are refused and stay unchanged", async () => {
  await using house = await homeWith("a: [1\n");
  const refused = await house.set("logging.level", "debug");
  assert.ok(!refused.ok);
  assert.equal(refused.error.problems[0]?.line, 2);
  assert.equal(await house.text(), "a: [1\n");
  await using folder = await homeWith();
  await mkdir(folder.file, { recursive: true });
  assertFails(await folder.set("logging.level", "debug"), /"is a folder"/u);
});

test("a config file that is a symlink stays a symlink", async () => {
  await using house = await homeWith();
  await mkdir(house.home.path);
  const real = join(house.home.path, "dotfiles.yaml");
  await writeFile(real, "logging: {level: debug} # mine\n");
  await symlink(real, house.file);
  assert.ok((await house.set("logging.level", "warn")).ok);
  assert.equal(await readFile(real, "utf8"), "logging: {level: warn} # mine\n");
  assert.equal(await readlink(house.file), real);
});

test("a value with an anchor that others use is not changed", async () => {
  const text = "logging: &l {level: debug}\nother: *l\n";
  await using house = await homeWith(text);
  assertFails(await house.set("logging.level", "warn"), /an anchor, alias or tag is involved/u);
  assert.equal(await house.text(), text);
});

test(
  "secrets are written to .env with mode 0600, and its other lines stay",
  { skip: process.platform === "win32" },
  async () => {
    await using house = await homeWith("");
    const before = "# keys\nexport A_TOKEN='old value' # mine\nB=\"x\\ny\"\n\nA=1";
    await writeFile(join(house.home.path, ".env"), before);
    await chmod(join(house.home.path, ".env"), 0o644);
    assert.ok((await house.set("A_TOKEN", "new value")).ok);
    assert.equal(await house.env(), before.replace("'old value'", "'new value'"));
    assert.equal((await stat(join(house.home.path, ".env"))).mode & 0o777, 0o600);
    assert.ok((await house.set("providers.open-ai.api_key", "sk-1")).ok);
    assert.equal(
      await house.env(),
      `${before.replace("'old value'", "'new value'")}\nHERMES_CONFIG_PROVIDERS_OPEN_AI_API_KEY=sk-1\n`,
    );
    assert.deepEqual(parse(await house.text()), {
      providers: { "open-ai": { api_key: "${HERMES_CONFIG_PROVIDERS_OPEN_AI_API_KEY}" } },
    });
  },
);

test("a secret of a setting is stored under its own variable, not the provider's, and unset removes it from both files", async () => {
  await using house = await homeWith("");
  for (const key of ["model.api_key", "providers.openai.api_key", "auxiliary.vision.api_key", "providers.meta.api_key"])
    assert.ok((await house.set(key, "sk-1")).ok, key);
  const names = (await house.env()).split("\n").flatMap((line) => line.split("=").slice(0, -1));
  assert.deepEqual(names, [
    "HERMES_CONFIG_MODEL_API_KEY",
    "HERMES_CONFIG_PROVIDERS_OPENAI_API_KEY",
    "HERMES_CONFIG_AUXILIARY_VISION_API_KEY",
    "HERMES_CONFIG_PROVIDERS_META_API_KEY",
  ]);
  for (const key of ["model.api_key", "providers", "auxiliary.vision.api_key"])
    assert.ok((await unsetKey(house.home, key, context)).ok, key);
  assert.equal((await house.env()).trim(), "");
});

test("unset keeps a variable that the user chose", async () => {
  await using house = await homeWith("");
  assert.ok((await house.set("MY_KEY", "sk-1")).ok);
  assert.ok((await house.set("model.api_key", "${MY_KEY}")).ok);
  assert.ok((await unsetKey(house.home, "model.api_key", context)).ok);
  assert.equal(await house.env(), "MY_KEY=sk-1\n");
});

test("a file that lost its text is refused, and the last good settings can be restored or discarded", async () => {
  const text = "approvals:\n  deny:\n    - git push\nlogging:\n  level: debug\n";
  await using house = await homeWith(text);
  const load = () => loadConfig({ env: { HERMES_HOME: house.home.path, HOME: house.home.path }, cwd: house.home.path });
  const state = async () => {
    const loaded = await load();
    return loaded.ok ? loaded.value.values.approvals.deny : (loaded.error.problems[0]?.message ?? "");
  };
  await saveLastGood(house.home);
  for (const [damaged, reason] of [
    ["", /is empty/u],
    ["\0\0\0\0", /is empty/u],
    [text.slice(0, 20), /cut off/u],
    [undefined, /is missing/u],
  ] as const) {
    await (damaged === undefined ? rm(house.file) : writeFile(house.file, damaged));
    await saveLastGood(house.home);
    assert.match(String(await state()), reason);
    const written = await house.set("logging.level", "warn");
    assert.match(written.ok ? "" : (written.error.problems[0]?.message ?? ""), reason);
    assert.deepEqual(await restoreConfig(house.home, { discard: false }), { ok: true, value: true });
    assert.deepEqual(await state(), ["git push"]);
    assert.equal(await house.text(), text);
  }
  // A file that ends after a complete line was shortened by a person and is not damaged.
  await writeFile(house.file, "approvals:\n  deny:\n    - git push\n");
  assert.deepEqual(await state(), ["git push"]);
  await writeFile(house.file, "");
  assert.deepEqual(await restoreConfig(house.home, { discard: true }), { ok: true, value: true });
  assert.deepEqual(await state(), []);
});

test(
  "homes and files are created with access for their owner only",
  { skip: process.platform === "win32" },
  async () => {
    await using house = await homeWith();
    assert.ok((await house.set("logging.level", "debug")).ok);
    assert.ok((await house.set("X_API_KEY", "k")).ok);
    const modes = await Promise.all(
      ["", "config.yaml", ".env"].map(async (name) => (await stat(join(house.home.path, name))).mode & 0o777),
    );
    assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  },
);

for (const [what, before, key, value, after] of [
  [
    "a value beside a comment",
    "logging:\n  level:   # pick one\n",
    "logging.level",
    "warn",
    "logging:\n  level: warn   # pick one\n",
  ],
  ["into an empty list", "a:   'x'   # y\ntoolsets: []\n", "toolsets.0", "web", "a:   'x'   # y\ntoolsets: [web]\n"],
  [
    "out of the middle of {…}",
    "logging: {level: info,  max_file_mb: 5} # l\n",
    "logging.level",
    undefined,
    "logging: {max_file_mb: 5} # l\n",
  ],
  [
    "out of the end of {…}",
    "logging: {\n  level: info,\n  max_file_mb: 5\n}\n",
    "logging.max_file_mb",
    undefined,
    "logging: {\n  level: info\n}\n",
  ],
] as const) {
  test(`an edit changes as little as possible: ${what}`, async () => {
    await using home = await homeWith(before);
    const done = value === undefined ? await unsetKey(home.home, key, context) : await home.set(key, value, true);
    assert.ok(done.ok, JSON.stringify(done));
    assert.equal(await home.text(), after);
  });
}

test("a value that others reference is not removed", async () => {
  const text = "defaults: &d\n  a: 1\none:\n  <<: *d\n";
  await using home = await homeWith(text);
  const done = await unsetKey(home.home, "defaults", context);
  assert.match(done.ok ? "" : (done.error.problems[0]?.message ?? ""), /an anchor, alias or tag is involved/u);
  assert.equal(await home.text(), text);
});

test("a change without effect creates no home", async () => {
  await using home = await homeWith();
  assertFails(await home.set("logging.level", "loud"), /must be one of debug, info, warn, error/u);
  assertFails(await home.set("no.such.key", "1"), /is not a known key/u);
  for (const key of ["logging.level", "A_TOKEN"]) {
    const unset = await unsetKey(home.home, key, context);
    assert.ok(unset.ok && !unset.value.removed);
  }
  await assert.rejects(stat(home.home.path), { code: "ENOENT" });
});

test("the secret of a key that starts with a digit can be read back from .env", async () => {
  await using home = await homeWith();
  assert.ok((await home.set("providers.1st.api_key", "abcdefgh")).ok);
  assert.ok((await home.set("1st.api_key", "abcdefgh", true)).ok);
  const { assignments, strange } = parseEnv(await home.env());
  assert.deepEqual(strange, []);
  assert.deepEqual(
    assignments.map(({ name, value }) => [name, value]),
    [
      ["HERMES_CONFIG_PROVIDERS_1ST_API_KEY", "abcdefgh"],
      ["HERMES_CONFIG_1ST_API_KEY", "abcdefgh"],
    ],
  );
});

test("an .env that is not UTF-8 is not rewritten", async () => {
  await using home = await homeWith("");
  const file = join(home.home.path, ".env");
  const bytes = Buffer.from("A=caf\xe9\n", "latin1");
  await writeFile(file, bytes);
  assertFails(await home.set("B_TOKEN", "abcdefgh"), /is not UTF-8 text/u);
  assert.deepEqual(await readFile(file), bytes);
});

const name = fc.stringMatching(/^[a-z][a-z_]{0,6}$/u).filter((word) => word !== "__proto__");
const scalar = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
const tree = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(name, tie("node"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).node;
const comment = fc.stringMatching(/^[a-z ]{0,8}$/u);

test("after setting a value, reading returns that value, other values stay the same, and all other comments stay", async () => {
  const { stringify } = await import("yaml");
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, tree, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      comment,
      fc.array(name, { minLength: 1, maxLength: 3 }),
      tree,
      async (values, note, path, value) => {
        const blocks = Object.entries(values).map(
          ([key, item], index) => `# ${note}${index}\n${stringify({ [key]: item })}`,
        );
        const text = blocks.join("\n");
        const yaml = await parseYaml("f", Buffer.from(text));
        if (!yaml.ok) return;
        const edited = await editYaml(yaml.value, path, value);
        if (!edited.ok) return;
        const after = edited.value;
        assert.deepEqual(valueAt(after.tree, path), JSON.parse(JSON.stringify(value)));
        for (const [key, item] of Object.entries(yaml.value.tree))
          if (key !== path[0]) assert.deepEqual(after.tree[key], item);
        blocks.forEach((_, index) => assert.ok(after.text.includes(`# ${note}${index}`)));
        const back = await editYaml(after, path, undefined);
        assert.ok(back.ok, after.text);
      },
    ),
    { numRuns: 200 },
  );
});
