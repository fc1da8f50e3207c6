import type { SecretSpan } from "./span.ts";
import { isPlaceholder } from "./value-shape.ts";

/** Values in a Kubernetes manifest of kind `Secret`, in YAML or JSON: each entry of `data` and `stringData`. */
export function manifestSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let start = 0;
  for (const { index } of text.matchAll(documentEnd)) {
    spans.push(...documentSecrets(text, start, index));
    start = index;
  }
  return [...spans, ...documentSecrets(text, start, text.length)];
}

const documentEnd = /^---[ \t]*$/gmu;

function documentSecrets(text: string, from: number, to: number): SecretSpan[] {
  const part = text.slice(from, to);
  if (!kindSecret.test(part)) return [];
  const spans: SecretSpan[] = [];
  let end = 0;
  for (const block of part.matchAll(dataBlock)) {
    const isPlain = block[0].includes("stringData");
    const begin = block.index + block[0].length;
    if (begin < end) continue;
    const rest = part.slice(begin, begin + maxBlock);
    const body = rest.slice(0, blockLength(rest, block[0]));
    end = begin + body.length;
    for (const entry of body.matchAll(entryValue)) {
      const value = entry[1] ?? entry[2] ?? "";
      if (!isSecretEntry(value, isPlain)) continue;
      const start = from + begin + entry.index + entry[0].lastIndexOf(value);
      spans.push({ start, end: start + value.length });
    }
  }
  return spans;
}

const kindSecret = /(?:^|[\s{,"'])kind["']?[ \t]{0,4}:[ \t]{0,4}["']?secret["']?[ \t]{0,4}(?:[,}\r\n]|$)/imu;
const dataBlock = /(?:^[ \t]{0,12}|[{,\s]")(?:data|stringData)["']?[ \t]{0,4}:[ \t]{0,4}(?:\{|\r?$)/gmu;

/** A JSON block ends at its brace, a YAML block at the next line that is not deeper than its name. */
function blockLength(rest: string, name: string): number {
  if (name.endsWith("{")) {
    const end = rest.indexOf("}");
    return end < 0 ? rest.length : end;
  }
  const indent = /^[ \t]*/u.exec(name)?.[0].length ?? 0;
  let end = 0;
  while (end < rest.length) {
    const next = rest.indexOf("\n", end + 1);
    const line = rest.slice(end, next < 0 ? rest.length : next).replace(/^\r?\n/u, "");
    if (line.trim() !== "" && (/^[ \t]*/u.exec(line)?.[0].length ?? 0) <= indent) break;
    end = next < 0 ? rest.length : next;
  }
  return end;
}

/** Max characters of a block; a cluster refuses larger secrets. */
const maxBlock = 1_500_000;

/** `name: value`, `"name": "value"`, or a block of one line. */
const entryValue =
  /^[ \t]{0,20}["']?[\w./-]{1,100}["']?[ \t]{0,4}:[ \t]{0,4}(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,20})?["']?([^\s"',{}]{4,})|"[\w./-]{1,100}"[ \t]{0,4}:[ \t]{0,4}"([^\s"]{4,})"/gmu;

/** Names of users and certificates in base64 are public. */
function isSecretEntry(value: string, isPlain: boolean): boolean {
  if (isPlaceholder(value)) return false;
  if (isPlain) return /\d/u.test(value) && value.length >= 6;
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/u.test(value)) return false;
  const decoded = Buffer.from(value.slice(0, 64), "base64").toString("latin1");
  return decoded.length >= 8 && !/^-----BEGIN (?:CERT|PUBLIC)/u.test(decoded) && !isPlaceholder(decoded);
}
