// covers: src/plugins, src/runtime/plugins, src/safety/isolation, src/safety/plugin-sandbox.ts, src/base/process
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import type { PluginLanguage } from "../../src/contracts/plugin/manifest.ts";
import { type ConfinedPluginRig, confinedPlugin } from "../support/confined-plugin.ts";
import { eventually } from "../support/eventually.ts";
import { missingPrograms } from "../support/system-programs.ts";

/** Other sandboxes have their own tests. */
const skip = missingPrograms({ bwrap: "bubblewrap" });

const smaller = { settings: { plugins: { max_memory_mb: 512 } } };

interface Attack {
  readonly what: string;
  readonly python?: string;
  readonly typescript?: string;
  /** The answer to the call, or the kind and message of its failure. */
  readonly answer: RegExp;
  /** Sentences for the user. Default: none. */
  readonly report?: RegExp;
  /** The process of the plugin survives and nothing is reported, so that the next attack can use the process. */
  readonly survives?: true;
  readonly timeoutMs?: number;
  readonly maxIdleMs?: number;
}

const attacks: readonly Attack[] = [
  {
    what: "an endless loop",
    python: "while True: pass",
    answer: /^timeout: /u,
    timeoutMs: 300,
  },
  {
    what: "an endless loop that cannot be interrupted",
    python: "sum(iter(int, 1))",
    typescript: "for (;;);",
    answer: /^timeout: /u,
    report: /does not stop on request and was ended/u,
    timeoutMs: 300,
  },
  {
    what: "endless work that nobody asked for",
    python: "import threading; threading.Thread(target=lambda: sum(1 for _ in iter(int, 1)), daemon=True).start()",
    answer: /"ok":true/u,
    report: /kept the processor busy without a request and was ended/u,
    maxIdleMs: 1_000,
  },
  {
    what: "the end of the process",
    python: "import os; os._exit(7)",
    typescript: "process.exit(7)",
    answer: /^crashed: Plugin sample ended unexpectedly \(exit code 7\)/u,
    report: /ended unexpectedly/u,
  },
  {
    what: "an unhandled rejection",
    typescript:
      "Promise.reject(new Error('nobody catches this')); await new Promise((done) => setTimeout(done, 100)); return 'fine'",
    answer: /fine|nobody catches this/u,
    report: /nobody catches this|^$/u,
  },
  {
    what: "a new process",
    python: "import os; os.fork()",
    typescript: "require('node:child_process').execFileSync('/usr/bin/id'); return 'ran'",
    answer: /PermissionError|EPERM/u,
    report: /^$|tried to start .* and was refused\. To allow it: hermes plugins grant sample exec$/u,
  },
  {
    what: "a fork through the C library",
    python: "import subprocess; subprocess.run(['/usr/bin/id'])",
    answer: /PermissionError/u,
    report: /tried to start \/usr\/bin\/id and was refused\. To allow it: hermes plugins grant sample exec$/u,
  },
  {
    what: "a thread, which is harmless",
    survives: true,
    python:
      "import threading; out = []; t = threading.Thread(target=lambda: out.append(5)); t.start(); t.join(); result = out",
    typescript:
      "const { Worker } = require('node:worker_threads'); return await new Promise((done, fail) => new Worker('require(\"node:worker_threads\").parentPort.postMessage(5)', { eval: true }).on('message', done).on('error', fail))",
    answer: /5/u,
  },
  {
    what: "4 GB of memory",
    python: "x = bytearray(4 << 30)",
    typescript: "const all = []; for (let n = 0; n < 4096; n++) all.push(Buffer.alloc(2 ** 20, 1)); return all.length",
    answer: /MemoryError|Array buffer allocation failed|^crashed/u,
    report: /^$|ended unexpectedly|more than 512 MB/u,
  },
  {
    what: "4 GB of shared memory",
    python: "import mmap\nm = mmap.mmap(-1, 4 << 30)\nfor n in range(0, 4 << 30, 4096): m[n] = 1",
    answer: /^crashed: .*used more than 512 MB/u,
    report: /used more than 512 MB of memory and was ended/u,
  },
  {
    what: "memory of the kernel",
    survives: true,
    python: "import os; os.memfd_create('x')",
    answer: /OSError.*38|not implemented/u,
  },
  {
    what: "a result of 100 MB",
    python: "result = 'x' * (100 << 20)",
    typescript: "return 'x'.repeat(100 * 2 ** 20)",
    answer: /more than 16 MB|at most 15 MB|limit is 15 MB/u,
    report: /^$|more than 16 MB/u,
  },
  {
    what: "garbage on the connection",
    python: `import os, time
for fd in [int(name) for name in os.listdir("/proc/self/fd")]:
    if fd < 3: continue
    try:
        for n in range(400): os.write(fd, b"rubbish\\n")
    except OSError: pass
time.sleep(20)`,
    typescript:
      "const fs = require('node:fs'); fs.writeSync(3, 'rubbish\\n'.repeat(400)); await new Promise((done) => setTimeout(done, 20_000))",
    answer: /^crashed: .*not JSON-RPC/u,
    report: /not JSON-RPC and was ended/u,
  },
  {
    what: "a closed connection",
    python: "import os, time; os.closerange(3, 1000); time.sleep(2)",
    answer: /^(?:crashed|timeout): /u,
    report: /closed its connection|ended unexpectedly|does not stop on request/u,
    timeoutMs: 4_000,
  },
  {
    what: "signals to its parent and to everybody",
    survives: true,
    python: `import os
out = []
for pid in (os.getppid(), 1, -1, 2, 3):
    if pid == 0: continue
    try: os.kill(pid, 9); out.append("sent")
    except Exception as error: out.append(type(error).__name__)
result = out`,
    typescript:
      "const out = []; for (const pid of [-1, 2, 3]) try { process.kill(pid, 'SIGKILL'); out.push('sent'); } catch (error) { out.push(error.code); } return out",
    answer: /ProcessLookupError|ESRCH/u,
  },
  {
    what: "processes of others",
    survives: true,
    python: "import os; result = [n for n in os.listdir('/proc') if n.isdigit()]",
    typescript: "return JSON.stringify(require('node:fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))",
    answer: /\[['"\\]+1['"\\]+\]/u,
  },
  {
    what: "devices, mounts and namespaces",
    survives: true,
    python: `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
out = [libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), libc.unshare(0x10000000), libc.ptrace(0, 0, 0, 0)]
result = out, os.path.exists("/dev/mem"), os.path.exists("/sys/kernel"), os.access("/dev", os.W_OK)`,
    answer: /\[-1, -1, -1\], False, False, False/u,
  },
  {
    what: "sockets of another kind",
    survives: true,
    python: `import socket
out = []
for family in (40, 38, 17):
    try: socket.socket(family, socket.SOCK_STREAM); out.append("made")
    except OSError as error: out.append(error.errno)
result = out`,
    answer: /\[97, 97, 97\]/u,
  },
];

describe("a hostile plugin cannot leave its sandbox", { skip }, () => {
  for (const language of ["python", "typescript"] as const) {
    for (const attack of attacks.filter((each) => language in each && !each.survives))
      test(`${language}: ${attack.what}`, async () => {
        const { maxIdleMs } = attack;
        await using rig = await confinedPlugin({ language, ...smaller, ...(maxIdleMs && { maxIdleMs }) });
        await withstand(rig, language, attack);
      });

    test(`${language}: attacks that the process of the plugin survives`, async (t) => {
      await using rig = await confinedPlugin({ language, ...smaller });
      for (const attack of attacks.filter((each) => language in each && each.survives))
        await t.test(attack.what, () => withstand(rig, language, attack));
    });
  }

  for (const [language, atImport] of [
    ["python", "while True: pass"],
    ["typescript", "for (;;);"],
  ] as const)
    test(`${language}: a hang at import`, async () => {
      await using rig = await confinedPlugin({ language, atImport, loadTimeoutMs: 1_000 });
      assert.match(await rig.run(works[language]), /^timeout: Plugin sample did not answer load within 1 s/u);
      assert.equal(rig.reports.length, 1);
    });

  for (const [language, atImport] of [
    ["python", "import os; os.kill(1, 9); os._exit(0)"],
    ["typescript", "process.exit(0);"],
    ["python", "this is not python"],
    ["typescript", "this is not JavaScript"],
  ] as const)
    test(`${language}: an exit or error at import: ${atImport}`, async () => {
      await using rig = await confinedPlugin({ language, atImport });
      assert.match(await rig.run(works[language]), /^(?:crashed|failed): /u);
      assert.equal(rig.reports.length, 1);
    });
});

/** Runs the code of an attack, checks its answer and the new reports, and that the plugin still answers. */
async function withstand(rig: ConfinedPluginRig, language: PluginLanguage, attack: Attack): Promise<void> {
  const { answer, report = /^$/u, timeoutMs = 30_000 } = attack;
  const reported = rig.reports.length;
  assert.match(await rig.run(attack[language] ?? assert.fail(), { timeoutMs }), answer);
  const reports = () => rig.reports.slice(reported).join("\n");
  await eventually(() => report.test(reports()), `${report}: ${reports()}`);
  assert.match(await rig.run(works[language]), /works/u, "it answers again");
}

const works: Readonly<Record<PluginLanguage, string>> = { python: "result = 'works'", typescript: "return 'works'" };

/** Code that reads a file, or writes one. */
const reading: Readonly<Record<PluginLanguage, (path: string) => string>> = {
  python: (path) => `result = open(${JSON.stringify(path)}).read()`,
  typescript: (path) => `return require("node:fs").readFileSync(${JSON.stringify(path)}, "utf8")`,
};
const writing: Readonly<Record<PluginLanguage, (path: string) => string>> = {
  python: (path) => `open(${JSON.stringify(path)}, "w").write("changed")\nresult = "written"`,
  typescript: (path) => `require("node:fs").writeFileSync(${JSON.stringify(path)}, "changed"); return "written"`,
};

function writeSecret(rig: ConfinedPluginRig, name: string): string {
  const path = join(rig.folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "secret");
  return path;
}

describe("files", { skip }, () => {
  for (const language of ["python", "typescript"] as const) {
    test(`${language}: sees its own folder, but no keys, other plugins or settings`, async () => {
      await using rig = await confinedPlugin({ language });
      for (const name of [
        ".ssh/id_rsa",
        ".hermes/.env",
        ".hermes/plugins/other/index.js",
        ".hermes/plugin-data/other/x",
      ]) {
        const path = writeSecret(rig, name);
        assert.match(await rig.run(reading[language](path)), /FileNotFound|ENOENT/u, name);
        await rig.run(writing[language](path));
        assert.equal(readFileSync(path, "utf8"), "secret");
      }
      const own = join(rig.home, "plugins/sample/data.txt");
      writeFileSync(own, "shipped");
      assert.match(await rig.run(reading[language](own)), /shipped/u);
      assert.match(await rig.run(writing[language](own)), /Read-only|EROFS/u);
      assert.match(await rig.run(reading[language]("/etc/shadow")), /FileNotFound|ENOENT/u);
      assert.match(await rig.run(writing[language]("/usr/lib/x")), /Read-only|EROFS/u);
      assert.match(await rig.run(reading[language]("/proc/1/root/etc/shadow")), /FileNotFound|ENOENT/u);
    });

    test(`${language}: can write its data folder, its temporary folder, and a skill in the staging folder`, async () => {
      await using rig = await confinedPlugin({ language });
      const data = join(rig.home, "plugin-data/sample/x");
      assert.match(await rig.run(writing[language](data)), /written/u);
      assert.equal(readFileSync(data, "utf8"), "changed");
      assert.match(await rig.run(writing[language]("/tmp/x")), /written/u);
      const skill = join(rig.home, "skills/mine.md");
      assert.match(await rig.run(writing[language](skill)), /written/u);
      assert.ok(!existsSync(skill));
      assert.equal(readFileSync(join(rig.home, "plugin-data/.skills/sample/mine.md"), "utf8"), "changed");
    });

    test(`${language}: granted folders are visible, keys in them are hidden`, async () => {
      const rights = { read: ["~"], write: ["~/notes", "~/new.jsonl"] };
      await using rig = await confinedPlugin({ language, rights });
      const [notes, key, env] = [
        writeSecret(rig, "notes/a.md"),
        writeSecret(rig, ".ssh/id_rsa"),
        writeSecret(rig, ".hermes/.env"),
      ];
      writeSecret(rig, "other/b.md");
      assert.match(await rig.run(reading[language](notes)), /secret/u);
      assert.match(await rig.run(writing[language](notes)), /written/u);
      assert.match(await rig.run(writing[language](join(rig.folder, "new.jsonl"))), /written/u);
      assert.match(await rig.run(reading[language](join(rig.folder, "other/b.md"))), /secret/u);
      assert.match(await rig.run(writing[language](join(rig.folder, "other/b.md"))), /Read-only|EROFS/u);
      for (const path of [key, env]) assert.match(await rig.run(reading[language](path)), /FileNotFound|ENOENT/u);
    });
  }

  test("a refused file access of a TypeScript plugin is reported, whichever function was used; a missing file is not", async () => {
    await using rig = await confinedPlugin({ language: "typescript" });
    const path = (name: string) => JSON.stringify(writeSecret(rig, `.ssh/${name}`));
    const ways = {
      readFileSync: `fs.readFileSync(${path("readFileSync")})`,
      readFile: `await new Promise((done) => fs.readFile(${path("readFile")}, done))`,
      promises: `await fs.promises.readFile(${path("promises")}).catch(String)`,
      imported: `await (await import("node:fs/promises")).readFile(new URL("file://" + ${path("imported")})).catch(String)`,
      stream: `await new Promise((done) => fs.createReadStream(${path("stream")}).on("error", done))`,
      copy: `fs.copyFileSync(${path("copy")}, "/tmp/copy")`,
      open: `fs.openSync(${path("open")}, "r")`,
    };
    const writes = {
      openToWrite: `fs.openSync(${path("openToWrite")}, "a")`,
      unlink: `await fs.promises.unlink(${path("unlink")}).catch(String)`,
      rename: `fs.renameSync("/tmp/none", ${path("rename")})`,
    };
    const lines = [...Object.values(ways), ...Object.values(writes)].map((line) => `try { ${line} } catch {}`);
    const missing = `try { fs.readFileSync(${JSON.stringify(join(rig.folder, "none"))}) } catch {}
try { fs.writeFileSync(${JSON.stringify(join(rig.home, "plugin-data/sample/none/x"))}, "") } catch {}`;
    const code = `const fs = require("node:fs");\n${lines.join("\n")}\n${missing}\nreturn "works"`;
    assert.match(await rig.run(code), /works/u);
    const reported = rig.reports.map((report) =>
      /tried to (\w+) .*\/\.ssh\/(\w+) and/u.exec(report)?.slice(1).join(" "),
    );
    const expected = [
      ...Object.keys(ways).map((name) => `read ${name}`),
      ...Object.keys(writes).map((name) => `write ${name}`),
    ];
    assert.deepEqual(reported, expected);
  });

  test("a pattern grants the files that it matches", async () => {
    await using rig = await confinedPlugin({ language: "python", rights: { read: ["~/notes/*.md"] } });
    const [shown, hidden] = [writeSecret(rig, "notes/a.md"), writeSecret(rig, "notes/b.txt")];
    assert.match(await rig.run(reading.python(shown)), /secret/u);
    assert.match(await rig.run(reading.python(hidden)), /FileNotFound/u);
  });
});

describe("plugins can run other programs only with permission", { skip }, () => {
  test("with the permission, other programs run in the same sandbox", async () => {
    await using rig = await confinedPlugin({ language: "python", rights: { exec: true } });
    const key = writeSecret(rig, ".ssh/id_rsa");
    const code = `import subprocess; result = subprocess.run(["cat", ${JSON.stringify(key)}], capture_output=True, text=True).stderr`;
    assert.match(await rig.run(code), /No such file/u);
  });

  test("a fork bomb in a plugin is stopped", async () => {
    await using rig = await confinedPlugin({ language: "python", rights: { exec: true } });
    // At most 1,024 processes for 20 seconds, in case nothing stops it.
    const code =
      "import os, time\nfor n in range(10):\n    try: os.fork()\n    except OSError: pass\n    time.sleep(0.01)\ntime.sleep(20)";
    assert.match(await rig.run(code), /^crashed: .*started more than 65 processes/u);
    assert.match(await rig.run(works.python), /works/u);
  });
});
