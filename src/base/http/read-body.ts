import { ok, type Result } from "../result.ts";
import type { HttpResponse } from "./exchange.ts";
import type { HttpFailure } from "./http-failure.ts";

/** The whole body, decompressed. Its length is limited by `maxBytes` of the request. */
export async function readBody(response: HttpResponse): Promise<Result<Buffer, HttpFailure>> {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = await response.read();
    if (!chunk.ok) return chunk;
    if (chunk.value === undefined) return ok(Buffer.concat(chunks));
    chunks.push(chunk.value);
  }
}
