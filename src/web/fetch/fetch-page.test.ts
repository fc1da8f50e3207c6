import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { createPageFetcher } from "./fetch-page.ts";
import { createHostQueue } from "./host-queue.ts";

test("pages that wait behind pages that hang are given up after the time limit of one page", async () => {
  const clock = fakeClock();
  const requested: string[] = [];
  const web: Web = {
    async fetch({ url }) {
      requested.push(url);
      return new Promise(() => {});
    },
  };
  const hosts = createHostQueue(clock, { pauseMs: 0 });
  const fetchPage = createPageFetcher({
    web,
    hosts,
    cache: undefined,
    followsRobots: false,
    timeoutMs: 30_000,
    maxBytes: 1_000,
    clock,
  });
  const never = new AbortController().signal;
  const pages = ["a", "b", "c"].map((name) =>
    fetchPage({ url: `http://slow.example/${name}`, isNamedByPerson: false }, never),
  );
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(30_000);
  assert.deepEqual(await pages[2], {
    ok: false,
    error: {
      message:
        "slow.example has not answered the requests before this one for 30 s. The server is slow or does not answer: " +
        "try again, or use another source.",
    },
  });
  assert.deepEqual(requested, ["http://slow.example/a", "http://slow.example/b"]);
});
