import type { Socket } from "node:net";

/** Messages on a socket: the length of all, the length of the JSON, the JSON, bytes. */
export interface Frame {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

export function encodeFrame(value: unknown, bytes: Uint8Array = new Uint8Array()): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const frame = Buffer.allocUnsafe(8 + json.length + bytes.length);
  frame.writeUInt32LE(4 + json.length + bytes.length, 0);
  frame.writeUInt32LE(json.length, 4);
  frame.set(json, 8);
  frame.set(bytes, 8 + json.length);
  return frame;
}

/** Many frames of the same moment go out in one piece. */
export function sendFrame(socket: Socket, value: unknown, bytes?: Uint8Array): void {
  if (!socket.writable) return;
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
  socket.write(encodeFrame(value, bytes));
}

/** Takes a stream as it comes. Throws on what is no frame: whoever sent it is not one of us. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Of the frame that has begun; 0 when that is not known yet. */
  let wanted = 0;
  return (chunk) => {
    parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    bytes += chunk.length;
    while (bytes >= Math.max(4, wanted)) {
      const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
      parts = [all];
      wanted = 4 + all.readUInt32LE(0);
      if (wanted > maxFrameBytes || wanted < 8) throw new Error(`a frame of ${wanted} bytes`);
      if (bytes < wanted) return;
      const frame = all.subarray(0, wanted);
      parts = bytes > wanted ? [all.subarray(wanted)] : [];
      bytes -= wanted;
      wanted = 0;
      onFrame(decode(frame));
    }
  };
}

export const maxFrameBytes = 16 * 1024 * 1024;

function decode(frame: Buffer): Frame {
  const jsonBytes = frame.readUInt32LE(4);
  if (8 + jsonBytes > frame.length) throw new Error("a frame with half its JSON");
  const value: unknown = JSON.parse(frame.toString("utf8", 8, 8 + jsonBytes));
  return { value, bytes: frame.subarray(8 + jsonBytes) };
}
