import { err, ok, type Result } from "../../base/result.ts";
import type { AspectRatio, ImageWish, VideoWish } from "../../contracts/media/generate.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import {
  callService,
  type ImageService,
  member,
  type MediaLocation,
  objects,
  unexpectedAnswer,
  pollJob,
  referenceUrl,
  type ServiceUse,
  type VideoService,
} from "./media-service.ts";

/** How a model names the aspect ratio of an image, and the field of its reference images. */
interface ModelForm {
  readonly shape: (ratio: AspectRatio) => Readonly<Record<string, string>>;
  /** The endpoint for requests with reference images, below the model. */
  readonly edit?: string;
  readonly extra?: Readonly<Record<string, string | number | boolean>>;
}

const presets: ModelForm["shape"] = (ratio) => ({
  image_size: { landscape: "landscape_16_9", square: "square_hd", portrait: "portrait_16_9" }[ratio],
});
const ratioText: ModelForm["shape"] = (ratio) => ({
  aspect_ratio: { landscape: "16:9", square: "1:1", portrait: "9:16" }[ratio],
});
const pixelText: ModelForm["shape"] = (ratio) => ({
  image_size: { landscape: "1536x1024", square: "1024x1024", portrait: "1024x1536" }[ratio],
});

const forms: Readonly<Record<string, ModelForm>> = {
  "fal-ai/flux-2/klein/9b": { shape: presets, edit: "edit" },
  "fal-ai/flux-2-pro": { shape: presets, edit: "edit" },
  "fal-ai/z-image/turbo": { shape: presets },
  "fal-ai/nano-banana-pro": { shape: ratioText, edit: "edit" },
  "fal-ai/gpt-image-1.5": { shape: pixelText, edit: "edit", extra: { quality: "medium" } },
  "fal-ai/gpt-image-2": { shape: pixelText, edit: "edit", extra: { quality: "medium" } },
  "fal-ai/ideogram/v3": { shape: presets, extra: { rendering_speed: "BALANCED" } },
  "fal-ai/recraft/v4/pro": { shape: presets },
  "fal-ai/qwen-image": { shape: presets },
  "fal-ai/krea/v2/medium": { shape: ratioText },
  "fal-ai/krea/v2/large": { shape: ratioText },
};
/** Used for unknown models, because they usually accept a preset. */
const usualForm: ModelForm = { shape: presets, edit: "edit" };

const upscaler = "fal-ai/clarity-upscaler";

export const falImages: ImageService = {
  name: "fal",
  title: "fal.ai",
  keyVars: ["FAL_KEY"],
  baseUrl: "https://queue.fal.run",
  hasGateway: true,
  models: Object.keys(forms),
  maxReferences: (model) => ((forms[model] ?? usualForm).edit === undefined ? 0 : 9),
  canUpscale: (model) => model === "fal-ai/flux-2-pro",
  async generate({ prompt, aspectRatio, references, upscale }: ImageWish, use) {
    const { shape, edit, extra = {} } = forms[use.model] ?? usualForm;
    const model = references.length > 0 && edit !== undefined ? `${use.model}/${edit}` : use.model;
    const input = {
      prompt,
      num_images: 1,
      ...shape(aspectRatio),
      ...extra,
      ...(references.length > 0 && { image_urls: references.map(referenceUrl) }),
    };
    const created = await runJob(model, input, "The image", 600_000, use);
    if (!created.ok) return created;
    const media = placesIn(created.value["images"]);
    const [first] = media;
    if (!upscale || first === undefined || !("url" in first)) return ok({ media });
    const larger = await runJob(
      upscaler,
      { image_url: first.url, upscale_factor: 2 },
      "The larger image",
      600_000,
      use,
    );
    if (!larger.ok) return larger;
    return ok({ media: placesIn([larger.value["image"]]), isUpscaled: true });
  },
};

export const falVideos: VideoService = {
  name: "fal",
  title: "fal.ai",
  keyVars: ["FAL_KEY"],
  baseUrl: "https://queue.fal.run",
  hasGateway: true,
  models: ["fal-ai/veo3.1/fast", "fal-ai/kling-video/v2.6/pro", "fal-ai/ltx-2", "fal-ai/wan/v2.6"],
  maxReferences: () => 1,
  async generate(wish: VideoWish, use) {
    const [reference] = wish.references;
    const model = reference ? `${use.model}/image-to-video` : use.model;
    const { seconds, resolution, negativePrompt, audio, seed } = wish;
    const input = {
      prompt: wish.prompt,
      ...ratioText(wish.aspectRatio),
      ...(reference && { image_url: referenceUrl(reference) }),
      ...(seconds !== undefined && { duration: `${seconds}s` }),
      ...(resolution !== undefined && { resolution }),
      ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
      ...(audio !== undefined && { generate_audio: audio }),
      ...(seed !== undefined && { seed }),
    };
    const created = await runJob(model, input, "The video", 1_800_000, use);
    return created.ok ? ok({ media: placesIn([created.value["video"]]) }) : created;
  },
};

function placesIn(list: unknown): readonly MediaLocation[] {
  return objects(list).flatMap(({ url }) => (typeof url === "string" ? [{ url }] : []));
}

/** Queues a job at the service and waits for its result. Cancelling the call cancels the job. */
async function runJob(
  model: string,
  json: Parameters<typeof callService>[1]["json"] & object,
  name: string,
  maxMs: number,
  use: ServiceUse,
): Promise<Result<Record<string, unknown>, CallFault>> {
  const auth = { authorization: `Key ${use.key}` };
  const queued = await callService("fal", { path: `/${model}`, json, auth }, use);
  if (!queued.ok) return queued;
  const { request_id: id } = queued.value;
  if (typeof id !== "string") return err(unexpectedAnswer("fal", "it returned no job"));
  /** The address in the response; the key is sent only to the server that received the job. */
  const address = (field: string, path: string): string => {
    const url = member(queued.value, field);
    const isSame = typeof url === "string" && URL.parse(url)?.origin === URL.parse(use.baseUrl)?.origin;
    return isSame ? url : `/${model}/requests/${encodeURIComponent(id)}${path}`;
  };
  const [status, response] = [address("status_url", "/status"), address("response_url", "")];
  const cancel = address("cancel_url", "/cancel");
  const ready = await pollJob(
    async () => {
      const state = await callService("fal", { path: status, auth }, use);
      if (!state.ok) return state;
      return ok(state.value["status"] === "COMPLETED" ? true : undefined);
    },
    use,
    { name, maxMs },
  );
  if (!ready.ok) {
    const isLeft = ready.error.kind === "aborted" || ready.error.kind === "timeout";
    if (isLeft) {
      const late = { ...use, signal: AbortSignal.timeout(5_000) };
      await callService("fal", { path: cancel, method: "PUT", auth }, late);
    }
    return ready;
  }
  return callService("fal", { path: response, auth }, use);
}
