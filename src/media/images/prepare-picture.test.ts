import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";

import sharp from "sharp";

import { tempHome } from "../../../test/support/temp-home.ts";
import { err } from "../../base/result.ts";
import type { Picture, Region } from "../../contracts/media/pictures.ts";
import { createSvgDrawing } from "./draw-svg.ts";
import { loadSharp } from "./load-sharp.ts";
import { pictureLimits } from "./model-limits.ts";
import { pictureKind } from "./picture-kind.ts";
import { preparePicture, type PictureTools } from "./prepare-picture.ts";

const { signal } = new AbortController();
const tools: PictureTools = { loadSharp, convertHeic: async () => err("no program for HEIC") };

function prepare(bytes: Uint8Array, region?: Region, maxSide = 0) {
  const limits = pictureLimits("any", maxSide);
  return preparePicture(bytes, { name: "it", limits, ...(region && { region }) }, tools, signal);
}

async function picture(bytes: Uint8Array, region?: Region, maxSide = 0): Promise<Picture> {
  const prepared = await prepare(bytes, region, maxSide);
  assert.ok(prepared.ok, prepared.ok ? "" : prepared.error.message);
  return prepared.value;
}

async function fault(bytes: Uint8Array, region?: Region): Promise<string> {
  const prepared = await prepare(bytes, region);
  assert.ok(!prepared.ok);
  return prepared.error.message;
}

function pixels({ content }: Picture) {
  return sharp(Buffer.from(content.data, "base64")).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}

const plain = (width: number, height: number, background = "#336699") =>
  sharp({ create: { width, height, channels: 3, background } });

/** Left half red, right half blue. */
async function halves(width: number, height: number): Promise<Buffer> {
  const right = await plain(width / 2, height, "#0000ff")
    .png()
    .toBuffer();
  return plain(width, height, "#ff0000")
    .composite([{ input: right, left: width / 2, top: 0 }])
    .png()
    .toBuffer();
}

test("a small image stays unchanged, and its type comes from its bytes", async () => {
  const bytes = await plain(40, 30).png().toBuffer();
  const { content, format, shown } = await picture(bytes);
  assert.deepEqual([content.mimeType, format, shown], ["image/png", "PNG", { width: 40, height: 30 }]);
  assert.equal(content.data, bytes.toString("base64"));
});

test("a large image is scaled down to the limit of the model", async () => {
  const photo = await plain(6_000, 4_000).jpeg().toBuffer();
  let turns = 0;
  const beat = setInterval(() => turns++, 1);
  const { shown, original } = await picture(photo);
  clearInterval(beat);
  assert.ok(turns > 5, `the event loop turned ${turns} times meanwhile`);
  assert.deepEqual(original, { width: 6_000, height: 4_000 });
  assert.deepEqual(shown, { width: 1_568, height: 1_045 });
  assert.equal(pictureLimits("google/gemini-3-pro").maxSide, 3_072);
  assert.equal(pictureLimits("claude", 20_000).maxSide, 7_900);
});

test("a region, in pixels or fractions, is cropped before the image is scaled down", async () => {
  const bytes = await halves(2_000, 1_000);
  for (const region of [
    [1_000, 0, 2_000, 1_000],
    [0.5, 0, 1, 1],
  ] as const) {
    const right = await picture(bytes, region);
    assert.deepEqual(right.region, [1_000, 0, 2_000, 1_000]);
    assert.deepEqual(right.shown, { width: 1_000, height: 1_000 });
    const { data } = await pixels(right);
    assert.deepEqual([...data.subarray(0, 3)], [0, 0, 255]);
  }
  const detail = await picture(bytes, [990, 0, 1_010, 10]);
  assert.deepEqual(detail.shown, { width: 20, height: 10 }, "a detail keeps its pixels");
  assert.match(await fault(bytes, [3_000, 0, 4_000, 10]), /is outside of it, which has 2000 x 1000 pixels/u);
  assert.match(await fault(bytes, [10, 10, 10, 10]), /left, top, right, bottom/u);
});

test("a photo is rotated upright, and its metadata is removed", async () => {
  const bytes = await sharp(await halves(60, 40))
    .withExif({ IFD0: { Artist: "SECRET-ARTIST" }, IFD3: { GPSLatitude: "52/1 0/1 0/1" } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  assert.ok(bytes.includes("SECRET-ARTIST"));
  const turned = await picture(bytes);
  assert.deepEqual(turned.shown, { width: 40, height: 60 });
  const sent = Buffer.from(turned.content.data, "base64");
  assert.ok(!sent.includes("SECRET-ARTIST") && (await sharp(sent).metadata()).exif === undefined);
});

test("every format is converted to one that models accept", async () => {
  const base = plain(50, 40);
  const formats: readonly (readonly [string, Buffer])[] = [
    ["PNG", await base.clone().png().toBuffer()],
    ["JPEG", await base.clone().jpeg().toBuffer()],
    ["WebP", await base.clone().webp().toBuffer()],
    ["GIF", await base.clone().gif().toBuffer()],
    ["AVIF", await base.clone().avif().toBuffer()],
    ["TIFF", await base.clone().tiff().toBuffer()],
    ["BMP", bmp(50, 40, [0x33, 0x66, 0x99])],
    ["ICO", icon(await plain(48, 48).png().toBuffer())],
    ["SVG", Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="50" height="40"/>')],
  ];
  for (const [format, bytes] of formats) {
    const result = await picture(bytes);
    assert.equal(result.format, format);
    assert.match(result.content.mimeType, /^image\/(?:png|jpeg|webp)$/u);
    if (format === "BMP") assert.deepEqual([...(await pixels(result)).data.subarray(0, 3)], [0x33, 0x66, 0x99]);
  }
  const heic = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  assert.match(await fault(heic), /is a HEIC image that cannot be decoded: no program for HEIC/u);
});

test("the first frame of an animation is shown, and the result says so", async () => {
  const frames = Buffer.concat([Buffer.alloc(300, 255), Buffer.alloc(300, 0)]);
  const animated = await sharp(frames, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } })
    .gif({ delay: [100, 100] })
    .toBuffer();
  const { shown, notes } = await picture(animated);
  assert.deepEqual(shown, { width: 10, height: 10 });
  assert.match(notes.join(), /first of 2 frames/u);
});

test("an SVG is rendered as large as the model allows, and loads no external resource", async () => {
  await using home = await tempHome();
  const secret = join(home.path, "secret.png");
  writeFileSync(secret, await plain(50, 50, "#00ff00").png().toBuffer());
  const svg = (inner: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="50" height="50">${inner}</svg>`,
    );
  for (const inner of [
    `<image xlink:href="file://${secret}" width="50" height="50"/>`,
    `<image href="${secret}" width="50" height="50"/>`,
    `<style>@import url("file://${secret}"); rect{fill:url(file://${secret}#a)}</style><rect width="50" height="50"/>`,
  ]) {
    const { data } = await pixels(await picture(svg(inner), undefined, 64));
    const isGreen = data.some((_, index) => index % 3 === 1 && data[index] === 255 && data[index - 1] === 0);
    assert.ok(!isGreen, inner);
  }
  const drawn = await picture(svg('<rect width="50" height="25" fill="#f00"/>'));
  assert.deepEqual(drawn.shown, { width: 1_568, height: 1_568 });
  const entity = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file://${secret}">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&x;</text></svg>`;
  await prepare(Buffer.from(entity));
});

test("a drawing that would take hours is stopped", async () => {
  const filter = `<filter id="f">${'<feTurbulence baseFrequency="0.9" numOctaves="200"/>'.repeat(40)}</filter>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">${filter}<rect width="4000" height="4000" filter="url(#f)"/></svg>`;
  const drawing = createSvgDrawing(Buffer.from(svg), signal, 1_000);
  await assert.rejects(drawing.draw({ density: 72, maxPixels: 20_000_000 }), /it takes longer than 1 s to draw/u);
});

test("a light drawing without a background stays visible", async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="15" fill="#fff"/></svg>`;
  const { data } = await pixels(await picture(Buffer.from(svg), undefined, 64));
  assert.ok((data[0] ?? 255) < 100, "dark behind white");
});

test("an image with a small file but huge dimensions is refused before it is decoded", async () => {
  const bomb = pngHeader(60_000, 60_000);
  assert.ok(bomb.length < 1_000);
  assert.match(await fault(bomb), /has 60000 x 60000 pixels: at most 250 million are decoded/u);
  const laughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${"bcdefghij"
    .split("")
    .map((name, index) => `<!ENTITY ${name} "${`&${"abcdefghij"[index]};`.repeat(10)}">`)
    .join("")}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&j;</text></svg>`;
  assert.match(await fault(Buffer.from(laughs)), /SVG image that cannot be rendered/u);
});

test("the error for a file that is not an image names its kind", async () => {
  assert.match(await fault(Buffer.from("<!doctype html><html>")), /it is a web page, not an image/u);
  assert.match(await fault(Buffer.from("")), /it is empty/u);
  assert.match(await fault(Buffer.from("%PDF-1.7")), /name its page/u);
  assert.match(await fault(Buffer.from("hello")), /not an image/u);
  for (const piece of ["<!---->", "<!DOCTYPE a[]>", "<??>"]) {
    assert.match(await fault(Buffer.from(piece.repeat(500))), /not an image/u, piece);
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    assert.equal(pictureKind(Buffer.from(`${piece.repeat(200)} ${drawing}`)).kind, "svg", piece);
  }
  assert.match(
    await fault(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(99)])),
    /cannot be decoded/u,
  );
});

test("the readable part of a truncated photo is shown", async () => {
  const noise = Buffer.from(Array.from({ length: 300 * 300 * 3 }, (_, index) => (index * 7_919) % 251));
  const whole = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
    .jpeg()
    .toBuffer();
  const { notes, shown } = await picture(whole.subarray(0, whole.length / 2));
  assert.deepEqual(shown, { width: 300, height: 300 });
  assert.match(notes.join(), /damaged/u);
});

test("broken images of every kind result in an image or an error with a reason", async () => {
  const base = await halves(64, 64);
  const sources = [
    base,
    await sharp(base).jpeg().toBuffer(),
    await sharp(base).webp().toBuffer(),
    await sharp(base).gif().toBuffer(),
    await sharp(base).tiff().toBuffer(),
    bmp(16, 16, [1, 2, 3]),
    icon(base),
    icon(bmp(16, 16, [1, 2, 3]).subarray(14)),
  ];
  let seed = 1;
  const next = (max: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % max;
  for (const source of sources)
    for (let round = 0; round < 12; round++) {
      const broken = Buffer.from(source.subarray(0, round % 3 === 0 ? 8 + next(source.length) : source.length));
      for (let hits = 0; hits <= round; hits++) broken[4 + next(Math.max(1, broken.length - 4))] = next(256);
      const result = await prepare(broken);
      if (!result.ok) assert.ok(result.error.message.startsWith("it "), result.error.message);
    }
});

test("without the image library, images within the limits are passed on unchanged", async () => {
  const without: PictureTools = { ...tools, loadSharp: async () => err("sharp is missing here") };
  const limits = pictureLimits("any");
  const small = await plain(30, 20).png().toBuffer();
  const passed = await preparePicture(small, { name: "it", limits }, without, signal);
  assert.ok(passed.ok && passed.value.content.data === small.toString("base64"));
  assert.match(passed.value.notes.join(), /sent as it is, with its metadata: sharp is missing here/u);
  const wide = await plain(9_000, 10).png().toBuffer();
  const refused = await preparePicture(wide, { name: "it", limits }, without, signal);
  assert.ok(!refused.ok && /9000 x 10 pixels.*sharp is missing here/u.test(refused.error.message));
});

function bmp(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + stride * height);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) bytes.set([blue, green, red], 54 + y * stride + x * 3);
  return bytes;
}

function icon(image: Buffer): Buffer {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, 48, 48, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0]);
  head.writeUInt32LE(image.length, 14);
  return Buffer.concat([head, image]);
}

function pngHeader(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  size.set([8, 0], 8);
  const data = chunk("IDAT", deflateSync(Buffer.alloc(10)));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    data,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
