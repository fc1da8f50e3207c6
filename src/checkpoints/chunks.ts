/**
 * Content-defined chunking: a change in the middle of a long file leaves all chunks but one or two unchanged, even if it
 * changes the length. Short files are one chunk.
 */
export function chunksOf(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length <= wholeBytes) return [bytes];
  const chunks: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = cutAfter(bytes, start);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

const wholeBytes = 16_384;
const leastBytes = 2_048;
const mostBytes = 32_768;
/** One position in 4,096 is a chunk boundary. */
const cutMask = 0xfff0_0000;

/** Rolling hash over the last 32 bytes. */
function cutAfter(bytes: Uint8Array, start: number): number {
  const last = Math.min(bytes.length, start + mostBytes);
  let sum = 0;
  let offset = Math.min(last, start + leastBytes - 32);
  for (; offset < last; offset++) {
    sum = ((sum << 1) + scattered(bytes[offset] ?? 0)) | 0;
    if ((sum & cutMask) === 0 && offset - start >= leastBytes) return offset + 1;
  }
  return last;
}

/** A fixed pseudo-random number for each byte value. */
function scattered(byte: number): number {
  let bits = Math.imul(byte + 1, 0x9e37_79b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85eb_ca6b);
  return bits ^ (bits >>> 13);
}
