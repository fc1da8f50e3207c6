import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryStore } from "../../test/support/memory-store.ts";
import { asId, type CallId } from "../base/ids.ts";
import type { EntryBody } from "../contracts/session/session.ts";
import { recentCalls } from "./recent-calls.ts";

const principal = { id: "local:anna" };
const { signal } = new AbortController();

test("calls that change something and refused commands are listed newest first, and read-only calls are not listed", async () => {
  const store = memoryStore();
  const { id: sessionId } = await store.create({ source: "cli", principal, cwd: "/project" });
  const planned = (callId: string, tool: string, effects: Extract<EntryBody, { type: "planned" }>["call"]["effects"]) =>
    ({
      type: "planned",
      call: { callId: asId<CallId>(callId), sessionId, tool, args: {}, effects, origin: "model", principal },
    }) as const;
  const ask = (id: string, command: string): EntryBody => ({
    type: "message",
    message: {
      role: "assistant",
      content: [],
      stop: "calls",
      calls: [{ id: asId<CallId>(id), name: "terminal", args: JSON.stringify({ command }) }],
    },
  });
  const exec = (command: string, cwd: string) => ({ kind: "exec", command, cwd, background: false }) as const;
  await store.append(sessionId, [
    ask("a", "rm -rf build"),
    planned("a", "terminal", [exec("rm -rf build", "/project/sub")]),
    planned("b", "read_file", [{ kind: "read", path: "/project/x" }]),
    planned("c", "write_file", [{ kind: "write", path: "/project/x" }]),
    ask("d", "rm -rf /srv"),
  ]);
  const calls = await recentCalls(store, principal, 10, signal);
  assert.deepEqual(
    calls.map(({ tool, effects, cwd }) => [tool, effects[0]?.kind, cwd]),
    [
      ["terminal", "exec", "/project"],
      ["write_file", "write", "/project"],
      ["terminal", "exec", "/project/sub"],
    ],
  );
  assert.equal((await recentCalls(store, principal, 1, signal)).length, 1);
});
