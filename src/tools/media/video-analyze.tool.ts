import { z } from "zod";

import type { PreparedVideo } from "../../contracts/media/pictures.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { mediaEffects, readMedia } from "./media-source.ts";

const maxBytes = 50_000_000;

export default defineTool({
  name: "video_analyze",
  toolset: "video",
  description:
    "Watch a video (MP4, WebM, MOV, AVI, MKV, MPEG; at most 37 MB) and answer a question about it: whole if the model " +
    "takes videos, otherwise as up to twelve frames with their times.",
  emoji: "🎬",
  input: z.object({
    video_url: z.string().min(1).describe("URL, path or data URL"),
    question: z.string().min(1).describe("What to find out"),
  }),
  needs: ["pictures", "environment"],
  traits: {
    readOnly: true,
    parallel: true,
    untrusted: true,
    textSource: { kind: "tool", name: "video_analyze" },
    timeoutMs: 600_000,
  },
  effects: ({ video_url }, place) => mediaEffects(video_url, place),
  async run({ video_url, question }, ctx): Promise<ToolResult> {
    const { pictures, signal } = ctx;
    const read = await readMedia(video_url, maxBytes, ctx);
    if (!read.ok) return read;
    const video = await pictures.prepareVideo(read.value.bytes, signal);
    if (!video.ok) return fail(`${read.value.name}: ${video.error.message}`);
    const answer = await pictures.answer(question, shownParts(read.value.name, video.value), signal);
    if (!answer.ok) return fail(answer.error.message);
    const facts =
      video.value.kind === "frames"
        ? { frames: video.value.frames.map(({ atSeconds }) => roundedSeconds(atSeconds)) }
        : { whole: true };
    if (answer.value.by === "auxiliary") return json({ success: true, analysis: answer.value.text, ...facts });
    return { ok: true, value: { content: answer.value.content, data: { success: true, native: true, ...facts } } };
  },
});

function shownParts(name: string, video: PreparedVideo): readonly ContentPart[] {
  if (video.kind === "video") return [{ type: "text", text: `${name}, whole:` }, video.content];
  const head = `${name}: ${video.frames.length} frames of ${roundedSeconds(video.seconds)} s. ${video.notes.join(" ")}`;
  return [
    { type: "text", text: head.trim() },
    ...video.frames.flatMap(({ atSeconds, content }): readonly ContentPart[] => [
      { type: "text", text: `At ${roundedSeconds(atSeconds)} s:` },
      content,
    ]),
  ];
}

function roundedSeconds(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
