// covers: src/tools, src/environments
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { systemClock } from "../../src/base/clock.ts";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import { err } from "../../src/base/result.ts";
import type { Environment, FileSystem } from "../../src/contracts/environment/environment.ts";
import type { FileReads } from "../../src/contracts/host/ports.ts";
import { defineTool } from "../../src/contracts/tool/define-tool.ts";
import type { CallScope } from "../../src/contracts/tool/dispatch.ts";
import { fromJsonSchema } from "../../src/contracts/tool/json-input.ts";
import { text as textResult } from "../../src/contracts/tool/tool-result.ts";
import type { ToolFailure, ToolOutput } from "../../src/contracts/tool/tool-result.ts";
import { localFiles } from "../../src/environments/local/local-files.ts";
import { createRealPaths } from "../../src/environments/real-paths.ts";
import { createFileReads } from "../../src/kernel/file-reads.ts";
import { documentText } from "../../src/tools/files/documents/document-text.ts";
import readTool from "../../src/tools/files/read-file.tool.ts";
import { call, dispatchRig, type Rig } from "../support/dispatch-rig.ts";
import { assertFails } from "../support/failure.ts";
import { docx, wordParagraph, xlsx } from "../support/office-files.ts";
import { pdfFile, pdfOf } from "../support/pdf-file.ts";
import { tempHome } from "../support/temp-home.ts";

const otherTool = defineTool({
  name: "other",
  toolset: "test",
  description: "Does nothing.",
  input: fromJsonSchema({ type: "object" }),
  run: async () => textResult("done"),
});

interface Reader {
  readonly path: (name: string) => string;
  readonly put: (name: string, content: string | Uint8Array) => Promise<void>;
  readonly output: (path: string, more?: JsonObject) => Promise<ToolOutput>;
  readonly done: (path: string, more?: JsonObject) => Promise<Record<string, unknown>>;
  readonly refused: (path: string) => Promise<ToolFailure>;
  readonly rig: Rig;
  readonly scope: (changes?: Partial<CallScope>) => CallScope;
  readonly reads: FileReads;
}

interface ReaderOptions {
  readonly change?: (files: FileSystem) => Partial<FileSystem>;
  readonly images?: boolean;
  readonly limits?: { readonly turnChars: number };
}

/** read_file in a local folder, as a model calls it. Reading needs no shell. */
async function withReader(check: (reader: Reader) => Promise<void>, options: ReaderOptions = {}): Promise<void> {
  await using home = await tempHome();
  const local = localFiles(() => home.path);
  const environment = {
    kind: "local",
    files: { ...local, ...options.change?.(local) },
    state: async () => ({ cwd: home.path, path: "", functions: {}, aliases: {}, programs: {} }),
    // Only the parts that reading uses.
  } as unknown as Environment;
  const resolver = createRealPaths(local);
  const rig = dispatchRig([readTool, otherTool], { resolver, ...(options.limits && { limits: options.limits }) });
  const reads = createFileReads({ lines: 2000, lineChars: 2000, images: () => options.images ?? true });
  const scope = (changes: Partial<CallScope> = {}) =>
    rig.scope({
      place: { cwd: home.path, backend: "local" },
      services: { environment, fileReads: reads },
      ...changes,
    });
  const read = (path: string, more: JsonObject = {}) =>
    rig.dispatcher.dispatch(call("read_file", { path, ...more }), scope());
  const output = async (path: string, more?: JsonObject) => {
    const result = await read(path, more);
    assert.ok(result.ok, JSON.stringify(result));
    return result.value;
  };
  await check({
    path: (name) => join(home.path, name),
    put: (name, content) => writeFile(join(home.path, name), content),
    output,
    async done(path, more) {
      const { data } = await output(path, more);
      assert.ok(isObject(data));
      return data;
    },
    async refused(path) {
      const result = await read(path);
      assert.ok(!result.ok, JSON.stringify(result).slice(0, 500));
      return result.error;
    },
    rig,
    scope,
    reads,
  });
}

/** A PNG whose header has this size; its pixels are noise of `bytes` bytes. */
function png(width: number, height: number, bytes = 10): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    return Buffer.concat([head, Buffer.from(type), body, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", Buffer.alloc(bytes, 7)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

// ── images ──────────────────────────────────────────────────────────────────────────────────────────────────────────

test("an image is recognised by its bytes, not by its name", () =>
  withReader(async ({ output, put, path }) => {
    const picture = png(640, 480);
    await put("photo.txt", picture);
    const { content, data } = await output("photo.txt");
    assert.deepEqual(content, [
      { type: "text", text: `${path("photo.txt")} is a PNG image, 640 x 480 pixels, ${picture.length} bytes.` },
      { type: "image", mimeType: "image/png", data: picture.toString("base64") },
    ]);
    assert.deepEqual(data, {
      resolved_path: path("photo.txt"),
      file_size: picture.length,
      backend: "local",
      is_image: true,
      format: "PNG",
      mime_type: "image/png",
      width: 640,
      height: 480,
    });
    const jpeg = Buffer.from(
      "ffd8ffe000104a46494600010100000100010000ffc0001108012c01900301110002110103110100ffd9",
      "hex",
    );
    await put("a.jpg", jpeg);
    assert.match(JSON.stringify((await output("a.jpg")).content), /JPEG image, 400 x 300 pixels/u);
    await put("a.gif", Buffer.from("GIF89a\x05\x00\x04\x00\x00\x00\x00;", "latin1"));
    assert.match(JSON.stringify((await output("a.gif")).content), /GIF image, 5 x 4 pixels/u);
    const webp = Buffer.from("524946461e000000574542505650385812000000000000000f0000070000", "hex");
    await put("a.webp", webp);
    assert.match(JSON.stringify((await output("a.webp")).content), /WebP image, 16 x 8 pixels/u);
  }));

test("an image that cannot be shown is described, with advice", () =>
  withReader(async ({ refused, put }) => {
    await put("wide.png", png(8000, 10));
    const wide = await refused("wide.png");
    assert.match(wide.message, /8000 x 10 pixels.*more than 7900 pixels.*smaller copy/u);
    assert.ok(isObject(wide.data) && wide.data["is_image"] === true && wide.data["width"] === 8000);
    await put("heavy.png", png(10, 10, 4_000_001));
    assert.match((await refused("heavy.png")).message, /more than 4000000 bytes/u);
    await put("cut.png", png(10, 10).subarray(0, 12));
    assert.match((await refused("cut.png")).message, /damaged/u);
    const bmp = Buffer.alloc(60);
    bmp.write("BM");
    bmp.writeInt32LE(3, 18);
    bmp.writeInt32LE(-2, 22);
    await put("a.bmp", bmp);
    assert.match((await refused("a.bmp")).message, /BMP image, 3 x 2 pixels.*Convert/u);
  }));

test("a text-only model gets a description of an image", () =>
  withReader(
    async ({ refused, put }) => {
      await put("a.png", png(2, 2));
      assert.match((await refused("a.png")).message, /PNG image, 2 x 2 pixels.*cannot see images/u);
    },
    { images: false },
  ));

// ── documents ───────────────────────────────────────────────────────────────────────────────────────────────────────

test("documents are read as lines, page by page", () =>
  withReader(async ({ done, put }) => {
    await put("report", pdfFile([["Hello (world)", "a second line"], [], ["the end"]]));
    const pdf = await done("report");
    assert.equal(
      pdf["content"],
      "1|--- Page 1 of 3 ---\n2|Hello (world)\n3|a second line\n4|\n5|--- Page 2 of 3 ---\n6|\n7|--- Page 3 of 3 ---\n8|the end",
    );
    assert.deepEqual([pdf["extracted_document"], pdf["total_lines"], pdf["truncated"]], [true, 8, false]);
    assert.match(String(pdf["hint"]), /text of a PDF document.*No text was found on pages 2\./u);
    const piece = await done("report", { offset: 2, limit: 1 });
    assert.deepEqual([piece["content"], piece["next_offset"]], ["2|Hello (world)", 3]);

    await put("letter.docx", docx(wordParagraph(["Dear ", "all"])));
    assert.match(String((await done("letter.docx"))["content"]), /^1\|Dear all\n/u);
    await put("table.xlsx", xlsx('<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'));
    assert.match(String((await done("table.xlsx"))["content"]), /\n2\|1\t2\n/u);
    await put("note.rtf", "{\\rtf1 Hi\\par there}");
    assert.equal((await done("note.rtf"))["content"], "1|Hi\n2|there");
  }));

test("a document that is locked, damaged, an archive or of an old program is described", () =>
  withReader(async ({ refused, put }) => {
    const locked =
      "/Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) /P -4 >> /ID [(a)(a)]";
    await put("locked.pdf", pdfFile([["x"]], { trailer: locked }));
    assert.match((await refused("locked.pdf")).message, /PDF document, \d+ bytes: it is protected by a password/u);
    await put("cut.pdf", pdfFile([["x"]]).subarray(0, 200));
    assert.match((await refused("cut.pdf")).message, /PDF document, 200 bytes: it is damaged/u);
    await put("cut.docx", docx("x").subarray(0, 200));
    const cut = await refused("cut.docx");
    assert.match(cut.message, /ZIP archive, 200 bytes: its end is missing/u);
    assert.ok(isObject(cut.data) && cut.data["is_binary"] === true);
    await put("old.doc", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(500)]));
    assert.match((await refused("old.doc")).message, /old office program.*libreoffice/u);
    const inside = Buffer.from("EncryptedPackage", "utf16le");
    await put("locked.docx", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(500), inside]));
    assert.match((await refused("locked.docx")).message, /office document.*protected by a password/u);
  }));

test("a document of five hundred pages is parsed once and then paged through", { timeout: 180_000 }, () =>
  withReader(async ({ done, put }) => {
    const pages = Array.from({ length: 500 }, (_, page) =>
      Array.from({ length: 20 }, (_, line) => `p${page} l${line}`),
    );
    await put("long.pdf", pdfFile(pages));
    let workers = 0;
    const countWorker = () => void workers++;
    process.on("worker", countWorker);
    const first = await done("long.pdf", { limit: 10 });
    assert.equal(first["total_lines"], 500 * 22 - 1);
    const last = await done("long.pdf", { offset: 500 * 22 - 1 });
    assert.equal(last["content"], "10999|p499 l19");
    process.off("worker", countWorker);
    assert.equal(workers, 1, "a worker extracts the text once");
  }),
);

test(
  "a document that takes too much memory or time is abandoned, and the program continues",
  { timeout: 180_000 },
  () =>
    withReader(async ({ refused, put, done }) => {
      const bomb = pdfOf([Buffer.alloc(150_000_000, " ")]);
      const within = { signal: new AbortController().signal, clock: systemClock };
      const memory = await documentText(bomb, within, { ms: 60_000, memoryMb: 100 });
      assert.deepEqual(memory, err({ what: "a document", why: "its text takes too much memory to extract" }));
      const time = await documentText(bomb, within, { ms: 1, memoryMb: 600 });
      assert.ok(!time.ok && time.error.why.includes("within 0.001 seconds"));
      await put("bomb.docx", docx("", { "word/document.xml": " ".repeat(160_000_000) }));
      assert.match((await refused("bomb.docx")).message, /too big when unpacked/u);
      await put("a.pdf", pdfFile([["fine"]]));
      assert.match(String((await done("a.pdf"))["content"]), /fine/u);
    }),
);

test("an interrupt stops reading a document", { timeout: 180_000 }, () =>
  withReader(async ({ put, rig, scope }) => {
    const line = "BT /F1 12 Tf (a) Tj ET\n";
    await put("slow.pdf", pdfOf([Buffer.from(line.repeat(2_000_000))]));
    const controller = new AbortController();
    const reading = rig.dispatcher.dispatch(
      call("read_file", { path: "slow.pdf" }),
      scope({ signal: controller.signal }),
    );
    while (!process.getActiveResourcesInfo().includes("MessagePort"))
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const result = await reading;
    assert.ok(!result.ok && result.error.kind === "aborted");
  }),
);

test("concurrent documents are read one after the other", { timeout: 180_000 }, () =>
  withReader(async ({ put, rig, scope }) => {
    const names = Array.from({ length: 12 }, (_, index) => `${index}.pdf`);
    for (const name of names) await put(name, pdfFile([[`this is ${name}`]]));
    const calls = names.map((path, index) => call("read_file", { path }, `call_${index}`));
    const results = await rig.dispatcher.dispatchAll(calls, scope());
    for (const [index, result] of results.entries())
      assert.ok(
        result.ok && JSON.stringify(result.value.data).includes(`this is ${index}.pdf`),
        JSON.stringify(result),
      );
  }),
);

test("a notebook is read with its outputs; pictures in them are described", () =>
  withReader(async ({ done, put }) => {
    const picture = png(2, 2, 400).toString("base64");
    const outputs = [
      { output_type: "execute_result", data: { "text/plain": ["42"], "image/png": picture } },
      { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mline 1\u001b[0m", "E: v"] },
    ];
    await put("n.ipynb", JSON.stringify({ cells: [{ cell_type: "code", source: ["x = 1\n", "x"], outputs }] }));
    const read = await done("n.ipynb");
    assert.equal(
      read["content"],
      "1|# %% [code] cell 1\n2|x = 1\n3|x\n4|# output:\n5|42\n6|[image/png of 457 bytes not shown]\n7|# output:\n8|line 1\n9|E: v",
    );
    assert.equal(read["extracted_document"], true);
  }));

// ── paths that are not readable files ─────────────────────────────────────────────────────────────────────────────────────────

test(
  "devices, pipes, sockets and files of running programs are refused without being opened",
  { timeout: 180_000 },
  async () => {
    const opened: string[] = [];
    await withReader(
      async ({ refused, path }) => {
        execFileSync("mkfifo", [path("fifo")]);
        await symlink("fifo", path("to-fifo"));
        await symlink("/dev/zero", path("zero"));
        await using server = createServer();
        server.listen(path("socket"));
        await once(server, "listening");
        const names = ["fifo", "to-fifo", "zero", "socket", "/dev/random", "/dev/tty", "/dev/stdin", "/dev/fd/0"];
        for (const name of [...names, "/proc/self/fd/0", "/proc/1/fd/3", "/proc/thread-self/fd/1"])
          assert.match((await refused(name)).message, /device, pipe or socket|may not be accessed/u, name);
        for (const name of [
          "/proc/self/environ",
          "/proc/self/mem",
          "/proc/kcore",
          "/proc/kmsg",
          "/proc/self/task/1/environ",
        ])
          assert.match((await refused(name)).message, /not opened/u, name);
      },
      {
        change: (files) => ({
          read: (path, signal, range) => {
            opened.push(path);
            return files.read(path, signal, range);
          },
        }),
      },
    );
    assert.deepEqual(opened, []);
  },
);

test("system files that report size 0 are read", { skip: process.platform !== "linux" }, () =>
  withReader(async ({ done }) => {
    assert.match(String((await done("/proc/self/status"))["content"]), /^1\|Name:/u);
    assert.match(String((await done("/proc/version"))["content"]), /^1\|Linux/u);
  }),
);

test("a read of a growing file ends at the size that the file had at the start", () =>
  withReader(
    async ({ done, put }) => {
      await put("log", "one\ntwo\n");
      const read = await done("log");
      assert.equal(read["content"], "1|one\n2|two");
      assert.match(String(read["hint"]), /grew while it was read/u);
    },
    {
      change: (files) => ({
        async read(path, signal, range) {
          await writeFile(path, "one\ntwo\nthree\n".repeat(1000));
          return files.read(path, signal, range);
        },
      }),
    },
  ));

test("a file of ten gigabytes is read by lines, in little memory", { timeout: 180_000 }, () =>
  withReader(async ({ done, refused, put, path }) => {
    await put("big.log", "first\nsecond\n");
    await using file = await open(path("big.log"), "a");
    const block = Buffer.alloc(8 * 1024 * 1024, "x".repeat(63) + "\n");
    for (let count = 0; count < 14; count++) await file.write(block);
    await truncate(path("big.log"), 10_000_000_000);
    const read = await done("big.log", { limit: 2 });
    assert.equal(read["content"], "1|first\n2|second");
    assert.deepEqual([read["next_offset"], read["truncated"], "total_lines" in read], [3, true, false]);
    const deep = await done("big.log", { offset: 1_800_000, limit: 1 });
    assert.equal(deep["content"], `1800000|${"x".repeat(63)}`);
    await put("sparse", "");
    await truncate(path("sparse"), 10_000_000_000);
    assert.match((await refused("sparse")).message, /binary data.*10000000000 bytes/u);
  }),
);

test("a line of a hundred megabytes is cut, and the next line is shown", { timeout: 180_000 }, () =>
  withReader(async ({ done, put }) => {
    await put("long", Buffer.concat([Buffer.alloc(110_000_000, "y"), Buffer.from("\nnext\n")]));
    const before = process.memoryUsage.rss();
    const read = await done("long", { limit: 2 });
    assert.match(String(read["content"]), /^1\|y{2000}… \[cut: the line has 110000000 bytes\]\n2\|next$/u);
    assert.ok(process.memoryUsage.rss() - before < 60_000_000);
  }),
);

test("binary files are described by their type, with advice", () =>
  withReader(async ({ refused, put }) => {
    const kinds: readonly [string, Uint8Array, RegExp][] = [
      ["prog", Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"), /an ELF program.*10 bytes.*readelf/u],
      ["db", Buffer.from("SQLite format 3\0\x10\0"), /SQLite database.*sqlite3/u],
      ["a.gz", Buffer.from([0x1f, 0x8b, 8, 0]), /gzip data.*zcat/u],
      ["song", Buffer.from("ID3\x04\0\0\0"), /MP3 audio.*ffprobe/u],
      ["what", Buffer.from([1, 2, 0, 255, 254, 0, 3]), /NUL bytes.*xxd/u],
      ["deflated", deflateSync(Buffer.alloc(5000, "hello ")), /binary data/u],
    ];
    for (const [name, bytes, expected] of kinds) {
      await put(name, bytes);
      const { message, data } = await refused(name);
      assert.match(message, expected);
      assert.ok(isObject(data) && data["is_binary"] === true && data["is_image"] === false);
    }
  }));

test("text in other encodings is shown as text, with a note", () =>
  withReader(async ({ done, put }) => {
    const text = "häuser\r\nzwei ✓\r\n";
    await put("le", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]));
    await put("be", Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, "utf16le").swap16()]));
    await put("bare", Buffer.from("plain words without a mark\n", "utf16le"));
    for (const name of ["le", "be"]) {
      const read = await done(name);
      assert.equal(read["content"], "1|häuser\n2|zwei ✓");
      assert.match(String(read["hint"]), /UTF-16/u);
    }
    assert.equal((await done("bare"))["content"], "1|plain words without a mark");
    await put("latin", Buffer.from("caf\xe9 au lait \x80\n", "latin1"));
    const latin = await done("latin");
    assert.equal(latin["content"], "1|café au lait €");
    assert.match(String(latin["hint"]), /Latin-1/u);
    await put("mixed", Buffer.concat([Buffer.from("ünï and more\n"), Buffer.from([0xe9]), Buffer.from(" x\n")]));
    assert.equal((await done("mixed"))["content"], "1|ünï and more\n2|\ufffd x");
    await put("nul.log", `${"a line of a log\n".repeat(100)}\0\n`);
    assert.match(String((await done("nul.log", { offset: 101 }))["content"]), /^101\|␀$/u);
  }));

// ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

test("the error for a missing file names similar files and folders; only a name in another Unicode form is opened", () =>
  withReader(async ({ done, refused, put, path }) => {
    await mkdir(path("sources"));
    await mkdir(path("re\u0301sume\u0301s"));
    await put("sources/main.ts", "1");
    await put("README.md", "1");
    await put("Screenshot 9.41\u202fAM.txt", "1");
    await put("re\u0301sume\u0301s/e\u0301t\u00e9.txt", "x");
    const similar = async (name: string) => (await refused(name)).data;
    assert.deepEqual(await similar("readme.md"), { similar_files: [path("README.md")] });
    assert.deepEqual(await similar("Screenshot 9.41 AM.txt"), { similar_files: [path("Screenshot 9.41\u202fAM.txt")] });
    assert.deepEqual(await similar("source/main.ts"), { similar_files: [path("sources/main.ts")] });
    assert.deepEqual(await similar("source/nothing"), { similar_files: [path("sources")] });
    assert.match((await refused("README.md/x")).message, /README\.md.*folder/u);
    assert.deepEqual(await similar("qqqqqq"), { similar_files: [] });

    const match = await done("r\u00e9sum\u00e9s/\u00e9t\u00e9.txt");
    assert.equal(match["content"], "1|x");
    assert.equal(match["resolved_path"], path("re\u0301sume\u0301s/e\u0301t\u00e9.txt"));
    assert.match(String(match["hint"]), /another Unicode form/u);
    await put("\u00f1", "composed");
    await put("n\u0303", "apart");
    assert.equal((await done("\u00f1"))["content"], "1|composed");
    assert.equal((await done("n\u0303"))["content"], "1|apart");
    await symlink("/etc/passwd", path("o\u0308"));
    await refused("\u00f6");
  }));

// ── repeats ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a repeated read gets a short answer only while its content is still in the context", () =>
  withReader(
    async ({ done, put, rig, scope, reads }) => {
      await put("a", "x\n");
      const isBrief = async () => (await done("a"))["content_returned"] === false;
      assert.deepEqual([await isBrief(), await isBrief()], [false, true]);

      await isBrief();
      await rig.dispatcher.dispatch(call("other"), scope());
      assert.equal(await isBrief(), false, "another tool came between");

      reads.forgetShown();
      assert.equal(await isBrief(), false, "the context was shortened");

      await rig.dispatcher.dispatch(call("read_file", { path: "missing" }), scope());
      assert.equal(await isBrief(), false, "a read failed between");

      reads.forgetShown();
      await rig.dispatcher.dispatch(call("read_file", { path: "a" }), scope({ origin: "script" }));
      assert.equal(await isBrief(), false, "only a script saw it");

      await put("long", "words and words\n".repeat(500));
      const results = await rig.dispatcher.dispatchAll([call("read_file", { path: "long" })], scope());
      assert.match(JSON.stringify(results), /persisted-output/u);
      assert.notEqual((await done("long"))["content_returned"], false, "the turn was too long to show it");
    },
    { limits: { turnChars: 5000 } },
  ));

test("an interrupted read does not count as shown to the model", () =>
  withReader(async ({ done, put, rig, scope }) => {
    await put("a", "x\n");
    const controller = new AbortController();
    const reading = rig.dispatcher.dispatch(call("read_file", { path: "a" }), scope({ signal: controller.signal }));
    controller.abort();
    assertFails(await reading, /aborted.*cancelled before it started/u);
    assert.equal((await done("a"))["content"], "1|x");
  }));
