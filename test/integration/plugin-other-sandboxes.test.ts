// covers: src/plugins, src/runtime/plugins, src/safety/isolation, src/safety/plugin-sandbox.ts
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { type ConfinedPluginOptions, confinedPlugin } from "../support/confined-plugin.ts";
import { tempHome } from "../support/temp-home.ts";

/** A plugin on a machine that has only these programs. */
async function pluginWith(programs: readonly string[], options: ConfinedPluginOptions) {
  const bin = await tempHome();
  for (const program of programs) symlinkSync(program, join(bin.path, program.split("/").at(-1) ?? ""));
  const rig = await confinedPlugin({ ...options, env: { PATH: bin.path } });
  return {
    ...rig,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await bin[Symbol.asyncDispose]();
    },
  };
}

const python = "/usr/bin/python3";
const perl = "/usr/bin/perl";

describe("plugins run confined by Landlock", () => {
  test("a Python plugin has only its own files, no keys, no network and no other processes", async () => {
    await using rig = await pluginWith([python, perl], { language: "python" });
    const key = join(rig.folder, ".ssh/id_rsa");
    mkdirSync(join(key, ".."));
    writeFileSync(key, "secret");
    const attempt = (code: string) =>
      rig.run(
        `import os, socket, ctypes\ntry: result = ${code}\nexcept Exception as error: result = type(error).__name__`,
      );
    assert.match(await attempt("1 + 1"), /"2"/u, rig.reports.join("\n"));
    for (const code of [
      `open(${JSON.stringify(key)}).read()`,
      `open(${JSON.stringify(key)}, "w")`,
      `os.listdir(${JSON.stringify(rig.folder)})`,
      `os.listdir("/proc")`,
      `open("/etc/shadow").read()`,
      `socket.socket(socket.AF_UNIX)`,
      `socket.socket(socket.AF_INET)`,
      `os.fork()`,
      `open("/proc/${process.pid}/environ").read()`,
      `open("/proc/self/environ").read()`,
      `os.kill(${process.pid}, 0)`,
    ])
      assert.match(await attempt(code), /"PermissionError"/u, code);
    assert.equal(readFileSync(key, "utf8"), "secret");
    const data = join(rig.home, "plugin-data/sample/x");
    assert.match(await attempt(`open(${JSON.stringify(data)}, "w").write("abc")`), /"3"/u);
    assert.match(await attempt(`open(os.environ["TMPDIR"] + "/x", "w").write("abc")`), /"3"/u);
  });

  test("a plugin with the permission for a host gets a notice that it has no network", async () => {
    await using rig = await pluginWith([python, perl], { language: "python", rights: { net: ["api.example.com"] } });
    assert.match(await rig.run("result = 'works'"), /works/u);
    assert.deepEqual(rig.reports, ["Plugin sample has no network: that needs bubblewrap (bwrap)."]);
  });

  test("a TypeScript plugin works with Landlock too", async () => {
    await using rig = await pluginWith([perl], { language: "typescript" });
    assert.match(await rig.run("return 'works'"), /works/u, rig.reports.join("\n"));
    assert.match(await rig.run("return require('node:fs').readdirSync('/root')"), /EACCES/u);
    assert.match(await rig.run("require('node:fs').writeFileSync('/root/x', '')"), /EACCES/u);
    assert.match(await rig.run("require('node:child_process').execFileSync('/usr/bin/id')"), /EPERM|EACCES/u);
    assert.deepEqual(rig.refusals, [
      { permission: "read", target: "/root" },
      { permission: "write", target: "/root/x" },
      { permission: "exec", target: "/usr/bin/id" },
    ]);
  });
});

describe("plugins run on a machine without any sandbox", () => {
  test("a TypeScript plugin runs under the limits of Node, and the user gets a notice", async () => {
    await using rig = await pluginWith([], { language: "typescript" });
    const key = join(rig.folder, "key");
    writeFileSync(key, "secret");
    assert.match(await rig.run("return 'works'"), /works/u, rig.reports.join("\n"));
    assert.match(
      await rig.run(`return require("node:fs").readFileSync(${JSON.stringify(key)}, "utf8")`),
      /ERR_ACCESS_DENIED|access to this API has been restricted/iu,
    );
    assert.match(
      await rig.run("require('node:child_process').execFileSync('/usr/bin/id'); return 'ran'"),
      /ERR_ACCESS_DENIED|access to this API has been restricted/iu,
    );
    assert.deepEqual(rig.refusals, [
      { permission: "read", target: key },
      { permission: "exec", target: "/usr/bin/id" },
    ]);
    assert.match(
      rig.reports[0] ?? "",
      /^Plugin sample runs without a sandbox, because .*\. Node limits its files, but not its network\.$/u,
    );
  });

  test("a Python plugin does not run unless the user accepted it by name", async () => {
    await using refused = await pluginWith([python], { language: "python" });
    assert.match(
      await refused.run("result = 'works'"),
      /^unavailable: Plugin sample cannot start: this machine has no sandbox .*plugins\.entries\.sample\.unconfined true/u,
    );
    const settings = { plugins: { entries: { sample: { unconfined: true } } } };
    await using accepted = await pluginWith([python], { language: "python", settings });
    assert.match(await accepted.run("result = 'works'"), /works/u);
    assert.match(accepted.reports[0] ?? "", /^Plugin sample runs without a sandbox and has all your rights/u);
  });
});

test("if a sandbox fails, the error gives the reason and the plugin does not run", async () => {
  await using bin = await tempHome();
  const bubblewrap = join(bin.path, "bwrap");
  // Works in the trial, and fails with the namespaces of a plugin.
  const script = `#!/bin/sh\ncase "$*" in *--as-pid-1*) echo "bwrap: loopback: Failed RTM_NEWADDR" >&2; exit 1;; esac\nexec /usr/bin/bwrap "$@"\n`;
  writeFileSync(bubblewrap, script, { mode: 0o755 });
  symlinkSync(python, join(bin.path, "python3"));
  await using rig = await confinedPlugin({ language: "python", env: { PATH: `${bin.path}:/usr/bin:/bin` } });
  assert.match(
    await rig.run("result = 'works'"),
    /^unavailable: Plugin sample cannot start: the sandbox does not work: bwrap: loopback: Failed RTM_NEWADDR\. `hermes doctor`/u,
  );
});
