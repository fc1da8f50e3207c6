/** The last `size` bytes of a stream. */
export interface Ring {
  add(chunk: Uint8Array): void;
  /** In order, as a copy. */
  bytes(): Buffer;
}

export function createRing(size: number): Ring {
  const kept = Buffer.allocUnsafe(size);
  let at = 0;
  let isFull = false;
  return {
    add(chunk) {
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const room = Math.min(last.length, size - at);
      kept.set(last.subarray(0, room), at);
      kept.set(last.subarray(room), 0);
      isFull ||= at + last.length >= size;
      at = (at + last.length) % size;
    },
    bytes: () =>
      isFull ? Buffer.concat([kept.subarray(at), kept.subarray(0, at)]) : Buffer.from(kept.subarray(0, at)),
  };
}
