import { resolve } from "node:path";

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";
import { serviceEffects } from "../service-effects.ts";

export default defineTool({
  name: "text_to_speech",
  toolset: "tts",
  description:
    "Turn text into a sound file with the voice that the person configured. A text of any length is allowed. The result has " +
    "media_tag: write it in your answer on a line of its own to deliver the sound.",
  emoji: "🔊",
  input: z.object({
    text: z.string().min(1).max(200_000).describe("What to say, as plain sentences without Markdown"),
    output_path: z.string().max(4_096).optional().describe("Where to save it: .mp3, .wav, .ogg or .flac"),
    speed: z.number().min(0.25).max(4).optional(),
    instructions: z.string().max(4_000).optional().describe("How to say it, such as: calm and slow"),
    provider: z.string().max(60).optional().describe("Only if the person names one"),
  }),
  needs: ["speech"],
  // Each request has its own timeout.
  traits: { timeoutMs: 900_000 },
  async effects({ output_path, provider }, place) {
    return [
      ...(await serviceEffects("speech", place, { sends: true, provider })),
      ...(output_path === undefined ? [] : [{ kind: "write", path: resolve(place.cwd, output_path) } satisfies Effect]),
    ];
  },
  async run({ text, output_path, speed, instructions, provider }, { speech, effects, cwd, progress, signal }) {
    // The path that was approved, with the links resolved at that time.
    const [written] = effects.flatMap((effect) => (effect.kind === "write" ? [effect.path] : []));
    const file = output_path === undefined ? undefined : (written ?? resolve(cwd, output_path));
    const spoken = await speech.speak(
      {
        text,
        ...(file !== undefined && { file }),
        ...(speed !== undefined && { speed }),
        ...(instructions !== undefined && { instructions }),
        ...(provider !== undefined && { provider }),
      },
      progress,
      signal,
    );
    if (!spoken.ok) {
      const { kind, message } = spoken.error;
      return fail(message, kind === "aborted" ? "aborted" : kind === "timeout" ? "timeout" : "failed", {
        data: { success: false, error: message },
      });
    }
    const { path, skipped, isVoiceMessage, pieces } = spoken.value;
    return json({
      success: true,
      file_path: path,
      media_tag: `MEDIA:${path}`,
      provider: spoken.value.provider,
      voice_compatible: isVoiceMessage,
      ...(pieces > 1 && { parts_joined: pieces }),
      ...(skipped.length > 0 && { note: skipped.join(" ") }),
    });
  },
});
