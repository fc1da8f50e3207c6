import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { systemClock } from "../../base/clock.ts";
import type { CdpParams, CdpSession } from "../cdp/connection.ts";
import { recordActivity } from "./network-activity.ts";

/** A session whose events the test sends. */
function sessionOf(id: string) {
  const listeners = new Map<string, ((params: CdpParams) => void)[]>();
  const session: CdpSession = {
    id,
    send: async () => Promise.reject(new Error("nothing is sent")),
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const emit = (event: string, params: CdpParams) => listeners.get(event)?.forEach((listener) => listener(params));
  return { session, emit };
}

const request = (requestId: string, type = "Fetch") => ({ requestId, type, request: { url: "http://a.example/" } });

test("sockets, event streams and workers feed a document until they end or another document starts", () => {
  const activity = recordActivity(systemClock);
  const page = sessionOf("page");
  activity.follow(page.session);
  assert.equal(activity.isFed(), false);
  page.emit("Network.webSocketCreated", { requestId: "s1" });
  assert.equal(activity.isFed(), true);
  page.emit("Network.webSocketClosed", { requestId: "s1" });
  assert.equal(activity.isFed(), false);
  page.emit("Network.requestWillBeSent", request("e1", "EventSource"));
  page.emit("Network.responseReceived", { requestId: "e1", response: { mimeType: "text/event-stream" } });
  assert.deepEqual([activity.isFed(), activity.pending()], [true, 0]);
  activity.startDocument();
  assert.equal(activity.isFed(), false);
  activity.followWorker(sessionOf("worker").session, "http://a.example/w.js");
  assert.equal(activity.isFed(), true);
  activity.forgetWorker("worker");
  assert.equal(activity.isFed(), false);
});

test("the script of a worker has ended when it starts, and its requests are under way until they end", () => {
  const activity = recordActivity(systemClock);
  const [page, worker] = [sessionOf("page"), sessionOf("worker")];
  activity.follow(page.session);
  page.emit("Network.requestWillBeSent", request("w1", "Script"));
  assert.equal(activity.pending(), 1);
  activity.followWorker(worker.session, "http://a.example/");
  assert.equal(activity.pending(), 0);
  worker.emit("Network.requestWillBeSent", request("r1"));
  assert.equal(activity.pending(), 1);
  worker.emit("Network.loadingFinished", { requestId: "r1" });
  assert.equal(activity.pending(), 0);
});

test("a navigation that the page requested counts as loading until it begins and ends, or never begins", () => {
  const clock = fakeClock();
  const activity = recordActivity(clock);
  activity.expectNavigation();
  assert.equal(activity.isLoading(), true);
  activity.setLoading(true);
  activity.setLoading(false);
  assert.equal(activity.isLoading(), false);
  activity.expectNavigation();
  clock.advance(1_999);
  assert.equal(activity.isLoading(), true);
  clock.advance(1);
  assert.equal(activity.isLoading(), false);
  activity.startDocument();
  assert.equal(activity.navigations(), 3);
});
