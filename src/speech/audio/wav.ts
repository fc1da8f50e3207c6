/** Samples of a WAV file: 16 bits, little endian. */
export interface Pcm {
  readonly sampleRate: number;
  readonly channels: number;
  readonly samples: Buffer;
}

export function writeWav({ sampleRate, channels, samples }: Pcm): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/**
 * Undefined if the file is not a WAV file with 16-bit samples. Programs that write to a pipe state no lengths, or
 * wrong ones.
 */
export function readWav(bytes: Uint8Array): Pcm | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 12 || file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE")
    return undefined;
  let format: Omit<Pcm, "samples"> | undefined;
  for (let offset = 12; offset + 8 <= file.length;) {
    const name = file.toString("latin1", offset, offset + 4);
    const size = file.readUInt32LE(offset + 4);
    const start = offset + 8;
    if (name === "fmt " && start + 16 <= file.length) {
      const kind = file.readUInt16LE(start);
      const [channels, sampleRate] = [file.readUInt16LE(start + 2), file.readUInt32LE(start + 4)];
      const isPcm = (kind === 1 || kind === 0xfffe) && file.readUInt16LE(start + 14) === 16;
      if (!isPcm || channels < 1 || channels > 32 || sampleRate < 1_000 || sampleRate > 384_000) return undefined;
      format = { channels, sampleRate };
    }
    if (name === "data" && format) {
      const end = Math.min(file.length, start + size);
      return { ...format, samples: file.subarray(start, end - ((end - start) % (2 * format.channels))) };
    }
    offset = start + size + (size % 2);
  }
  return undefined;
}

export function secondsOf({ samples, sampleRate, channels }: Pcm): number {
  return samples.length / (2 * channels * sampleRate);
}
