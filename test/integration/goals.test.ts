// covers: src/goals, src/runtime/session, src/commands/goals, src/operations/sessions
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject } from "../../src/base/json.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type RequestWithoutModel, type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { slashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

const lastPrompt = ({ messages }: RequestWithoutModel) =>
  messages
    .findLast(({ role }) => role === "user")
    ?.content.map((part) => (part.type === "text" ? part.text : ""))
    .join("\n") ?? "";

/** The judge has no system prompt. */
const isJudge = (request: RequestWithoutModel) => request.system.length === 0;
const verdict = (value: object): ScriptedAnswer => ({ text: JSON.stringify(value) });

/** Answers turns and verdicts from two lists; the last item repeats. */
function judgedModel(
  answers: readonly (ScriptedAnswer | ((request: RequestWithoutModel) => ScriptedAnswer))[],
  verdicts: readonly ScriptedAnswer[],
) {
  const prompts: string[] = [];
  const judged: string[] = [];
  const model = scriptedModel((request) => {
    if (isJudge(request)) {
      judged.push(lastPrompt(request));
      return verdicts[Math.min(judged.length, verdicts.length) - 1] ?? { text: "" };
    }
    const isNew = request.messages.at(-1)?.role === "user";
    if (isNew) prompts.push(lastPrompt(request));
    const answer = answers[Math.min(model.requests.filter((each) => !isJudge(each)).length, answers.length) - 1];
    return typeof answer === "function" ? answer(request) : (answer ?? { text: "" });
  });
  return { model, prompts, judged };
}

test("a goal continues turn after turn until the judge sees evidence, and the user sees the judge's reason", async () => {
  await using home = await tempHome();
  const { model, prompts, judged } = judgedModel(
    [{ text: "I looked around." }, { text: "I ran npm test: 12 passed." }],
    [
      verdict({ done: false, reason: "No test was run." }),
      // Without evidence, a verdict about a contract is ignored.
      verdict({ done: true, reason: "It says so." }),
      verdict({ done: true, reason: "The tests pass.", evidence: "12 passed" }),
    ],
  );
  await using rig = await slashSession({ folder: home.path, model });
  await rig.command("/goal fix the tests\nverification: npm test passes");
  await eventually(() => rig.session.goals.status().goal?.state === "done");
  assert.equal(prompts.length, 3);
  assert.match(prompts[0] ?? "", /fix the tests\nVerification: npm test passes/u);
  assert.match(prompts[1] ?? "", /turn 2 of 20[^]*Judge: No test was run\./u);
  assert.match(prompts[2] ?? "", /Judge: The judge found no evidence/u);
  assert.match(judged[0] ?? "", /I looked around\./u);
  await rig.noticed(/Goal, turn 2 of 20: No test was run\./u);
  await rig.noticed(/The goal is reached after 3 turns: The tests pass\./u);
  assert.match((await rig.command("/goal")).text, /state\s+reached/u);
  const last = rig.events.findLast((event) => event.type === "goals.changed");
  assert.equal(last?.type === "goals.changed" && last.status.goal?.state, "done");
});

test("the budget pauses a goal, resume resets the count, and invalid verdicts pause it too", async () => {
  await using home = await tempHome();
  const { model, judged } = judgedModel([{ text: "still at it" }], [verdict({ done: false, reason: "not yet" })]);
  await using rig = await slashSession({ folder: home.path, model, settings: { "goals.max_turns": 2 } });
  await rig.command("/goal count to a million");
  const isPaused = () => rig.session.goals.status().goal?.state === "paused";
  await eventually(isPaused);
  assert.equal(judged.length, 2);
  assert.match(rig.session.goals.status().goal?.reason ?? "", /2 turns are used up/u);
  await rig.command("/goal resume");
  assert.equal(rig.session.goals.status().goal?.state, "active");
  await eventually(() => judged.length === 4 && isPaused());
  assert.match((await rig.command("/goal clear")).text, /Forgot the goal: count/u);
  assert.match((await rig.command("/goal")).text, /There is no goal/u);

  const broken = judgedModel([{ text: "working" }], [{ text: "I think it went well!" }]);
  await using other = await slashSession({
    folder: join(home.path),
    home: join(home.path, "other"),
    model: broken.model,
  });
  await other.command("/goal do it");
  await eventually(() => other.session.goals.status().goal?.state === "paused");
  assert.equal(broken.judged.length, 3);
  assert.match(other.session.goals.status().goal?.reason ?? "", /could not be parsed 3 times/u);

  const down = judgedModel([{ text: "working" }], [{ error: { kind: "server", message: "the judge is down" } }]);
  await using third = await slashSession({ folder: home.path, home: join(home.path, "third"), model: down.model });
  await third.command("/goal do it");
  await eventually(() => third.session.goals.status().goal?.state === "paused");
  assert.equal(down.judged.length, 5);
  assert.match(
    third.session.goals.status().goal?.reason ?? "",
    /failed to answer 5 times in a row \(the judge is down\)/u,
  );
});

test("a message of the user takes precedence over a goal, and stopping a turn pauses the goal", async () => {
  await using home = await tempHome();
  const seen: string[] = [];
  let isJudging: (() => void) | undefined;
  const model = scriptedModel((request) => {
    if (isJudge(request)) {
      const isFirst = isJudging === undefined;
      isJudging ??= () => {};
      // The first judge hangs until the person's message makes it needless.
      return isFirst ? { text: "", hangs: true } : verdict({ done: false, reason: "go on" });
    }
    seen.push(lastPrompt(request));
    return seen.length === 3 ? { text: "thinking", hangs: true } : { text: "ok" };
  });
  await using rig = await slashSession({ folder: home.path, model });
  await rig.command("/goal keep going");
  await eventually(() => isJudging !== undefined);
  rig.session.prompt([{ type: "text", text: "a word of mine" }]);
  await eventually(() => seen.length === 3);
  assert.equal(seen[1], "a word of mine");
  assert.match(seen[2] ?? "", /Judge: go on/u);
  rig.session.turn?.abort("interrupted");
  await eventually(() => rig.session.goals.status().goal?.state === "paused");
  assert.match(rig.session.goals.status().goal?.reason ?? "", /you stopped the turn/u);
  await rig.idle();
  assert.equal(seen.length, 3);
});

test("gates run in a real shell before the judge; if the workspace is unchanged, the failure is reused", async () => {
  await using home = await tempHome();
  const { model, prompts, judged } = judgedModel(
    [
      { text: "done, I think" },
      { text: "still sure" },
      { calls: [{ name: "write_file", args: { path: "ready.txt", content: "yes\n" } }] },
      { text: "wrote it" },
    ],
    [verdict({ done: true, reason: "all good" })],
  );
  await using rig = await slashSession({ folder: home.path, model });
  const runs = () => rig.events.filter((event) => event.type === "tool.finished" && event.name === "terminal").length;
  // The first turn does not end before the check is set.
  const set = rig.command("/goal make it ready");
  await set;
  await rig.command('/goal gate add test -e ready.txt || { echo "ready.txt is missing"; exit 3; }');
  await eventually(() => rig.session.goals.status().goal?.state === "done");
  const failed = prompts.filter((text) => /A check of the goal fails/u.test(text));
  assert.ok(failed.length >= 1, prompts.join("\n---\n"));
  assert.match(failed[0] ?? "", /exit code 3[^]*ready\.txt is missing/u);
  await rig.noticed(/Nothing was changed since, so it did not run again/u);
  // The first failure and the success ran; the second failure was replayed.
  assert.equal(runs(), 2);
  assert.equal(judged.length, 1);
  assert.match(judged[0] ?? "", /Commands that passed after the turn: test -e ready\.txt/u);
  assert.equal(rig.session.place().cwd, home.path);
});

test("a gate that the policy refuses pauses the goal, and a gate that always fails pauses it after 3 retries", async () => {
  await using home = await tempHome();
  const { model, judged } = judgedModel(
    [() => ({ calls: [{ name: "terminal", args: { command: "touch x" } }] }), { text: "again" }],
    [verdict({ done: true, reason: "never asked" })],
  );
  await using rig = await slashSession({ folder: home.path, model });
  await rig.command("/goal clean up");
  await rig.command("/goal gate add rm -rf /etc/hermes-test");
  await eventually(() => rig.session.goals.status().goal?.state === "paused");
  assert.match(rig.session.goals.status().goal?.reason ?? "", /may not run/u);
  await rig.command("/goal gate remove 1");
  await rig.command("/goal gate add false");
  await rig.command("/goal resume");
  await eventually(() => /failed 4 times/u.test(rig.session.goals.status().goal?.reason ?? ""));
  assert.equal(judged.length, 0);
});

test("a goal waits for a time or a process without model requests, and outdated waits are cleared", async () => {
  await using home = await tempHome();
  const clock = fakeClock();
  const { model, judged, prompts } = judgedModel(
    [{ text: "the deploy runs" }],
    [
      verdict({ done: false, reason: "wait for it", wait: { seconds: 600 } }),
      verdict({ done: true, reason: "deployed" }),
    ],
  );
  await using rig = await slashSession({ folder: home.path, model, clock });
  await rig.command("/goal deploy");
  await rig.noticed(/^The goal waits until/u);
  const requests = model.requests.length;
  clock.advance(599_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(model.requests.length, requests);
  clock.advance(2_000);
  await rig.until(() => rig.session.goals.status().goal?.state === "done");
  assert.match(prompts[1] ?? "", /The wait until .* is over/u);
  assert.equal(judged.length, 2);
  await rig.command("/goal again");
  await rig.until(() => rig.session.goals.status().goal?.state === "done");
  assert.match((await rig.command("/goal wait 4194303")).text, /not active/u);
});

test("/goal wait PID waits for a real process, and an invalid wait is explained", async () => {
  await using home = await tempHome();
  const clock = fakeClock();
  const { model, prompts } = judgedModel(
    [{ text: "it compiles" }],
    [verdict({ done: false, reason: "wait", wait: { seconds: 600 } }), verdict({ done: true, reason: "built" })],
  );
  await using rig = await slashSession({ folder: home.path, model, clock });
  const { goals } = rig.session;
  assert.match((await rig.command("/goal wait 10m")).text, /There is no goal/u);
  for (const wrong of ["/goal wait", "/goal wait soon", "/goal wait -5", "/goal wait 0"])
    assert.match((await rig.command(wrong)).text, /Name a process or a time/u, wrong);
  await rig.command("/goal build it");
  await rig.noticed(/^The goal waits until/u);
  assert.match((await rig.command("/goal wait 4194304")).text, /nothing to wait for: no such process runs/u);
  const child = spawn("sleep", ["600"]);
  try {
    await rig.command(`/goal wait ${child.pid}`);
    await rig.noticed(new RegExp(`The goal waits for the process ${child.pid}`, "u"));
    await rig.idle();
    const before = model.requests.length;
    // The time of the first wait passes, and that of many checks.
    for (let minute = 0; minute < 11; minute++) clock.advance(60_000);
    assert.match((await rig.command("/goal")).text, new RegExp(`for the process ${child.pid}`, "u"));
    assert.equal(model.requests.length, before, "a parked goal costs nothing");
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  await rig.until(() => (clock.advance(6_000), goals.status().goal?.state === "done"));
  assert.match(prompts.at(-1) ?? "", new RegExp(`The wait for the process ${child.pid} is over`, "u"));
});

test("/goal draft asks for a contract and puts it into the input line; the judge then needs evidence", async () => {
  await using home = await tempHome();
  const contract = {
    outcome: "pages in German",
    verification: "npm test passes",
    stop_when: "all pages are done",
    other: 1,
  };
  let answer = JSON.stringify(contract);
  const model = scriptedModel((request) => ({ text: isJudge(request) ? answer : "ok" }));
  await using rig = await slashSession({ folder: home.path, model });
  assert.match((await rig.command("/goal draft")).text, /Pass a goal: \/goal draft TEXT/u);
  const { text, effect } = await rig.command("/goal draft translate the docs");
  assert.match(text, /outcome.*pages in German[^]*verification.*npm test passes/u);
  const line = effect?.kind === "draft" ? effect.text : "";
  assert.match(line, /^\/goal translate the docs\n/u);
  // The line as it is sets a goal with that contract.
  answer = JSON.stringify({ done: true, reason: "done", evidence: "" });
  await rig.command(line);
  const { goal } = rig.session.goals.status();
  assert.equal(goal?.text, "translate the docs");
  assert.deepEqual(goal?.contract, {
    outcome: "pages in German",
    verification: "npm test passes",
    stop_when: "all pages are done",
  });
  await rig.command("/goal clear");
  await rig.idle();
  answer = "no JSON at all";
  assert.match((await rig.command("/goal draft x")).text, /The model wrote no contract\. Try again/u);
  assert.equal(rig.session.goals.status().goal, undefined);
});

const support = join(import.meta.dirname, "..", "support");

/** Sets a goal whose second turn hangs, and reports it. */
const program = `
  import { writeSync } from "node:fs";
  import { slashSession } from "./slash-session.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder] = process.argv.slice(1);
  let turns = 0;
  const model = scriptedModel((request) => {
    if (request.system.length === 0) return { text: JSON.stringify({ done: false, reason: "half of it" }) };
    turns += 1;
    if (turns === 2) writeSync(1, "ready\\n");
    return turns === 2 ? { text: "working", hangs: true } : { text: "begun" };
  });
  const rig = await slashSession({ folder, model });
  await rig.command("/goal survive");
  await rig.command("/subgoal with all data");
  await rig.command("/goal gate add true");
  setInterval(() => {}, 1000);`;

test("after kill -9, a goal is restored, waits for the user and then continues", async () => {
  await using home = await tempHome();
  const child = inChild(support, program, [home.path]);
  let output = "";
  child.process.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await runAll([child], () => eventually(() => output.includes("ready")));
  const { model, prompts } = judgedModel(
    [{ text: "all data is there" }],
    [verdict({ done: true, reason: "survived", evidence: "all data is there" })],
  );
  await using rig = await slashSession({
    folder: home.path,
    model,
    session: await (async () => {
      const { runtimeRig } = await import("../support/runtime-rig.ts");
      await using reader = await runtimeRig({ folder: home.path, model });
      const { localPrincipal } = await import("../../src/hosts/local-principal.ts");
      const [newest] = await reader.sessions.list({ limit: 1 }, localPrincipal());
      assert.ok(newest);
      return { resume: newest.id };
    })(),
  });
  const { goal } = rig.session.goals.status();
  assert.equal(goal?.state, "active");
  assert.deepEqual(goal?.subgoals, ["with all data"]);
  assert.equal(goal?.gates[0]?.command, "true");
  assert.equal(goal?.turns, 1);
  await rig.noticed(/This session has a goal: "survive"/u);
  assert.equal(model.requests.length, 0);
  await rig.command("/goal resume");
  await eventually(() => rig.session.goals.status().goal?.state === "done");
  assert.match(prompts[0] ?? "", /Judge: half of it/u);
});

test("the built-in offline model pauses a goal without checks, and completes one with checks", async () => {
  await using home = await tempHome();
  const model = scriptedModel(() => ({ text: "I wrote notes.txt" }), { offline: true });
  await using rig = await slashSession({ folder: home.path, model });
  await rig.command('/goal write "hello" to notes.txt');
  await eventually(() => rig.session.goals.status().goal?.state === "paused");
  assert.match(rig.session.goals.status().goal?.reason ?? "", /cannot judge\. Connect a model, or add a check/u);
  await writeFile(join(home.path, "notes.txt"), "hello\n");
  await rig.command("/goal gate add grep -q hello notes.txt");
  await rig.command("/goal resume");
  await eventually(() => rig.session.goals.status().goal?.state === "done");
  assert.ok(existsSync(join(home.path, "notes.txt")));
});

test("loops run at their interval and end by a word, a count or a condition; heartbeats run only when idle", async () => {
  await using home = await tempHome();
  const clock = fakeClock();
  const seen: string[] = [];
  let next: ScriptedAnswer = { text: "checked" };
  let condition = false;
  let judged = 0;
  const model = scriptedModel((request) => {
    if (isJudge(request)) {
      judged += 1;
      return verdict({ done: condition, reason: condition ? "it is green" : "still red" });
    }
    seen.push(lastPrompt(request));
    return next;
  });
  await using rig = await slashSession({ folder: home.path, model, clock });
  const { goals } = rig.session;
  const settled = async (count: number) => {
    await rig.until(() => seen.length === count);
    await rig.idle();
  };
  assert.match((await rig.command("/loop --times 2 check the build")).text, /Options come after the prompt/u);
  assert.match((await rig.command("/loop 10m check the build --times 2")).text, /0 of 2|1 of 2/u);
  await settled(1);
  clock.advance(10 * 60_000);
  await settled(2);
  await rig.until(() => goals.status().loop === undefined);
  assert.match(seen[1] ?? "", /check the build\n\n\[.*run 2 of 2/u);

  await rig.command("/loop 1m look --until the build is green");
  await settled(3);
  // Missed times count as one. The first of the five is in time if the check of the condition has ended.
  clock.advance(5 * 60_000);
  const isNextLater = () => (goals.status().loop?.nextAt ?? 0) > clock.now();
  await rig.until(() => judged >= 2 && judged === goals.status().loop?.runs && isNextLater());
  const runs = judged;
  assert.ok(runs === 2 || runs === 3, `${runs} runs`);
  condition = true;
  clock.advance(60_000);
  await rig.until(() => goals.status().loop === undefined);
  await rig.noticed(new RegExp(`The loop has ended after ${runs + 1} runs: it is green`, "u"));
  const before = seen.length;

  next = { text: "nothing left\n\nLOOP_COMPLETE" };
  await rig.command("/loop tidy up");
  await rig.until(() => goals.status().loop === undefined);
  await settled(before + 1);

  next = { text: "beat" };
  assert.match((await rig.command("/heartbeat every 30s ping")).text, /at least 1 min/u);
  await rig.command("/heartbeat every 2m ping");
  next = { text: "busy", hangs: true };
  const turn = rig.session.prompt([{ type: "text", text: "a long task" }]);
  await rig.until(() => seen.length === before + 2);
  clock.advance(10 * 60_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(seen.length, before + 2);
  next = { text: "beat" };
  turn.abort("enough");
  await settled(before + 3);
  assert.match(seen.at(-1) ?? "", /^\[Heartbeat, every 2 min\..*\nping$/u);
  assert.equal(goals.status().heartbeat?.runs, 1);
  await rig.command("/heartbeat stop");
  clock.advance(60 * 60_000);
  await rig.idle();
  assert.equal(seen.length, before + 3);
  assert.ok(rig.events.some((event) => isObject(event) && event.type === "goals.changed"));
});
