/** Timeouts of one request, in milliseconds. */
export interface HttpTimeouts {
  readonly connectMs: number;
  /** The maximum time from the request to the response headers. */
  readonly headMs: number;
  /** The maximum time between two chunks of the response, including keep-alives. */
  readonly stallMs: number;
  /** The maximum time between two chunks with content, ignoring keep-alives. */
  readonly contentMs: number;
  readonly totalMs: number;
}

export const defaultTimeouts: HttpTimeouts = {
  connectMs: 30_000,
  headMs: 300_000,
  stallMs: 180_000,
  contentMs: 600_000,
  totalMs: 1_800_000,
};

/** The maximum time of the whole request. */
export function totalTimeout(totalMs: number): HttpTimeouts {
  return { connectMs: totalMs, headMs: totalMs, stallMs: totalMs, contentMs: totalMs, totalMs };
}
