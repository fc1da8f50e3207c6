/** The last `size` bytes of a stream. */
export interface Ring {
  add(chunk: Uint8Array): void;
  /** Returns a copy, in order. */
  bytes(): Buffer;
}

export function createRing(size: number): Ring {
  const kept = Buffer.allocUnsafe(size);
  let offset = 0;
  let isFull = false;
  return {
    add(chunk) {
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const room = Math.min(last.length, size - offset);
      kept.set(last.subarray(0, room), offset);
      kept.set(last.subarray(room), 0);
      isFull ||= offset + last.length >= size;
      offset = (offset + last.length) % size;
    },
    bytes: () =>
      isFull ? Buffer.concat([kept.subarray(offset), kept.subarray(0, offset)]) : Buffer.from(kept.subarray(0, offset)),
  };
}
