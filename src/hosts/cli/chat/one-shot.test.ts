import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes, type CliResult } from "../../../../test/support/fake-terminal.ts";
import { type ScriptedAnswer, scriptedModel } from "../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../test/support/temp-home.ts";
import { textOf } from "../../../../test/support/turn-rig.ts";
import { isObject } from "../../../base/json.ts";
import { ok } from "../../../base/result.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";

/** Runs commands with separate homes and a scripted model. */
async function asking(script: Parameters<typeof scriptedModel>[0], facts: Parameters<typeof scriptedModel>[1] = {}) {
  const folder = await tempHome();
  const model = scriptedModel(script, facts);
  const names: (string | undefined)[] = [];
  const models = {
    async open(name?: string, provider?: string) {
      names.push(provider === undefined ? name : `${name} of ${provider}`);
      return ok(model);
    },
  };
  return {
    model,
    models,
    names,
    home: folder.path,
    async run(args: readonly string[], more: Partial<Parameters<typeof hermes>[1]> = {}) {
      const result = await hermes(["--set", "isolation.mode=off", ...args], { home: folder.path, models, ...more });
      const [notice = "", ...lines] = result.err.split("\n");
      if (!notice.startsWith("⚠ isolation.mode is off")) return result;
      return Object.defineProperty(result, "err", { value: lines.join("\n") });
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const call = (command: string): ScriptedAnswer => ({ calls: [{ name: "terminal", args: { command } }] });

test("settings that weaken safety are always reported on standard error", async () => {
  await using at = await asking([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const weak = ["--set", "isolation.mode=off", "--set", "approvals.mode=yolo", "--set", "approvals.unattended=allow"];
  for (const [args, input] of [
    [["-z", "hi"], undefined],
    [["chat", "-Q", "-q", "hi"], undefined],
    [[], "hi\n"],
  ] as const) {
    const result = await hermes([...weak, ...args], { home: at.home, models: at.models, ...(input && { input }) });
    for (const name of ["isolation.mode is off", "approvals.mode is yolo", "approvals.unattended is allow"])
      assert.equal(result.err.split(`⚠ ${name}:`).length, 2, `${args.join(" ")}: ${result.err}`);
  }
  const status = await hermes(weak, { home: at.home, models: at.models, input: "/status\n" });
  assert.match(status.out, /⚠ +isolation.mode is off/u);
});

test("a prompt that begins with a slash but names no skill is sent as it is", async () => {
  await using at = await asking([{ text: "one" }]);
  const { code, out } = await at.run(["-z", "/etc holds what?"]);
  assert.deepEqual([code, out], [0, "one\n"]);
  assert.match(textOf(at.model.requests[0]?.messages.at(-1)), /^\/etc holds what\?/u);
});

test("piped lines that are commands run, and the text between them is sent as prompts, in order", async () => {
  await using rig = await asking([{ text: "one" }, { text: "two" }]);
  const result = await rig.run([], { input: "first\n/version\nsecond\n/new\n/quit\nnever\n" });
  assert.equal(result.code, 0);
  assert.match(result.out, /^one\n[\s\S]*hermes \d[\s\S]*two\n[\s\S]*is kept/u);
  assert.deepEqual(
    rig.model.requests.map(({ messages }) => messages.map(textOf)),
    [["first"], ["first", "one", "second"]],
  );
});

test("over a pipe the turns of /queue and /steer are shown completely", async () => {
  await using rig = await asking([{ text: "queued" }, { text: "steered" }]);
  const result = await rig.run([], { input: "/queue one\n/steer two\n" });
  assert.match(result.out, /^queued$[\s\S]*^steered$/mu);
});

test("over a pipe the exit code is that of the last turn", async () => {
  await using rig = await asking([{ text: "fine" }, { error: { kind: "server", message: "boom" } }]);
  const result = await rig.run([], { input: "first\n/version\nsecond\n" });
  assert.deepEqual([result.code, result.err], [1, "error: boom\n"]);
});

test("an incomplete answer is reported on stderr", async () => {
  await using rig = await asking([{ text: "the first half", stop: "refused" }]);
  const { code, out, err } = await rig.run(["-z", "go"]);
  assert.deepEqual([code, out, err], [0, "the first half\n", "warning: The model refused to continue.\n"]);
});

test("-z warns about a file that could not be written", async () => {
  const write = { calls: [{ name: "write_file", args: { path: "/proc/nothing/a.txt", content: "x" } }] };
  await using rig = await asking([write, { text: "Wrote it." }]);
  const { code, out, err } = await rig.run(["-z", "write a.txt", "--yolo"]);
  assert.deepEqual([code, out], [0, "Wrote it.\n"]);
  assert.match(err, /^warning: 1 file could not be changed in this turn: \/proc\/nothing\/a\.txt \(/mu);
});

test("without a terminal and without a prompt, a session to resume is an error that names it", async () => {
  await using rig = await asking([{ text: "one" }]);
  await rig.run(["-q", "hello"]);
  const missing = await rig.run(["-r", "nosuch"], { input: "" });
  assert.equal(missing.code, 1);
  assert.match(missing.err, /nosuch/u);
  const resumed = await rig.run(["-r", "latest"], { input: "" });
  assert.deepEqual([resumed.code, resumed.out], [2, ""]);
  assert.match(resumed.err, /no prompt\.[^]*hermes -r latest -z/u);
});

test("-z prints only the answer; piped input is part of the prompt", async () => {
  await using rig = await asking([{ text: "let me look", ...call("echo hi") }, { text: "done" }]);
  const result = await rig.run(["-z", "what is this?"], { input: "piped words" });
  assert.deepEqual({ code: result.code, out: result.out, err: result.err }, { code: 0, out: "done\n", err: "" });
  const request = rig.model.requests[0]?.messages[0];
  assert.match(textOf(request), /^what is this\?\s+From standard input:\s+piped words$/u);
});

test("without a prompt, and with -, standard input is the prompt", async () => {
  await using rig = await asking([{ text: "one" }, { text: "two" }]);
  assert.match((await rig.run([], { input: "first" })).out, /^one\n/u);
  assert.equal((await rig.run(["-z", "-"], { input: "second" })).out, "two\n");
  assert.deepEqual(
    rig.model.requests.map(({ messages }) => textOf(messages[0])),
    ["first", "second"],
  );
});

test("chat -q shows each tool call with its result, the answer, and the usage", async () => {
  await using rig = await asking([call("echo hi"), call("exit 3"), { text: "two calls" }]);
  const result = await rig.run(["chat", "-q", "go"]);
  assert.equal(result.code, 0);
  assert.match(
    result.out,
    /┊ \S+ terminal echo hi ✓ [\d.]+ m?s\n┊ {3}hi\n┊ \S+ terminal exit 3 ✗ [\d.]+ m?s exit code 3\ntwo calls\n/u,
  );
  assert.match(result.out, /scripted\/test · ~?\d+ % of 100k \(compacts at \d+ %\) · cost unknown · [\d.]+ m?s\n$/u);
  assert.equal(result.err, "");
});

test("-Q prints the answer to stdout and the session id to stderr", async () => {
  await using rig = await asking([{ text: "yes" }]);
  const result = await rig.run(["chat", "-Q", "-q", "go"]);
  assert.equal(result.out, "yes\n");
  assert.match(result.err, /^session: \d{8}_\d{6}_[0-9a-f]+\n$/u);
});

test("--json writes every event as a line, from the start of the turn to its end", async () => {
  await using rig = await asking([call("echo hi"), { text: "done" }]);
  const result = await rig.run(["-z", "go", "--json"]);
  const events = eventsIn(result);
  assert.equal(result.code, 0);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => (events[0]?.seq ?? 0) + index),
  );
  assert.equal(events[0]?.type, "turn.started");
  const last = events.at(-1);
  assert.equal(last?.type === "turn.finished" && last.outcome.text, "done");
  assert.ok(events.some((event) => event.type === "tool.finished" && !event.failed));
});

test("when no user can answer, calls that need approval are denied; the exit code is 0 if the model still answers", async () => {
  await using rig = await asking([call("rm -rf build"), { text: "I may not" }]);
  await writeFile(join(rig.home, "build"), "");
  const result = await rig.run(["-z", "clean up"]);
  assert.deepEqual({ code: result.code, out: result.out }, { code: 0, out: "I may not\n" });
  assert.match(textOf(rig.model.requests[1]?.messages.at(-1)), /denied|approv/iu);
});

test("--yolo and HERMES_YOLO_MODE ask no questions", async () => {
  await using rig = await asking((_, number) => (number % 2 === 0 ? call("rm -rf gone") : { text: "ok" }));
  for (const more of [{}, { env: { HERMES_YOLO_MODE: "1" } }]) {
    const result = await rig.run(["-z", "go", ...("env" in more ? [] : ["--yolo"])], more);
    assert.equal(result.out, "ok\n");
    assert.doesNotMatch(textOf(rig.model.requests.at(-1)?.messages.at(-1)), /denied/iu);
  }
});

test("the exit code is 1 if no model answered, and stderr has the reason", async () => {
  await using rig = await asking([{ error: { kind: "auth", message: "the key is not accepted" } }]);
  const result = await rig.run(["-z", "go"]);
  assert.deepEqual({ code: result.code, out: result.out }, { code: 1, out: "" });
  assert.match(result.err, /^error: the key is not accepted/u);
});

test("the exit code is 3 if a budget of calls or money is exhausted; with a zero budget no request is sent", async () => {
  await using rig = await asking([call("echo 1"), { text: "as far as I came" }, { text: "never said" }]);
  const turns = await rig.run(["-z", "go", "--max-turns", "1"]);
  assert.deepEqual({ code: turns.code, out: turns.out }, { code: 3, out: "as far as I came\n" });
  assert.match(turns.err, /^error: /u);
  const requestCount = rig.model.requests.length;
  const money = await rig.run(["-z", "go", "--set", "budget.max_usd_per_day=0"]);
  assert.equal(money.code, 3);
  assert.equal(rig.model.requests.length, requestCount);
});

test("the exit code is 4 if the turn was stopped after repeated denials", async () => {
  await using rig = await asking((_, number) => call(`rm -rf folder${number}`));
  const result = await rig.run(["-z", "go"]);
  assert.equal(result.code, 4);
  assert.match(result.err, /denied in a row.*hermes policy allow/u);
  assert.doesNotMatch(result.err, /Do not|do not try/u);
});

test("the exit code is 130 after an interrupt, and the partial answer and the usage are written", async () => {
  const controller = new AbortController();
  await using rig = await asking(() => {
    setTimeout(() => controller.abort(new Error("interrupted")), 50);
    return { text: "half an ans", hangs: true };
  });
  const file = join(rig.home, "usage.json");
  const result = await rig.run(["-z", "go", "--usage-file", file], { signal: controller.signal });
  assert.equal(result.code, 130);
  const usage: unknown = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(isObject(usage) && [usage["interrupted"], usage["completed"], usage["turn_exit_reason"]], [
    true,
    false,
    "aborted",
  ]);
});

test("after an interrupt before the first request, the usage file reports an interruption", async () => {
  await using rig = await asking([]);
  const file = join(rig.home, "usage.json");
  const result = await rig.run(["-z", "go", "--usage-file", file], { signal: AbortSignal.abort(new Error("stop")) });
  assert.deepEqual([result.code, rig.model.requests.length], [130, 0]);
  const usage: unknown = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(isObject(usage) && [usage["interrupted"], usage["failed"]], [true, false]);
});

test("the exit code is 2 for invalid options, which are reported before any request", async () => {
  await using rig = await asking([]);
  for (const line of [
    ["-z", ""],
    ["-z", "a", "-q", "b"],
    ["-z", "a", "-r", "x", "-c"],
    ["-z", "a", "--max-turns", "0"],
    ["-z", "a", "--reasoning", "hard"],
    ["-z", "a", "--provider", "groq"],
    ["-z", "a", "--image", "not-there.png"],
    ["-z", "a", "--cwd", "not/there"],
    ["-z"],
    ["-z", "this", "what"],
    ["-z", "-"],
  ]) {
    const result = await rig.run(line);
    assert.equal(result.code, 2, `${line.join(" ")}: ${result.err}`);
    assert.notEqual(result.err, "");
  }
  assert.equal(rig.model.requests.length, 0);
});

test("the usage file is written even if no turn started", async () => {
  await using rig = await asking([]);
  const file = join(rig.home, "usage.json");
  const result = await rig.run(["-z", "go", "-r", "nothing like it", "--usage-file", file]);
  assert.equal(result.code, 1);
  const usage: unknown = JSON.parse(await readFile(file, "utf8"));
  assert.equal(isObject(usage) && usage["failed"], true);
});

test("--resume latest resumes the newest session, --resume ID the named one", async () => {
  await using rig = await asking([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  const first = await rig.run(["-z", "one", "--json"]);
  const id = eventsIn(first)[0]?.sessionId ?? "";
  await rig.run(["-z", "two", "-r", "latest"]);
  await rig.run(["-z", "three", "--resume", id.slice(0, -2)]);
  await rig.run(["-z", "alone"]);
  assert.deepEqual(
    rig.model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").map(textOf)),
    [["one"], ["one", "two"], ["one", "two", "three"], ["alone"]],
  );
});

test("--continue TITLE resumes the newest session with this title", async () => {
  await using rig = await asking((_, number) => ({ text: String(number) }));
  await rig.run([], { input: "/new my project\none\n/new my project\ntwo\n" });
  await rig.run(["-z", "three", "-c", "my", "project"]);
  const prompts = rig.model.requests.at(-1)?.messages.filter(({ role }) => role === "user");
  assert.deepEqual(prompts?.map(textOf), ["two", "three"]);
});

test("the options for model, provider, effort, folder and rules take effect in the session", async () => {
  await using rig = await asking((_, number) => ({ text: String(number) }));
  await rig.run(["-z", "a", "-m", "groq/x", "--reasoning", "high"]);
  await rig.run(["-z", "a", "-m", "x", "--provider", "groq"]);
  await rig.run(["-z", "a", "--provider", "groq"], { env: { HERMES_INFERENCE_MODEL: "y" } });
  assert.deepEqual(rig.names, ["groq/x", "x of groq", "y of groq"]);
  assert.equal(rig.model.requests[0]?.reasoning, "high");
  await writeFile(join(rig.home, "AGENTS.md"), "Speak like a pirate.");
  const prompt = (number: number) => rig.model.requests[number]?.system.map(({ text }) => text).join("") ?? "";
  await rig.run(["-z", "a"]);
  await rig.run(["-z", "a", "--ignore-rules"]);
  assert.match(prompt(3), /pirate/u);
  assert.doesNotMatch(prompt(4), /pirate/u);
});

test("an image is attached; other files are refused", async () => {
  await using rig = await asking([{ text: "nice" }], { vision: true });
  const png = join(rig.home, "a.png");
  await writeFile(
    png,
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
      "base64",
    ),
  );
  await rig.run(["-z", "what is it?", "--image", png]);
  assert.deepEqual(
    rig.model.requests[0]?.messages[0]?.content.map((part) => part.type),
    ["text", "image"],
  );
  await writeFile(png, "no picture");
  assert.equal((await rig.run(["-z", "what is it?", "--image", png])).code, 2);
});

test("--ignore-user-config keeps the user's deny rules; --safe-mode omits their tools", async () => {
  await using rig = await asking((_, number) => (number % 2 === 0 ? call("echo hi") : { text: "ok" }));
  await writeFile(
    join(rig.home, "config.yaml"),
    "agent: {system_prompt: Be brief}\napprovals: {deny: ['echo *']}\nnonsense: [",
  );
  assert.equal((await rig.run(["-z", "go"])).code, 1, "a file that cannot be read stops the start");
  assert.equal((await rig.run(["-z", "go", "--ignore-user-config"])).code, 0);
  await writeFile(join(rig.home, "config.yaml"), "agent: {system_prompt: Be brief}\napprovals: {deny: ['echo *']}\n");
  await rig.run(["-z", "go", "--safe-mode"]);
  const last = rig.model.requests.at(-1);
  assert.match(textOf(last?.messages.at(-1)), /deny rule|denied|echo \*/iu);
  assert.doesNotMatch(last?.system.map(({ text }) => text).join("") ?? "", /Be brief/u);
});

function eventsIn({ out }: CliResult): readonly AgentEvent[] {
  return out
    .trim()
    .split("\n")
    .map((line): AgentEvent => JSON.parse(line));
}

test("escape sequences of a model are passed to a pipe and never to a terminal", async () => {
  await using rig = await asking([{ text: "a\x1b[2Jb" }, { text: "a\x1b[2Jb" }]);
  assert.equal((await rig.run(["-z", "go"])).out, "a\x1b[2Jb\n");
  assert.equal((await rig.run(["-z", "go"], { stdoutIsTerminal: true })).out, "a[2Jb\n");
});

test("a home that is not writable is reported as such, not as a bug", async () => {
  await using rig = await asking([{ text: "hi" }]);
  await mkdir(join(rig.home, "sessions.db"));
  const result = await rig.run(["-z", "go"]);
  assert.equal(result.code, 1);
  assert.match(result.err, /^error: \S+sessions\.db: .+\n$/u);
});

test("-z waits for agents in the background and answers with their reports", async () => {
  await using rig = await asking(({ messages }) => {
    const texts = JSON.stringify(messages);
    if (texts.includes("Task: count the files")) return { text: "There are 7." };
    if (messages.length === 1)
      return { calls: [{ name: "delegate_task", args: { goal: "count the files", background: true } }] };
    return { text: texts.includes("There are 7.") ? "7 files" : "I wait." };
  });
  const result = await rig.run(["-z", "how many files?"]);
  assert.deepEqual([result.code, result.out.trim().split("\n").at(-1)], [0, "7 files"]);
});
