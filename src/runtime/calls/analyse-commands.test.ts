import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "unbash";

import { call, dispatchRig } from "../../../test/support/dispatch-rig.ts";
import { assertFails } from "../../../test/support/failure.ts";
import { policyRig } from "../../../test/support/policy-rig.ts";
import { ok } from "../../base/result.ts";
import { affectedPaths } from "../../checkpoints/affected-paths.ts";
import type { Environment, ShellState } from "../../contracts/environment/environment.ts";
import type { CheckpointCall } from "../../contracts/knowledge/checkpoint.ts";
import type { ApprovalDesk } from "../../contracts/safety/approval.ts";
import { type Effect, plainEffects } from "../../contracts/tool/effect.ts";
import type { LedgerCall } from "../../contracts/tool/ledger.ts";
import { changedPlaces } from "../../environments/real-paths.ts";
import { analyseCommands } from "../../safety/analyse-commands.ts";
import terminal from "../../tools/terminal/terminal.tool.ts";

/** A dispatcher with the real analysis, policy, checkpoint paths and terminal tool; every parse is counted. */
function rig(desk?: (state: { current: ShellState }) => Pick<ApprovalDesk, "ask">) {
  const parsed: string[] = [];
  const executed: string[] = [];
  const planned: LedgerCall[] = [];
  const changed: (readonly string[])[] = [];
  const state: { current: ShellState } = {
    current: { cwd: "/project", path: "/usr/bin:/bin", functions: {}, aliases: {}, programs: {} },
  };
  const environment = {
    kind: "local",
    state: async () => state.current,
    files: { realPath: async (path: string) => ok(path) },
    async exec(command: string) {
      executed.push(command);
      const [head, tail] = [new Uint8Array(), new Uint8Array()];
      const times = { totalBytes: 0, waitedMs: 0, durationMs: 0 };
      return ok({
        ended: "exit",
        exitCode: 0,
        head,
        tail,
        leftRunning: [],
        cwd: "/project",
        backend: "local",
        ...times,
      });
    },
    // Contains only what these calls use.
  } as unknown as Environment;
  const surroundings = async () => ({
    files: { home: "/home/anna", workspace: "/project", hermes: ["/home/anna/.hermes"] },
    user: "anna",
    reachesHost: true,
    parse: (text: string) => {
      parsed.push(text);
      return parse(text);
    },
  });
  const { policy } = policyRig({}, { surroundings, ...(desk && { desk: desk(state) }) });
  const paths = { resolve: async (effects: readonly Effect[]) => ok(effects) };
  const resolver = analyseCommands({ paths, environment, changedPlaces, surroundings });
  const dispatch = dispatchRig([terminal], {
    policy,
    resolver,
    checkpoints: {
      async before(about: CheckpointCall) {
        changed.push((await affectedPaths(about)).paths);
        return ok(undefined);
      },
    },
    ledger: {
      planned: (about) => void planned.push(about),
      dispatched() {},
      settled() {},
      ended() {},
      async flush() {},
    },
  });
  const scope = dispatch.scope({
    place: { cwd: "/project", backend: "local", workspace: "/project" },
    services: {
      environment,
      // The tool does not use this service for foreground commands.
      processes: {} as never,
      commandDefaults: {
        timeoutMs: 1000,
        sudoPassword: async () => ok("hunter2"),
        forgetSudoPassword() {},
      },
    },
  });
  return {
    parsed,
    executed,
    planned,
    changed,
    resolver,
    run: (command: string) => dispatch.dispatcher.dispatch(call("terminal", { command }), scope),
  };
}

const yes = { how: "answered", answer: { scope: "once" }, by: "test" } as const;

test("policy, checkpoint, batching, ledger and terminal share one parse of a command", async () => {
  const { run, parsed, executed, changed, planned } = rig();
  const result = await run("touch a && echo hi > b");
  assert.equal(result.ok, true, JSON.stringify(result));
  assert.deepEqual(parsed, ["touch a && echo hi > b"]);
  assert.deepEqual(executed, ["touch a && echo hi > b"]);
  assert.deepEqual(changed, [["/project/a", "/project/b"]]);
  assert.deepEqual(planned[0]?.effects, [
    { kind: "exec", command: "touch a && echo hi > b", cwd: "/project", background: false },
  ]);
});

test("a sudo in an approved command is detected without parsing the command again", async () => {
  let questions = 0;
  const { run, parsed, executed } = rig(() => ({
    async ask() {
      questions += 1;
      return yes;
    },
  }));
  const result = await run("sudo rm -r /etc/nginx");
  assert.equal(result.ok, true, JSON.stringify(result));
  assert.deepEqual(parsed, ["sudo rm -r /etc/nginx"]);
  assert.equal(questions, 1);
  assert.deepEqual(executed, ["sudo -A rm -r /etc/nginx"]);
});

test("a command is parsed and judged again if the shell state changed during the approval", async () => {
  const questionRules: string[] = [];
  const { run, parsed, executed } = rig((state) => ({
    async ask({ asks }) {
      questionRules.push(asks.map(({ rule }) => rule).join(" "));
      state.current = { ...state.current, functions: { make: "rm -rf /home/anna/photos" } };
      return questionRules.length === 1 ? yes : { how: "answered", answer: { scope: "deny" }, by: "test" };
    },
  }));
  const result = await run("rm -r /etc/nginx; make");
  assertFails(result, /denied.*changes a system file: rm -r .*deletes a file or a whole folder: rm -rf /u);
  assert.equal(questionRules.length, 2);
  assert.equal(parsed.filter((text) => text === "rm -r /etc/nginx; make").length, 2);
  assert.match(questionRules[1] ?? "", /recursive_delete|delete/u);
  assert.deepEqual(executed, []);
});

test("a tool cannot declare that its command has no effects", async () => {
  const { resolver } = rig();
  const effect = { kind: "exec", command: "touch a", cwd: "/project", background: false, leavesNoTrace: true } as const;
  const place = { cwd: "/project", backend: "local" };
  const resolved = await resolver.resolve([effect], place, new AbortController().signal);
  assert.ok(resolved.ok);
  const { leavesNoTrace: _, ...plain } = effect;
  assert.deepEqual(plainEffects(resolved.value), [plain]);
});

test("a command without effects is recorded as such and gets no checkpoint", async () => {
  const { run, planned, changed } = rig();
  await run("ls -la | head");
  assert.deepEqual(planned[0]?.effects, [
    { kind: "exec", command: "ls -la | head", cwd: "/project", background: false, leavesNoTrace: true },
  ]);
  assert.deepEqual(changed, []);
});
