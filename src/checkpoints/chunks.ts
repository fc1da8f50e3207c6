/**
 * Cuts bytes where their content says so: a change in the middle of a long file leaves all pieces but one or two as they
 * were, also when it makes the file longer. Short files are one piece.
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
/** One place in 4,096 is a cut. */
const cutMask = 0xfff0_0000;

/** A sum in which a byte counts for the next 32, and no further. */
function cutAfter(bytes: Uint8Array, start: number): number {
  const last = Math.min(bytes.length, start + mostBytes);
  let sum = 0;
  let at = Math.min(last, start + leastBytes - 32);
  for (; at < last; at++) {
    sum = ((sum << 1) + scattered(bytes[at] ?? 0)) | 0;
    if ((sum & cutMask) === 0 && at - start >= leastBytes) return at + 1;
  }
  return last;
}

/** The same number for the same byte, with bits that look drawn. */
function scattered(byte: number): number {
  let bits = Math.imul(byte + 1, 0x9e37_79b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85eb_ca6b);
  return bits ^ (bits >>> 13);
}
