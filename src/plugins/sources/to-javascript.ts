/** Files that Node cannot run before their types are removed. */
export const typescriptFile = /(?<!\.d)\.[mc]?ts$/u;

/**
 * TypeScript as JavaScript. Removing types keeps every line and column, so errors name the author's lines; enums,
 * namespaces and parameter properties need a conversion, which adds a source map. Throws a SyntaxError whose stack starts
 * with file and line.
 */
export function toJavaScript(source: string, path: string): string {
  const { stripTypeScriptTypes } = process.getBuiltinModule("node:module");
  const { emitWarning } = process;
  // Node calls the function experimental at its first use; that is nothing for the log of a plugin.
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
