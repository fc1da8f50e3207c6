import { err, ok } from "../../base/result.ts";
import { falVideos } from "./fal.ts";
import { callService, member, unexpectedAnswer, pollJob, referenceUrl, type VideoService } from "./media-service.ts";

const ratios = { landscape: "16:9", square: "1:1", portrait: "9:16" } as const;

const xai: VideoService = {
  name: "xai",
  title: "xAI",
  keyVars: ["XAI_API_KEY"],
  baseUrl: "https://api.x.ai/v1",
  models: ["grok-imagine-video"],
  maxReferences: () => 1,
  async generate({ prompt, aspectRatio, references: [reference], seconds, resolution }, use) {
    const json = {
      model: use.model,
      prompt,
      aspect_ratio: ratios[aspectRatio],
      ...(reference && { image: { url: referenceUrl(reference) } }),
      ...(seconds !== undefined && { duration: seconds }),
      ...(resolution !== undefined && { resolution }),
    };
    const started = await callService("xai", { path: "/videos/generations", json }, use);
    if (!started.ok) return started;
    const id = started.value["request_id"];
    if (typeof id !== "string") return err(unexpectedAnswer("xai", "it returned no job"));
    return pollJob(
      async () => {
        const job = await callService("xai", { path: `/videos/${encodeURIComponent(id)}` }, use);
        if (!job.ok) return job;
        const { status } = job.value;
        if (status === "expired" || status === "failed") {
          const reason = member(job.value, "error", "message");
          return err(unexpectedAnswer("xai", typeof reason === "string" ? reason : `the job is ${status}`));
        }
        const url = member(job.value, "video", "url");
        return ok(typeof url === "string" ? { media: [{ url }] } : undefined);
      },
      use,
      { name: "The video", maxMs: 1_800_000 },
    );
  },
};

const deepinfra: VideoService = {
  name: "deepinfra",
  title: "DeepInfra",
  keyVars: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
  baseUrl: "https://api.deepinfra.com/v1",
  models: ["Wan-AI/Wan2.6-T2V", "Wan-AI/Wan2.1-T2V-14B"],
  maxReferences: () => 1,
  async generate({ prompt, references: [reference], seconds, seed, negativePrompt }, use) {
    const json = {
      prompt,
      ...(reference && { image: referenceUrl(reference) }),
      ...(seconds !== undefined && { duration: seconds }),
      ...(seed !== undefined && { seed }),
      ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    };
    // The service responds only when the video is ready.
    const call = { path: `/inference/${use.model}`, json, timeoutMs: 1_800_000 };
    const answer = await callService("deepinfra", call, use);
    if (!answer.ok) return answer;
    const url = answer.value["video_url"];
    if (typeof url !== "string") return err(unexpectedAnswer("deepinfra", "it returned no video"));
    return ok({ media: [{ url: URL.parse(url, use.baseUrl)?.href ?? url }] });
  },
};

/** The services in order of preference; the first one with a key is used. */
export const videoServices: readonly VideoService[] = [falVideos, xai, deepinfra];
