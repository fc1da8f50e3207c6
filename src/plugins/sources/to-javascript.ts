/** Matches files whose types must be removed before Node can run them. */
export const typescriptFile = /(?<!\.d)\.[mc]?ts$/u;

/**
 * Converts TypeScript to JavaScript. Removing types keeps every line and column, so errors name the author's lines.
 * Enums, namespaces and parameter properties need a real conversion, which adds a source map. Throws a SyntaxError
 * whose stack starts with file and line.
 */
export function toJavaScript(source: string, path: string): string {
  const { stripTypeScriptTypes } = process.getBuiltinModule("node:module");
  const { emitWarning } = process;
  // Node warns at the first use that this function is experimental. The warning does not belong in a plugin's log.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source, { mode: "strip", sourceUrl: path });
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw thrown;
    return stripTypeScriptTypes(source, { mode: "transform", sourceMap: true, sourceUrl: path });
  } finally {
    process.emitWarning = emitWarning;
  }
}
