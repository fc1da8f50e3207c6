import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync, inflateSync } from "node:zlib";

import { pngSize, shrinkPng } from "./shrink-png.ts";

const { signal } = new AbortController();

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Creates an image of a single colour, encoded with the given filter. */
function png(
  size: number,
  kind: number,
  pixel: readonly number[],
  filter: number,
  more: readonly Buffer[] = [],
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, kind, 0, 0, 0], 8);
  const step = pixel.length;
  const plain = Buffer.from(Array.from({ length: size }, () => pixel).flat());
  const row = (first: boolean) =>
    Buffer.from([
      filter,
      ...plain.map((value, x) => {
        const left = x >= step ? (plain[x - step] ?? 0) : 0;
        const up = first ? 0 : value;
        const corner = first || x < step ? 0 : left;
        const guess = left + up - corner;
        const near = [left, up, corner].toSorted((a, b) => Math.abs(guess - a) - Math.abs(guess - b))[0] ?? 0;
        return (value - ([0, left, up, (left + up) >> 1, near][filter] ?? 0)) & 255;
      }),
    ]);
  const rows = Buffer.concat(Array.from({ length: size }, (_, y) => row(y === 0)));
  const signature = Buffer.from("\x89PNG\r\n\x1A\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    ...more,
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function pixelsOf(bytes: Buffer): Buffer {
  const index = bytes.indexOf("IDAT");
  return inflateSync(bytes.subarray(index + 4, index + 4 + bytes.readUInt32BE(index - 4)));
}

test("a large image is scaled down and keeps its colour, for any PNG filter and colour type", async () => {
  for (const filter of [0, 1, 2, 3, 4])
    for (const [kind, pixel] of [
      [0, [90]],
      [2, [200, 100, 50]],
      [4, [90, 255]],
      [6, [200, 100, 50, 128]],
    ] as const) {
      const small = await shrinkPng(png(100, kind, pixel, filter), 40, signal);
      assert.ok(small);
      assert.deepEqual(pngSize(small), { width: 33, height: 33 });
      const row = Buffer.from([0, ...Array.from({ length: 33 }, () => pixel).flat()]);
      assert.deepEqual(pixelsOf(small), Buffer.concat(Array.from({ length: 33 }, () => row)));
    }
});

test("colours of a palette image are resolved", async () => {
  const small = await shrinkPng(png(10, 3, [1], 0, [chunk("PLTE", Buffer.from([0, 0, 0, 9, 8, 7]))]), 5, signal);
  assert.deepEqual(small && pixelsOf(small).subarray(0, 4), Buffer.from([0, 9, 8, 7]));
});

test("a small, damaged or non-PNG image stays unchanged", async () => {
  const good = png(100, 2, [1, 2, 3], 0);
  assert.equal(await shrinkPng(good, 100, signal), undefined);
  assert.equal(await shrinkPng(good.subarray(0, 80), 50, signal), undefined);
  assert.equal(await shrinkPng(Buffer.from("GIF89a and more than thirty-three bytes of it"), 5, signal), undefined);
  assert.equal(await shrinkPng(Buffer.alloc(0), 5, signal), undefined);
});

test("scaling lets other tasks run, and returns nothing after an abort", async () => {
  const large = png(800, 2, [1, 2, 3], 4);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  try {
    assert.ok(await shrinkPng(large, 400, signal));
    assert.ok(turns > 2, `${turns} turns of others`);
    const stop = new AbortController();
    const given = shrinkPng(large, 400, stop.signal);
    setTimeout(() => stop.abort(), 1);
    assert.equal(await given, undefined);
  } finally {
    clearInterval(others);
  }
});
