import assert from "node:assert/strict";
import { test } from "node:test";

import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import { createSessionFollower } from "./follow-session.ts";

test("a chat that ends waits until the last turn is shown, also behind a picture that is being drawn", async () => {
  const shown: string[] = [];
  const picture = Promise.withResolvers<void>();
  // Only the events of the session are read.
  const session = {
    async *events() {
      for (const type of ["turn.started", "tool.finished", "text.delta", "turn.finished"]) yield { type } as AgentEvent;
    },
  } as unknown as Session;
  const follower = createSessionFollower({
    current: () => session,
    show({ type }) {
      shown.push(type);
      return type === "tool.finished" ? picture.promise : undefined;
    },
    turnStarted: () => void shown.push("busy"),
    turnShown: () => void shown.push("free"),
  });
  await follower.untilShown();
  const following = follower.follow(session);
  const leaving = follower.untilShown().then(() => shown.push("left"));
  await new Promise(setImmediate);
  assert.deepEqual(shown, ["busy", "turn.started", "tool.finished"]);
  picture.resolve();
  await Promise.all([following, leaving]);
  assert.deepEqual(shown.slice(3), ["text.delta", "turn.finished", "free", "left"]);
});

test("a chat does not wait for the end of a turn after the last event of its session", async () => {
  // Only the events of the session are read.
  const session = {
    async *events() {
      yield { type: "turn.started" } as AgentEvent;
    },
  } as unknown as Session;
  const follower = createSessionFollower({
    current: () => session,
    show: () => undefined,
    turnStarted: () => {},
    turnShown: () => assert.fail("the turn has not ended"),
  });
  await follower.follow(session);
  await follower.untilShown();
});
