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

/** Homes of their own, a model that plays a script. */
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
      const said = await hermes(["--set", "isolation.mode=off", ...args], { home: folder.path, models, ...more });
      const [notice = "", ...lines] = said.err.split("\n");
      if (!notice.startsWith("⚠ isolation.mode is off")) return said;
      return Object.defineProperty(said, "err", { value: lines.join("\n") });
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const call = (command: string): ScriptedAnswer => ({ calls: [{ name: "terminal", args: { command } }] });

test("settings that weaken safety are said on standard error, whatever reads the answer", async () => {
  await using at = await asking([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const weak = ["--set", "isolation.mode=off", "--set", "approvals.mode=yolo", "--set", "approvals.unattended=allow"];
  for (const [args, input] of [
    [["-z", "hi"], undefined],
    [["chat", "-Q", "-q", "hi"], undefined],
    [[], "hi\n"],
  ] as const) {
    const said = await hermes([...weak, ...args], { home: at.home, models: at.models, ...(input && { input }) });
    for (const name of ["isolation.mode is off", "approvals.mode is yolo", "approvals.unattended is allow"])
      assert.equal(said.err.split(`⚠ ${name}:`).length, 2, `${args.join(" ")}: ${said.err}`);
  }
  const status = await hermes(weak, { home: at.home, models: at.models, input: "/status\n" });
  assert.match(status.out, /⚠ +isolation.mode is off/u);
});

test("over a pipe lines that are commands are run, and what stands between them is asked, in order", async () => {
  await using at = await asking([{ text: "one" }, { text: "two" }]);
  const said = await at.run([], { input: "first\n/version\nsecond\n/new\n/quit\nnever\n" });
  assert.equal(said.code, 0);
  assert.match(said.out, /^one\n[\s\S]*hermes \d[\s\S]*two\n[\s\S]*is kept/u);
  assert.deepEqual(
    at.model.requests.map(({ messages }) => messages.map(textOf)),
    [["first"], ["first", "one", "second"]],
  );
});

test("over a pipe what /queue and /steer begin is shown to its end", async () => {
  await using at = await asking([{ text: "queued" }, { text: "steered" }]);
  const said = await at.run([], { input: "/queue one\n/steer two\n" });
  assert.match(said.out, /^queued$[\s\S]*^steered$/mu);
});

test("over a pipe the exit code is that of the last turn", async () => {
  await using at = await asking([{ text: "fine" }, { error: { kind: "server", message: "boom" } }]);
  const said = await at.run([], { input: "first\n/version\nsecond\n" });
  assert.deepEqual([said.code, said.err], [1, "error: boom\n"]);
});

test("an answer that is not whole is said to be so, beside it", async () => {
  await using at = await asking([{ text: "the first half", stop: "refused" }]);
  const { code, out, err } = await at.run(["-z", "go"]);
  assert.deepEqual([code, out, err], [0, "the first half\n", "warning: The model refused to go on.\n"]);
});

test("-z prints only the answer; what was piped in belongs to the prompt", async () => {
  await using at = await asking([{ text: "let me look", ...call("echo hi") }, { text: "done" }]);
  const said = await at.run(["-z", "what is this?"], { input: "piped words" });
  assert.deepEqual({ code: said.code, out: said.out, err: said.err }, { code: 0, out: "done\n", err: "" });
  const asked = at.model.requests[0]?.messages[0];
  assert.match(textOf(asked), /^what is this\?\s+From standard input:\s+piped words$/u);
});

test("without a prompt, and with -, standard input is the prompt", async () => {
  await using at = await asking([{ text: "one" }, { text: "two" }]);
  assert.match((await at.run([], { input: "first" })).out, /^one\n/u);
  assert.equal((await at.run(["-z", "-"], { input: "second" })).out, "two\n");
  assert.deepEqual(
    at.model.requests.map(({ messages }) => textOf(messages[0])),
    ["first", "second"],
  );
});

test("chat -q shows each tool call with its result, the answer, and what it took", async () => {
  await using at = await asking([call("echo hi"), call("exit 3"), { text: "two calls" }]);
  const said = await at.run(["chat", "-q", "go"]);
  assert.equal(said.code, 0);
  assert.match(said.out, /┊ \S+ terminal echo hi ✓ \d+ ms\n┊ \S+ terminal exit 3 ✗ \d+ ms exit code 3\ntwo calls\n/u);
  assert.match(said.out, /scripted\/test · ~?\d+ % of 100k \(compacts at \d+ %\) · cost unknown · [\d.]+ m?s\n$/u);
  assert.equal(said.err, "");
});

test("-Q prints the answer, and the session to go on with where scripts do not read it", async () => {
  await using at = await asking([{ text: "yes" }]);
  const said = await at.run(["chat", "-Q", "-q", "go"]);
  assert.equal(said.out, "yes\n");
  assert.match(said.err, /^session: \d{8}_\d{6}_[0-9a-f]+\n$/u);
});

test("--json writes every event as a line, from the start of the turn to its end", async () => {
  await using at = await asking([call("echo hi"), { text: "done" }]);
  const said = await at.run(["-z", "go", "--json"]);
  const events = eventsIn(said);
  assert.equal(said.code, 0);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, at) => (events[0]?.seq ?? 0) + at),
  );
  assert.equal(events[0]?.type, "turn.started");
  const last = events.at(-1);
  assert.equal(last?.type === "turn.finished" && last.outcome.text, "done");
  assert.ok(events.some((event) => event.type === "tool.finished" && !event.failed));
});

test("nobody there to ask means denied; the model may still answer, and that is exit code 0", async () => {
  await using at = await asking([call("rm -rf build"), { text: "I may not" }]);
  await writeFile(join(at.home, "build"), "");
  const said = await at.run(["-z", "clean up"]);
  assert.deepEqual({ code: said.code, out: said.out }, { code: 0, out: "I may not\n" });
  assert.match(textOf(at.model.requests[1]?.messages.at(-1)), /denied|approv/iu);
});

test("--yolo and HERMES_YOLO_MODE ask no questions", async () => {
  await using at = await asking((_, number) => (number % 2 === 0 ? call("rm -rf gone") : { text: "ok" }));
  for (const more of [{}, { env: { HERMES_YOLO_MODE: "1" } }]) {
    const said = await at.run(["-z", "go", ...("env" in more ? [] : ["--yolo"])], more);
    assert.equal(said.out, "ok\n");
    assert.doesNotMatch(textOf(at.model.requests.at(-1)?.messages.at(-1)), /denied/iu);
  }
});

test("exit code 1: no model answered; the reason is told where answers are not", async () => {
  await using at = await asking([{ error: { kind: "auth", message: "the key is not accepted" } }]);
  const said = await at.run(["-z", "go"]);
  assert.deepEqual({ code: said.code, out: said.out }, { code: 1, out: "" });
  assert.match(said.err, /^error: the key is not accepted/u);
});

test("exit code 3: a budget is used up, in calls or in money; nothing is asked when it is zero", async () => {
  await using at = await asking([call("echo 1"), { text: "as far as I came" }, { text: "never said" }]);
  const turns = await at.run(["-z", "go", "--max-turns", "1"]);
  assert.deepEqual({ code: turns.code, out: turns.out }, { code: 3, out: "as far as I came\n" });
  assert.match(turns.err, /^error: /u);
  const asked = at.model.requests.length;
  const money = await at.run(["-z", "go", "--set", "budget.max_usd_per_day=0"]);
  assert.equal(money.code, 3);
  assert.equal(at.model.requests.length, asked);
});

test("exit code 4: denied so often that it was stopped", async () => {
  await using at = await asking((_, number) => call(`rm -rf folder${number}`));
  const said = await at.run(["-z", "go"]);
  assert.equal(said.code, 4);
  assert.match(said.err, /denied in a row.*hermes policy allow/u);
  assert.doesNotMatch(said.err, /Do not|do not try/u);
});

test("exit code 130: interrupted; what had been said is printed, and usage is written", async () => {
  await using at = await asking([{ text: "half an ans", hangs: true }]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("interrupted")), 300);
  const file = join(at.home, "usage.json");
  const said = await at.run(["-z", "go", "--usage-file", file], { signal: controller.signal });
  assert.equal(said.code, 130);
  const usage: unknown = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(isObject(usage) && [usage["interrupted"], usage["completed"], usage["turn_exit_reason"]], [
    true,
    false,
    "aborted",
  ]);
});

test("exit code 2: what cannot be meant is told before anything is asked", async () => {
  await using at = await asking([]);
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
    ["chat", "what"],
    ["-z", "-"],
  ]) {
    const said = await at.run(line);
    assert.equal(said.code, 2, `${line.join(" ")}: ${said.err}`);
    assert.notEqual(said.err, "");
  }
  assert.equal(at.model.requests.length, 0);
});

test("the usage file is written also when it did not come to a turn", async () => {
  await using at = await asking([]);
  const file = join(at.home, "usage.json");
  const said = await at.run(["-z", "go", "-r", "nothing like it", "--usage-file", file]);
  assert.equal(said.code, 1);
  const usage: unknown = JSON.parse(await readFile(file, "utf8"));
  assert.equal(isObject(usage) && usage["failed"], true);
});

test("--continue goes on with the newest session, --resume with the one that is named", async () => {
  await using at = await asking([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  const first = await at.run(["-z", "one", "--json"]);
  const id = eventsIn(first)[0]?.sessionId ?? "";
  await at.run(["-z", "two", "-c"]);
  await at.run(["-z", "three", "--resume", id.slice(0, -2)]);
  await at.run(["-z", "alone"]);
  assert.deepEqual(
    at.model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").map(textOf)),
    [["one"], ["one", "two"], ["one", "two", "three"], ["alone"]],
  );
});

test("--continue TITLE goes on with the newest of those that were given this title", async () => {
  await using at = await asking((_, number) => ({ text: String(number) }));
  await at.run([], { input: "/new my project\none\n/new my project\ntwo\n" });
  await at.run(["-z", "three", "-c", "my", "project"]);
  const said = at.model.requests.at(-1)?.messages.filter(({ role }) => role === "user");
  assert.deepEqual(said?.map(textOf), ["two", "three"]);
});

test("model, provider, effort, folder and rules reach the session", async () => {
  await using at = await asking((_, number) => ({ text: String(number) }));
  await at.run(["-z", "a", "-m", "groq/x", "--reasoning", "high"]);
  await at.run(["-z", "a", "-m", "x", "--provider", "groq"]);
  await at.run(["-z", "a", "--provider", "groq"], { env: { HERMES_INFERENCE_MODEL: "y" } });
  assert.deepEqual(at.names, ["groq/x", "x of groq", "y of groq"]);
  assert.equal(at.model.requests[0]?.reasoning, "high");
  await writeFile(join(at.home, "AGENTS.md"), "Speak like a pirate.");
  const prompt = (number: number) => at.model.requests[number]?.system.map(({ text }) => text).join("") ?? "";
  await at.run(["-z", "a"]);
  await at.run(["-z", "a", "--ignore-rules"]);
  assert.match(prompt(3), /pirate/u);
  assert.doesNotMatch(prompt(4), /pirate/u);
});

test("a picture goes along; something else is refused", async () => {
  await using at = await asking([{ text: "nice" }], { vision: true });
  const png = join(at.home, "a.png");
  await writeFile(
    png,
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
      "base64",
    ),
  );
  await at.run(["-z", "what is it?", "--image", png]);
  assert.deepEqual(
    at.model.requests[0]?.messages[0]?.content.map((part) => part.type),
    ["text", "image"],
  );
  await writeFile(png, "no picture");
  assert.equal((await at.run(["-z", "what is it?", "--image", png])).code, 2);
});

test("--ignore-user-config leaves what the user forbids; --safe-mode leaves their tools out", async () => {
  await using at = await asking((_, number) => (number % 2 === 0 ? call("echo hi") : { text: "ok" }));
  await writeFile(
    join(at.home, "config.yaml"),
    "agent: {system_prompt: Be brief}\napprovals: {deny: ['echo *']}\nnonsense: [",
  );
  assert.equal((await at.run(["-z", "go"])).code, 1, "a file that cannot be read stops the start");
  assert.equal((await at.run(["-z", "go", "--ignore-user-config"])).code, 0);
  await writeFile(join(at.home, "config.yaml"), "agent: {system_prompt: Be brief}\napprovals: {deny: ['echo *']}\n");
  await at.run(["-z", "go", "--safe-mode"]);
  const last = at.model.requests.at(-1);
  assert.match(textOf(last?.messages.at(-1)), /deny rule|denied|echo \*/iu);
  assert.doesNotMatch(last?.system.map(({ text }) => text).join("") ?? "", /Be brief/u);
});

function eventsIn({ out }: CliResult): readonly AgentEvent[] {
  return out
    .trim()
    .split("\n")
    .map((line): AgentEvent => JSON.parse(line));
}

test("escape sequences of a model reach a program, never a terminal", async () => {
  await using at = await asking([{ text: "a\x1b[2Jb" }, { text: "a\x1b[2Jb" }]);
  assert.equal((await at.run(["-z", "go"])).out, "a\x1b[2Jb\n");
  assert.equal((await at.run(["-z", "go"], { stdoutIsTerminal: true })).out, "a[2Jb\n");
});

test("a home that cannot be written to is told as what it is, not as a bug", async () => {
  await using at = await asking([{ text: "hi" }]);
  await mkdir(join(at.home, "sessions.db"));
  const said = await at.run(["-z", "go"]);
  assert.equal(said.code, 1);
  assert.match(said.err, /^error: \S+sessions\.db: .+\n$/u);
});
