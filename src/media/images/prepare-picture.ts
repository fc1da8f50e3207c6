import type { Sharp as SharpPipeline, SharpOptions } from "sharp";

import { imageFacts } from "../../base/files/image-facts.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import type { Picture, PictureSize, Region } from "../../contracts/media/pictures.ts";
import type { ImagePart } from "../../contracts/model/message.ts";
import { decodeBmp, largestIcon, type RawPixels } from "./bitmap.ts";
import { createSvgDrawing } from "./draw-svg.ts";
import { type EncodedPicture, encodePicture } from "./encode-picture.ts";
import type { Sharp } from "./load-sharp.ts";
import type { PictureLimits } from "./model-limits.ts";
import { pictureKind } from "./picture-kind.ts";

export interface PictureTask {
  /** A name for messages. */
  readonly name: string;
  readonly region?: Region;
  readonly limits: PictureLimits;
}

export interface PictureTools {
  readonly loadSharp: () => Promise<Result<Sharp, string>>;
  /** A HEIC image as PNG or JPEG. */
  readonly convertHeic: (bytes: Uint8Array, signal: AbortSignal) => Promise<Result<Uint8Array, string>>;
}

/**
 * An image in the form that models accept: typed by its content, upright, cropped before it is scaled down, without
 * metadata. All work on pixels happens in threads of the image library.
 */
export async function preparePicture(
  bytes: Uint8Array,
  task: PictureTask,
  tools: PictureTools,
  signal: AbortSignal,
): Promise<Result<Picture>> {
  const { name } = task;
  if (bytes.length > maxSourceBytes)
    return err({ message: `${name} has ${sizeText(bytes.length)}: at most ${sizeText(maxSourceBytes)} are read.` });
  const kind = pictureKind(bytes);
  if (kind.kind === "other") return err({ message: `${name} is ${kind.description}.` });
  if (kind.kind === "pdf") return err({ message: `${name} is a PDF document: name its page.` });
  if (kind.kind === "video") return err({ message: `${name} is a video (${kind.format}), not an image.` });
  const format = kind.kind === "svg" ? "SVG" : kind.format;
  const loaded = await tools.loadSharp();
  if (!loaded.ok) return unchanged(bytes, task, format, loaded.error);
  let source: Result<Source> = await sourceOf(bytes, format, task, tools, signal);
  if (!source.ok) return source;
  const attempts = [{ failOn: "error" as const }, ...(format === "SVG" ? [] : [{ failOn: "none" as const }])];
  let why = "";
  for (const [index, { failOn }] of attempts.entries()) {
    if (signal.aborted) return err({ message: "interrupted" });
    try {
      const picture = await render(loaded.value, source.value, { ...task, failOn }, signal);
      if (!picture.ok || index === 0) return picture;
      const note = "The image is damaged: the readable part of it is shown.";
      return ok({ ...picture.value, notes: [note, ...picture.value.notes] });
    } catch (thrown) {
      why ||= reasonOf(thrown).split("\n", 1)[0] ?? "";
    }
  }
  if (format === "SVG") source = err({ message: `${name} is an SVG image that cannot be rendered: ${why}.` });
  return source.ok ? err({ message: `${name} is a ${format} image that cannot be decoded: ${why}.` }) : source;
}

/** The maximum file size. Larger files are refused before they are decoded. */
const maxSourceBytes = 50_000_000;
/** The maximum number of pixels, which rejects small files with huge dimensions. */
const maxSourcePixels = 250_000_000;
const maxSeconds = 30;

interface Source {
  readonly format: string;
  readonly input: Uint8Array;
  readonly raw?: RawPixels;
  readonly mimeType?: string;
  readonly notes: readonly string[];
}

/** The bytes as the image library reads them. */
async function sourceOf(
  bytes: Uint8Array,
  format: string,
  { name }: PictureTask,
  tools: PictureTools,
  signal: AbortSignal,
): Promise<Result<Source>> {
  const unreadable = (why: string) => err({ message: `${name} is a ${format} image that cannot be decoded: ${why}.` });
  if (format === "BMP") {
    const raw = decodeBmp(bytes, maxBitmapPixels);
    return raw ? ok({ format, input: raw.data, raw, notes: [] }) : unreadable("it is damaged, compressed or too large");
  }
  if (format === "ICO") {
    const icon = largestIcon(bytes, maxBitmapPixels);
    if (!icon) return unreadable("it is damaged");
    return ok(
      "png" in icon ? { format, input: icon.png, notes: [] } : { format, input: icon.data, raw: icon, notes: [] },
    );
  }
  // The first brand of an AVIF may be the general one.
  const isAvif = Buffer.from(bytes.subarray(0, 64)).includes("avif");
  if (format === "HEIC" && !isAvif) {
    const converted = await tools.convertHeic(bytes, signal);
    if (!converted.ok) return unreadable(converted.error);
    return ok({ format, input: converted.value, notes: [] });
  }
  const mimeType = imageFacts(bytes)?.mimeType;
  return ok({ format, input: bytes, ...(mimeType !== undefined && { mimeType }), notes: [] });
}

/** Bitmaps are decoded by us, pixel by pixel. */
const maxBitmapPixels = 20_000_000;

type Failing = "error" | "none";

async function render(
  sharp: Sharp,
  source: Source,
  { name, region: wish, limits, failOn }: PictureTask & { readonly failOn: Failing },
  signal: AbortSignal,
): Promise<Result<Picture>> {
  const { format, input, raw, mimeType } = source;
  const options: SharpOptions = {
    failOn,
    limitInputPixels: maxSourcePixels,
    sequentialRead: true,
    ...(raw && { raw: { width: raw.width, height: raw.height, channels: 4 } }),
  };
  if (format === "SVG") return renderSvg(sharp, source, { name, limits, ...(wish && { region: wish }) }, signal);
  // Reading the header renders nothing.
  const facts = await sharp(input, { ...options, limitInputPixels: false }).metadata();
  const { width, height } = facts.autoOrient ?? facts;
  if (width * height > maxSourcePixels)
    return err({
      message: `${name} has ${width} x ${height} pixels: at most ${maxSourcePixels / 1e6} million are decoded.`,
    });
  const original = { width, height };
  const cut = wish && cropOf(wish, original, name);
  if (cut && !cut.ok) return cut;
  const part = cut?.value ?? { left: 0, top: 0, width, height };
  const notes = [...source.notes];
  if ((facts.pages ?? 1) > 1)
    notes.push(`Only the first of ${facts.pages} ${format === "TIFF" ? "pages" : "frames"} is shown.`);

  const fits = Math.max(width, height) <= limits.maxSide && input.length <= limits.maxBytes;
  if (!cut && fits && sendableAsIs.has(mimeType ?? "") && isPlain(facts) && (facts.pages ?? 1) === 1) {
    // The header is valid; the pixels must be valid too, because providers otherwise refuse the whole request.
    const { isOpaque } = await sharp(input, options).stats();
    if (isOpaque) return ok({ content: imagePart(input, mimeType ?? ""), format, original, shown: original, notes });
  }

  const opened = (): SharpPipeline => {
    const whole = sharp(input, { ...options, autoOrient: true }).timeout({ seconds: maxSeconds });
    return cut ? whole.extract(part) : whole;
  };
  const { bytes, mimeType: type, ...shown } = await encodeOpened(opened, facts.hasAlpha, format, limits);
  return ok({
    content: imagePart(bytes, type),
    format,
    original,
    shown,
    ...(cut && { region: regionOf(part) }),
    notes,
  });
}

/** An SVG has no pixels: it is drawn as large as the model accepts. */
async function renderSvg(
  sharp: Sharp,
  { format, input, notes }: Source,
  { name, region: wish, limits }: PictureTask,
  signal: AbortSignal,
): Promise<Result<Picture>> {
  const drawing = createSvgDrawing(input, signal);
  const { width, height, density = 72 } = await drawing.facts();
  const original = { width, height };
  const cut = wish && cropOf(wish, original, name);
  if (cut && !cut.ok) return cut;
  const part = cut?.value ?? { left: 0, top: 0, width, height };
  const zoom = Math.min(limits.maxSide / Math.max(part.width, part.height), maxZoom);
  const crop = cut && {
    left: Math.floor(part.left * zoom),
    top: Math.floor(part.top * zoom),
    width: Math.max(1, Math.floor(part.width * zoom)),
    height: Math.max(1, Math.floor(part.height * zoom)),
  };
  const scaled = Math.max(1, Math.min(100_000, density * zoom));
  const png = await drawing.draw({ density: scaled, maxPixels: maxSourcePixels, ...(crop && { crop }) });
  const opened = () => sharp(png, { limitInputPixels: maxSourcePixels }).timeout({ seconds: maxSeconds });
  const { bytes, mimeType, ...shown } = await encodeOpened(opened, true, format, limits);
  return ok({
    content: imagePart(bytes, mimeType),
    format,
    original,
    shown,
    ...(cut && { region: regionOf(part) }),
    notes,
  });
}

async function encodeOpened(
  opened: () => SharpPipeline,
  hasAlpha: boolean,
  format: string,
  limits: PictureLimits,
): Promise<EncodedPicture> {
  const background = hasAlpha ? await backgroundOf(opened()) : undefined;
  const sized = (maxSide: number): SharpPipeline => {
    const fitting = opened().resize({ width: maxSide, height: maxSide, fit: "inside", withoutEnlargement: true });
    return (background === undefined ? fitting : fitting.flatten({ background })).toColourspace("srgb");
  };
  return encodePicture(sized, { isPhoto: photoFormats.has(format), limits });
}

function regionOf({ left, top, width, height }: Crop): Region {
  return [left, top, left + width, top + height];
}

function imagePart(bytes: Uint8Array, mimeType: string): ImagePart {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", mimeType, data };
}

/** An SVG of 16 pixels is drawn at most this much larger. */
const maxZoom = 64;

const sendableAsIs: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);
const photoFormats: ReadonlySet<string> = new Set(["JPEG", "HEIC", "AVIF"]);

type Metadata = Awaited<ReturnType<SharpPipeline["metadata"]>>;

/** The image has no metadata about place or orientation, and every model can read its colours. */
function isPlain({ exif, xmp, iptc, comments, orientation, space, depth }: Metadata): boolean {
  const isBare = !exif && !xmp && !iptc && (comments?.length ?? 0) === 0;
  return isBare && (orientation ?? 1) === 1 && (space === "srgb" || space === "b-w") && depth === "uchar";
}

interface Crop extends PictureSize {
  readonly left: number;
  readonly top: number;
}

/** The region in whole pixels of the upright original. Fractions of it are allowed too. */
function cropOf(region: Region, { width, height }: PictureSize, name: string): Result<Crop> {
  const isFraction = region.every((each) => each <= 1) && region.some((each) => each > 0);
  const [x1, y1, x2, y2] = isFraction
    ? [region[0] * width, region[1] * height, region[2] * width, region[3] * height]
    : region;
  const left = Math.max(0, Math.floor(x1));
  const top = Math.max(0, Math.floor(y1));
  const [right, bottom] = [Math.min(width, Math.ceil(x2)), Math.min(height, Math.ceil(y2))];
  if (region.every(Number.isFinite) && right > left && bottom > top)
    return ok({ left, top, width: right - left, height: bottom - top });
  return err({
    message: `region [${region.join(", ")}] is outside of ${name}, which has ${width} x ${height} pixels. Give left, top, right, bottom.`,
  });
}

/** A background colour for transparent parts on which the rest is visible: white, or dark grey for a light drawing. */
async function backgroundOf(picture: SharpPipeline): Promise<string> {
  const { data } = await picture
    .resize({ width: 64, height: 64, fit: "fill" })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let [light, weight] = [0, 0];
  for (let index = 0; index + 3 < data.length; index += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(index, index + 4);
    light += alpha * (red * 0.3 + green * 0.6 + blue * 0.1);
    weight += alpha;
  }
  return weight > 0 && light / weight > 200 ? "#303030" : "#ffffff";
}

/** Without the image library, an image within the limits is passed on unchanged. */
function unchanged(
  bytes: Uint8Array,
  { name, region, limits }: PictureTask,
  format: string,
  why: string,
): Result<Picture> {
  const facts = imageFacts(bytes);
  const advice = `${why}. Make a smaller PNG or JPEG copy of it, or install Hermes for this system with its optional packages.`;
  if (!facts?.mimeType || !facts.size)
    return err({ message: `${name} is a ${format} image that cannot be read: ${advice}` });
  if (region) return err({ message: `${name} cannot be cropped: ${advice}` });
  const { width, height } = facts.size;
  if (bytes.length > limits.maxBytes || Math.max(width, height) > maxUnchangedSide)
    return err({ message: `${name} has ${width} x ${height} pixels and ${sizeText(bytes.length)}: ${advice}` });
  return ok({
    content: imagePart(bytes, facts.mimeType),
    format,
    original: facts.size,
    shown: facts.size,
    notes: [`The image is sent as it is, with its metadata: ${why}.`],
  });
}

const maxUnchangedSide = 7_900;
