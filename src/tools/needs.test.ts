import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { defineTool } from "../contracts/tool/define-tool.ts";
import { text } from "../contracts/tool/tool-result.ts";

// The compiler is the test: an expected type error that does not occur is an error.
const input = z.object({ path: z.string() });
const common = { name: "typed", toolset: "typed", description: "", input } as const;

test("a tool gets only the services, secrets and arguments that it declares", () => {
  const tool = defineTool({
    ...common,
    needs: ["todos"],
    requiresEnv: ["API_KEY"],
    async run(args, ctx) {
      const path: string = args.path;
      const key: string = ctx.secrets.API_KEY;
      // @ts-expect-error a service that is not in `needs`
      void ctx.memory;
      // @ts-expect-error a secret that is not in `requiresEnv`
      void ctx.secrets.OTHER_KEY;
      // @ts-expect-error an argument that is not in the schema
      void args.other;
      return text(`${path} ${key} ${ctx.todos.read().length}`);
    },
  });
  assert.deepEqual([tool.needs, tool.requiresEnv], [["todos"], ["API_KEY"]]);
  // @ts-expect-error a service that does not exist
  defineTool({ ...common, needs: ["teleporter"], run: async () => text("") });
  defineTool({
    ...common,
    // @ts-expect-error no service is declared, so there is none
    run: async (_, { todos }) => text(String(todos)),
  });
});
