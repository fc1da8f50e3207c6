import { valueOr } from "../../base/result.ts";
/** How a client that does not follow the URL standard would read the same text. */
export interface OtherReading {
  /** Why nobody can say where it leads. */
  readonly fault?: string;
  /** The address that its host is to clients which take a zero in front for nothing: `010.0.0.1`. */
  readonly address?: string;
}

/** Of a URL as it was written. A program further on may be such a client. */
export function otherReading(text: string): OtherReading {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const written = text.replaceAll(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/gu, "");
  // oxlint-disable-next-line no-control-regex -- the same
  if (/[\u0000-\u001f\u007f]/u.test(written)) return { fault: "it has control characters in it" };
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/iu.exec(written)?.[1];
  if (authority === undefined) return {};
  if (authority.includes("\\") && authority.includes("@")) return { fault: "clients do not agree on what its host is" };
  const host = unescaped(authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/u, ""));
  const parts = host
    .replaceAll(/[。｡．]/gu, ".")
    .replace(/\.$/u, "")
    .normalize("NFKC")
    .split(".");
  const isZeroed = parts.length === 4 && parts.every((part) => /^\d+$/u.test(part)) && parts.some(hasZero);
  return isZeroed && parts.every((part) => Number(part) < 256) ? { address: parts.map(Number).join(".") } : {};
}

function hasZero(part: string): boolean {
  return part.length > 1 && part.startsWith("0");
}

function unescaped(text: string): string {
  return valueOr(() => decodeURIComponent(text), text);
}
