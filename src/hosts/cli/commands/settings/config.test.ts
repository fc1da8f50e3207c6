import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

test("read-only commands create no files on a fresh machine", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "home");
  const options = { home, cwd: folder.path };
  for (const line of [
    "show",
    "show approvals",
    "get approvals.mode",
    "path",
    "check",
    "schema",
    "migrate",
    "migrate --dry-run",
  ]) {
    const result = await hermes(["config", ...line.split(" ")], options);
    assert.equal(result.code, 0, `${line}: ${result.err}`);
  }
  assert.deepEqual(await readdir(folder.path), []);
});

test("show prints every value with its origin, and masks secrets in every position", async () => {
  await using home = await tempHome();
  await writeFile(
    join(home.path, "config.yaml"),
    "logging: {level: debug}\nproviders: {a: {api_key: sk-in-config, url: 'https://me:pw@host/'}, note: sk-in-env-file}\n",
  );
  await writeFile(join(home.path, ".env"), "A_TOKEN=sk-in-env-file\n", { mode: 0o600 });
  const env = { B_SECRET: "sk-in-process", HERMES_REDACT_SECRETS: "yes" };
  for (const args of [
    ["config", "show"],
    ["config", "show", "--json"],
    ["config", "get", "providers"],
    ["config", "get", "A_TOKEN", "--json"],
  ]) {
    const result = await hermes(args, { home: home.path, env });
    assert.equal(result.code, 0);
    assert.doesNotMatch(result.out + result.err, /sk-in|me:pw/u);
  }
  const shown = await hermes(["config", "show", "--json"], { home: home.path, env });
  const settings = new Map((shown.json as { settings: { key: string }[] }).settings.map((row) => [row.key, row]));
  const file = join(home.path, "config.yaml");
  assert.deepEqual(settings.get("logging.level"), {
    key: "logging.level",
    value: "debug",
    origin: { from: "user file", file, line: 1 },
  });
  assert.deepEqual(settings.get("approvals.mode"), {
    key: "approvals.mode",
    value: "manual",
    origin: { from: "default" },
  });
  assert.deepEqual(settings.get("security.redact_secrets"), {
    key: "security.redact_secrets",
    value: true,
    origin: { from: "environment", name: "HERMES_REDACT_SECRETS" },
  });
  assert.deepEqual(settings.get("A_TOKEN"), {
    key: "A_TOKEN",
    value: "***",
    origin: { from: "environment", name: "A_TOKEN", file: join(home.path, ".env") },
  });
  const changed = await hermes(["config", "show", "--changed"], { home: home.path });
  assert.match(changed.out, /logging.level/u);
  assert.doesNotMatch(changed.out, /approvals.mode/u);
});

test("get prints the value that set wrote, as plain text or JSON", async () => {
  await using home = await tempHome();
  const run = (...args: string[]) => hermes(["config", ...args], { home: home.path });
  assert.equal((await run("set", "tools.disabled", "[web_search, todo]")).code, 0);
  assert.equal((await run("get", "tools.disabled")).out, '["web_search","todo"]\n');
  assert.equal((await run("get", "tools.disabled.1")).out, "todo\n");
  assert.equal((await run("set", "terminal.timeout", "60")).code, 0);
  assert.equal((await run("get", "terminal.timeout")).out, "60\n");
  assert.equal((await run("unset", "tools.disabled")).code, 0);
  assert.equal(
    (await run("get", "tools.disabled", "--json")).out,
    '{"key":"tools.disabled","value":[],"origin":{"from":"default"}}\n',
  );
});

test("an unknown key is rejected with the nearest one", async () => {
  await using home = await tempHome();
  const result = await hermes(["config", "get", "aproval.mode"], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.err, /There is no setting aproval.mode.\nDid you mean approvals.mode/u);
  const set = await hermes(["config", "set", "logging.levle", "debug"], { home: home.path });
  assert.match(set.err, /logging.levle: is not a known key\ndid you mean logging.level\? `--force`/u);
  assert.deepEqual(
    (await readdir(home.path)).filter((name) => !name.endsWith(".lock")),
    [],
  );
});

test("a secret can be passed on standard input, and is not printed", async () => {
  await using home = await tempHome();
  const result = await hermes(["config", "set", "OPENAI_API_KEY", "-"], { home: home.path, input: "sk-secret\n" });
  assert.doesNotMatch(result.out, /sk-secret/u);
  assert.equal(await readFile(join(home.path, ".env"), "utf8"), "OPENAI_API_KEY=sk-secret\n");
});

test("set reports that another source overrides the file", async () => {
  await using home = await tempHome();
  const result = await hermes(["config", "set", "logging.level", "error"], {
    home: home.path,
    env: { HERMES_LOG_LEVEL: "debug" },
  });
  assert.match(result.out, /another source overrides this value: environment HERMES_LOG_LEVEL/u);
});

test("check exits with 1 and the position of an invalid setting", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), "approvals:\n  mode: automatic\n");
  const result = await hermes(["config", "check", "--json"], { home: home.path });
  assert.equal(result.code, 1);
  const { ok, problems } = result.json as { ok: boolean; problems: { key: string; line: number }[] };
  assert.deepEqual([ok, problems[0]?.key, problems[0]?.line], [false, "approvals.mode", 2]);
  assert.equal((await hermes(["config", "get", "logging.level"], { home: home.path })).code, 1);
  assert.equal((await hermes(["config", "set", "approvals.mode", "manual"], { home: home.path })).code, 0);
  assert.equal((await hermes(["config", "check"], { home: home.path })).code, 0);
});

test(
  "an edit with a mistake is saved as a draft, the valid file stays, and the next edit resumes the draft",
  { skip: process.platform === "win32" },
  async () => {
    await using home = await tempHome();
    const file = join(home.path, "config.yaml");
    await writeFile(file, "logging: {level: debug} # good\n");
    const edit = (script: string) =>
      hermes(["config", "edit"], { home: home.path, env: { EDITOR: `sh -c '${script}' edit` } });
    const broken = await edit('printf "logging: [" > "$1"');
    assert.equal(broken.code, 1);
    assert.match(broken.err, /config.edit.yaml:1:\d+: malformed YAML/u);
    assert.equal(await readFile(file, "utf8"), "logging: {level: debug} # good\n");
    assert.equal((await edit('printf "{level: warn} # new\\n" | sed "s/^/logging: /" > "$1"')).code, 0);
    assert.equal(await readFile(file, "utf8"), "logging: {level: warn} # new\n");
    assert.match((await edit("exit 3")).err, /exited with code 3/u);
    assert.match((await edit("true")).out, /Nothing was changed/u);
    assert.deepEqual((await readdir(home.path)).toSorted(), [
      "config.last-good.yaml",
      "config.yaml",
      "config.yaml.lock",
    ]);
    const raced = await edit(`echo "logging: {level: info}" > ${file}; echo "logging: {level: error}" > "$1"`);
    assert.match(raced.err, /changed by another program meanwhile/u);
    assert.equal(await readFile(file, "utf8"), "logging: {level: info}\n");
  },
);

test("migrate previews its changes, then makes them", async () => {
  await using home = await tempHome();
  const file = join(home.path, "config.yaml");
  await writeFile(file, "disabled_toolsets: [web] # mine\n");
  assert.match(
    (await hermes(["config", "migrate", "--dry-run"], { home: home.path })).out,
    /would change:\n {2}disabled_toolsets is now/u,
  );
  assert.equal((await hermes(["config", "migrate"], { home: home.path })).code, 0);
  assert.equal(await readFile(file, "utf8"), "agent:\n  disabled_toolsets: [web] # mine\n");
});

test("a home that cannot be created gives a clear message", async () => {
  await using folder = await tempHome();
  await writeFile(join(folder.path, "file"), "");
  await mkdir(join(folder.path, "work"));
  const result = await hermes(["config", "set", "logging.level", "debug"], {
    home: join(folder.path, "file"),
    cwd: join(folder.path, "work"),
  });
  assert.equal(result.code, 1);
  assert.match(result.err, /is a file; the home must be a folder\nset HERMES_HOME to use another folder/u);
});
