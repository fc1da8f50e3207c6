// covers: src/tools, src/environments
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import { withFileTools } from "../support/file-tools-rig.ts";
import { patchOf } from "../support/patch-case.ts";
import { missingPrograms } from "../support/system-programs.ts";

// ── invalid syntax ──────────────────────────────────────────────────────────────────────────────────────────────────

test("YAML, TOML and JSON that would no longer parse are refused with the position, by every write tool", () =>
  withFileTools(async ({ put, text, refused, folder }) => {
    await put("a.yaml", "name: x\nlist:\n  - 1\n");
    await put("a.toml", "[a]\nb = 1\n");
    await put("a.json", '{"a": 1}\n');
    const attempts: readonly [string, JsonObject, RegExp][] = [
      [
        "write_file",
        { path: "a.yaml", content: "name: x\nlist: [1\n" },
        /not be YAML: line 3, column 1: .*\n2\|list: \[1\n3\|\n {2}\^$/u,
      ],
      [
        "write_file",
        { path: "a.toml", content: "[a]\nb = \n" },
        /not be TOML: line 2, column 5: .*\n2\|b = \n {6}\^$/u,
      ],
      ["write_file", { path: "new.yml", content: "a: b: c\n" }, /not be YAML: line 1, column 4/u],
      ["write_file", { path: "new.json", content: "{} // c\n" }, /not be JSON: line 1, column 4: .*\.jsonc/u],
      ["patch", { path: "a.yaml", old_string: "  - 1", new_string: "\t- 1" }, /not be YAML: line 3, column 1/u],
      ["patch", { patch: patchOf("*** Update File: a.toml", "@@", "-b = 1", "+b = 1 2") }, /not be TOML: line 2/u],
      [
        "patch",
        { patch: patchOf("*** Add File: n/b.json", "+{", "*** Update File: a.json", "@@", '-{"a": 1}', "+{}") },
        /JSON/u,
      ],
    ];
    for (const [tool, args, reason] of attempts) {
      const { message, effect, data } = await refused(tool, args);
      assert.match(message, reason);
      assert.equal(effect, "none");
      assert.deepEqual(Object.keys(Object(data)), ["format", "line", "column"]);
    }
    assert.equal(await text("a.yaml"), "name: x\nlist:\n  - 1\n");
    assert.deepEqual((await readdir(folder)).toSorted(), ["a.json", "a.toml", "a.yaml"]);
  }));

test("a file that is broken already is repaired step by step, with a note until it parses", () =>
  withFileTools(async ({ put, text, done, refused }) => {
    await put("a.yaml", "a: [1\nb: [2\n");
    const first = await done("patch", { path: "a.yaml", old_string: "a: [1", new_string: "a: [1]" });
    assert.match(String(first["note"]), /^1 place changed\.\n.*not valid YAML, and was not valid before: line 3/u);
    const second = await done("patch", { path: "a.yaml", old_string: "b: [2", new_string: "b: [2]" });
    assert.equal(second["note"], "1 place changed.");
    assert.equal(await text("a.yaml"), "a: [1]\nb: [2]\n");
    await refused("patch", { path: "a.yaml", old_string: "[2]", new_string: "[2" });
    const chart = await done("write_file", {
      path: "chart/templates/a.yaml",
      content: "{{- if .Values.on }}\nname: {{ .Values.name }}\n{{- end }}\n",
    });
    assert.match(String(chart["note"]), /is a template/u);
  }));

// ── lint ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const lintPrograms = missingPrograms({ python3: "python3", node: "nodejs", bash: "bash" });

test("only new errors are shown, even when old ones moved to other lines", { skip: lintPrograms }, () =>
  withFileTools(
    async ({ put, done, path, folder }) => {
      const wrote = await done("write_file", { path: "a.py", content: "def f():\n    return (1\n" });
      const [first, ...others] = errorsOf(wrote);
      assert.deepEqual(others, []);
      assert.match(
        JSON.stringify(first),
        /"path":".*a\.py","line":\d+,"column":\d+,"message":".*(?:closed|EOF).*","found_by":"python3"/u,
      );
      const moved = await done("patch", { path: "a.py", old_string: "def f", new_string: "import os\n\ndef f" });
      assert.equal(moved["lint"], undefined);
      const mended = await done("patch", { path: "a.py", old_string: "(1", new_string: "(1)" });
      assert.equal(mended["lint"], undefined);
      await put("b.sh", "echo 1\n");
      await put("c.mjs", "export const a = 1;\n");
      await put("d.js", "module.exports = 1;\n");
      const several = await done("patch", {
        patch: patchOf(
          "*** Update File: b.sh",
          "@@",
          "-echo 1",
          "+if true; then",
          "*** Update File: c.mjs",
          "@@",
          "-export const a = 1;",
          "+export const a = ;",
          "*** Update File: d.js",
          "@@",
          "-module.exports = 1;",
          "+import x from 'x';",
          "+await x;",
          "*** Add File: e.txt",
          "+def f(",
        ),
      });
      assert.deepEqual(
        errorsOf(several).map((error) => [error["path"], error["found_by"]]),
        [
          [path("b.sh"), "bash"],
          [path("c.mjs"), "node"],
        ],
      );
      assert.deepEqual((await readdir(folder)).toSorted(), ["a.py", "b.sh", "c.mjs", "d.js", "e.txt"]);
    },
    { patience: 20 },
  ),
);

test("TypeScript and JavaScript are checked by the Node that runs Hermes, not the machine's", () =>
  withFileTools(
    async ({ put, done, path, environment }) => {
      await mkdir(path("bin"));
      await put("bin/node", "#!/bin/sh\nexit 1\n");
      await chmod(path("bin/node"), 0o755);
      const signal = AbortSignal.timeout(300_000);
      assert.ok((await environment.exec(`PATH=${path("bin")}:$PATH`, { signal, timeoutMs: 60_000 })).ok);
      const wrote = await done("write_file", { path: "a.ts", content: "const a: string = 'b';\nlet c: = 1;\n" });
      assert.deepEqual(
        errorsOf(wrote).map(({ line, found_by: by }) => [line, by]),
        [[2, "node"]],
      );
      assert.equal((await done("write_file", { path: "b.ts", content: "enum A { B }\n" }))["lint"], undefined);
    },
    { patience: 20 },
  ));

function errorsOf(result: Record<string, unknown>): readonly JsonObject[] {
  const { lint } = result;
  return Array.isArray(lint) ? lint : [];
}

test("neither the written file nor any file beside it runs, and linting leaves no files", { skip: lintPrograms }, () =>
  withFileTools(async ({ put, done, folder, environment }) => {
    await put("ast.py", "open('ran', 'w')\n");
    await put("sitecustomize.py", "open('ran', 'w')\n");
    const texts: Readonly<Record<string, string>> = {
      "a.py": "open('ran', 'w')\n",
      "b.js": "require('fs').writeFileSync('ran', '')\n",
      "c.mjs": "import fs from 'fs'; fs.writeFileSync('ran', '')\n",
      "d.sh": "touch ran\n$(touch ran)\n",
      "e.ts": "import fs from 'fs'; fs.writeFileSync('ran', '' as string)\n",
    };
    const before = await environment.state(AbortSignal.timeout(300_000));
    for (const [path, content] of Object.entries(texts))
      assert.equal((await done("write_file", { path, content }))["lint"], undefined, path);
    assert.deepEqual(
      (await readdir(folder)).toSorted(),
      [...Object.keys(texts), "ast.py", "sitecustomize.py"].toSorted(),
    );
    assert.deepEqual(await environment.state(AbortSignal.timeout(300_000)), before);
  }),
);

test(
  "a linter that is missing, hangs or prints nonsense takes a bounded time and never prevents the write",
  { timeout: 60_000 },
  () =>
    withFileTools(async ({ put, done, text, path, environment }) => {
      await mkdir(path("bin"));
      for (const [name, script] of [
        ["python3", "#!/bin/sh\nsleep 100\n"],
        ["ruby", "#!/bin/sh\nhead -c 100000000 /dev/zero\n"],
        ["bash", "#!/bin/sh\nkill -9 $$\n"],
      ] as const) {
        await put(`bin/${name}`, script);
        await chmod(path(`bin/${name}`), 0o755);
      }
      const signal = AbortSignal.timeout(300_000);
      const set = await environment.exec(`PATH=${path("bin")}:$PATH`, { signal, timeoutMs: 60_000 });
      assert.ok(set.ok);
      for (const name of ["a.py", "a.rb", "a.sh", "a.lua"]) {
        const wrote = await done("write_file", { path: name, content: "((((\n" });
        assert.deepEqual([wrote["verified"], wrote["lint"]], [true, undefined]);
        assert.equal(await text(name), "((((\n");
      }
    }),
);

// ── protected files ─────────────────────────────────────────────────────────────────────────────────────────────────

test("system files and the user's keys are not written, by any path", () =>
  withFileTools(async ({ refused, path }) => {
    await symlink("/etc", path("config"));
    await symlink("/etc/hermes-new-file", path("dangling"));
    const key = join(homedir(), ".ssh", "authorized_keys");
    const paths = [
      "/etc/hermes-new-file",
      "/ETC/hermes-new-file",
      "/boot/x",
      "/usr/lib/systemd/x",
      "config/hermes-new-file",
      "dangling",
      "/proc/self/root/etc/hermes-new-file",
      "~/.ssh/authorized_keys",
      "~/.aws/credentials",
      "~/.npmrc",
      "/home/someone/.ssh/id_rsa",
      key,
    ];
    for (const each of paths) {
      const { kind, effect } = await refused("write_file", { path: each, content: "x" });
      assert.deepEqual([kind, effect], ["blocked", "none"], each);
      await refused("patch", { patch: patchOf(`*** Add File: ${each}`, "+x") });
    }
    const moved = patchOf("*** Add File: mine", "+x", "*** Update File: /etc/hostname", "*** Move to: stolen");
    await refused("patch", { patch: moved });
  }));

test("only Hermes changes its settings, and another profile's files need cross_profile", () =>
  withFileTools(
    async ({ folder, refused, done }) => {
      const root = join(dirname(folder), "hermes");
      const own = join(root, "profiles", "work");
      const other = join(root, "profiles", "play");
      for (const home of [root, own, other]) {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "config.yaml"), "a: 1\n");
        for (const name of ["config.yaml", ".env", "trust.json", "sessions/a.json"]) {
          const args = { path: join(home, name), content: "{}\n", cross_profile: true };
          assert.equal((await refused("write_file", args)).kind, "blocked", args.path);
        }
      }
      await done("write_file", { path: join(own, "skills/a.md"), content: "x\n" });
      for (const home of [root, other]) {
        const args = { path: join(home, "skills/a.md"), content: "x\n" };
        assert.match((await refused("write_file", args)).message, /another profile.*cross_profile/u);
        await refused("patch", { patch: patchOf(`*** Add File: ${args.path}`, "+x") });
        await done("write_file", { ...args, cross_profile: true });
        await done("patch", { path: args.path, old_string: "x", new_string: "y", cross_profile: true });
      }
    },
    { hermes: { path: "hermes/profiles/work", root: "hermes" } },
  ));

test("an existing file that was never read is replaced with a warning", () =>
  withFileTools(async ({ put, done }) => {
    await put("a.txt", "something\n");
    assert.match(String((await done("write_file", { path: "a.txt", content: "else\n" }))["warning"]), /had not read/u);
    assert.equal((await done("write_file", { path: "a.txt", content: "more\n" }))["warning"], undefined);
    assert.equal((await done("write_file", { path: "b.txt", content: "new\n" }))["warning"], undefined);
  }));

test("impossible paths are refused before any file access", () =>
  withFileTools(
    async ({ refused, folder }) => {
      for (const path of ["a\0b", "a\nb", "~nobody/x", "n".repeat(256), "d/".repeat(2500), " "]) {
        const { kind, message } = await refused("write_file", { path, content: "x" });
        assert.equal(kind, "invalid_args", JSON.stringify(path));
        assert.ok(message.length < 300);
      }
      assert.deepEqual(await readdir(folder), []);
    },
    { change: () => ({ write: async () => ok(undefined) }) },
  ));
