/** Passes on the output after the mark's line: start-up files of a backend may print before it. */
export function afterMark(
  mark: string,
  take: (chunk: Uint8Array) => boolean,
): { readonly add: (chunk: Uint8Array) => boolean; readonly isPast: () => boolean } {
  const line = Buffer.from(`${mark}\n`);
  let before: Buffer | undefined = Buffer.alloc(0);
  return {
    isPast: () => before === undefined,
    add(chunk) {
      if (before === undefined) return take(chunk);
      const seen: Buffer = Buffer.concat([before, chunk]);
      const index = seen.indexOf(line);
      if (index < 0) {
        before = seen.subarray(Math.max(0, seen.length - line.length));
        return true;
      }
      before = undefined;
      const rest = seen.subarray(index + line.length);
      return rest.length === 0 || take(rest);
    },
  };
}

/**
 * Passes on the output before the mark immediately and reports when the mark arrives. Holds back a possible prefix of
 * the mark.
 */
export function untilMark(
  mark: string,
  take: (chunk: Uint8Array) => boolean,
  onMark: () => void,
): {
  readonly add: (chunk: Uint8Array) => boolean;
  /** The stream ended without a mark, so the remaining bytes are output. */
  readonly end: () => void;
} {
  const markBytes = Buffer.from(mark);
  let held: Buffer = Buffer.alloc(0);
  let isOver = false;
  return {
    add(chunk) {
      if (isOver) return true;
      const seen =
        held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk]);
      const index = seen.indexOf(markBytes);
      isOver = index >= 0;
      const length = index >= 0 ? index : seen.length - overlap(seen, markBytes);
      held = isOver ? Buffer.alloc(0) : Buffer.from(seen.subarray(length));
      const isReady = length === 0 || take(seen.subarray(0, length));
      if (isOver) onMark();
      return isReady;
    },
    end() {
      if (!isOver && held.length > 0) take(held);
      isOver = true;
    },
  };
}

/** The number of bytes at the end of one buffer that are a prefix of the other. */
function overlap(seen: Buffer, markBytes: Buffer): number {
  for (let length = Math.min(seen.length, markBytes.length - 1); length > 0; length--) {
    if (seen.subarray(seen.length - length).equals(markBytes.subarray(0, length))) return length;
  }
  return 0;
}
