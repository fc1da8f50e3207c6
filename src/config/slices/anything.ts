import { z } from "zod";

import type { JsonValue } from "../../base/json.ts";

/** The cast is safe: a YAML file contains only JSON values. */
export const anyJson = z.unknown() as unknown as z.ZodType<JsonValue>;
