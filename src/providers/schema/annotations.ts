import { checkJson, type JsonValue } from "../../base/json.ts";

/** Keywords that describe a value and do not constrain it. */
export interface Annotations {
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: JsonValue;
  readonly deprecated?: JsonValue;
  readonly readOnly?: JsonValue;
  readonly writeOnly?: JsonValue;
}

type AnnotationName = (typeof annotationNames)[number];
export const annotationNames = [
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
] as const;

export function annotationsOf(schema: Readonly<Record<string, unknown>>): Annotations {
  const result: Record<string, JsonValue> = {};
  for (const name of annotationNames) {
    const value = schema[name];
    if (value === undefined || !fits(name, value)) continue;
    const admitted = typeof value === "string" ? value.toWellFormed() : readLiteral(value);
    if (admitted !== undefined) result[name] = admitted;
  }
  return result;
}

/** Returns the literal as JSON, or undefined if it is not JSON, circular or too large. */
export function readLiteral(value: unknown): JsonValue | undefined {
  const admitted = checkJson(value, { maxChars: 50_000, maxDepth: 16 });
  return admitted.ok ? admitted.value : undefined;
}

function fits(name: AnnotationName, value: unknown): boolean {
  switch (name) {
    case "title":
    case "description":
      return typeof value === "string";
    case "examples":
      return Array.isArray(value);
    case "default":
      return true;
    case "deprecated":
    case "readOnly":
    case "writeOnly":
      return typeof value === "boolean";
  }
}
