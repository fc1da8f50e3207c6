/** The path in a pasted text that consists only of a path, as terminals paste dropped files. */
export function droppedPath(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 4_000 || /\n/u.test(trimmed)) return undefined;
  const quoted = /^(?:'(?<single>[^']+)'|"(?<double>[^"]+)")$/u.exec(trimmed)?.groups;
  const path = quoted?.["single"] ?? quoted?.["double"] ?? trimmed.replaceAll(/\\(?<char>.)/gu, "$<char>");
  if (!/\.(?:png|jpe?g|gif|webp)$/iu.test(path)) return undefined;
  if (path.startsWith("file://")) return URL.parse(path)?.pathname.replaceAll(/(?:%[0-9a-f]{2})+/giu, decoded);
  return /^(?:\/|~\/|\.{0,2}\/|[A-Za-z]:\\)/u.test(path) ? path : undefined;
}

function decoded(escaped: string): string {
  return Buffer.from(escaped.replaceAll("%", ""), "hex").toString("utf8");
}
