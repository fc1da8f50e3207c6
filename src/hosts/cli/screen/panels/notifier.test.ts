import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import { asId, type AgentId, type CallId, type SessionId, type TurnId } from "../../../../base/ids.ts";
import type { AgentEvent, AgentEventBody } from "../../../../contracts/session/event.ts";
import { english } from "../texts/english.ts";
import { createNotifier, type NotificationSettings } from "./notifier.ts";

function notifierRig(settings: Partial<NotificationSettings> = {}, env: Readonly<Record<string, string>> = {}) {
  const clock = fakeClock();
  const sent: string[] = [];
  const notifier = createNotifier({
    texts: english,
    clock,
    env,
    settings: () => ({ notifications: "osc9", notify_after_seconds: 10, bell_on_complete: false, ...settings }),
    send: (bytes) => void sent.push(bytes),
  });
  const show = (body: AgentEventBody) =>
    notifier.show({ ...body, seq: 1, at: 0, sessionId: asId<SessionId>("s") } as AgentEvent);
  return {
    ...notifier,
    clock,
    sent,
    show,
    turn(seconds: number, reason: "answered" | "aborted" | "failed" = "answered", why?: string) {
      const turnId = asId<TurnId>("t");
      show({ type: "turn.started", turnId, prompt: [] });
      clock.advance(seconds * 1_000);
      const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      show({ type: "turn.finished", turnId, outcome: { reason, usage, ...(why !== undefined && { why }) } as never });
    },
  };
}

test("the end of a long turn sends a notification if the window is not focused", () => {
  const rig = notifierRig();
  rig.pressed({ chord: "blur" });
  rig.turn(9);
  assert.deepEqual(rig.sent, []);
  rig.turn(75);
  assert.deepEqual(rig.sent, ["\x1b]9;Hermes: The turn ended after 1 min.\x07"]);
  rig.turn(75, "aborted");
  rig.pressed({ chord: "focus" });
  rig.turn(75);
  rig.questionWaits();
  assert.equal(rig.sent.length, 1);
});

test("without focus reports, a person who typed a moment ago counts as watching", () => {
  const rig = notifierRig();
  rig.pressed({ chord: "a", text: "a" });
  rig.turn(12);
  assert.equal(rig.sent.length, 0);
  rig.turn(60);
  assert.equal(rig.sent.length, 1);
  rig.questionWaits();
  assert.match(rig.sent.join(), /A question waits/u);
});

test("the notification of a failed turn gives the reason, without control characters", () => {
  const rig = notifierRig();
  rig.turn(60, "failed", "no key\u001b]0;x\u0007\nat all");
  assert.deepEqual(rig.sent, ["\x1b]9;Hermes: The turn failed after 1 min: no key]0;x at all\x07"]);
});

test("a background agent that ends sends a notification", () => {
  const rig = notifierRig();
  const agent = {
    agentId: asId<AgentId>("a"),
    callId: asId<CallId>("c"),
    depth: 1,
    goal: "count",
    role: "leaf" as const,
    isBackground: true,
    startedAt: 0,
    modelCalls: 0,
    toolCalls: 0,
    tokens: 0,
  };
  rig.show({ type: "agent.changed", agent: { ...agent, state: "running" } });
  rig.show({ type: "agent.changed", agent: { ...agent, state: "completed" } });
  assert.equal(rig.sent.length, 1);
});

test("with notifications off nothing is sent, except the bell, which has its own setting", () => {
  const rig = notifierRig({ notifications: "off", bell_on_complete: true });
  rig.turn(60);
  assert.deepEqual(rig.sent, ["\x07"]);
});

for (const [name, env, bytes] of [
  ["kitty", { TERM: "xterm-kitty" }, "\x1b]99;i=hermes:d=0;Hermes\x1b\\\x1b]99;i=hermes:p=body;x;y\x1b\\"],
  ["foot", { TERM: "foot" }, "\x1b]777;notify;Hermes;x,y\x07"],
  ["iTerm2", { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "\x1b]9;Hermes: x;y\x07"],
  ["tmux", { TERM: "tmux-256color", TMUX: "/tmp/t" }, "\x1bPtmux;\x1b\x1b]9;Hermes: x;y\x07\x1b\\"],
  ["screen", { TERM: "screen", STY: "1" }, "\x1bP\x1b]9;Hermes: x;y\x07\x1b\\"],
  ["the Linux console", { TERM: "linux" }, "\x07"],
] as const) {
  test(`the escape sequence for ${name}`, () => {
    const rig = notifierRig({ notifications: "auto" }, env);
    rig.done("x;y");
    assert.deepEqual(rig.sent, [bytes]);
  });
}
