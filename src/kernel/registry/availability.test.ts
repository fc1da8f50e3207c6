import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";

import { z } from "zod";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import type { AvailabilityCheck, Tool } from "../../contracts/tool/tool.ts";
import { type AvailabilityDeps, createAvailability } from "./availability.ts";

function tool(check?: AvailabilityCheck): Tool {
  return defineTool({
    name: "sample",
    toolset: "set",
    description: "",
    input: z.object({}),
    ...(check && { check }),
    run: async () => text(""),
  });
}

function setUp(change: Partial<AvailabilityDeps> = {}) {
  const clock = fakeClock();
  const available = createAvailability({
    clock,
    log: silentLog,
    services: new Set(),
    env: () => undefined,
    checkTimeoutMs: 5000,
    ...change,
  });
  return { clock, available };
}

test("a tool without requirements is available", async () => {
  assert.equal(await setUp().available.missing(tool()), undefined);
});

test("the reason lists all missing services and environment variables, and how to set them", async () => {
  const { available } = setUp({ env: (name) => (name === "SET" ? "x" : undefined) });
  const needy = defineTool({
    name: "needy",
    toolset: "set",
    description: "",
    input: z.object({}),
    needs: ["todos", "toolIndex", "asker"],
    requiresEnv: ["SET", "FIRST_KEY", "SECOND_KEY"],
    check: () => assert.fail("not asked while something else is missing"),
    run: async () => text(""),
  });
  assert.equal(
    await available.missing(needy),
    "needs a session; needs a person to ask; " +
      "needs FIRST_KEY, SECOND_KEY: hermes config set FIRST_KEY …; hermes config set SECOND_KEY …",
  );
  const more = available.withServices(new Set(["todos", "toolIndex", "asker"]));
  assert.match((await more.missing(needy)) ?? "", /^needs FIRST_KEY/);
});

test("a check that returns false, throws or rejects makes the tool unavailable with the reason", async () => {
  const { available } = setUp();
  assert.match((await available.missing(tool(() => false))) ?? "", /its own check says/);
  const throwing = tool(() => {
    throw new Error("no docker");
  });
  assert.equal(await available.missing(throwing), "its check failed: no docker");
  assert.equal(
    await available.missing(tool(async () => Promise.reject(new Error("refused")))),
    "its check failed: refused",
  );
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  assert.equal(await available.missing(tool(() => Promise.reject(null))), "its check failed: null");
});

test("a check that exceeds its time limit makes the tool unavailable, and is aborted", async () => {
  const { clock, available } = setUp({ checkTimeoutMs: 2000 });
  let stopped = false;
  const hanging = tool((signal) => {
    signal.addEventListener("abort", () => (stopped = true));
    return new Promise(() => {});
  });
  const answer = available.missing(hanging);
  await tick();
  clock.advance(2000);
  assert.equal(await answer, "its check failed: no answer within 2 s");
  assert.equal(stopped, true);
  assert.equal(clock.waiting, 0);
});

test("a check that several tools share runs once for concurrent callers, and again after 30 seconds", async () => {
  const { clock, available } = setUp();
  let checks = 0;
  const check = async () => {
    checks += 1;
    await tick();
    return true;
  };
  const tools = Array.from({ length: 100 }, () => tool(check));
  await Promise.all(tools.map((each) => available.missing(each)));
  assert.equal(checks, 1);
  clock.advance(29_999);
  await available.missing(tool(check));
  assert.equal(checks, 1);
  clock.advance(1);
  await available.missing(tool(check));
  assert.equal(checks, 2);
});

test("a failure within a minute of a success is ignored, and the check runs again soon", async () => {
  const { clock, available } = setUp();
  let works = true;
  let checks = 0;
  const flaky = tool(() => {
    checks += 1;
    return works;
  });
  await available.missing(flaky);
  works = false;
  clock.advance(31_000);
  assert.equal(await available.missing(flaky), undefined);
  clock.advance(1000);
  assert.equal(await available.missing(flaky), undefined);
  assert.equal(checks, 3);
  clock.advance(30_000);
  assert.match((await available.missing(flaky)) ?? "", /its own check says/);
  works = true;
  clock.advance(30_000);
  assert.equal(await available.missing(flaky), undefined);
});

test("the code of a tool that is loaded on demand is loaded for its check only if nothing else is missing", async () => {
  const { available } = setUp();
  let loads = 0;
  const lazy: Tool = {
    ...tool(),
    load: async () => {
      loads += 1;
      return tool(() => false);
    },
  };
  assert.match((await available.missing(lazy)) ?? "", /its own check says/);
  await available.missing({ ...lazy, needs: ["todos"] });
  assert.equal(loads, 1);
  const broken: Tool = { ...lazy, load: () => Promise.reject(new Error("no such module")) };
  assert.equal(await available.missing(broken), "could not be loaded: no such module");
});

test("a thousand different checks do not accumulate", async () => {
  const { available } = setUp();
  let runs = 0;
  const checks = Array.from({ length: 1000 }, () => () => {
    runs += 1;
    return true;
  });
  for (const check of checks) await available.missing(withCheck(check));
  await available.missing(withCheck(checks[0]!));
  assert.equal(runs, 1001);
});

const bare = tool();
function withCheck(check: AvailabilityCheck): Tool {
  return { ...bare, check };
}
