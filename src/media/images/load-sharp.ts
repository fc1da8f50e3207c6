import type sharpFunction from "sharp";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";

export type Sharp = typeof sharpFunction;

/** Loads the native image library, or returns why this machine has none. Loading takes about 70 ms. */
export async function loadSharp(): Promise<Result<Sharp, string>> {
  try {
    const { default: sharp } = await import("sharp");
    // The cache is off: images are decoded once, so it would only hold memory.
    sharp.cache(false);
    return ok(sharp);
  } catch (thrown) {
    return err(`the image library sharp does not load here (${reasonOf(thrown).split("\n", 1)[0]})`);
  }
}
