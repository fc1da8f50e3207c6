import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";

import { plainDisplay, slashRun } from "../../test/support/slash-run.ts";
import { asId, type SessionId } from "../base/ids.ts";
import { err, ok } from "../base/result.ts";
import { version } from "../base/version.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import { type ModelFacts, noUsage } from "../contracts/model/model.ts";
import type { Answer, ApprovalMode } from "../contracts/safety/approval.ts";
import type { Session, Turn } from "../contracts/session/runtime.ts";
import type { OperationName } from "../operations/catalog.ts";
import { builtinCommands } from "./builtin-commands.ts";
import { completions, isCommandLine, resolveCommand } from "./resolve-command.ts";
import { runCommand } from "./run-command.ts";
import type { SlashContext } from "./slash-command.ts";

const facts: ModelFacts = {
  provider: "groq",
  model: "llama",
  contextTokens: 100_000,
  contextSource: "table",
  vision: false,
};

/** A conversation that records the calls made to it. */
function rig(options: { readonly isBusy?: boolean; readonly confirms?: boolean; readonly hasKeys?: boolean } = {}) {
  const done: string[] = [];
  const note =
    (what: string) =>
    (content: readonly ContentPart[]): void =>
      void done.push(`${what}: ${content.map((part) => (part.type === "text" ? part.text : "")).join("")}`);
  const aborted = Promise.withResolvers<void>();
  const turn: Partial<Turn> = {
    get done() {
      return aborted.promise as never;
    },
  };
  let mode: ApprovalMode = "manual";
  let grants = ["exec rm -rf build"];
  const session: Partial<Session> = {
    id: asId<SessionId>("ses_1"),
    ...(options.isBusy && { turn: turn as Turn }),
    queue: note("queue"),
    steer: note("steer"),
    queued: [[{ type: "text", text: "later" }]],
    heldPrompts: 1,
    isHeld: () => true,
    stop(reason) {
      done.push(`stop: ${reason}`);
      aborted.resolve();
      return turn as Turn;
    },
    sendHeld: () => done.push("send") > 0,
    clearQueue: () => void done.push("clear"),
    history: () => [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    model: () => facts,
    async useModel(name, forOneTurn = false) {
      if (forOneTurn) done.push(`one turn: ${name}`);
      return name === "nope" ? err({ message: "no such model" }) : ok({ ...facts, model: name });
    },
    context: () => ({ tokens: 12_000, window: 100_000, threshold: 85_000, estimated: true, messages: 4 }),
    compress: async (focus) =>
      focus === "x" ? err({ message: "too short" }) : ok({ before: 50_000, after: 9_000, mechanical: focus === "y" }),
    undo: async (turns) =>
      turns > 2 ? err({ message: "only 2" }) : ok({ prompt: [{ type: "text", text: `asked ${turns} ago` }] }),
    usage: async () => ({
      turn: { ...noUsage, input: 1_000, output: 20, costUsd: 0.0123 },
      session: { ...noUsage, input: 20_000, output: 500, cacheRead: 15_000 },
      sessionCalls: 7,
      day: { costUsd: 1.5, tokens: 300_000 },
    }),
    todos: () => [
      { id: "1", content: "code", status: "completed" },
      { id: "2", content: "test", status: "in_progress" },
    ],
    files: () => [{ path: "a.ts", how: "written" }],
    catalog: {
      definitions: [{ name: "terminal" }],
      has: (name: string) => name === "terminal",
      whyNot: () => "no key",
    } as never,
    place: () => ({ cwd: "/project", backend: "local" }),
    record: async () => ({
      id: asId<SessionId>("ses_1"),
      source: "cli",
      principal: { id: "local:me" },
      createdAt: 0,
      changedAt: 0,
      messages: 4,
      cwd: "/project",
    }),
    stopProcesses: async () => 2,
    processes: async () => [],
    approvals: {
      mode: () => mode,
      setMode: (next: ApprovalMode) => void (mode = next),
      grants: () => grants,
      revokeGrants: () => void (grants = []),
      pending: async () => [{ id: "q1", text: "rm -rf build" }],
      async answer(id: string, answer: Answer, by: string) {
        done.push(`answer ${id} by ${by}: ${JSON.stringify(answer)}`);
        return ok({ id, text: "rm -rf build" });
      },
    } as unknown as Session["approvals"],
  };
  // The fake has only the members that the commands use.
  const live = session as Session;
  const real = slashRun({
    session: live,
    config: {
      home: { path: "/home/me/.hermes", profile: "default" },
      values: {
        model: { default: "groq/llama" },
        display: { show_reasoning: false },
        approvals: { mode: "manual", unattended: "deny", cron_mode: "deny" },
        isolation: { mode: "auto" },
      },
      origins: new Map([
        ["model.default", { from: "user file", file: "config.yaml" }],
        ["display.show_reasoning", { from: "default" }],
      ]),
      unused: new Map(),
      secrets: { values: [], names: [] },
      warnings: [],
    } as never,
    tools: {
      registry: {
        list: () => [
          { tool: { name: "terminal", toolset: "terminal" } },
          { tool: { name: "web_search", toolset: "web" } },
        ],
        toolsets: () => [{ name: "web", description: "The web" }],
      },
    } as never,
  });
  /** Replies of operations whose services do not exist in this test. */
  const scripted: Readonly<Record<string, (input: { readonly [field: string]: unknown }) => object>> = {
    "model.names": () => ({ names: [{ name: "fast", note: "groq/llama" }] }),
    "model.check": ({ model }) => ({
      unlisted: model === "nosuch" ? "custom/nosuch is not in the model list of custom (m1, m2), so it fails." : null,
    }),
    "model.list": () => ({ providers: [{ id: "groq", title: "Groq", keys: [], usable: options.hasKeys !== false }] }),
    "model.use": ({ provider, model }) => ({ done: done.push(`default: ${String(provider)}/${String(model)}`) }),
    "moa.list": () => ({ default: "default", presets: [{ name: "default" }, { name: "fast" }] }),
    "skills.use": () => ({ prompt: null }),
    "skills.names": () => ({ skills: [] }),
    "quick.list": () => ({
      commands: [
        { name: "m", type: "alias", command: "", target: "/model fast" },
        { name: "loop-a", type: "alias", command: "", target: "loop-b" },
        { name: "loop-b", type: "alias", command: "", target: "/loop-a" },
        { name: "help", type: "alias", command: "", target: "/version" },
        { name: "empty", type: "exec", command: " ", target: "" },
        { name: "uptime", type: "exec", command: "uptime", target: "" },
      ],
    }),
    "shell.run": ({ command, timeoutSeconds }) => ({
      exitCode: String(command).includes("slow") ? 124 : 0,
      output: `ran ${String(command)} within ${String(timeoutSeconds)} s`,
    }),
  };
  const run = async (name: string, input: object): Promise<unknown> =>
    scripted[name]?.({ ...input }) ?? real(name as OperationName, input as never);
  const ctx: SlashContext = {
    // The cast is safe: each scripted operation returns a value of its declared type.
    run: run as unknown as SlashContext["run"],
    sessionId: live.id,
    commands: builtinCommands,
    offered: {},
    answersAs: "the test",
    columns: 80,
    display: plainDisplay,
    signal: new AbortController().signal,
    ...(options.confirms !== undefined && { confirm: async () => options.confirms === true }),
  };
  const end = () => {
    Reflect.deleteProperty(session, "turn");
    aborted.resolve();
  };
  return { done, ctx, end, run: (line: string): Promise<CommandReply> => runCommand(line, true, live, ctx) };
}

test("every command file is in the list, command names are unique, and every command has a description", async () => {
  const files = globSync("*-commands.ts", { cwd: import.meta.dirname });
  for (const file of files) {
    const lists: object = await import(`./${file}`);
    const commands = Object.values(lists)
      .filter((value) => Array.isArray(value))
      .flat();
    assert.ok(commands.length > 0 && commands.every((command) => builtinCommands.includes(command)), file);
  }
  const names = builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.equal(new Set(names).size, names.length);
  for (const { summary } of builtinCommands) assert.match(summary, /^[A-Z].*[^.]$/u);
});

test("a command is found by its name or alias in any case, then by a unique prefix; otherwise the nearest name is suggested", () => {
  const find = (line: string) => {
    const resolved = resolveCommand(line, builtinCommands, true);
    return resolved.kind === "found" ? `${resolved.command.name}(${resolved.args})` : resolved;
  };
  assert.equal(find("/HELP model"), "help(model)");
  assert.equal(find("/q later please"), "queue(later please)");
  assert.equal(find("/exit"), "quit()");
  assert.equal(find("/reset"), "new()");
  assert.equal(find("/comp the tests"), "compress(the tests)");
  assert.equal(find("/?"), "help()");
  assert.deepEqual(find("/st"), { kind: "several", word: "st", names: ["steer", "stop", "status", "statusbar"] });
  assert.deepEqual(find("/halp"), { kind: "unknown", word: "halp", near: ["help"] });
  assert.equal(resolveCommand("/comp", builtinCommands, false).kind, "unknown");
  assert.equal(find("/queue a\nb"), "queue(a\nb)");
});

test("a line that starts with a path such as /usr/bin is not a command", () => {
  assert.equal(isCommandLine("/usr/bin is where?"), false);
  assert.equal(isCommandLine("/ is the root"), false);
  assert.equal(isCommandLine("  /help"), true);
});

test("completion offers names, and aliases where no name fits", () => {
  assert.deepEqual(completions("/ste", builtinCommands), ["/steer "]);
  assert.deepEqual(completions("/exi", builtinCommands), ["/exit "]);
  assert.deepEqual(completions("hello", builtinCommands), []);
  assert.deepEqual(completions("/model gr", builtinCommands), []);
});

test("an unknown command is rejected with the nearest name", async () => {
  const { run } = rig();
  assert.deepEqual(await run("/halp"), { text: "There is no command /halp. Did you mean /help?", failed: true });
  assert.match((await run("/s t")).text, /^$/u, "/s is steer");
});

test("while a turn runs, a command runs at once, is refused, or stops the turn first", async () => {
  const { run, done } = rig({ isBusy: true });
  assert.equal((await run("/undo")).failed, true);
  assert.equal((await run("/usage")).failed, undefined);
  assert.deepEqual(done, []);
  assert.match((await run("/stop")).text, /2 background processes ended/u);
  assert.deepEqual(done, ["stop: /stop"]);
});

test("a command that a turn would refuse waits for a turn that ends", async () => {
  const { run, end } = rig({ isBusy: true });
  const reply = run("/undo now");
  end();
  assert.match((await reply).text, /^Undone/u);
});

test("/queue and /steer pass their text to the conversation", async () => {
  const { run, done } = rig({ isBusy: true });
  await run("/q then this");
  await run("/steer use tabs");
  await run("/queue clear");
  assert.match((await run("/queue list")).text, /1\. \(held\) later\nHeld: 1 queued prompt/u);
  assert.equal((await run("/queue send")).text, "");
  assert.deepEqual(done, ["queue: then this", "steer: use tabs", "clear", "send"]);
  assert.equal((await run("/steer")).failed, true);
});

test("retry sends the prompt again; undo asks for confirmation if a person can answer", async () => {
  assert.deepEqual((await rig().run("/retry")).effect, {
    kind: "prompt",
    content: [{ type: "text", text: "asked 1 ago" }],
  });
  assert.match((await rig({ confirms: false }).run("/undo 2")).text, /^Nothing/u);
  assert.match((await rig({ confirms: false }).run("/undo 2 now")).text, /asked 2 ago/u);
  assert.match((await rig({ confirms: true }).run("/undo 2")).text, /asked 2 ago/u);
  assert.equal((await rig().run("/undo 3")).failed, true);
  assert.equal((await rig().run("/undo -1")).failed, true);
});

test("new starts a fresh session with the given title", async () => {
  assert.deepEqual((await rig().run("/new my project")).effect, { kind: "new", title: "my project" });
  assert.equal((await rig({ confirms: false }).run("/new")).effect, undefined);
  assert.deepEqual((await rig({ confirms: false }).run("/new --yes")).effect, { kind: "new" });
});

test("the model is shown, changed for this session, and saved on request", async () => {
  const { run, done } = rig();
  assert.match((await run("/model")).text, /^groq\/llama, window 100k tokens[\s\S]*fast/u);
  assert.match((await run("/model big")).text, /Now using groq\/big.*--global makes it the default/u);
  assert.deepEqual(done, []);
  await run("/model big --global");
  assert.deepEqual(done, ["default: groq/big"]);
  assert.equal((await run("/model nope")).failed, true);
});

test("a model without a key can be chosen, and the reply says so", async () => {
  const { run } = rig({ hasKeys: false });
  assert.match(
    (await run("/model big")).text,
    /^Now using groq\/big, .* There is no key for it yet: hermes auth add groq\./u,
  );
});

test("a model may be given with its provider, and an invalid argument changes nothing", async () => {
  const { run } = rig();
  for (const line of ["/model big --provider nous", "/model --provider=nous nous/big", "/model --provider nous big"])
    assert.match((await run(line)).text, /Now using groq\/nous\/big/u);
  assert.match((await run("/model --provider nous")).text, /Now using groq\/nous,/u);
  for (const line of ["/model big --golbal", "/model big small", "/model big --provider"]) {
    const { text, failed } = await run(line);
    assert.ok(failed === true && !text.includes("Now"), line);
  }
});

test("/approve and /deny answer a pending question, and /yolo changes the approval mode", async () => {
  const { run, done } = rig();
  await run("/approve always");
  await run("/deny not that folder");
  assert.deepEqual(done, [
    'answer q1 by the test: {"scope":"always"}',
    'answer q1 by the test: {"scope":"deny","reason":"not that folder"}',
  ]);
  assert.match((await run("/yolo")).text, /Approvals are off/u);
  assert.match((await run("/status")).text, /approvals +yolo/u);
  assert.match((await run("/yolo")).text, /Approvals are on/u);
});

test("/approvals shows what is allowed for the session, and revokes it", async () => {
  const { run } = rig();
  assert.match((await run("/approvals")).text, /^manual: .*\nAllowed for this session .*:\n {2}exec rm -rf build$/u);
  assert.equal((await run("/approvals revoke")).text, "Revoked 1 approval of this session.");
  assert.match((await run("/approvals")).text, /^manual: [^\n]*$/u);
});

test("/model refuses a model that is not in the list of its provider, unless it is forced", async () => {
  const { run, done } = rig();
  const refused = await run("/model nosuch");
  assert.equal(refused.failed, true);
  assert.match(refused.text, /list of custom \(m1, m2\)[^\n]*\nTo use it anyway: \/model nosuch --force$/u);
  assert.deepEqual(done, []);
  assert.match((await run("/model nosuch --force")).text, /^Now using /u);
});

test("a failed command that was typed as a prefix names the command", async () => {
  const { run } = rig();
  assert.match((await run("/indic x")).text, /^\/indicator: "x" is not one of/u);
  assert.match((await run("/indicator x")).text, /^"x" is not one of/u);
});

test("a place in the queue and a number of exchanges that are not numbers are refused", async () => {
  const { run, done } = rig();
  assert.match((await run("/queue rm x")).text, /^"x" is not a position in the queue/u);
  assert.match((await run("/queue move 1 x")).text, /^"x" is not a position in the queue/u);
  assert.equal((await run("/queue rm")).text, "Usage: /queue rm N");
  assert.equal((await run("/compress here x")).text, '"x" is not a number of exchanges.');
  assert.deepEqual(done, []);
  await run("/queue move it there");
  assert.deepEqual(done, ["queue: move it there"], "a sentence is a prompt");
});

test("commands show the context, usage, plan, tools, settings and help", async () => {
  const { run } = rig();
  const shown = async (line: string) => (await run(line)).text;
  assert.match(await shown("/context"), /about 12k of 100k tokens \(12 %\)[\s\S]*85 %[\s\S]*a\.ts \(written\)/u);
  assert.match(await shown("/usage"), /1000 in, 20 out, \$0\.0123[\s\S]*15k cached[\s\S]*7 model calls[\s\S]*\$1\.50/u);
  assert.equal(await shown("/todo"), "  ● code\n  ◐ test");
  assert.equal(await shown("/tools list"), await shown("/tools"));
  assert.match(await shown("/tools"), /terminal[\s\S]*1 more tool/u);
  assert.match(await shown("/tools all"), /web_search +web, no key/u);
  assert.match(await shown("/config"), /^ +model\.default +groq\/llama {2}\(user file\)$/u);
  assert.match(await shown("/config reasoning"), /show_reasoning/u);
  assert.match(await shown("/help queue"), /Also: \/q\./u);
  assert.match(await shown("/compress the tests"), /50k to 9000 tokens\.$/u);
  assert.match(await shown("/compress y"), /50k to 9000 tokens \(no model wrote the summary;/u);
  assert.equal(await shown("/version"), `hermes ${version}`);
  const overview = await shown("/help");
  for (const { name } of builtinCommands) assert.match(overview, new RegExp(`/${name}(?: |$)`, "mu"));
  assert.ok(overview.split("\n").length <= 22, "fits a screen of 24 rows");
  for (const line of overview.split("\n").slice(0, -1)) assert.ok(line.length <= 80, line);
  for (const { name, summary } of builtinCommands)
    assert.match(await shown("/help all"), new RegExp(`/${name} .*${RegExp.escape(summary)}`, "u"));
});

test("when a command throws, the chat shows its error as the reply and does not crash", async () => {
  const { run, ctx } = rig();
  const broken = { ...builtinCommands[0], name: "bad", run: () => Promise.reject(new Error("boom")) };
  const { text } = await runCommand("/bad", true, { turn: undefined, stop: () => undefined }, {
    ...ctx,
    commands: [broken],
  } as SlashContext);
  assert.match(text, /\/bad failed: boom/u);
  assert.equal((await run("/quit")).effect?.kind, "quit");
});

test("/moa switches to a preset, or sends one prompt to the default preset and switches back", async () => {
  const { run, done } = rig();
  assert.match((await run("/moa")).text, /^Now using groq\/moa\/default in this session/u);
  assert.match((await run("/moa fast")).text, /^Now using groq\/moa\/fast /u);
  assert.deepEqual(done, []);
  assert.deepEqual(await run("/moa fast or slow?"), {
    text: "Using groq/moa/default for this prompt, then groq/llama again.",
    effect: { kind: "prompt", content: [{ type: "text", text: "fast or slow?" }] },
  });
  assert.deepEqual(done, ["one turn: moa/default"]);
  assert.equal((await rig({ isBusy: true }).run("/moa")).failed, true);
});

test("a command refuses arguments that it does not know, and does nothing", async () => {
  const { run } = rig();
  for (const line of ["/stop --delete", "/status all", "/yolo off", "/version 2"]) {
    const reply = await run(line);
    assert.match(reply.text, /takes no arguments/u, line);
    assert.deepEqual([reply.failed, reply.effect], [true, undefined], line);
  }
  for (const line of [
    "/tools off",
    "/tools all off",
    "/undo 1 2",
    "/sessions --all",
    "/help model --x",
    "/approve once a b",
  ]) {
    const reply = await run(line);
    assert.match(reply.text, /does not know "/u, line);
    assert.equal(reply.failed, true, line);
  }
});

test("quick commands run after built-in ones: aliases, command lines and their limits", async () => {
  const { run } = rig();
  assert.match((await run("/m")).text, /Now using groq\/fast/u);
  assert.match((await run("/help version")).text, /Show the version/u);
  assert.deepEqual(await run("/uptime -p"), { text: "", failed: false, output: "ran uptime -p within 30 s" });
  assert.match((await run("/uptime slow")).text, /stopped after 30 seconds/u);
  assert.match((await run("/loop-a")).text, /too many other quick commands/u);
  assert.match((await run("/empty")).text, /set quick_commands\.empty\.command/u);
  assert.match((await run("/uptiem")).text, /Did you mean \/uptime\?/u);
  assert.match((await run("/help all")).text, /\/uptime +Quick command: runs uptime/u);
});
