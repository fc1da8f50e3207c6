import { z } from "zod";

import type { JsonValue } from "../../base/json.ts";

/** A YAML file holds JSON values and nothing else. */
export const anyJson = z.unknown() as unknown as z.ZodType<JsonValue>;
