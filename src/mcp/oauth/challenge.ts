/**
 * A `WWW-Authenticate` header with the scheme Bearer (RFC 6750, RFC 9728). The server wrote it, so nothing in it is
 * trusted.
 */
export interface Challenge {
  readonly error?: string;
  readonly scope?: string;
  readonly resourceMetadata?: string;
}

/** Parses the header and skips other schemes. A header without a Bearer challenge returns an empty challenge. */
export function readChallenge(header: string | null | undefined): Challenge {
  const values = new Map<string, string>();
  let isBearer = false;
  for (const [, name = "", quoted, plain, scheme] of (header ?? "").slice(0, maxChars).matchAll(parts)) {
    if (scheme !== undefined) isBearer = scheme.toLowerCase() === "bearer";
    else if (isBearer && !values.has(name.toLowerCase()))
      values.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gu, "$1") ?? plain ?? "");
  }
  const error = values.get("error");
  const scope = scopeOf(values.get("scope"));
  const resourceMetadata = values.get("resource_metadata");
  return {
    ...(error !== undefined && { error }),
    ...(scope !== undefined && { scope }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  };
}

/** Merges two lists of scopes without duplicates. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.split(" ").filter((word) => word !== "") ?? []);
  return words.length === 0 ? undefined : [...new Set(words)].join(" ");
}

/** Returns undefined if the text is not a list of scopes (RFC 6749, 3.3) or is longer than any real list. */
export function scopeOf(text: unknown): string | undefined {
  const isScope =
    typeof text === "string" && text.length <= 4_000 && /^[\u0021\u0023-\u005b\u005d-\u007e ]+$/u.test(text);
  return isScope ? joinScopes(text) : undefined;
}

/** Matches `name="value"`, `name=value` or a scheme. */
const parts = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))|([\w-]+)(?=\s|,|$)/gu;

const maxChars = 16_384;
