// covers: src/plugins/runner/node, src/plugins/in-process.ts, src/contracts/plugin
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { isObject, type JsonObject } from "../../src/base/json.ts";
import { err, ok } from "../../src/base/result.ts";
import { text } from "../../src/contracts/tool/tool-result.ts";
import { eventually } from "../support/eventually.ts";
import { load, plugin, request, signal, start, toolText } from "../support/node-plugin.ts";
import { tempHome } from "../support/temp-home.ts";

describe("tools", () => {
  test("a tool of a plugin returns text, data, results or failures, and a thrown error names the line", async () => {
    await using rig = await start(
      plugin(`{ tools: [
        defineTool({ name: "t", description: "", input: {}, run: async () => "text" }),
        defineTool({ name: "d", description: "", input: {}, run: () => ({ ok: true, list: [1] }) }),
        defineTool({ name: "n", description: "", input: {}, run: () => {} }),
        defineTool({ name: "r", description: "", input: {}, run: () => fail("not today") }),
        defineTool({ name: "boom", description: "", input: {},
          run: () => { throw new Error("unlucky"); } }),
      ] }`),
    );
    const texts = await Promise.all(["t", "d", "n", "r", "boom"].map((name) => toolText(rig, name)));
    assert.deepEqual(texts, [
      "text",
      `{"ok":true,"list":[1]}`,
      "done",
      "failed: not today",
      "failed: sample: tool boom failed: unlucky (index.ts:9)",
    ]);
  });

  test("effects, checks, limits, overrides and secrets of a plugin's tool work", async () => {
    await using rig = await start(
      `import { definePlugin, defineTool, z } from "hermes-agent-ts/plugin";
       export default definePlugin({ overrides: ["read_file"], setup: () => ({ tools: [
         defineTool({ name: "read_file", toolset: "files", description: "d", emoji: "📄", input: z.object({ path: z.string() }),
           traits: { timeoutMs: 5000, maxResultChars: 100 }, requiresEnv: ["KEY"], check: () => false,
           effects: ({ path }, { cwd }) => [{ kind: "read", path: cwd + "/" + path }],
           run: (_, { secrets }) => secrets.KEY }),
         defineTool({ name: "other", description: "", input: {}, check: async () => { throw new Error("no") }, run: () => "" }),
       ] }) });`,
      { load: { secrets: { KEY: "k1" } } },
    );
    const { tools } = await load(rig);
    const { inputSchema: _, ...first } = tools[0] ?? {};
    assert.deepEqual(first, {
      name: "read_file",
      toolset: "files",
      description: "d",
      emoji: "📄",
      requiresEnv: ["KEY"],
      overrides: true,
      declaresEffects: true,
      isAvailable: false,
      timeoutMs: 5000,
      maxResultChars: 100,
    });
    assert.deepEqual([tools[1]?.toolset, tools[1]?.isAvailable, tools[1]?.declaresEffects], ["sample", false, false]);
    assert.equal(await request(rig, "tool.check", { name: "read_file" }), false);
    const effects = await request(rig, "tool.effects", { name: "read_file", args: { path: "a" }, cwd: "/w" });
    assert.deepEqual(effects, [{ kind: "read", path: "/w/a" }]);
    assert.equal(await toolText(rig, "read_file", { path: "a" }), "k1");
  });

  for (const inProcess of [false, true]) {
    test(`progress, abort and calls of other tools (${inProcess ? "in-process" : "process"})`, async () => {
      const calls: JsonObject[] = [];
      await using rig = await start(
        plugin(`{ tools: [
          defineTool({ name: "wait", description: "", input: {}, run: (_, { signal, progress }) => {
            setImmediate(progress, "half way");
            return new Promise((resolve) => signal.addEventListener("abort", () => { host.log.info("stopped"); resolve("x"); }));
          } }),
          defineTool({ name: "nest", description: "", needs: ["call"], input: {}, async run(_, { call }) {
            const [inner, direct] = [await call("read_file", { path: "a" }), await host.callTool("terminal", {})];
            return json([inner, direct, await host.injectMessage("hi"), (await host.complete({ messages: [] })).text, await host.config()]);
          } }),
        ] }`),
        {
          inProcess,
          async answer(method, params) {
            calls.push({ method, ...(params as JsonObject) });
            if (method === "host.callTool" && params["name"] === "terminal") return err("not granted");
            const answers: Readonly<Record<string, unknown>> = {
              "host.callTool": text("inner"),
              "host.injectMessage": true,
              "host.complete": { text: "from a model" },
              "host.config": { a: 1 },
            };
            return ok(answers[method] as never);
          },
        },
      );
      const nested = JSON.parse(await toolText(rig, "nest")) as unknown[];
      assert.deepEqual(nested, [
        text("inner"),
        { ok: false, error: { kind: "failed", message: "not granted", effect: "none" } },
        true,
        "from a model",
        { a: 1 },
      ]);
      assert.deepEqual(calls[0], {
        method: "host.callTool",
        name: "read_file",
        args: { path: "a" },
        callId: "c",
        sessionId: "s",
      });
      assert.deepEqual(calls[2], { method: "host.injectMessage", content: "hi", role: "user", sessionId: "s" });

      const notes: string[] = [];
      const controller = new AbortController();
      const onProgress = (note: string) => {
        notes.push(note);
        controller.abort();
      };
      const waiting = await rig.call("wait", {}, { signal: controller.signal, onProgress });
      assert.ok(!waiting.ok && waiting.error.kind === "aborted");
      assert.deepEqual(notes, ["half way"]);
      await eventually(() => /stopped/u.test(rig.logged.join()));
    });
  }

  test("printed text goes to the log and never to the protocol, and a rejected promise is reported without ending the process", async () => {
    await using rig = await start(
      plugin(
        `{ tools: [defineTool({ name: "loud", description: "", input: {}, run: () => {
          console.log('{"jsonrpc":"2.0","id":1,"result":7}');
          process.stderr.write("to error\\n");
          void Promise.reject(new Error("forgotten"));
          setTimeout(() => { throw new Error("late"); });
          return "fine";
        } })] }`,
        `console.log("at the top");`,
      ),
    );
    assert.equal(await toolText(rig, "loud"), "fine");
    const all = () => rig.logged.join("\n");
    await eventually(() => /forgotten \(index\.ts:6\)/u.test(all()) && /late \(index\.ts:7\)/u.test(all()));
    await eventually(() => /at the top/u.test(all()) && /to error/u.test(all()) && /jsonrpc/u.test(all()));
    assert.equal(await toolText(rig, "loud"), "fine");
    assert.deepEqual(rig.reports, []);
  });

  test("a plugin result that is too large or not JSON is an error, and the next call works", async () => {
    await using rig = await start(
      plugin(`{ tools: [
        defineTool({ name: "huge", description: "", input: {}, run: () => "x".repeat(20_000_000) }),
        defineTool({ name: "circle", description: "", input: {}, run: () => { const a = {}; a.a = a; return a; } }),
        defineTool({ name: "small", description: "", input: {}, run: () => "ok" }),
      ] }`),
    );
    const huge = await rig.call("huge");
    assert.ok(!huge.ok);
    assert.match(huge.error.message, /the result has 19 MB, but the limit is 15 MB/u);
    assert.match(await toolText(rig, "circle"), /^failed: sample: tool circle failed: Converting circular structure/u);
    assert.equal(await toolText(rig, "small"), "ok");
  });
});

describe("hooks and middleware of a TypeScript plugin run in its process", () => {
  test("hooks work under our names, the names of Python Hermes and the names in its roadmap", async () => {
    await using rig = await start(
      plugin(`{ hooks: [
        defineHook("beforeToolCall", ({ call }) => (call.name === "rm" ? { block: "no" } : undefined), { policy: true, timeoutMs: 500 }),
        defineHook("pre_tool_call", ({ tool_name }) => ({ action: "block", message: tool_name })),
        defineHook("after-tool-call", () => {}),
        defineHook("sessionStart", () => {}),
      ] }`),
    );
    const { hooks } = await load(rig);
    assert.deepEqual(hooks, [
      { id: "hook:0:beforeToolCall", hook: "beforeToolCall", isPolicy: true, mayAnswer: true, timeoutMs: 500 },
      {
        id: "hook:1:pre_tool_call",
        hook: "beforeToolCall",
        original: "pre_tool_call",
        isPolicy: false,
        mayAnswer: true,
      },
      {
        id: "hook:2:after-tool-call",
        hook: "afterToolCall",
        original: "post_tool_call",
        isPolicy: false,
        mayAnswer: false,
      },
      { id: "hook:3:sessionStart", hook: "sessionStart", isPolicy: false, mayAnswer: false },
    ]);
    assert.deepEqual(await request(rig, "hook.run", { id: "hook:0:beforeToolCall", args: { call: { name: "rm" } } }), {
      block: "no",
    });
    assert.equal(await request(rig, "hook.run", { id: "hook:0:beforeToolCall", args: { call: { name: "ls" } } }), null);
    assert.deepEqual(await request(rig, "hook.run", { id: "hook:1:pre_tool_call", args: { tool_name: "x" } }), {
      action: "block",
      message: "x",
    });
  });

  for (const inProcess of [false, true]) {
    test(`observers get their events; an observer that throws is logged (${inProcess ? "in-process" : "process"})`, async () => {
      await using rig = await start(
        plugin(
          `{ hooks: { sessionStart: ({ source }) => { host.log.info("seen " + source); }, sessionEnd() { throw new Error("oops"); } } }`,
        ),
        { inProcess },
      );
      rig.client.observe([
        { id: "hook:1:sessionEnd", args: "{}" },
        { id: "hook:0:sessionStart", args: `{"source":"cli"}` },
      ]);
      await eventually(() => /seen cli/u.test(rig.logged.join()) || /seen cli/u.test(JSON.stringify(rig.reports)));
      await eventually(() => /hook sessionEnd failed: oops \(index\.ts:3\)/u.test(rig.logged.join()));
    });
  }

  test("middleware changes requests, and `next` runs the rest once", async () => {
    const nexts: unknown[] = [];
    await using rig = await start(
      plugin(`{ middleware: {
        toolRequest: ({ args }) => ({ args: { ...args, n: 1 }, reason: "why" }),
        async toolExecution({ args }, next) { const result = await next({ ...args, n: 2 }); return { ...result, seen: true }; },
        async modelExecution(call, next) { await next(); return next(); },
      } }`),
      {
        async answer(method, params) {
          nexts.push({ method, ...params });
          return ok({ ok: true } as never);
        },
      },
    );
    const { middleware } = await load(rig);
    assert.deepEqual(
      middleware.map(({ kind }) => kind),
      ["tool_request", "tool_execution", "llm_execution"],
    );
    const run = (index: number) =>
      rig.client.request(
        "middleware.run",
        { ...(middleware[index] ?? { id: "", kind: "" }), payload: { args: { a: 1 } }, token: "t" },
        { signal },
      );
    assert.deepEqual(await run(0), ok({ args: { a: 1, n: 1 }, reason: "why" }));
    assert.deepEqual(await run(1), ok({ ok: true, seen: true }));
    assert.deepEqual(nexts, [{ method: "next", token: "t", payload: { args: { a: 1, n: 2 } } }]);
    const twice = await run(2);
    assert.ok(!twice.ok);
    assert.match(twice.error.message, /modelExecution called next\(\) twice, but next\(\) can be called only once/u);
  });
});

describe("commands", () => {
  for (const inProcess of [false, true]) {
    test(`slash commands keep state; hermes commands print and exit (${inProcess ? "in-process" : "process"})`, async () => {
      await using rig = await start(
        plugin(
          `{
            commands: [{ name: "count", aliases: ["c"], summary: "Count", args: "[by]", run: (args, { sessionId }) => \`\${(total += Number(args || 1))} in \${sessionId}\` }],
            cliCommands: [{ name: "greet", summary: "Greet", usage: "NAME", run([name], { print, printError, columns }) {
              print(\`hello \${name} \${columns}\\n\`); printError("warned\\n"); ${inProcess ? "" : `console.log("logged");`} return 3;
            } }],
          }`,
          "let total = 0;",
        ),
        { inProcess },
      );
      const { commands, cliCommands } = await load(rig);
      assert.deepEqual(commands, [{ name: "count", aliases: ["c"], summary: "Count", args: "[by]" }]);
      assert.deepEqual(cliCommands, [{ name: "greet", summary: "Greet", usage: "NAME" }]);
      assert.deepEqual(await request(rig, "command.run", { name: "count", args: "2", sessionId: "s1" }), {
        text: "2 in s1",
      });
      assert.deepEqual(await request(rig, "command.run", { name: "count", args: "", sessionId: "s1" }), {
        text: "3 in s1",
      });
      const printed: string[] = [];
      const code = await rig.client.request(
        "cli.run",
        { name: "greet", args: ["Anna"], columns: 80 },
        { signal, onPrint: ({ text: line, isError }) => void printed.push(`${isError ? "!" : ""}${line}`) },
      );
      assert.deepEqual(code, ok(3));
      assert.deepEqual(printed, ["hello Anna 80\n", "!warned\n", ...(inProcess ? [] : ["logged\n"])]);
    });
  }
});

describe("the other parts of a TypeScript plugin work", () => {
  test("each kind of part is registered and can be called", async () => {
    await using rig = await start(
      plugin(
        `{
          toolsets: [{ name: "set", description: "d", tools: ["a"] }],
          providers: [{ name: "odd", envVars: ["ODD_KEY"], baseUrl: "https://odd.example/v1", hooks: { build_extra_body: (model, { x }) => ({ model, x }) },
            async *stream(request) { yield { type: "text", delta: request.model }; } }],
          environments: [{ name: "box", async run(script, { stdin, writeOutput, writeError }) { writeOutput(script + stdin); writeError("e"); return 4; } }],
          platforms: [{ name: "matrix", label: "Matrix", limits: { messageChars: 10, edits: true, typing: false },
            async *receive() { yield { chat: { chatId: "1" } }; }, send: async (chat) => ({ ok: true, value: chat }) }],
          policies: [{ name: "guard", judge: async ({ tool }) => ({ deny: { rule: "r", message: tool } }) }],
          skills: [{ name: "tricks", path: "skills/tricks" }],
          promptSections: [{ id: "fixed", content: "text" }, { id: "made", maxChars: 50, content: ({ model }) => "for " + model }],
          contextEngines: [new Engine()],
          memoryProviders: [{ name: "notes", recall: async (query) => query + "!" }],
          secretSources: [{ name: "vault", fetch: async (names) => Object.fromEntries(names.map((name) => [name, "v"])) }],
          auxiliaryTasks: [{ key: "summary", defaults: { timeout: 9 } }],
        }`,
        `class Engine { #limit = 5; name = "short"; threshold() { return this.#limit; } async fit() { return { failed: "never" }; } }`,
      ),
    );
    const parts = await load(rig);
    assert.deepEqual(parts.warnings, []);
    assert.deepEqual(parts.toolsets, [{ name: "set", description: "d", tools: ["a"] }]);
    const provider = parts.providers[0];
    assert.deepEqual(
      [provider?.name, provider?.envVars, provider?.hooks, provider?.streams],
      ["odd", ["ODD_KEY"], ["build_extra_body"], true],
    );
    assert.deepEqual(parts.skills[0]?.path, join(rig.plugin.folder, "skills/tricks"));
    assert.deepEqual(
      parts.promptSections.map(({ id, content }) => [id, content]),
      [
        ["fixed", "text"],
        ["made", undefined],
      ],
    );
    assert.deepEqual(parts.contextEngines[0]?.methods, ["fit", "threshold"]);
    assert.deepEqual(parts.auxiliaryTasks, [
      { key: "summary", displayName: "summary", description: "", defaults: { timeout: 9 } },
    ]);
    assert.equal(await request(rig, "section.render", { id: "made", info: { model: "m" } }), "for m");

    const object = (
      part: { readonly id: string } | undefined,
      method: string,
      args: JsonObject[] | string[][],
      kwargs: JsonObject = {},
    ) => request(rig, "object.call", { id: part?.id ?? "", method, args, kwargs });
    assert.deepEqual(await object(provider, "build_extra_body", [{ a: 1 }], { x: 2 }), { model: { a: 1 }, x: 2 });
    assert.deepEqual(await object(parts.policies[0], "judge", [{ tool: "rm" }]), {
      deny: { rule: "r", message: "rm" },
    });
    assert.equal(await object(parts.contextEngines[0], "threshold", [{}]), 5);
    assert.deepEqual(await object(parts.secretSources[0], "fetch", [["A"]]), { A: "v" });
    assert.deepEqual(await object(parts.platforms[0], "send", [{ chatId: "1" }]), { ok: true, value: { chatId: "1" } });

    async function stream(part: { readonly id: string } | undefined, method: string, args: (string | JsonObject)[]) {
      const items: unknown[] = [];
      const params = { id: part?.id ?? "", method, args, stream: "st1" };
      const answer = await rig.client.request("object.stream", params, {
        signal,
        onItem: (item) => void items.push(item),
      });
      assert.ok(answer.ok, JSON.stringify(answer));
      return [...items, answer.value];
    }
    assert.deepEqual(await stream(provider, "stream", [{ model: "m" }]), [{ type: "text", delta: "m" }, null]);
    assert.deepEqual(await stream(parts.platforms[0], "receive", []), [{ chat: { chatId: "1" } }, null]);
    const base64 = (word: string) => Buffer.from(word).toString("base64");
    assert.deepEqual(await stream(parts.environments[0], "run", ["ls ", base64("in")]), [
      { output: base64("ls in") },
      { error: base64("e") },
      4,
    ]);
  });

  test("dispose runs before the process ends", async () => {
    await using home = await tempHome();
    const file = join(home.path, "bye");
    {
      await using rig = await start(
        plugin(
          `{ dispose: async () => { writeFileSync(${JSON.stringify(file)}, "bye"); } }`,
          `import { writeFileSync } from "node:fs";`,
        ),
      );
      await load(rig);
    }
    assert.equal(readFileSync(file, "utf8"), "bye");
  });

  test("the entry inside the process exports the same names as the published one", async () => {
    const [published, light] = await Promise.all([
      import("../../src/plugin.ts"),
      import("../../src/plugins/runner/node/author-entry.ts"),
    ]);
    assert.deepEqual(Object.keys(light).toSorted(), Object.keys(published).toSorted());
    assert.ok(isObject(light.z) && "object" in light.z);
  });
});
