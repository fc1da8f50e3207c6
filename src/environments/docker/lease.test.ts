import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { renewingClient } from "./lease.ts";

function runClient(client: string): { readonly out: string; readonly err: string; readonly code: number | null } {
  const args = ["-c", renewingClient(60_000), "true", "sh", "-c", client];
  const { stdout, stderr, status } = spawnSync("/bin/sh", args, { encoding: "utf8" });
  return { out: stdout, err: stderr, code: status };
}

test("the client's note that a command ended before it had the size is not part of the output", () => {
  const client = "printf '31 100\\r\\n'; echo 'failed to resize tty, using default size' >&2; exit 5";
  assert.deepEqual(runClient(client), { out: "31 100\r\n", err: "", code: 5 });
});

test("the same words as output of the command, and other errors of the client, are shown", () => {
  const client = "echo 'failed to resize tty, using default size'; echo 'no such container' >&2; exit 1";
  assert.deepEqual(runClient(client), {
    out: "failed to resize tty, using default size\n",
    err: "no such container\n",
    code: 1,
  });
});
