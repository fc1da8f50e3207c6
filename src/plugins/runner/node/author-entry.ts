/**
 * Replaces `hermes-agent-ts/plugin` in the process of a plugin. It exports the same names as `src/plugin.ts`, but
 * loads faster.
 */
import { createRequire } from "node:module";

import type { JsonObject } from "../../../base/json.ts";
import { createDefineTool } from "../../../contracts/plugin/author-tool.ts";
import type { JsonSchema } from "../../../contracts/tool/tool-definition.ts";
import type { InputSchema } from "../../../contracts/tool/tool.ts";
import { createLightZod } from "./light-zod.ts";

export { defineCliCommand, defineCommand, defineHook, definePlugin } from "../../../contracts/plugin/author.ts";
export { fail, json, text } from "../../../contracts/tool/tool-result.ts";

const authorTool = createDefineTool(acceptJsonSchema);
export { acceptJsonSchema as fromJsonSchema, authorTool as defineTool };

/** Hermes has validated the arguments against the schema before, so only the author's own rule is applied here. */
function acceptJsonSchema(
  schema: JsonSchema,
  validate?: (args: JsonObject) => string | undefined,
): InputSchema<JsonObject> {
  return {
    "~standard": {
      version: 1,
      vendor: "hermes-json-schema",
      jsonSchema: { input: () => ({ ...schema }) },
      validate(value) {
        const args = value as JsonObject;
        const problem = validate?.(args);
        return problem === undefined ? { value: args } : { issues: [{ message: problem }] };
      },
    },
  };
}

export const z = createLightZod(loadZod);

function loadZod(): object {
  const isSource = import.meta.filename.endsWith(".ts");
  const entry = new URL(isSource ? "../../../plugin.ts" : "plugin.js", import.meta.url);
  const { z: zod } = createRequire(import.meta.url)(entry.pathname) as { readonly z: object };
  return zod;
}
