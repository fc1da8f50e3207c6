/** Pixels as red, green, blue and alpha. */
export interface RawPixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Decodes a BMP file, which libvips cannot. Returns undefined if it is damaged, compressed or too large. */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): RawPixels | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 30 || view.toString("latin1", 0, 2) !== "BM") return undefined;
  return decodeDib(view.subarray(14), { pixelsAt: view.readUInt32LE(10) - 14, maxPixels });
}

/** The largest image of an icon: a PNG file, or pixels. */
export function largestIcon(bytes: Uint8Array, maxPixels: number): { png: Uint8Array } | RawPixels | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 22 || view.readUInt32LE(0) !== 0x10000) return undefined;
  const count = Math.min(view.readUInt16LE(4), maxIcons);
  let best: { readonly area: number; readonly from: number; readonly size: number } | undefined;
  for (let index = 0; index < count && 22 + index * 16 <= view.length; index++) {
    const entry = 6 + index * 16;
    const area = (view[entry] || 256) * (view[entry + 1] || 256) * 64 + view.readUInt16LE(entry + 6);
    const [size, from] = [view.readUInt32LE(entry + 8), view.readUInt32LE(entry + 12)];
    if (from + size <= view.length && (!best || area > best.area)) best = { area, from, size };
  }
  if (!best) return undefined;
  const image = view.subarray(best.from, best.from + best.size);
  if (image.toString("latin1", 0, 4) === "\x89PNG") return { png: image };
  return decodeDib(image, { maxPixels, isIcon: true });
}

const maxIcons = 64;

interface DibOptions {
  /** The offset of the pixels. If undefined, they follow the header and the colours. */
  readonly pixelsAt?: number;
  readonly maxPixels: number;
  /** A transparency mask follows the pixels, and the height includes it. */
  readonly isIcon?: boolean;
}

function decodeDib(dib: Buffer, { pixelsAt, maxPixels, isIcon = false }: DibOptions): RawPixels | undefined {
  const header = readHeader(dib, isIcon);
  if (!header || header.width * header.height > maxPixels) return undefined;
  const { width, height, bits, isTopDown, headerBytes, masks, colours } = header;
  const paletteBytes = bits <= 8 ? colours * header.colourBytes : 0;
  const palette = dib.subarray(headerBytes, headerBytes + paletteBytes);
  const start = pixelsAt ?? headerBytes + paletteBytes;
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (start < 0 || start + stride * height > dib.length) return undefined;
  const data = new Uint8Array(width * height * 4);
  let hasAlpha = false;
  for (let y = 0; y < height; y++) {
    const row = dib.subarray(start + stride * (isTopDown ? y : height - 1 - y));
    for (let x = 0; x < width; x++) {
      const target = (y * width + x) * 4;
      const [red, green, blue, alpha] = pixelOf(row, x, bits, palette, header.colourBytes, masks);
      data.set([red, green, blue, alpha], target);
      hasAlpha ||= alpha > 0;
    }
  }
  // Many programs leave the alpha byte at zero.
  if (!hasAlpha) for (let index = 3; index < data.length; index += 4) data[index] = 255;
  if (isIcon && bits < 32) applyMask(data, dib.subarray(start + stride * height), width, height);
  return { width, height, data };
}

interface DibHeader {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly isTopDown: boolean;
  readonly headerBytes: number;
  readonly masks?: readonly number[];
  readonly colours: number;
  readonly colourBytes: number;
}

function readHeader(dib: Buffer, isIcon: boolean): DibHeader | undefined {
  if (dib.length < 12) return undefined;
  const size = dib.readUInt32LE(0);
  const isOld = size === 12;
  if (!isOld && (size < 40 || size > 124 || dib.length < size)) return undefined;
  const width = isOld ? dib.readUInt16LE(4) : dib.readInt32LE(4);
  const signed = isOld ? dib.readUInt16LE(6) : dib.readInt32LE(8);
  const height = Math.floor(Math.abs(signed) / (isIcon ? 2 : 1));
  const bits = dib.readUInt16LE(isOld ? 10 : 14);
  const compression = isOld ? 0 : dib.readUInt32LE(16);
  const hasMasks = compression === 3 || compression === 6;
  if (width < 1 || height < 1 || ![1, 4, 8, 16, 24, 32].includes(bits)) return undefined;
  if (compression !== 0 && !(hasMasks && bits >= 16 && dib.length >= 56)) return undefined;
  const used = isOld ? 0 : dib.readUInt32LE(32);
  return {
    width,
    height,
    bits,
    isTopDown: signed < 0,
    headerBytes: size + (hasMasks && size === 40 ? (compression === 6 ? 16 : 12) : 0),
    ...(hasMasks && {
      masks: [40, 44, 48, ...(size > 40 || compression === 6 ? [52] : [])].map((offset) => dib.readUInt32LE(offset)),
    }),
    colours: used > 0 && used <= 256 ? used : 2 ** Math.min(bits, 8),
    colourBytes: isOld ? 3 : 4,
  };
}

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

function pixelOf(
  row: Buffer,
  x: number,
  bits: number,
  palette: Buffer,
  colourBytes: number,
  masks: readonly number[] | undefined,
): Pixel {
  if (bits <= 8) {
    const perByte = 8 / bits;
    const byte = row[Math.floor(x / perByte)] ?? 0;
    const index = (byte >> (8 - bits * ((x % perByte) + 1))) & (2 ** bits - 1);
    const offset = index * colourBytes;
    return [palette[offset + 2] ?? 0, palette[offset + 1] ?? 0, palette[offset] ?? 0, 255];
  }
  const bytes = bits / 8;
  const offset = x * bytes;
  if (masks || bits === 16) {
    const value = row.readUIntLE(offset, bytes);
    const [red = 0, green = 0, blue = 0, alpha = 0] = masks ?? [0x7c00, 0x3e0, 0x1f];
    return [
      channel(value, red),
      channel(value, green),
      channel(value, blue),
      alpha === 0 ? 255 : channel(value, alpha),
    ];
  }
  return [row[offset + 2] ?? 0, row[offset + 1] ?? 0, row[offset] ?? 0, bits === 32 ? (row[offset + 3] ?? 0) : 255];
}

function channel(value: number, mask: number): number {
  if (mask === 0) return 0;
  const shift = 31 - Math.clz32(mask & -mask);
  return Math.round((((value & mask) >>> shift) * 255) / (mask >>> shift));
}

function applyMask(data: Uint8Array, mask: Buffer, width: number, height: number): void {
  const stride = Math.ceil(width / 32) * 4;
  if (mask.length < stride * height) return;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const byte = mask[(height - 1 - y) * stride + (x >> 3)] ?? 0;
      if ((byte >> (7 - (x & 7))) & 1) data[(y * width + x) * 4 + 3] = 0;
    }
}
