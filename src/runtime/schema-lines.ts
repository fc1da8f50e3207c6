import type { LineAnswer } from "../providers/schema/check-lines.ts";

/** Answers lines of `hermes check schemas`. The rules of six providers are loaded when somebody asks. */
export async function schemaLineChecker(): Promise<(line: string) => LineAnswer> {
  const { checkSchemaLine } = await import("../providers/schema/check-lines.ts");
  return checkSchemaLine;
}
