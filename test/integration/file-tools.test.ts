// covers: src/tools, src/environments
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, type JsonObject } from "../../src/base/json.ts";
import { err } from "../../src/base/result.ts";
import type { FileSystem } from "../../src/contracts/environment/environment.ts";
import { inChild } from "../support/child-process.ts";
import { withFileTools } from "../support/file-tools-rig.ts";
import { patchOf } from "../support/patch-case.ts";
import { tempHome } from "../support/temp-home.ts";

// ── read_file ───────────────────────────────────────────────────────────────────────────────────────────────────────

test("a file is read as numbered lines, page by page, with the next offset", () =>
  withFileTools(async ({ done, put, path }) => {
    await put("a.txt", "\ufeffone\r\ntwo\r\nthree");
    assert.deepEqual(await done("read_file", { path: "a.txt" }), {
      content: "1|one\n2|two\n3|three",
      total_lines: 3,
      resolved_path: path("a.txt"),
      file_size: 18,
      backend: "local",
      truncated: false,
    });
    const piece = await done("read_file", { path: "a.txt", offset: 2, limit: 1 });
    assert.deepEqual([piece["content"], piece["truncated"], piece["next_offset"]], ["2|two", true, 3]);
    assert.match(String((await done("read_file", { path: "a.txt", offset: 9 }))["hint"]), /only 3 lines/u);
    await put("empty", "");
    const empty = await done("read_file", { path: "empty" });
    assert.deepEqual([empty["content"], empty["total_lines"], empty["hint"]], ["", 0, "The file is empty."]);
  }));

test("a long file is shown up to 2,000 lines and 100,000 characters, and is not spilled", () =>
  withFileTools(async ({ done, put }) => {
    await put("many", "x\n".repeat(5000));
    const many = await done("read_file", { path: "many", limit: 99_999 });
    assert.deepEqual([many["next_offset"], many["truncated_by"], many["total_lines"]], [2001, "limit", 5000]);
    await put("wide", `${'\\"'.repeat(900)}\n`.repeat(1000));
    const wide = await done("read_file", { path: "wide" });
    assert.equal(wide["truncated_by"], "characters");
    assert.ok(String(wide["content"]).length <= 100_000 && String(wide["content"]).length > 95_000);
    await put("line", "y".repeat(1_000_000));
    const line = await done("read_file", { path: "line" });
    assert.ok(line["truncated"] === true && String(line["content"]).length < 2100);
  }));

test("reading the same file twice gets a short answer; the third read, or a read after a change, shows it in full", () =>
  withFileTools(async ({ done, put }) => {
    await put("a", "1\n");
    const answers: unknown[] = [];
    for (const _ of [1, 2, 3, 4]) answers.push((await done("read_file", { path: "a" }))["content"]);
    assert.deepEqual(answers, ["1|1", undefined, "1|1", undefined]);
    await done("read_file", { path: "a" });
    await put("a", "2\n");
    assert.equal((await done("read_file", { path: "a" }))["content"], "1|2");
  }));

test("read_file refuses a file that is not text with a description, without blocking", { timeout: 60_000 }, () =>
  withFileTools(async ({ refused, put, path, folder }) => {
    await put("p.png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0));
    const image = await refused("read_file", { path: "p.png" });
    assert.match(image.message, /PNG image, 9 bytes/u);
    assert.ok(isObject(image.data) && image.data["is_image"] === true);
    await put("b.txt", "a\0b");
    assert.match((await refused("read_file", { path: "b.txt" })).message, /binary/u);
    execFileSync("mkfifo", [path("fifo")]);
    await symlink("/dev/zero", path("zero"));
    for (const name of ["fifo", "zero", "/dev/random", "/dev/tty"])
      assert.match((await refused("read_file", { path: name })).message, /device, pipe or socket/u);
    assert.match((await refused("read_file", { path: folder })).message, /is a folder/u);
    await symlink("loop", path("loop"));
    assert.match((await refused("read_file", { path: "loop" })).message, /circle/u);
    for (const name of ["a\0b", "~nobody/x", "n".repeat(300)])
      assert.notEqual((await refused("read_file", { path: name })).kind, "crashed");
  }),
);

test("the error for a missing file names similar files; a file whose name has another Unicode form is opened", () =>
  withFileTools(async ({ done, refused, put, path }) => {
    await put("config.yaml", "a: 1\n");
    const missing = await refused("read_file", { path: "confg.yaml" });
    assert.deepEqual(missing.data, { similar_files: [path("config.yaml")] });
    await put("cafe\u0301.txt", "x");
    assert.equal((await done("read_file", { path: "caf\u00e9.txt" }))["content"], "1|x");
    await symlink("/etc/passwd", path("re\u0301sume\u0301"));
    await refused("read_file", { path: "r\u00e9sum\u00e9" });
  }));

test("a notebook is shown as its cells", () =>
  withFileTools(async ({ done, put }) => {
    await put("n.ipynb", JSON.stringify({ cells: [{ cell_type: "code", source: ["x = 1\n", "x"] }] }));
    const read = await done("read_file", { path: "n.ipynb" });
    assert.equal(read["content"], "1|# %% [code] cell 1\n2|x = 1\n3|x");
    assert.equal(read["extracted_document"], true);
  }));

// ── write_file ──────────────────────────────────────────────────────────────────────────────────────────────────────

test("write_file creates missing folders and verifies the result", () =>
  withFileTools(async ({ done, text, path, effects, folder }) => {
    const { diff, ...written } = await done("write_file", { path: "x/y/../z/a.txt", content: "häl\n" });
    assert.match(String(diff), /^\+häl$/mu);
    assert.deepEqual(written, {
      bytes_written: 5,
      dirs_created: true,
      verified: true,
      resolved_path: path("x/z/a.txt"),
      files_modified: [path("x/z/a.txt")],
      backend: "local",
    });
    assert.equal(await text("x/z/a.txt"), "häl\n");
    assert.deepEqual(effects, [{ kind: "write", path: path("x/z/a.txt") }]);
    assert.deepEqual((await readdir(folder)).toSorted(), ["x"]);
  }));

test("writing an existing file keeps its mode, links, byte order mark, line ends and last line end", () =>
  withFileTools(async ({ done, put, text, path }) => {
    await put("run.sh", "\ufeffa\r\nb\r\n");
    await chmod(path("run.sh"), 0o750);
    await symlink("run.sh", path("link"));
    const written = await done("write_file", { path: "link", content: "c\nd" });
    assert.equal(await text("run.sh"), "\ufeffc\r\nd\r\n");
    assert.equal((await stat(path("run.sh"))).mode & 0o777, 0o750);
    assert.equal(written["resolved_path"], path("run.sh"));
    assert.equal(written["bytes_written"], 9);
  }));

test("a file that changed since it was read is not overwritten, and the result shows the change", () =>
  withFileTools(async ({ done, refused, put, text }) => {
    await put("a.css", "red\nblue\n");
    await done("read_file", { path: "a.css" });
    await put("a.css", "red\npurple\n");
    const attempts: readonly [string, JsonObject][] = [
      ["write_file", { path: "a.css", content: "green\n" }],
      ["patch", { path: "a.css", old_string: "red", new_string: "green" }],
      ["patch", { patch: patchOf("*** Update File: a.css", "@@", "-red", "+green") }],
      ["patch", { patch: patchOf("*** Delete File: a.css") }],
    ];
    for (const [tool, args] of attempts) {
      const { message, effect } = await refused(tool, args);
      assert.match(message, /changed since you last saw it[^]*-blue\n\+purple/u);
      assert.equal(effect, "none");
    }
    assert.equal(await text("a.css"), "red\npurple\n");
    await done("read_file", { path: "a.css" });
    await done("write_file", { path: "a.css", content: "green\n" });
    await done("write_file", { path: "a.css", content: "yellow\n" });
    await done("patch", { path: "a.css", old_string: "yellow", new_string: "pink" });
    assert.equal(await text("a.css"), "pink\n");
  }));

test("write_file refuses copied line numbers, masked secrets and broken JSON", () =>
  withFileTools(async ({ done, refused, put, text }) => {
    await refused("write_file", { path: "new.py", content: "1|import os\n2|print(1)\n" });
    await refused("patch", { patch: patchOf("*** Add File: new.py", "+1|import os", "+2|print(1)") });
    await put(".env", "PORT=1\nKEY=s3cret\n");
    assert.equal((await done("read_file", { path: ".env" }))["content"], "1|PORT=1\n2|KEY=***");
    assert.match(
      (await refused("write_file", { path: ".env", content: "PORT=2\nKEY=***\n" })).message,
      /Line 2 .*hidden/u,
    );
    await refused("patch", { path: ".env", old_string: "KEY=***", new_string: "KEY=x" });
    await done("patch", { path: ".env", old_string: "PORT=1", new_string: "PORT=2" });
    assert.equal(await text(".env"), "PORT=2\nKEY=s3cret\n");

    await put("p.json", '{"a": 1}\n');
    assert.match(
      (await refused("write_file", { path: "p.json", content: '{\n"a": 1,\n}\n' })).message,
      /line 3, column 1/u,
    );
    await refused("patch", { path: "p.json", old_string: "1}", new_string: "1" });
    assert.equal(await text("p.json"), '{"a": 1}\n');
    await refused("write_file", { path: "new.json", content: "nope" });
    await put("with-comments.json", "// why\n{}\n");
    await done("write_file", { path: "with-comments.json", content: "// because\n{}\n" });
    await done("write_file", { path: "tsconfig.json", content: "// why\n{}\n" });
  }));

test(
  "a path below a folder without access is refused with a hint",
  { skip: process.getuid?.() !== 0 && "needs root to become another user" },
  async () => {
    await using home = await tempHome();
    await chmod(home.path, 0o700);
    const program = `import { resolveLinks } from "./real-paths.ts";
      process.setuid(65534);
      console.log(JSON.stringify(await resolveLinks(process.argv[1])));`;
    const folder = join(import.meta.dirname, "../../src/environments");
    const { output } = await inChild(folder, program, [join(home.path, "file")]).ended;
    assert.deepEqual(JSON.parse(output), {
      ok: false,
      error: {
        message: `${home.path}/file may not be accessed by this user; change its permissions or run as its owner`,
      },
    });
  },
);

test("writing fails for a folder, a device, and a path with a file as its parent", () =>
  withFileTools(async ({ refused, put, folder }) => {
    await put("file", "x");
    for (const path of [folder, "sub/", "/dev/null", "file/below", ""])
      assert.equal((await refused("write_file", { path, content: "x" })).effect, "none");
    assert.deepEqual(await readdir(folder), ["file"]);
  }));

// ── patch: replace ──────────────────────────────────────────────────────────────────────────────────────────────────

test("a replace edit changes the matching text and shows the change", () =>
  withFileTools(async ({ done, put, text, path, effects }) => {
    await put("a.ts", "let a = 1;\r\nlet b = 2;\r\n");
    const created = await done("patch", {
      path: "a.ts",
      old_string: "let b = 2;",
      new_string: "let b = '$&\\1';\nlet c;",
    });
    assert.equal(await text("a.ts"), "let a = 1;\r\nlet b = '$&\\1';\r\nlet c;\r\n");
    assert.deepEqual(created, {
      success: true,
      diff: `--- ${path("a.ts")}\n+++ ${path("a.ts")}\n@@ -1,2 +1,3 @@\n let a = 1;\n-let b = 2;\n+let b = '$&\\1';\n+let c;`,
      files_modified: [path("a.ts")],
      verified: true,
      backend: "local",
      note: "1 place changed.",
    });
    assert.deepEqual(effects, [
      { kind: "read", path: path("a.ts") },
      { kind: "write", path: path("a.ts") },
    ]);
  }));

test("a fuzzy edit is applied and reported; several matches, no match and a missing file are explained", () =>
  withFileTools(async ({ done, refused, put, text }) => {
    await put("a", "if x:\n\treturn 1\nif y:\n\treturn 2\nend\nend\n");
    const drifted = await done("patch", {
      path: "a",
      old_string: "if x:\n    return 1",
      new_string: "if x:\n    return 3",
    });
    assert.match(String(drifted["note"]), /white space/u);
    assert.match(await text("a"), /^if x:\n\treturn 3\n/u);
    const several = await refused("patch", { path: "a", old_string: "end", new_string: "fin" });
    assert.match(several.message, /5\|end\n6\|end/u);
    assert.deepEqual(several.data, {
      candidates: [
        { line: 5, last_line: 5, text: "end" },
        { line: 6, last_line: 6, text: "end" },
      ],
    });
    assert.match(
      (await refused("patch", { path: "a", old_string: "if z:\n\treturn 2", new_string: "" })).message,
      /3\|if y:/u,
    );
    await refused("patch", { path: "b", old_string: "x", new_string: "y" });
    assert.match((await refused("patch", { mode: "replace", path: "a" })).message, /old_string, new_string/u);
    assert.match((await refused("patch", { mode: "patch" })).message, /needs patch/u);
    await done("patch", { path: "a", old_string: "end", new_string: "fin", replace_all: true });
    assert.match(await text("a"), /fin\nfin\n$/u);
    assert.equal((await done("patch", { path: "a", old_string: "if x", new_string: "if x" }))["no_change"], true);
  }));

test("a file that is not UTF-8 is not edited", () =>
  withFileTools(async ({ refused, put, path }) => {
    const latin = Buffer.from("caf\xe9 au lait et un croissant\n", "latin1");
    await put("latin", latin);
    await refused("patch", { path: "latin", old_string: "lait", new_string: "miel" });
    await refused("patch", { patch: patchOf("*** Update File: latin", "@@", "-x", "+y") });
    assert.deepEqual(await readFile(path("latin")), latin);
  }));

// ── patch: V4A ──────────────────────────────────────────────────────────────────────────────────────────────────────

test("a patch adds, updates, deletes and moves, and reports each change", () =>
  withFileTools(async ({ done, put, text, path, effects, folder }) => {
    await put("up.txt", "a\nb\n");
    await put("gone.txt", "x\n");
    await put("from.sh", "echo 1\n");
    await chmod(path("from.sh"), 0o755);
    const created = await done("patch", {
      patch: patchOf(
        "*** Add File: new/deep.txt",
        "+hello",
        "*** Update File: ./up.txt",
        "@@",
        " a",
        "-b",
        "+c",
        "*** Delete File: gone.txt",
        "*** Update File: from.sh",
        "*** Move to: bin/to.sh",
        "@@",
        "-echo 1",
        "+echo 2",
      ),
    });
    assert.deepEqual([created["files_modified"], created["files_created"], created["files_deleted"]].flat(), [
      path("up.txt"),
      path("new/deep.txt"),
      path("bin/to.sh"),
      path("gone.txt"),
      path("from.sh"),
    ]);
    assert.equal(await text("bin/to.sh"), "echo 2\n");
    assert.equal((await stat(path("bin/to.sh"))).mode & 0o777, 0o755);
    assert.deepEqual((await readdir(folder)).toSorted(), ["bin", "new", "up.txt"]);
    assert.match(String(created["diff"]), /-echo 1\n\+echo 2/u);
    assert.deepEqual(effects, [
      { kind: "write", path: path("new/deep.txt") },
      { kind: "read", path: path("up.txt") },
      { kind: "write", path: path("up.txt") },
      { kind: "delete", path: path("gone.txt") },
      { kind: "read", path: path("from.sh") },
      { kind: "move", from: path("from.sh"), to: path("bin/to.sh") },
      { kind: "write", path: path("bin/to.sh") },
    ]);
  }));

test("a patch that does not apply in one part changes nothing, and the error names the line", () =>
  withFileTools(async ({ refused, put, text, folder }) => {
    await put("a.txt", "a\n");
    const { message } = await refused("patch", {
      patch: patchOf("*** Update File: a.txt", "@@", "-a", "+b", "*** Update File: a.text", "@@", "-x", "+y"),
    });
    assert.match(message, /^Line 6 of the patch, .*no such file.*There is: .*a\.txt/u);
    assert.match(
      (await refused("patch", { patch: patchOf("*** Updat File: a.txt") })).message,
      /^Line 2 of the patch/u,
    );
    assert.equal(await text("a.txt"), "a\n");
    assert.deepEqual(await readdir(folder), ["a.txt"]);
  }));

test("a patch can swap file names, but cannot turn files into folders or delete through links", () =>
  withFileTools(async ({ done, refused, put, text, path }) => {
    await put("a", "A\n");
    await put("b", "B\n");
    await done("patch", {
      patch: patchOf("*** Move File: a -> t", "*** Move File: b -> a", "*** Move File: t -> b"),
    });
    assert.deepEqual([await text("a"), await text("b")], ["B\n", "A\n"]);
    await refused("patch", { patch: patchOf("*** Delete File: a", "*** Add File: a/in", "+x") });
    await refused("patch", { patch: patchOf("*** Move File: b -> b/in") });
    assert.deepEqual([await text("a"), await text("b")], ["B\n", "A\n"]);
    await put("real", "r\n");
    await symlink("real", path("link"));
    assert.match((await refused("patch", { patch: patchOf("*** Delete File: link") })).message, /link/u);
    await done("patch", { patch: patchOf("*** Update File: link", "@@", "-r", "+s") });
    assert.equal(await text("real"), "s\n");
  }));

test("a failed write within a patch undoes the other changes", async () => {
  const full = (files: FileSystem): Partial<FileSystem> => ({
    write: async (path, bytes, signal) =>
      path.endsWith("last.txt") && bytes.length > 3
        ? err({ kind: "no_space", message: "the disk is full" })
        : files.write(path, bytes, signal),
  });
  await withFileTools(
    async ({ refused, done, put, text, folder, path }) => {
      await put("first.txt", "a\n");
      await put("moved.txt", "m\n");
      await put("gone.txt", "g\n");
      await put("last.txt", "z\n");
      const { message, effect } = await refused("patch", {
        patch: patchOf(
          "*** Update File: first.txt",
          "@@",
          "-a",
          "+b",
          "*** Add File: x/y/new.txt",
          "+n",
          "*** Move File: moved.txt -> x/moved.txt",
          "*** Delete File: gone.txt",
          "*** Update File: last.txt",
          "@@",
          "-z",
          "+longer",
        ),
      });
      assert.match(message, /disk is full.*Nothing was changed/u);
      assert.equal(effect, "none");
      assert.deepEqual((await readdir(folder)).toSorted(), ["first.txt", "gone.txt", "last.txt", "moved.txt"]);
      assert.deepEqual(await Promise.all(["first.txt", "gone.txt", "last.txt", "moved.txt"].map(text)), [
        "a\n",
        "g\n",
        "z\n",
        "m\n",
      ]);
      await rm(path("gone.txt"));
      await done("write_file", { path: "gone.txt", content: "again\n" });
    },
    { change: full },
  );
});

test("a hundred concurrent edits of a hundred files all succeed, without leftovers", () =>
  withFileTools(async ({ done, put, text, folder }) => {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => put(name, `${name}\n`)));
    await Promise.all(names.map((name) => done("patch", { path: name, old_string: name, new_string: `${name}!` })));
    for (const name of names) assert.equal(await text(name), `${name}!\n`);
    assert.equal((await readdir(folder)).length, 100);
  }));

test("a hundred concurrent edits of one file are all applied", () =>
  withFileTools(async ({ done, put, text }) => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}.`);
    await put("a", lines.join("\n"));
    await Promise.all(lines.map((line) => done("patch", { path: "a", old_string: line, new_string: `${line}!` })));
    assert.equal(await text("a"), lines.map((line) => `${line}!`).join("\n"));
  }));
