import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { createGuardrails } from "./guardrails.ts";

const call = (command: string) => ({ id: asId<CallId>("c"), name: "terminal", args: JSON.stringify({ command }) });
const success = (text: string) => ok({ content: [{ type: "text" as const, text }] });
const acting = { traits: { readOnly: false, parallel: false, callers: "both", untrusted: false } } as const;

test("a command that repeats with the same output gets a warning, then is refused, and then ends the turn", () => {
  const rails = createGuardrails();
  let ran = 0;
  let warnings = 0;
  while (rails.halt === undefined && ran < 100) {
    rails.begin();
    if (rails.refusal(call("echo same")) !== undefined) continue;
    ran += 1;
    if (rails.remark(call("echo same"), acting, success(`{"duration_ms":${ran},"output":"same"}`)) !== undefined)
      warnings += 1;
  }
  assert.deepEqual({ ran, warnings }, { ran: 30, warnings: 19 });
  assert.equal(rails.halt, "terminal was called repeatedly with the same arguments");
});

test("a call that is repeated after pauses counts as polling, which has a much higher limit", () => {
  let now = 0;
  const rails = createGuardrails({ elapsed: () => now });
  let ran = 0;
  while (rails.halt === undefined && ran < 1_000) {
    rails.begin();
    if (rails.refusal(call("sleep 10; check")) !== undefined) continue;
    ran += 1;
    now += 10_000;
    rails.remark(call("sleep 10; check"), acting, success("in progress"));
  }
  assert.equal(ran, 117);
});

test("a command with new output, or with other commands in between, counts as progress", () => {
  const rails = createGuardrails();
  for (let n = 0; n < 100; n += 1) {
    assert.equal(rails.refusal(call("make test")), undefined);
    assert.equal(rails.remark(call("make test"), acting, success("1 failed")), undefined);
    assert.equal(rails.remark(call(`edit ${n}`), acting, success("")), undefined);
  }
  for (let n = 0; n < 100; n += 1) assert.equal(rails.remark(call("date"), acting, success(`${n}`)), undefined);
});

test("a cycle of two or three calls with effects and the same output ends the turn", () => {
  for (const commands of [
    ["write a", "write b"],
    ["write a", "look", "write b"],
  ]) {
    const rails = createGuardrails();
    let ran = 0;
    let warnings = 0;
    for (let n = 0; rails.halt === undefined && n < 200; n += 1) {
      rails.begin();
      const next = call(commands[n % commands.length] ?? "");
      if (rails.refusal(next) !== undefined) continue;
      ran += 1;
      if (rails.remark(next, acting, success(`{"duration_ms":${n}}`)) !== undefined) warnings += 1;
    }
    assert.equal(ran, 20 * commands.length);
    assert.ok(warnings > 10);
    assert.match(rails.halt ?? "", /called repeatedly/u);
  }
});

test("a cycle with any new output counts as progress, and a different call ends the cycle", () => {
  const rails = createGuardrails();
  for (let n = 0; n < 100; n += 1) {
    for (const [command, answer] of [
      ["edit", ""],
      ["test", `${n} failed`],
    ] as const) {
      assert.equal(rails.refusal(call(command)), undefined);
      assert.equal(rails.remark(call(command), acting, success(answer)), undefined);
    }
  }
  for (let n = 0; n < 60; n += 1) rails.remark(call(n % 2 ? "a" : "b"), acting, success(""));
  assert.ok(rails.refusal(call("a")) !== undefined);
  rails.remark(call("c"), acting, success(""));
  assert.equal(rails.refusal(call("a")), undefined);
});

test("many failing calls in one answer do not end the turn, but failures in many answers do", () => {
  const rails = createGuardrails();
  const missing = err({ kind: "failed", message: "does not exist", effect: "none" } as const);
  rails.begin();
  for (let n = 0; n < 200; n += 1) rails.remark(call(`read ${n}`), acting, missing);
  for (let n = 0; n < 20; n += 1) {
    if (rails.refusal(call("read 0")) === undefined) rails.remark(call("read 0"), acting, missing);
  }
  assert.equal(rails.halt, undefined);
  for (let n = 0; n < 14; n += 1) {
    rails.begin();
    rails.remark(call(`read more ${n}`), acting, missing);
  }
  assert.equal(rails.halt, "terminal failed 15 times in a row");
});

test("reads that alternate between the same results, or are refused repeatedly, end the turn after a few rounds", () => {
  const reading = { traits: { ...acting.traits, readOnly: true } } as const;
  const blocked = err({ kind: "blocked", message: "belongs to the system", effect: "none" } as const);
  for (const answers of [[success("text"), success("unchanged")], [success("text")], [blocked]]) {
    const rails = createGuardrails();
    let requests = 0;
    for (; rails.halt === undefined && requests < 100; requests += 1) {
      rails.begin();
      if (rails.refusal(call("read a")) !== undefined) continue;
      rails.remark(call("read a"), reading, answers[requests % answers.length] ?? blocked);
    }
    assert.ok(requests <= 10, `${requests} requests`);
  }
  const rails = createGuardrails();
  for (let n = 0; n < 100; n += 1) {
    rails.begin();
    assert.equal(rails.refusal(call("read log")), undefined);
    rails.remark(call("read log"), reading, success(`line ${n}`));
  }
});
