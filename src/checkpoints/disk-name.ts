import { valueOr } from "../base/result.ts";
/**
 * Converts file names. The system stores names as bytes, records store text: a byte that is not valid UTF-8 becomes
 * NUL and two hex digits, because no file name contains a NUL.
 */
export function nameFromBytes(bytes: Uint8Array): string {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decoded = (part: Uint8Array): string | undefined => {
    return valueOr(() => utf8.decode(part), undefined);
  };
  let name = "";
  for (let index = 0; index < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => decoded(bytes.subarray(index, index + each)) !== undefined);
    name +=
      length === undefined
        ? `\0${Buffer.from([bytes[index] ?? 0]).toString("hex")}`
        : decoded(bytes.subarray(index, index + length));
    index += length ?? 1;
  }
  return name;
}

/** The path in the system's own bytes. */
export function diskPath(path: string): string | Buffer {
  if (!path.includes("\0")) return path;
  const [first = "", ...rest] = path.split("\0");
  return Buffer.concat([
    Buffer.from(first),
    ...rest.flatMap((part) => [Buffer.from(part.slice(0, 2), "hex"), Buffer.from(part.slice(2))]),
  ]);
}
