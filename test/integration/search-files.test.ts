// covers: src/tools, src/environments
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";

import { systemClock } from "../../src/base/clock.ts";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import type { Environment, ExecResult } from "../../src/contracts/environment/environment.ts";
import type { Effect } from "../../src/contracts/tool/effect.ts";
import type { ToolFailure } from "../../src/contracts/tool/tool-result.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { createRealPaths } from "../../src/environments/real-paths.ts";
import { createSshFactory } from "../../src/environments/ssh/ssh-environment.ts";
import { createFileReads } from "../../src/kernel/file-reads.ts";
import searchTool from "../../src/tools/files/search-files.tool.ts";
import { everyFile, globFilter } from "../../src/tools/files/search/file-filter.ts";
import { pipedEngine } from "../../src/tools/files/search/piped-engine.ts";
import { ripgrepEngine } from "../../src/tools/files/search/ripgrep.ts";
import { runnerIn } from "../../src/tools/files/search/search-command.ts";
import type { Query, SearchScope, SearchEngine } from "../../src/tools/files/search/search.ts";
import { call, dispatchRig } from "../support/dispatch-rig.ts";
import { neverAborted } from "../support/environment-conformance.ts";
import { localDeps } from "../support/local-deps.ts";
import { makeSearchTree } from "../support/search-tree.ts";
import { sshDeps } from "../support/ssh-deps.ts";
import { sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

interface Desk {
  readonly folder: string;
  readonly environment: Environment;
  readonly put: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly found: (args: JsonObject, signal?: AbortSignal) => Promise<Record<string, unknown>>;
  readonly refused: (args: JsonObject, signal?: AbortSignal) => Promise<ToolFailure>;
  readonly effects: Effect[];
}

async function withDesk(
  check: (desk: Desk) => Promise<void>,
  change: (environment: Environment) => Environment = (same) => same,
): Promise<void> {
  await using home = await tempHome();
  const folder = join(home.path, "work");
  await mkdir(folder);
  const opened = await createLocalFactory(localDeps(home.path, folder)).open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  await using local = opened.value;
  const environment = change(local);
  const effects: Effect[] = [];
  const rig = dispatchRig([searchTool], {
    resolver: createRealPaths(local.files),
    policy: {
      async decide(request) {
        effects.push(...request.effects);
        return { decision: "allow" };
      },
    },
  });
  const fileReads = createFileReads({ lines: 2000, lineChars: 2000, images: () => false });
  const scope = (signal = neverAborted()) =>
    rig.scope({
      place: { cwd: folder, backend: "local" },
      services: { environment, fileReads },
      signal,
    });
  await check({
    folder,
    environment,
    effects,
    async put(files) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      }
    },
    async found(args, signal) {
      const result = await rig.dispatcher.dispatch(call("search_files", args), scope(signal));
      assert.ok(result.ok, JSON.stringify(result));
      assert.ok(isObject(result.value.data));
      return result.value.data;
    },
    async refused(args, signal) {
      const result = await rig.dispatcher.dispatch(call("search_files", args), scope(signal));
      assert.ok(!result.ok, JSON.stringify(result));
      return result.error;
    },
  });
}

/** A backend elsewhere, with whatever `rg` it has. */
function elsewhere(local: Environment): Environment {
  return { ...local, kind: "elsewhere" };
}

/** A remote backend without `rg`. */
function withoutRipgrep(local: Environment): Environment {
  return {
    ...local,
    kind: "elsewhere",
    exec: (command, options) =>
      local.exec(`command() { [ "$1" != -v ] || return 1; builtin command "$@"; }; ${command}`, options),
  };
}

// ── the tool ────────────────────────────────────────────────────────────────────────────────────────────────────────

const noRipgrep = missingPrograms({ rg: "ripgrep" });

for (const [name, change, engine, skip] of [
  ["ripgrep", undefined, "ripgrep", false],
  ["rg of a backend", elsewhere, "ripgrep", noRipgrep],
  ["a backend without rg", withoutRipgrep, "ripgrep, piped", false],
] as const) {
  test(`a few hits are shown one by one with context, many hits as one text (${name})`, { skip }, () =>
    withDesk(async ({ found: match, put, effects, folder }) => {
      await put({ "src/a.ts": "one\ntwo\nthree\nfour\n", "b.txt": "two\n".repeat(6), ".hid": "two\n" });
      assert.deepEqual(await match({ pattern: "t(w)o", path: "src", context: 1 }), {
        total_count: 1,
        matches: [{ path: "src/a.ts", line: 2, content: "two", before: ["1-one"], after: ["3-three"] }],
        truncated: false,
        engine,
        backend: change ? "elsewhere" : "local",
      });
      assert.deepEqual(effects, [{ kind: "read", path: join(folder, "src") }]);
      const many = await match({ pattern: "two" });
      assert.equal(many["total_count"], 7);
      assert.equal(
        many["matches_text"],
        "b.txt\n  1:two\n  2:two\n  3:two\n  4:two\n  5:two\n  6:two\n\nsrc/a.ts\n  2:two",
      );
      const page = await match({ pattern: "two", limit: 2, offset: 5 });
      assert.deepEqual(page["matches"], [
        { path: "b.txt", line: 6, content: "two" },
        { path: "src/a.ts", line: 2, content: "two" },
      ]);
      const first = await match({ pattern: "two", limit: 2 });
      assert.deepEqual([first["truncated"], first["next_offset"], first["limit_reason"]], [true, 2, "limit"]);
      assert.deepEqual((await match({ pattern: "two", output_mode: "count" }))["counts"], {
        "b.txt": 6,
        "src/a.ts": 1,
      });
      assert.deepEqual((await match({ pattern: "two", output_mode: "files_only" }))["files"], ["b.txt", "src/a.ts"]);
      assert.deepEqual((await match({ pattern: "TWO", ignore_case: true, file_glob: "*.ts" }))["total_count"], 1);
      assert.equal((await match({ pattern: "two", hidden: true }))["total_count"], 8);
      assert.equal((await match({ pattern: "two\\nthree" }))["total_count"], 1);
      assert.equal((await match({ pattern: "two", path: "src b.txt" }))["total_count"], 7);
    }, change),
  );

  test(`files are found by name, the newest first; a part of a name is enough (${name})`, { skip }, () =>
    withDesk(async ({ found: match, put, folder }) => {
      await put({ "config.yaml": "", "lib/my-config.ts": "", "lib/a.ts": "", ".config": "", "lib/x/b.ts": "" });
      const newest = ["lib/my-config.ts", "config.yaml", "lib/x/b.ts", "lib/a.ts"];
      for (const [index, file] of newest.entries()) await utimes(join(folder, file), 1, 1_000_000 - index);
      const files = async (args: JsonObject) => (await match({ target: "files", ...args }))["files"];
      assert.deepEqual(await files({ pattern: "config" }), ["lib/my-config.ts", "config.yaml"]);
      assert.deepEqual(await files({ pattern: "*.ts" }), ["lib/my-config.ts", "lib/x/b.ts", "lib/a.ts"]);
      assert.deepEqual(await files({ pattern: "lib/*.ts" }), ["lib/my-config.ts", "lib/a.ts"]);
      assert.deepEqual(await files({ pattern: "**/x/**" }), ["lib/x/b.ts"]);
      assert.deepEqual(await files({ pattern: "*", path: "lib", limit: 1 }), ["lib/my-config.ts"]);
      assert.deepEqual(await files({ pattern: ".conf*" }), [".config"]);
      assert.deepEqual(await files({ pattern: "CONFIG", ignore_case: true, file_glob: "*.yaml" }), ["config.yaml"]);
    }, change),
  );

  test(`a bad pattern and a search without matches are explained (${name})`, { skip }, () =>
    withDesk(async ({ found: match, refused, put }) => {
      await put({ "a.txt": "x\n", "b.bin": "x\0", src: "" });
      const brace = await refused({ pattern: "interface{}" });
      assert.equal(brace.kind, "invalid_args");
      assert.match(brace.message, /character 11.*interface\\\\\{\\\\\}/u);
      assert.match((await refused({ pattern: "(a" })).message, /unclosed group \(character 1\)/u);
      assert.match((await refused({ pattern: "a(?=b)" })).message, /look-around.*grep -P/u);
      assert.match((await refused({ pattern: "x", file_glob: "{a" })).message, /not a glob/u);
      assert.match((await refused({ pattern: "x", path: "srcc" })).message, /does not exist. There is: .*src/u);
      const none = await match({ pattern: "zzz\\|y" });
      assert.deepEqual([none["total_count"], none["matches"]], [0, []]);
      assert.match(String(none["hint"]), /No match.*hidden.*no_ignore.*a\|b/u);
      assert.match(String((await match({ pattern: "x", path: "b.bin" }))["hint"]), /binary/u);
      await put({ "code.ts": "call(list[0].name)\n" });
      const literal = await match({ pattern: "call(list[0].name)" });
      assert.match(String(literal["hint"]), /The text itself is in code\.ts: .*"call\\\\\(list/u);
      assert.doesNotMatch(String((await match({ pattern: "none(list[0])" }))["hint"]), /text itself/u);
    }, change),
  );

  test(`existing paths are searched, and missing paths are reported (${name})`, { skip }, () =>
    withDesk(async ({ found: match, refused, put }) => {
      await put({ "src/a.txt": "x\n", "docs/b.txt": "x\n" });
      const some = await match({ pattern: "x", path: "src nowhere docs" });
      assert.equal(some["total_count"], 2);
      assert.match(String(some["warning"]), /does not exist: nowhere\./u);
      const files = await match({ pattern: "*.txt", target: "files", path: "nowhere, docs" });
      assert.deepEqual(files["files"], ["docs/b.txt"]);
      assert.match(String(files["warning"]), /does not exist: nowhere\./u);
      assert.match((await refused({ pattern: "x", path: "nowhere elsewhere" })).message, /does not exist/u);
    }, change),
  );

  test(`an answer has a maximum size, even with huge lines, and paging advances (${name})`, { skip }, () =>
    withDesk(async ({ found: match, put }) => {
      await put({
        "min.js": `${"a".repeat(400_000)}needle${"b".repeat(400_000)}\n`.repeat(3),
        "many.txt": "needle here\n".repeat(20_000),
      });
      const long = await match({ pattern: "needle", path: "min.js" });
      const [first] = Array.isArray(long["matches"]) ? (long["matches"] as { content: string }[]) : [];
      assert.match(first?.content ?? "", /^…a{150}needleb+…$/u);
      const all = await match({ pattern: "needle", limit: 100_000, path: "many.txt" });
      assert.ok(JSON.stringify(all).length < 70_000);
      assert.deepEqual([all["total_count"], all["truncated"], all["next_offset"]], [20_000, true, 2000]);
      const later = await match({ pattern: "needle", limit: 1, offset: 20_002 });
      assert.deepEqual(later["matches"], [{ path: "min.js", line: 3, content: first?.content }]);
    }, change),
  );
}

test("a repeated identical search result is marked, but still returned", () =>
  withDesk(async ({ found: match, put }) => {
    await put({ a: "x\n" });
    const first = await match({ pattern: "x" });
    assert.deepEqual(await match({ pattern: "x" }), { ...first, unchanged: true });
    await put({ b: "x\n" });
    assert.equal((await match({ pattern: "x" }))["unchanged"], undefined);
  }));

test("a search that times out returns its matches so far", async () =>
  withDesk(
    async ({ found: match }) => {
      const part = await match({ pattern: "x", output_mode: "files_only" });
      assert.deepEqual([part["files"], part["truncated"], part["limit_reason"]], [["a"], true, "time"]);
      assert.match(String(part["warning"]), /60 s/u);
    },
    (local) => ({
      ...local,
      async exec(_, { onOutput }) {
        onOutput?.(Buffer.from("./a\x001\n./b"));
        const nothing = new Uint8Array();
        return ok({
          ended: "timeout",
          head: nothing,
          tail: nothing,
          totalBytes: 0,
          leftRunning: [],
          cwd: "/",
          carried: false,
          backend: "local",
          waitedMs: 0,
          durationMs: 1,
        } satisfies ExecResult);
      },
    }),
  ));

test("an interrupted search ends and leaves no process", () => {
  const mark = `300.${process.pid}`;
  return withDesk(
    async ({ refused }) => {
      const stop = new AbortController();
      const ended = refused({ pattern: "x" }, stop.signal);
      while (running(mark).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      stop.abort();
      assert.equal((await ended).kind, "aborted");
      // The answer does not wait until the command has ended.
      for (let waited = 0; running(mark).length > 0 && waited < 60_000; waited += 20) await pause(20);
      assert.deepEqual(running(mark), []);
    },
    (local) => ({ ...local, exec: (command, options) => local.exec(`sleep ${mark}; ${command}`, options) }),
  );
});

function running(mark: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/u.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark)
      );
    } catch {
      return false;
    }
  });
}

// ── ripgrep here and files from elsewhere ──────────────────────────────────────────────────────────────────────────

const noSsh = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });

/** ripgrep on this machine, and the piped engine over a real SSH connection, on the same folder. */
async function withEngines(
  check: (rg: SearchEngine, piped: SearchEngine, folder: string) => Promise<void>,
): Promise<void> {
  await using server = await sshServer();
  const opened = await createSshFactory(sshDeps(server)).open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  await using remote = opened.value;
  await withDesk(async ({ environment, folder }) => {
    const times = { clock: systemClock, signal: neverAborted(), until: systemClock.elapsed() + 600_000 };
    const rg = ripgrepEngine({ ...times, run: runnerIn(environment) }, rgPath);
    await check(rg, pipedEngine({ ...times, run: runnerIn(remote) }, rgPath), folder);
  });
}

const plain: SearchScope = { hidden: false, noIgnore: false, filter: everyFile };

// oxfmt-ignore
const linePatterns = [
  "foo", "\\d+", "\\bfoo(?:bar)?\\b", "(foo|bar)\\s*\\(", "^foo", "foo$", "^\\s*$", "[^a]oo", "\\w+\\s+\\w+", "\\p{L}+",
  "a{2,3}", "(foo", "(a)\\1", "caf.", "日.語", "\\$y", "--foo", "'a'", "^.$",
];

test("a remote backend without rg finds the same lines as ripgrep", { skip: noSsh }, () =>
  withEngines(async (rg, piped, folder) => {
    await makeSearchTree(folder);
    const window = { offset: 1, limit: 60 };
    for (const [index, pattern] of linePatterns.entries()) {
      const ignoreCase = index % 2 === 1;
      const query: Query = { pattern, ignoreCase, multiline: false, context: index % 3 };
      await sameAnswer(rg, piped, folder, query, { ...plain, hidden: ignoreCase });
    }
    for (const pattern of ["foo\\nbar", "(?s)foo.*?bar"])
      await sameAnswer(
        rg,
        piped,
        folder,
        { pattern, ignoreCase: false, multiline: true, context: 1 },
        { ...plain, noIgnore: true },
      );
    for (const glob of ["*.txt", "sub/**", "!*.txt", "{a,b}*"]) {
      const filter = globFilter(glob, { ignoreCase: false });
      assert.ok(filter.ok);
      const query: Query = { pattern: "foo", ignoreCase: false, multiline: false, context: 0 };
      await sameAnswer(rg, piped, folder, query, { ...plain, hidden: true, filter: filter.value });
    }

    async function sameAnswer(a: SearchEngine, b: SearchEngine, folder: string, query: Query, scope: SearchScope) {
      const [one, two] = [
        await a.search({ folder: folder, asked: "" }, query, scope, window),
        await b.search({ folder: folder, asked: "" }, query, scope, window),
      ];
      assert.equal(two.ok, one.ok, `${query.pattern}: ${JSON.stringify([one, two]).slice(0, 400)}`);
      if (!one.ok || !two.ok) return;
      const { searched: _, ...expected } = one.value;
      const { searched: __, ...actual } = two.value;
      assert.deepEqual(actual, expected, JSON.stringify(query));
    }
  }),
);

test("a remote backend without rg honours ignore files like ripgrep", { skip: noSsh }, () =>
  withEngines(async (rg, piped, folder) => {
    const name = fc.constantFrom("a", "b", "c.log", "d.txt", "x y", "ä", "#h", "!n", ".hid", "[z]", "build", "{q}");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    // oxfmt-ignore
    const rule = fc.oneof(
      fc.constantFrom("*.log", "!*.log", "/a", "a/", "**/b", "a/**", "a/**/b", "/a/*", "*", "!*/", "x\\ y ", "\\#h", "\\!n", "[a-c]",
        "[!a]", "*.t?t", "# c", "", "b/c.log", "**", "/**", "{a,b}", "!.hid", ".*", "\\[z\\]", "[", "a{", "?", "a//b", "/", "!", "  b", "b  "),
      fc.tuple(fc.constantFrom("", "!", "/", "!/"), path, fc.constantFrom("", "/", "/*", "/**")).map((parts) => parts.join("")),
    );
    const ignore = fc.record({
      folder: fc.oneof(fc.constant(""), path),
      file: fc.constantFrom(".gitignore", ".ignore", ".rgignore", ".git/info/exclude"),
      rules: fc.array(rule, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 3, maxLength: 12 }),
        fc.array(ignore, { maxLength: 4 }),
        fc.boolean(),
        async (paths, ignores, hidden) => {
          const top = join(folder, "tree");
          await rm(top, { recursive: true, force: true });
          await mkdir(top);
          const put = async (file: string, content: string) => {
            try {
              await mkdir(dirname(join(top, file)), { recursive: true });
              await writeFile(join(top, file), content);
            } catch {
              // One of the names is a file and a folder: the first one wins.
            }
          };
          for (const file of paths) await put(file, "x");
          for (const one of ignores) await put(join(one.folder, one.file), one.rules.join("\n"));
          const root = { folder: top, asked: "" };
          assert.deepEqual(await piped.list(root, { ...plain, hidden }), await rg.list(root, { ...plain, hidden }));
        },
      ),
      { numRuns: 30 },
    );
  }),
);
