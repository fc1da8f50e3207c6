import { z } from "zod";

import type { JsonValue } from "../base/json.ts";
import type { Rule } from "./keys/rule.ts";
import { configSchema } from "./slices/whole.ts";

/**
 * The slices as plain data: JSON Schema with the rules of each key. The build replaces this file by a generated module,
 * so that a running program never loads zod for it.
 */
export const sliceData = z.toJSONSchema(configSchema, { io: "input" }) as SliceNode;

/** A slice, a part of one or a key, as data. */
export interface SliceNode extends Rule {
  readonly description?: string;
  readonly default?: JsonValue;
  readonly properties?: Readonly<Record<string, SliceNode>>;
  readonly propertyNames?: Rule;
  /** False in a section that lists all its keys. */
  readonly additionalProperties?: SliceNode | false;
  /** Accepts a value or null. */
  readonly anyOf?: readonly (Rule | { readonly type: "null" })[];
}
