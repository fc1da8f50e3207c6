import type { Sharp as SharpPipeline } from "sharp";

import type { PictureSize } from "../../contracts/media/pictures.ts";
import type { PictureLimits } from "./model-limits.ts";

export interface EncodedPicture extends PictureSize {
  readonly bytes: Uint8Array;
  readonly mimeType: "image/png" | "image/jpeg";
}

/**
 * Encodes a picture within the limits. Drawings, screenshots and text stay sharp as PNG; photos, and drawings that
 * would be too large, become JPEG with full colour resolution, because coloured text blurs without it.
 */
export async function encodePicture(
  sized: (maxSide: number) => SharpPipeline,
  { isPhoto, limits }: { readonly isPhoto: boolean; readonly limits: PictureLimits },
): Promise<EncodedPicture> {
  if (!isPhoto) {
    const { data, info } = await sized(limits.maxSide)
      .png({ compressionLevel: 9, adaptiveFiltering: true })
      .toBuffer({ resolveWithObject: true });
    if (data.length <= Math.min(limits.maxBytes, maxPngBytes))
      return { bytes: data, mimeType: "image/png", width: info.width, height: info.height };
  }
  let maxSide = limits.maxSide;
  for (;;) {
    for (const quality of qualities) {
      const { data, info } = await sized(maxSide)
        .jpeg({ quality, chromaSubsampling: "4:4:4" })
        .toBuffer({ resolveWithObject: true });
      const isLast = maxSide <= minSide && quality === qualities.at(-1);
      if (data.length <= limits.maxBytes || isLast)
        return { bytes: data, mimeType: "image/jpeg", width: info.width, height: info.height };
    }
    maxSide = Math.max(minSide, Math.floor(maxSide * 0.7));
  }
}

const qualities: readonly number[] = [88, 75, 60];
const minSide = 256;
/** A PNG above this size is rarely a drawing, and JPEG needs a fraction of it. */
const maxPngBytes = 1_500_000;
