import type { Socket } from "node:net";

/** Framing on the socket: total length, JSON length, JSON, bytes. */
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

/** Frames written in the same tick go out in one write. */
export function sendFrame(socket: Socket, value: unknown, bytes?: Uint8Array): void {
  if (!socket.writable) return;
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
  socket.write(encodeFrame(value, bytes));
}

/** Parses a stream of frames. Throws on an invalid frame: the sender is not a supervisor client. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Length of the current frame; 0 until the length is read. */
  let frameBytes = 0;
  return (chunk) => {
    parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    bytes += chunk.length;
    while (bytes >= Math.max(4, frameBytes)) {
      const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
      parts = [all];
      frameBytes = 4 + all.readUInt32LE(0);
      if (frameBytes > maxFrameBytes || frameBytes < 8) throw new Error(`a frame of ${frameBytes} bytes`);
      if (bytes < frameBytes) return;
      const frame = all.subarray(0, frameBytes);
      parts = bytes > frameBytes ? [all.subarray(frameBytes)] : [];
      bytes -= frameBytes;
      frameBytes = 0;
      onFrame(decode(frame));
    }
  };
}

export const maxFrameBytes = 16 * 1024 * 1024;

function decode(frame: Buffer): Frame {
  const jsonBytes = frame.readUInt32LE(4);
  if (8 + jsonBytes > frame.length) throw new Error("a frame with truncated JSON");
  const value: unknown = JSON.parse(frame.toString("utf8", 8, 8 + jsonBytes));
  return { value, bytes: frame.subarray(8 + jsonBytes) };
}
