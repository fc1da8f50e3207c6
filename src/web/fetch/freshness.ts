/** How a stored page may be reused, according to its headers. */
export interface Freshness {
  readonly isStorable: boolean;
  /** Until then it is used without asking the server. Epoch milliseconds. */
  readonly freshUntil: number;
  readonly etag?: string;
  readonly lastModified?: string;
}

type Headers = Readonly<Record<string, string>>;

/** The rules of a private cache (RFC 9111), for answers with status 200. */
export function freshnessOf(headers: Headers, now: number): Freshness {
  const control = directives(headers["cache-control"] ?? "");
  const { etag, "last-modified": lastModified } = headers;
  const isStorable = !control.has("no-store") && headers["vary"]?.trim() !== "*";
  return {
    isStorable,
    freshUntil: control.has("no-cache") ? 0 : now + lifetimeMs(control, headers, now),
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

function lifetimeMs(control: ReadonlyMap<string, string>, headers: Headers, now: number): number {
  const maxAge = seconds(control.get("max-age"));
  if (maxAge !== undefined) return Math.max(0, maxAge - (seconds(headers["age"]) ?? 0)) * 1000;
  const { expires } = headers;
  if (expires === undefined) return 0;
  const until = Date.parse(expires);
  const from = Date.parse(headers["date"] ?? "");
  return Number.isNaN(until) ? 0 : Math.min(maxLifetimeMs, Math.max(0, until - (Number.isNaN(from) ? now : from)));
}

const maxLifetimeMs = 7 * 86_400_000;

/** The delay that a server asks for: seconds or a date. */
export function requestedRestMs(header: string | undefined, now: number): number | undefined {
  const wait = seconds(header);
  if (wait !== undefined) return wait * 1000;
  const until = Date.parse(header ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/u.test(text.trim())
    ? Math.min(Number(text), maxLifetimeMs / 1000)
    : undefined;
}

function directives(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(",").flatMap((part) => {
      const [, name, value = ""] = /^\s*([\w-]+)\s*(?:=\s*"?([^"]*)"?)?\s*$/u.exec(part) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), value] as const];
    }),
  );
}
