import { z } from "zod";

import type { JsonValue } from "../../base/json.ts";

/** What a YAML file can hold is JSON: nothing else reaches it. */
export const anything = z.unknown() as unknown as z.ZodType<JsonValue>;
