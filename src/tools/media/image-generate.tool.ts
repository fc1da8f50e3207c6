import { z } from "zod";

import { aspectRatios } from "../../contracts/media/generate.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { serviceEffects } from "../service-effects.ts";
import { mediaEffects } from "./media-source.ts";
import { outputPath, readReferences, saveMedia } from "./saved-media.ts";

export default defineTool({
  name: "image_generate",
  toolset: "image_gen",
  description:
    "Create an image from a description, or change reference images. Saves it in the project and returns its path. " +
    "Several calls can run at once.",
  emoji: "🎨",
  input: z.object({
    prompt: z.string().min(1).max(10_000).describe("What the image shows, its style and light, any text in quotes"),
    aspect_ratio: z.enum(aspectRatios).default("landscape"),
    image_url: z.string().min(1).optional().describe("An image to change: URL, path or data URL"),
    reference_image_urls: z
      .array(z.string().min(1))
      .max(16)
      .default([])
      .describe("Images to follow in style or content"),
    upscale: z.boolean().default(false).describe("Twice the size, where the service can"),
    output_path: z.string().max(4_096).optional().describe("Where to save it. Default: generated/ in the project"),
  }),
  needs: ["generator", "pictures", "environment"],
  traits: { parallel: true, timeoutMs: 1_200_000 },
  effects: async ({ prompt, image_url, reference_image_urls, output_path }, place) => [
    ...(await serviceEffects("image", place, { sends: true })),
    ...[image_url ?? [], reference_image_urls].flat().flatMap((each) => mediaEffects(each, place)),
    { kind: "write", path: outputPath(output_path, prompt, "png", place) } satisfies Effect,
  ],
  async run(args, ctx): Promise<ToolResult> {
    const { prompt, aspect_ratio: aspectRatio, upscale, image_url, reference_image_urls } = args;
    const references = await readReferences([image_url ?? [], reference_image_urls].flat(), ctx);
    if (!references.ok) return references;
    const created = await ctx.generator.image(
      { prompt, aspectRatio, references: references.value, upscale },
      ctx.signal,
      ctx.progress,
    );
    if (!created.ok) return fail(created.error.message, ctx.signal.aborted ? "aborted" : "failed");
    const saved = await saveMedia(created.value.media, args.output_path, prompt, ctx);
    if (!saved.ok) return saved;
    const { provider, model, isUpscaled, notes } = created.value;
    const [first] = saved.value;
    if (first === undefined) return fail(`${provider} returned no image.`);
    const answered = json({
      success: true,
      image: first.path,
      ...(saved.value.length > 1 && { images: saved.value.map(({ path }) => path) }),
      modality: references.value.length > 0 ? "image-to-image" : "text-to-image",
      provider,
      model,
      upscaled: isUpscaled,
      media_tag: `MEDIA:${first.path}`,
      ...(notes.length > 0 && { note: notes.join(" ") }),
    });
    if (!answered.ok) return answered;
    // Chats show the image if the terminal supports it.
    const files = saved.value.map(({ path, mimeType }) => ({ type: "file" as const, path, mimeType }));
    return { ok: true, value: { ...answered.value, content: [...answered.value.content, ...files] } };
  },
});
