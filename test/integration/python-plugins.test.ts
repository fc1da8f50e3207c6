// covers: src/plugins/runner
import assert from "node:assert/strict";
import { test } from "node:test";

import { startPythonPlugin } from "../support/python-plugin.ts";
import { tempHome } from "../support/temp-home.ts";

const registerTool = (handler: string) => `
import json
${handler}
def register(ctx):
    ctx.register_tool("t", "set", {"description": "d", "parameters": {"type": "object", "properties": {}}}, t)
`;

test("a tool runs with its arguments and the facts of the call, and errors name plugin, file and line", async () => {
  await using home = await tempHome();
  await using plugin = startPythonPlugin(home.path, {
    "__init__.py": registerTool(
      "def t(args, **kwargs):\n    return json.dumps({'sum': args['a'] + args['b'], 'task': kwargs['task_id']})",
    ),
  });
  const registration = await plugin.load();
  assert.deepEqual(registration["tools"], [
    {
      name: "t",
      toolset: "set",
      description: "d",
      inputSchema: { type: "object", properties: {} },
      emoji: "",
      requiresEnv: [],
      overrides: false,
      declaresEffects: false,
    },
  ]);
  assert.deepEqual(await plugin.tool("t", { a: 1, b: 2 }), {
    ok: true,
    value: { content: [{ type: "text", text: '{"sum": 3, "task": "s1"}' }], data: { sum: 3, task: "s1" } },
  });
  assert.deepEqual(await plugin.tool("t", { a: 1 }), {
    ok: false,
    error: {
      kind: "failed",
      message: "Plugin sample: the tool t failed: KeyError: 'b' (__init__.py, line 4)",
      effect: "unknown",
    },
  });
});
