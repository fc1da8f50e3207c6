import assert from "node:assert/strict";
import { test } from "node:test";

import { type AgentId, asId, type CallId, type SessionId } from "../base/ids.ts";
import type { AgentReport } from "../contracts/session/agents.ts";
import { fail, json } from "../contracts/tool/tool-result.ts";
import { createReportDelivery, reportMessage } from "./delivery.ts";

const id = (text: string) => asId<AgentId>(text);
const call = (text: string) => asId<CallId>(text);

function report(agentId: string, more: Partial<AgentReport> = {}): AgentReport {
  return {
    agentId: id(agentId),
    sessionId: asId<SessionId>("s"),
    parentId: asId<SessionId>("p"),
    goal: "count",
    role: "leaf",
    status: "completed",
    summary: "seven",
    findings: [],
    filesChanged: [],
    commandsRun: [],
    toolTrace: [],
    model: "m",
    modelCalls: 1,
    tokens: { input: 1, output: 1 },
    startedAt: 0,
    durationMs: 1_000,
    ...more,
  };
}

const messages = (delivery: ReturnType<typeof createReportDelivery>) =>
  delivery.take().map((each) => each.report.agentId);

test("a background report of a child becomes a message exactly once", () => {
  const delivery = createReportDelivery();
  delivery.ended(report("a"));
  assert.deepEqual(delivery.waiting, ["a"]);
  assert.deepEqual(messages(delivery), ["a"]);
  assert.deepEqual(messages(delivery), []);
});

test("a waiting call returns the report, and the delivery mark is stored with its result", () => {
  const delivery = createReportDelivery();
  delivery.startedBy(call("c"));
  delivery.ended(report("a"), call("c"));
  assert.deepEqual(messages(delivery), []);
  delivery.handOver(id("a"), call("c"));
  assert.deepEqual(delivery.settled(call("c"), json("shortened")), [
    { type: "state", name: "agents_delivered", value: ["a"] },
  ]);
  assert.deepEqual(messages(delivery), []);
});

test("after a call is cancelled, the reports of its children become messages", () => {
  const delivery = createReportDelivery();
  delivery.startedBy(call("c"));
  delivery.ended(report("a"), call("c"));
  delivery.handOver(id("a"), call("c"));
  assert.deepEqual(delivery.settled(call("c"), fail("stopped", "aborted")), []);
  delivery.ended(report("b"), call("c"));
  assert.deepEqual(messages(delivery), ["a", "b"]);
});

test("report data in any result, even a failed one, counts as a delivery", () => {
  const delivery = createReportDelivery();
  delivery.ended(report("a"));
  delivery.ended(report("b"));
  const results = [
    { subagent_id: "a", summary: "seven" },
    { subagent_id: "b", status: "running" },
  ];
  assert.equal(delivery.settled(call("c"), json({ results })).length, 1);
  assert.deepEqual(delivery.waiting, ["b"]);
  const data = { subagent_id: "b", summary: "half" };
  assert.equal(delivery.settled(call("d"), fail("not completed", "failed", { data })).length, 1);
  assert.deepEqual(messages(delivery), []);
});

test("a report message has a size limit, names its author, and marks text of a child that read untrusted text", () => {
  const fence = (text: string) => `<data>${text}</data>`;
  const plain = reportMessage(report("a", { why: "x", filesChanged: ["/f"] }), 100, fence);
  assert.match(plain, /^Message from Hermes, not from the person:\nAgent a has ended: completed \(x\)\..*count\n/u);
  assert.match(plain, /Files changed: \/f\nIts report:\nseven$/u);
  const long = report("a", { summary: "z".repeat(500), spill: "/s", readTexts: [{ kind: "web", name: "w" }] });
  assert.match(reportMessage(long, 100, fence), /<data>z{100}<\/data>\nThe whole report: \/s$/u);
});
