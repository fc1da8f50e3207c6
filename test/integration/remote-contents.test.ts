// covers: src/checkpoints, src/environments
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { sha256 } from "../../src/base/digest.ts";
import { ok } from "../../src/base/result.ts";
import { hashOf, parseFileState } from "../../src/checkpoints/file-state.ts";
import { createRemoteFiles } from "../../src/checkpoints/remote/remote-files.ts";
import { createRemoteShell } from "../../src/checkpoints/remote/remote-shell.ts";
import { openRootDatabase } from "../../src/checkpoints/root-database.ts";
import type { ScannedPath } from "../../src/checkpoints/scan.ts";
import type { Environment } from "../../src/contracts/environment/environment.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();

test("a file that changes while it is recorded is stored under the digest of the stored bytes", async () => {
  await using rig = await openRig("changing");
  await writeFile(join(rig.root, "steady"), "steady");
  await writeFile(join(rig.root, "busy"), "before");
  await rig.whenPacked(`printf 'after it grew' > '${rig.root}/busy'`);
  const kept = await rig.ground.keep([rig.found("busy"), rig.found("steady")], signal);
  assert.ok(kept.ok, JSON.stringify(kept));
  assert.deepEqual(await rig.contents(kept.value), { busy: "after it grew", steady: "steady" });
});

test("many files are each stored under their own digest", async () => {
  await using rig = await openRig("many");
  const names = Array.from({ length: 150 }, (_, index) => `file ${index}`);
  for (const name of names) await writeFile(join(rig.root, name), name);
  const texts = Object.fromEntries(names.map((name) => [name, name]));
  const steady = await rig.ground.keep(names.map(rig.found), signal);
  assert.ok(steady.ok, JSON.stringify(steady));
  assert.deepEqual(await rig.contents(steady.value, 3), Object.fromEntries(Object.entries(texts).slice(0, 3)));
  assert.ok(Array.from(steady.value.values()).every(({ state }) => state.startsWith("f:")));

  // Written twice: when it is hashed, it has its earlier content.
  const [before, after] = ["between", "file 1"].map((text) => `printf '${text}' > '${rig.root}/file 1'`);
  await rig.whenPacked(before ?? "", after);
  await writeFile(join(rig.root, "file 0"), "anew");
  const changing = await rig.ground.keep(names.map(rig.found), signal);
  assert.ok(changing.ok, JSON.stringify(changing));
  assert.deepEqual(await rig.contents(changing.value, 2), { "file 0": "anew", "file 1": "between" });
});

test("a file that becomes a link or a pipe while it is recorded is neither followed nor waited for", async () => {
  await using rig = await openRig("links");
  await writeFile(join(rig.home, "secret"), "not part of the workspace");
  for (const name of ["link", "pipe", "file"]) await writeFile(join(rig.root, name), name);
  await rig.whenPacked(`cd '${rig.root}'; rm -f link pipe; ln -s '${rig.home}/secret' link; mkfifo pipe`);
  const kept = await rig.ground.keep(["link", "pipe", "file"].map(rig.found), signal);
  assert.ok(kept.ok, JSON.stringify(kept));
  assert.deepEqual(await rig.contents(kept.value), { link: "unreadable", pipe: "unreadable", file: "file" });
});

test("files outside of the workspace, and odd names, are stored like the others", async () => {
  await using rig = await openRig("outside");
  const outside = join(rig.home, "-outside \\.txt");
  await writeFile(outside, "outside");
  const names = ["-rf", "back\\slash", "two\nlines", "plain"];
  for (const name of names) await writeFile(join(rig.root, name), `in ${name}`);
  const kept = await rig.ground.keep([...names, outside, "gone"].map(rig.found), signal);
  assert.ok(kept.ok, JSON.stringify(kept));
  const expected = Object.fromEntries(names.map((name) => [name, `in ${name}`]));
  assert.deepEqual(await rig.contents(kept.value), { ...expected, [outside]: "outside", gone: "unreadable" });
});

test("a partially written pack is an error, and nothing counts as stored", async () => {
  await using rig = await openRig("full");
  await writeFile(join(rig.root, "file"), "x".repeat(100_000));
  await rig.whenPacked(":", `for f in '${rig.home}'/store/*.tmp; do printf cut > "$f"; done`);
  const kept = await rig.ground.keep([rig.found("file")], signal);
  assert.deepEqual(kept, { ok: false, error: { message: `the contents could not be stored in ${rig.home}/store` } });
});

test("remote checkpoints work with busybox", { skip: missingPrograms({ busybox: "busybox" }) }, async () => {
  await using rig = await openRig("busybox", "busybox");
  for (const name of ["one", "two\nlines"]) await writeFile(join(rig.root, name), name);
  const kept = await rig.ground.keep(["one", "two\nlines", "gone"].map(rig.found), signal);
  assert.ok(kept.ok, JSON.stringify(kept));
  assert.deepEqual(await rig.contents(kept.value), {
    one: "one",
    "two\nlines": "two\nlines",
    gone: "unreadable",
  });
});

/** The files of another machine, which is this one, with a `tar` that triggers changes. */
async function openRig(name: string, tools: "system" | "busybox" = "system") {
  const home = await tempHome();
  const root = join(home.path, name);
  const shims = join(home.path, "shims");
  await mkdir(root);
  await mkdir(shims);
  const path = `${shims}:${process.env["PATH"] ?? ""}`;
  if (tools === "busybox")
    for (const program of ["find", "xargs", "stat", "sha256sum", "gzip", "cut", "sed", "du", "sh", "tar"])
      await shim(program, `exec busybox ${program} "$@"`);
  const tar = `PATH="${process.env["PATH"] ?? ""}" tar`;

  async function shim(program: string, script: string): Promise<void> {
    await writeFile(join(shims, program), `#!/bin/sh\n${script}\n`);
    await chmod(join(shims, program), 0o755);
  }

  const environment: Pick<Environment, "exec"> = {
    exec: (command, { stdin, onOutput }) =>
      new Promise((resolve) => {
        const child = execFile(
          "/bin/sh",
          ["-c", command],
          { env: { PATH: path }, encoding: "buffer", timeout: 120_000, maxBuffer: 10_000_000 },
          (error, stdout) => {
            onOutput?.(stdout);
            const exitCode = error ? Number(error.code ?? 1) : 0;
            // Nothing else of it is read.
            resolve(ok({ ended: "exit", exitCode, backend: "test" } as never));
          },
        );
        // A script that does not read its input may end first.
        child.stdin?.on("error", () => {});
        child.stdin?.end(stdin ?? "");
      }),
  };
  const database = await openRootDatabase(join(home.path, "root.db"), assert.fail);
  const ground = createRemoteFiles({
    shell: createRemoteShell(environment),
    root,
    store: join(home.path, "store"),
    database,
    limits: { fileBytes: 10_000_000, files: 1_000, bytes: Infinity, totalBytes: 100_000_000 },
    isFirst: () => false,
  });
  return {
    home: home.path,
    root,
    ground,
    found: (path: string): ScannedPath => ({ path, stamp: "1", file: { mode: 0o644, bytes: 6 } }),
    /** Shell commands right before and after files are packed. */
    async whenPacked(before: string, after = ":") {
      await writeFile(join(home.path, "before"), before);
      await writeFile(join(home.path, "after"), after);
      const moment = (name: string) => `case $1 in -c*) (. '${home.path}/${name}') ;; esac`;
      await shim("tar", [moment("before"), `${tar} "$@"`, "code=$?", moment("after"), "exit $code"].join("\n"));
    },
    /** The stored content of each file, after checking its digest and size. */
    async contents(kept: ReadonlyMap<string, { readonly state: string }>, first = kept.size) {
      const texts: Record<string, string> = {};
      for (const [path, { state }] of Array.from(kept).slice(0, first)) {
        const names = parseFileState(state);
        const hash = hashOf(state);
        if (names.kind !== "file" || hash === undefined) {
          texts[path] = names.kind === "unkept" ? names.why : names.kind;
          continue;
        }
        const content = await ground.content(hash, signal);
        assert.ok(content.ok, JSON.stringify(content));
        assert.deepEqual({ hash: sha256(content.value), bytes: content.value.length }, { hash, bytes: names.bytes });
        texts[path] = Buffer.from(content.value).toString();
      }
      return texts;
    },
    async [Symbol.asyncDispose]() {
      database.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
