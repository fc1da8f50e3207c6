import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../../../test/support/dispatch-rig.ts";
import { defineTool } from "../../../contracts/tool/define-tool.ts";
import type { ShownText } from "../../../contracts/tool/dispatch.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import { text } from "../../../contracts/tool/tool-result.ts";

const doing = (name: string, ...effects: readonly Effect[]) =>
  defineTool({
    name,
    toolset: "t",
    description: "",
    input: z.object({}),
    effects: () => effects,
    async run() {
      return text("result");
    },
  });

test("the redactor gets the kind of a result: command output, file content, or other text", async () => {
  const kinds = new Map<string, ShownText | undefined>();
  let running = "";
  const tools = [
    doing("runs", { kind: "exec", command: "env", cwd: "/", background: false }),
    doing("reads", { kind: "read", path: "/etc/hostname" }),
    doing("asks", { kind: "network", url: "https://example.com" }),
  ];
  const redactor = {
    redact(given: string, shown?: ShownText): string {
      if (given === "result") kinds.set(running, shown);
      return given;
    },
  };
  const rig = dispatchRig(tools, { redactor });
  for (const { name } of tools) {
    running = name;
    await rig.dispatcher.dispatch(call(name, {}), rig.scope());
  }
  assert.deepEqual(Object.fromEntries(kinds), {
    runs: { kind: "output", command: "env" },
    reads: { kind: "file", path: "/etc/hostname" },
    asks: { kind: "output" },
  });
});
