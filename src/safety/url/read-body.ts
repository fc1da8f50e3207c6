import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** The body is longer than whoever asked can use. */
export class TooLarge extends Error {}

/** The whole body, decompressed. No more than `maxBytes` are ever kept, however well they were packed. */
export async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let [arrived, length] = [0, 0];
  async function* count(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      arrived += chunk.length;
      yield chunk;
    }
  }
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      length += chunk.length;
      if (length > maxBytes) throw new TooLarge(`the answer is longer than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  };
  const unpacking = unpack((response.headers["content-encoding"] ?? "identity").trim().toLowerCase());
  try {
    await pipeline(response, count, unpacking, collect, { signal });
  } catch (thrown) {
    // An answer without a body is none that was packed badly, whatever its head says.
    if (arrived > 0 || !response.complete) throw thrown;
  }
  return Buffer.concat(chunks);
}

function unpack(packing: string): Duplex {
  switch (packing) {
    case "":
    case "identity":
      return new PassThrough();
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new Error(`the answer is packed in an unknown way (${packing})`);
  }
}
