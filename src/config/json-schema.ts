import { z } from "zod";

import type { JsonObject, JsonValue } from "../base/json.ts";
import { originalKeys } from "./original-keys.ts";
import { configSchema } from "./schema.ts";
import type { SettingRules } from "./slices/setting.ts";

/** JSON Schema of `config.yaml`, so that editors complete and check it. Keys of the original are known and left free. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // `setting` put them there, and zod carries what `meta` holds over.
      const { shorthand, words } = (jsonSchema["rules"] ?? {}) as SettingRules;
      if (shorthand !== undefined) Object.assign(jsonSchema, { type: ["object", "boolean", "string"] });
      if (words !== undefined)
        Object.assign(jsonSchema, { type: ["string", "boolean"], enum: [...(jsonSchema.enum ?? []), true, false] });
      delete jsonSchema["rules"];
      delete jsonSchema["required"];
    },
  }) as JsonObject;
  const unused = [...originalKeys].filter((key) => !key.includes("."));
  const others: Record<string, JsonValue> = Object.fromEntries(
    unused.map((key) => [key, { description: "A setting of Hermes that this version does not use." }]),
  );
  return { ...schema, title: "Hermes config.yaml", properties: { ...(schema["properties"] as JsonObject), ...others } };
}
