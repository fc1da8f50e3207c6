/**
 * Encodes a message of the multiplexing socket: a length, then that many bytes. Numbers have four bytes; strings have a
 * length prefix.
 */
export function frame(...parts: readonly (number | string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === "number" ? number(part) : bytesOf(part))));
  return Buffer.concat([number(body.length), body]);
}

/** A message of the SSH connection protocol (RFC 4254), without padding. */
export function packet(type: number, ...parts: readonly (number | string | Uint8Array)[]): Buffer {
  return frame(Uint8Array.of(0, type), ...parts);
}

export function packString(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

export const isTrue = Uint8Array.of(1);
export const isFalse = Uint8Array.of(0);

export const messages = {
  open: 90,
  opened: 91,
  openFailed: 92,
  window: 93,
  data: 94,
  extendedData: 95,
  end: 96,
  close: 97,
  request: 98,
  success: 99,
  failure: 100,
} as const;

export function createFrames(onFrame: (body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const end = 4 + rest.readUInt32BE(0);
      if (rest.length < end) return;
      const body = rest.subarray(4, end);
      rest = rest.subarray(end);
      onFrame(body);
    }
  };
}

/** Reads the fields of a frame from its start. */
export function reader(body: Buffer, from: number): { number(): number; bytes(): Buffer } {
  let offset = from;
  return {
    number() {
      offset += 4;
      return body.readUInt32BE(offset - 4);
    },
    bytes() {
      const length = this.number();
      offset += length;
      return body.subarray(offset - length, offset);
    },
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function bytesOf(part: string | Uint8Array): Uint8Array {
  return typeof part === "string" ? packString(part) : part;
}
