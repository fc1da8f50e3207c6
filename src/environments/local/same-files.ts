import { statSync } from "node:fs";

/**
 * Tells later whether each of these paths still leads to the file or folder of now. One that was replaced is another,
 * under the same name too: what is mounted over the old one in a namespace is not over the new one.
 */
export function sameFiles(paths: Iterable<string>): () => boolean {
  const before = new Map([...paths].map((path) => [path, identityOf(path)]));
  return () => [...before].every(([path, identity]) => identityOf(path) === identity);
}

/** Empty where nothing is. The number of a file that is gone is given out again: the time of its birth is not. */
function identityOf(path: string): string {
  try {
    const result = statSync(path, { bigint: true, throwIfNoEntry: false });
    return result ? `${result.dev} ${result.ino} ${result.birthtimeNs}` : "";
  } catch {
    return "";
  }
}
