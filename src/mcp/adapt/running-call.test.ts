import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client, RequestOptions } from "@modelcontextprotocol/client";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { asId } from "../../base/ids.ts";
import { silentLog } from "../../base/log/log.ts";
import { createAsker } from "../client/request.ts";
import { runningCall } from "./running-call.ts";

/** Makes one call with a limit of one second to a server that sends only progress. */
function silentCall() {
  const clock = fakeClock();
  let sent: RequestOptions = {};
  const client = {
    request: (_request: unknown, _schema: unknown, options: RequestOptions) => {
      sent = options;
      return new Promise((_resolve, reject) => {
        options.signal?.addEventListener("abort", () => reject(new Error("stopped by the library")));
      });
    },
  };
  const parents: string[] = [];
  const call = runningCall({
    sessionId: asId("ses_1"),
    callId: asId("call_1"),
    origin: "model",
    principal: { id: "cli:me" },
    cwd: "/",
    effects: [],
    signal: new AbortController().signal,
    clock,
    log: silentLog,
    progress() {},
    printed() {},
    pauseParents() {
      parents.push("paused");
      return { [Symbol.dispose]: () => void parents.push("resumed") };
    },
  });
  // The part of the MCP client that requests use.
  const ask = createAsker(client as unknown as Client, "files", {
    clock,
    redact: (text) => text,
    complaint: () => "",
    end: () => undefined,
  });
  const { signal, pausedMs } = call;
  let end: string | undefined;
  const limits = { signal, timeoutMs: 1_000, pausedMs, onProgress() {} };
  void ask("tools/call", {}, limits).then((answer) => (end = answer.ok ? "answered" : answer.error.kind));
  return {
    call,
    clock,
    parents,
    progress: () => sent.onprogress?.({ progress: 1 }),
    async after(ms: number) {
      clock.advance(ms);
      await new Promise(setImmediate);
      return end;
    },
  };
}

test("a call times out when the server is silent for too long; progress restarts the timer, up to a maximum", async () => {
  const silent = silentCall();
  assert.equal(await silent.after(999), undefined);
  assert.equal(await silent.after(1), "timeout");
  assert.equal(silent.clock.waiting, 0);
  const talking = silentCall();
  for (let seconds = 0; seconds < 13; seconds++) {
    assert.equal(await talking.after(900), undefined);
    talking.progress();
  }
  assert.equal(await talking.after(400), "timeout");
});

test("the time that the user takes to answer counts neither for the call nor for its parent calls", async () => {
  const { call, after, parents, clock } = silentCall();
  await after(600);
  const pauses = [call.pause(), call.pause()];
  assert.equal(await after(5_000), undefined);
  for (const pause of [...pauses, ...pauses]) pause[Symbol.dispose]();
  assert.equal(call.pausedMs(), 5_000);
  assert.deepEqual(parents, ["paused", "paused", "resumed", "resumed"]);
  assert.equal(await after(399), undefined);
  assert.equal(await after(101), "timeout");
  assert.equal(clock.waiting, 0);
});
