import type { JsonObject } from "../../base/json.ts";
import { plural } from "../../base/text/text.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool.ts";
import type { ImageFacts } from "./image-facts.ts";

/** A picture for the model to look at, or, where it cannot, what it is and what to do. */
export function shownImage(
  path: string,
  bytes: Uint8Array,
  { format, mimeType, size }: ImageFacts,
  facts: JsonObject,
  canSee: boolean,
): ToolResult {
  const pixels = size ? `${size.width} x ${size.height} pixels, ` : "";
  const what = `${path} is a ${format} image, ${pixels}${plural(bytes.length, "byte")}.`.replace(" a AVIF", " an AVIF");
  const data: JsonObject = {
    ...facts,
    is_image: true,
    format,
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...size,
  };
  const refusal = refusalOf({ format, mimeType, size }, bytes.length, canSee);
  if (refusal !== undefined || mimeType === undefined)
    return fail(`${what} ${refusal}`, "failed", { data: { ...data, is_binary: true } });
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    ok: true,
    value: {
      content: [
        { type: "text", text: what },
        { type: "image", mimeType, data: image },
      ],
      data,
    },
  };
}

interface Known {
  readonly format: string;
  readonly mimeType: string | undefined;
  readonly size: ImageFacts["size"];
}

function refusalOf({ mimeType, size }: Known, bytes: number, canSee: boolean): string | undefined {
  if (!canSee) return "It is not shown: this model cannot see images. A tool that describes or reads images can help.";
  if (mimeType === undefined)
    return "It is not shown: models do not take this format. Convert it first, such as: magick FILE out.png";
  if (!size) return "It cannot be shown: it is damaged.";
  if (Math.max(size.width, size.height) > maxPixels)
    return `It is not shown: a side has more than ${maxPixels} pixels. ${makeSmaller}`;
  return bytes > maxBytes ? `It is not shown: it has more than ${maxBytes} bytes. ${makeSmaller}` : undefined;
}

const maxBytes = 4_000_000;
const maxPixels = 7900;
const makeSmaller = "Make a smaller copy first, such as: magick FILE -resize '1600x1600>' -quality 85 out.jpg";
