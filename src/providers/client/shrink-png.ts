/** Width and height of a PNG; undefined for other formats. */
export function pngSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  if (bytes.length < 33 || bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1A\n") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * Scales a PNG down to a maximum number of pixels per side; each new pixel is the mean of the pixels that it covers.
 * Returns undefined if the image is already small enough, is of an unsupported kind (interlaced, or not eight bits
 * deep), or if the signal is aborted. Takes up to a second for a screenshot and lets other tasks run meanwhile.
 */
export async function shrinkPng(bytes: Buffer, mostPixels: number, signal: AbortSignal): Promise<Buffer | undefined> {
  const size = pngSize(bytes);
  if (!size || bytes[24] !== 8 || bytes[28] !== 0) return undefined;
  const { width, height } = size;
  const factor = Math.ceil(Math.max(width, height) / mostPixels);
  const channels = channelsOf[bytes[25] ?? -1];
  if (factor < 2 || channels === undefined || width * height > maxPixels) return undefined;
  try {
    const rest = createRests(signal);
    const parts = chunks(bytes);
    const raw = (height * width + 1) * channels + height;
    const packed = Buffer.concat(parts.filter(({ type }) => type === "IDAT").map(({ data }) => data));
    const rows = await unfiltered(await inflated(packed, raw), width * channels, channels, rest);
    const palette = parts.find(({ type }) => type === "PLTE")?.data;
    const data = palette ? await coloured(rows, palette, rest) : rows;
    return await written(await averaged(data, { width, height, channels: palette ? 3 : channels, factor }, rest));
  } catch {
    // If the image is damaged or the work was aborted, the original is kept.
    return undefined;
  }
}

/** The number of bytes to process before other tasks may run. */
type Rest = (bytes: number) => Promise<void> | undefined;

function createRests(signal: AbortSignal): Rest {
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (done < bytesOfTurn) return undefined;
    done = 0;
    signal.throwIfAborted();
    return new Promise((resolve) => setImmediate(resolve));
  };
}

const bytesOfTurn = 500_000;

function inflated(packed: Buffer, maxOutputLength: number): Promise<Buffer> {
  const { inflate } = process.getBuiltinModule("node:zlib");
  return new Promise((resolve, reject) =>
    inflate(packed, { maxOutputLength }, (fault, data) => (fault ? reject(fault) : resolve(data))),
  );
}

function deflated(data: Buffer): Promise<Buffer> {
  const { deflate } = process.getBuiltinModule("node:zlib");
  return new Promise((resolve, reject) => deflate(data, (fault, packed) => (fault ? reject(fault) : resolve(packed))));
}

const maxPixels = 20_000_000;
/** The number of channels by colour type: grey, true colour, palette, grey with alpha, true colour with alpha. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const kindOf: Readonly<Record<number, number>> = { 1: 0, 2: 4, 3: 2, 4: 6 };

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly data: Buffer;
}

function chunks(bytes: Buffer): readonly { readonly type: string; readonly data: Buffer }[] {
  const matches = [];
  for (let index = 8; index + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(index);
    matches.push({
      type: bytes.toString("latin1", index + 4, index + 8),
      data: bytes.subarray(index + 8, index + 8 + length),
    });
    index += 12 + length;
  }
  return matches;
}

/** Reverses the PNG row filters, which store differences to the left and upper pixels. */
async function unfiltered(packed: Buffer, stride: number, step: number, rest: Rest): Promise<Buffer> {
  const height = Math.floor(packed.length / (stride + 1));
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    await rest(stride);
    const start = y * stride;
    const filter = packed[start + y] ?? 0;
    packed.copy(rows, start, start + y + 1, start + y + 1 + stride);
    if (filter === 0) continue;
    for (let index = start; index < start + stride; index++) {
      const isFirst = index < start + step;
      const left = isFirst ? 0 : (rows[index - step] ?? 0);
      const up = y === 0 ? 0 : (rows[index - stride] ?? 0);
      const corner = isFirst || y === 0 ? 0 : (rows[index - stride - step] ?? 0);
      rows[index] = (rows[index] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

async function coloured(indexes: Buffer, palette: Buffer, rest: Rest): Promise<Buffer> {
  const data = Buffer.alloc(indexes.length * 3);
  for (const [pixel, index] of indexes.entries()) {
    if (pixel % 1_024 === 0) await rest(3_072);
    palette.copy(data, pixel * 3, index * 3, index * 3 + 3);
  }
  return data;
}

async function averaged(
  data: Buffer,
  from: Omit<Pixels, "data"> & { readonly factor: number },
  rest: Rest,
): Promise<Pixels> {
  const { channels, factor } = from;
  const width = Math.max(1, Math.floor(from.width / factor));
  const height = Math.max(1, Math.floor(from.height / factor));
  const across = Math.min(factor, from.width);
  const down = Math.min(factor, from.height);
  const small = Buffer.alloc(width * height * channels);
  const sums = new Uint32Array(width * channels);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    await rest(down * from.width * channels);
    for (let row = y * factor; row < y * factor + down; row++) {
      let offset = row * from.width * channels;
      for (let x = 0; x < width; x++) {
        const to = x * channels;
        for (let n = 0; n < across * channels; n += channels)
          for (let c = 0; c < channels; c++) sums[to + c] = (sums[to + c] ?? 0) + (data[offset++] ?? 0);
        offset += (factor - across) * channels;
      }
    }
    for (const [offset, sum] of sums.entries())
      small[y * width * channels + offset] = Math.round(sum / (across * down));
  }
  return { width, height, channels, data: small };
}

async function written({ width, height, channels, data }: Pixels): Promise<Buffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, kindOf[channels] ?? 2, 0, 0, 0], 8);
  const stride = width * channels;
  const rows = Buffer.alloc(height * (stride + 1));
  for (let y = 0; y < height; y++) data.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
  const signature = Buffer.from("\x89PNG\r\n\x1A\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", await deflated(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const { crc32 } = process.getBuiltinModule("node:zlib");
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
