// covers: src/bin
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { tempHome } from "../support/temp-home.ts";

const loader = pathToFileURL(join(import.meta.dirname, "..", "..", "src", "bin", "load-group.ts")).href;

/** A bundle of one group, and a function that runs it in a separate process. */
async function bundle() {
  const home = await tempHome();
  const folder = join(home.path, "dist");
  mkdirSync(folder);
  const script = `(function(require,module,exports,meta$,import$){"use strict";
    const { greeting } = require("./base.js");
    module.exports.greet = (name) => greeting + " " + name;
    module.exports.later = () => import$("node:path").then(({ posix }) => posix.join("a", "b"));
    module.exports.greet$1 = module.exports.greet;
    module.exports.there = async () => {
      const [base, own, door] = await Promise.all(["./base.js", "./talk-AB.js", "./greet-CD.js"].map(import$));
      const [more, again] = await Promise.all(["./more-EF.js", "./again-GH.js"].map(import$));
      return own.greet(base.greeting) === door.greet("hello") && more.twice("a") === "hello a hello a" && again.runs() === 1;
    };
  })`;
  writeFileSync(join(folder, "talk-AB.cjs"), script);
  // A group that is loaded on demand, and that another module of it leads to as well.
  const more = `(function(require,module,exports,meta$,import$){"use strict";
    const { greet } = require("./talk-AB.js");
    globalThis.runs = (globalThis.runs ?? 0) + 1;
    module.exports.twice = (name) => greet(name) + " " + require("node:path").posix.basename("x/" + greet(name));
    module.exports.runs$1 = () => globalThis.runs;
  })`;
  writeFileSync(join(folder, "more-EF.cjs"), more);
  const start = (cache: boolean, use = "chat") => {
    const code = `
      import { enableCompileCache } from "node:module";
      ${cache ? `enableCompileCache(${JSON.stringify(join(folder, "cache"))});` : ""}
      const { loadGroup } = await import(${JSON.stringify(loader)});
      const meta = { filename: ${JSON.stringify(join(folder, "talk-AB.js"))} };
      const doors = {
        "./greet-CD.js": ["./talk-AB.js", { greet: "greet$1" }],
        "./again-GH.js": ["./more-EF.js", { runs: "runs$1" }],
      };
      const groups = {
        "./talk-AB.js": ["${digestOf(script)}", ["./base.js"], doors],
        "./more-EF.js": ["${digestOf(more)}", ["./talk-AB.js", "node:path"], {}],
      };
      const { exports } = loadGroup(meta, groups, (name) => import(name), { "./base.js": { greeting: "hello" } });
      process.stdout.write(exports.greet("you") + " " + (await exports.later()) + " " + (await exports.there()));
    `;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", code, "x", use], { encoding: "utf8" });
    return { output: ran.stdout, errors: ran.stderr, code: ran.status };
  };
  const kept = () => {
    try {
      const names = readdirSync(join(folder, "cache"), { recursive: true, encoding: "utf8" });
      return names.filter((name) => name.includes("talk-")).map((name) => join(folder, "cache", name));
    } catch {
      return [];
    }
  };
  /** Replaces the script, as a build does before it writes the facts. */
  const replace = (text: string, by: string) => writeFileSync(join(folder, "talk-AB.cjs"), script.replace(text, by));
  return { start, kept, replace, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

function digestOf(script: string): string {
  return hash("sha256", script).slice(0, 16);
}

/** None of the modules that it requests at the end is a file. */
const expected = { output: "hello you a/b true", errors: "", code: 0 };

test("the first process caches compiled code, and the next process uses it", async () => {
  await using made = await bundle();
  assert.deepEqual(made.start(true), expected);
  const [file = "", ...others] = made.kept();
  assert.deepEqual(others, []);
  utimesSync(file, 1_000, 1_000);
  assert.deepEqual(made.start(true), expected);
  assert.equal(statSync(file).mtimeMs, 1_000_000);
});

test("code that another use of the group compiles is added to the cache once", async () => {
  await using made = await bundle();
  made.start(true);
  const [file = ""] = made.kept();
  for (const [use, isNew] of [
    ["tools", true],
    ["chat", false],
    ["tools", false],
    ["a prompt of mine", true],
    ["another one", false],
  ] as const) {
    utimesSync(file, 1_000, 1_000);
    assert.deepEqual(made.start(true, use), expected);
    assert.equal(statSync(file).mtimeMs !== 1_000_000, isNew, use);
  }
});

test("a one-shot prompt has its own compiled code, which other uses do not change", async () => {
  await using one = await bundle();
  one.start(true, "chat");
  one.start(true, "--oneshot");
  const [shared = "", own = "", ...others] = one.kept().toSorted();
  assert.deepEqual([own, others], [`${shared}-oneshot`, []]);
  const before = statSync(own).mtimeMs;
  one.start(true, "plugins");
  assert.deepEqual([statSync(own).mtimeMs, one.kept().length], [before, 2]);
});

test("damaged or truncated compiled code is not run, and is rewritten", async () => {
  await using made = await bundle();
  made.start(true);
  const [file = ""] = made.kept();
  const good = readFileSync(file);
  for (const damage of [
    (bytes: Buffer) => bytes.fill(0, bytes.length >> 1),
    (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1),
    (bytes: Buffer) => bytes.subarray(0, 10),
    () => Buffer.alloc(0),
  ]) {
    writeFileSync(file, damage(Buffer.from(good)));
    assert.deepEqual(made.start(true), expected);
    assert.ok(readFileSync(file).length > good.length / 2);
  }
});

test("caches of older builds are removed, and with caching off none is written", async () => {
  await using made = await bundle();
  assert.deepEqual(made.start(false), expected);
  assert.deepEqual(made.kept(), []);
  made.start(true);
  const [file] = made.kept();
  assert.ok(file !== undefined, "the second start wrote a cache");
  const old = join(dirname(file), "talk-00.cjs-d0");
  writeFileSync(old, "old");
  writeFileSync(file, "");
  made.start(true);
  assert.deepEqual(made.kept(), [file]);
});

test("the code of a script that is not the one of its facts is not cached", async () => {
  await using made = await bundle();
  made.replace('greeting + " "', 'greeting + "-"');
  assert.match(made.start(true).output, /^hello-you/u);
  assert.deepEqual(made.kept(), []);
  made.replace("", "");
  assert.deepEqual(made.start(true), expected);
});
