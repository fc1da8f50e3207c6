/** Facts about an image, from its bytes. */
export interface ImageFacts {
  /** "PNG" */
  readonly format: string;
  /** Undefined for an image format that models do not accept. */
  readonly mimeType?: string;
  /** Undefined for a damaged file or an unsupported format. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Undefined when the bytes are not an image. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const is = (text: string, index = 0) => data.toString("latin1", index, index + text.length) === text;
  if (is("\x89PNG\r\n\x1a\n")) return facts("PNG", "image/png", pngSize(data));
  if (is("\xff\xd8\xff")) return facts("JPEG", "image/jpeg", jpegSize(data));
  if (is("GIF87a") || is("GIF89a"))
    return facts(
      "GIF",
      "image/gif",
      sized(data, 10, (offset) => data.readUInt16LE(offset), 6, 8),
    );
  if (is("RIFF") && is("WEBP", 8)) return facts("WebP", "image/webp", webpSize(data));
  if (is("BM") && data.length > 26 && data.readUInt32LE(6) === 0)
    return facts(
      "BMP",
      undefined,
      sized(data, 26, (position) => Math.abs(data.readInt32LE(position)), 18, 22),
    );
  if (is("II*\0") || is("MM\0*")) return facts("TIFF", undefined, undefined);
  if (isIcon(data)) return facts("ICO", undefined, undefined);
  if (is("ftyp", 4)) {
    const brand = data.toString("latin1", 8, 12);
    if (/^avi[fs]$/u.test(brand)) return facts("AVIF", undefined, boxedSize(data));
    if (/^(?:hei[cfsx]|hev[cx]|mif1|msf1)$/u.test(brand)) return facts("HEIC", undefined, boxedSize(data));
  }
  return undefined;
}

/** The offset of the first entry must be inside the file: other binary files begin with the same four bytes. */
function isIcon(data: Buffer): boolean {
  if (data.length < 22 || data.readUInt32LE(0) !== 0x10000) return false;
  const [count, bytes, offset] = [data.readUInt16LE(4), data.readUInt32LE(14), data.readUInt32LE(18)];
  return count > 0 && data[9] === 0 && offset >= 6 + 16 * count && bytes > 0 && offset + bytes <= data.length;
}

type Size = ImageFacts["size"];

function facts(format: string, mimeType: string | undefined, size: Size): ImageFacts {
  return { format, ...(mimeType !== undefined && { mimeType }), ...(size && { size }) };
}

function sized(data: Buffer, min: number, read: (index: number) => number, widthAt: number, heightAt: number): Size {
  if (data.length < min) return undefined;
  const size = { width: read(widthAt), height: read(heightAt) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(data: Buffer): Size {
  return data.toString("latin1", 12, 16) === "IHDR"
    ? sized(data, 33, (index) => data.readUInt32BE(index), 16, 20)
    : undefined;
}

/** Finds the first frame header and skips earlier segments by their length. */
function jpegSize(data: Buffer): Size {
  for (let index = 2; index + 9 < data.length;) {
    if (data[index] !== 0xff) return undefined;
    const marker = data[index + 1] ?? 0;
    if (marker === 0xff) index++;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return sized(data, index + 9, (from) => data.readUInt16BE(from), index + 7, index + 5);
    else index += marker === 1 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + data.readUInt16BE(index + 2);
  }
  return undefined;
}

function webpSize(data: Buffer): Size {
  if (data.length < 30) return undefined;
  const kind = data.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
  if (kind === "VP8 ") return sized(data, 30, (index) => data.readUInt16LE(index) & 0x3fff, 26, 28);
  if (kind !== "VP8L") return undefined;
  const bits = data.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** The largest size among the properties at the start of the file is the image's: tiles and thumbnails are smaller. */
function boxedSize(data: Buffer): Size {
  const head = data.subarray(0, 65_536);
  let best: Size;
  for (
    let index = head.indexOf("ispe");
    index >= 0 && index + 16 <= head.length;
    index = head.indexOf("ispe", index + 4)
  ) {
    const size = { width: head.readUInt32BE(index + 8), height: head.readUInt32BE(index + 12) };
    if (!best || size.width * size.height > best.width * best.height) best = size;
  }
  return best;
}
