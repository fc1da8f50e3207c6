/** Code of a plugin: the type checker reports every mistake at its line, and nothing else. */
export const pluginMistakes = `import { defineCommand, defineHook, definePlugin, defineTool, z } from "hermes-agent-ts/plugin";
const tool = defineTool({ name: "a", description: "", input: z.object({ n: z.number() }),
  run: ({ n }, { signal, secrets }) => { const half: number = n / 2; signal.throwIfAborted(); return half; } });
// @ts-expect-error: n is a number
defineTool({ name: "a", description: "", input: z.object({ n: z.number() }), run: ({ n }) => n.toUpperCase() });
// @ts-expect-error: there is no such hook
defineHook("beforToolCall", () => {});
// @ts-expect-error: a block is text
defineHook("beforeToolCall", () => ({ block: 7 }));
// @ts-expect-error: a command needs a summary
defineCommand({ name: "x", run: () => "" });
defineHook("pre_tool_call", ({ tool_name }) => ({ action: "block", message: String(tool_name) }));
export default definePlugin({ setup(host) {
  return {
    tools: [tool],
    hooks: { beforeToolCall: ({ call }) => (call.name === "rm" ? { block: "no" } : undefined), post_tool_call() {} },
    middleware: { toolRequest: ({ args }) => ({ args }) },
    commands: [defineCommand({ name: "x", summary: "", run: (args) => args.trim() })],
  };
} });
// @ts-expect-error: commands is a list
export const wrong = definePlugin({ setup: () => ({ commands: {} }) });
`;
