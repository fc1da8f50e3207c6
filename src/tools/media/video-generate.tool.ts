import { z } from "zod";

import { aspectRatios } from "../../contracts/media/generate.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { serviceEffects } from "../service-effects.ts";
import { mediaEffects } from "./media-source.ts";
import { outputPath, readReferences, saveMedia } from "./saved-media.ts";

export default defineTool({
  name: "video_generate",
  toolset: "video_gen",
  description:
    "Create a short video from a description, or from a picture as its first frame. Takes minutes. Saves it in the project and " +
    "returns its path.",
  emoji: "🎬",
  input: z.object({
    prompt: z.string().min(1).max(10_000).describe("What happens, the camera, the style"),
    image_url: z.string().min(1).optional().describe("The first frame: URL, path or data URL"),
    reference_image_urls: z.array(z.string().min(1)).max(16).default([]),
    duration: z.number().min(1).max(60).optional().describe("Seconds"),
    aspect_ratio: z.enum(aspectRatios).default("landscape"),
    resolution: z.string().max(20).optional().describe("Such as 720p"),
    negative_prompt: z.string().max(4_000).optional(),
    audio: z.boolean().optional(),
    seed: z.int().min(0).optional(),
    upscale: z.boolean().default(false),
    model: z.string().max(200).optional().describe("Only if the person names one"),
    output_path: z.string().max(4_096).optional().describe("Where to save it. Default: generated/ in the project"),
  }),
  needs: ["generator", "pictures", "environment"],
  traits: { parallel: true, timeoutMs: 3_600_000 },
  effects: async ({ prompt, image_url, reference_image_urls, output_path }, place) => [
    ...(await serviceEffects("video", place, { sends: true })),
    ...[image_url ?? [], reference_image_urls].flat().flatMap((each) => mediaEffects(each, place)),
    { kind: "write", path: outputPath(output_path, prompt, "mp4", place) } satisfies Effect,
  ],
  async run(args, ctx): Promise<ToolResult> {
    const { prompt, aspect_ratio: aspectRatio, upscale, image_url, reference_image_urls } = args;
    const references = await readReferences([image_url ?? [], reference_image_urls].flat(), ctx);
    if (!references.ok) return references;
    const { duration, resolution, negative_prompt: negativePrompt, audio, seed, model: requested } = args;
    const created = await ctx.generator.video(
      {
        prompt,
        aspectRatio,
        references: references.value,
        upscale,
        ...(duration !== undefined && { seconds: duration }),
        ...(resolution !== undefined && { resolution }),
        ...(negativePrompt !== undefined && { negativePrompt }),
        ...(audio !== undefined && { audio }),
        ...(seed !== undefined && { seed }),
        ...(requested !== undefined && { model: requested }),
      },
      ctx.signal,
      ctx.progress,
    );
    if (!created.ok) return fail(created.error.message, ctx.signal.aborted ? "aborted" : "failed");
    const saved = await saveMedia(created.value.media, args.output_path, prompt, ctx);
    if (!saved.ok) return saved;
    const { provider, model, notes } = created.value;
    const video = saved.value[0]?.path ?? "";
    const note = notes.length > 0 && { note: notes.join(" ") };
    return json({ success: true, video, provider, model, media_tag: `MEDIA:${video}`, ...note });
  },
});
