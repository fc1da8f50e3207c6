import { z } from "zod";

import type { Picture, Region } from "../../contracts/media/pictures.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { mediaEffects, mediaSource, readMedia } from "./media-source.ts";

const maxBytes = 50_000_000;

export default defineTool({
  name: "vision_analyze",
  toolset: "vision",
  description:
    "Look at an image (photo, screenshot, diagram, SVG) or a page of a PDF and answer a question about it. " +
    "If text in it is too small to read, call again with a region: it is cropped before the image is made smaller.",
  emoji: "👁️",
  input: z.object({
    image_url: z.string().min(1).describe("URL, path, data URL, or the word clipboard"),
    question: z.string().min(1).describe("What to find out"),
    region: z
      .array(z.number())
      .min(4)
      .max(4)
      .optional()
      .describe("Left, top, right, bottom: pixels of the whole image, or fractions from 0 to 1"),
    page: z.int().min(1).optional().describe("Page of a PDF. Default: 1"),
  }),
  needs: ["pictures", "environment"],
  traits: {
    readOnly: true,
    parallel: true,
    untrusted: true,
    textSource: { kind: "tool", name: "vision_analyze" },
    timeoutMs: 300_000,
  },
  effects: ({ image_url }, place) => mediaEffects(image_url, place),
  preview: async ({ image_url }) =>
    mediaSource(image_url).kind === "clipboard" ? "Reads the image in the clipboard of this machine." : undefined,
  async run({ image_url, question, region, page }, ctx): Promise<ToolResult> {
    const { pictures, signal } = ctx;
    const read = await readMedia(image_url, maxBytes, ctx);
    if (!read.ok) return read;
    const { bytes, name } = read.value;
    const [left = 0, top = 0, right = 0, bottom = 0] = region ?? [];
    const wish = {
      name,
      ...(region && { region: [left, top, right, bottom] satisfies Region }),
      ...(page !== undefined && { page }),
    };
    const picture = await pictures.prepare(bytes, wish, signal);
    if (!picture.ok) return fail(picture.error.message);
    const about = aboutPicture(name, picture.value);
    const answer = await pictures.answer(question, [{ type: "text", text: about }, picture.value.content], signal);
    if (!answer.ok) return fail(answer.error.message);
    const { format, original, shown } = picture.value;
    const facts = { format, width: original.width, height: original.height };
    if (answer.value.by === "auxiliary") return json({ success: true, analysis: answer.value.text, ...facts });
    return {
      ok: true,
      value: {
        content: answer.value.content,
        data: { success: true, native: true, ...facts, shown_width: shown.width, shown_height: shown.height },
      },
    };
  },
});

function aboutPicture(name: string, { format, original, shown, region, notes }: Picture): string {
  const whole = `${name}: ${format}, ${original.width} x ${original.height} pixels`;
  const part = region ? `, region [${region.map(Math.round).join(", ")}]` : "";
  const [width, height] = region ? [region[2] - region[0], region[3] - region[1]] : [original.width, original.height];
  const scale = shown.width === width && shown.height === height ? "" : `, shown at ${shown.width} x ${shown.height}`;
  return [`${whole}${part}${scale}.`, ...notes].join(" ");
}
