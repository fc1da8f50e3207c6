import { err, ok } from "../../base/result.ts";
import type { AspectRatio } from "../../contracts/media/generate.ts";
import { callApi } from "../../contracts/web/call-api.ts";
import { falImages } from "./fal.ts";
import {
  callService,
  extensions,
  type ImageService,
  member,
  type MediaLocation,
  objects,
  unexpectedAnswer,
  openAiMedia,
  pollJob,
  referenceUrl,
} from "./media-service.ts";

const ratios: Readonly<Record<AspectRatio, string>> = { landscape: "16:9", square: "1:1", portrait: "9:16" };
const pixels: Readonly<Record<AspectRatio, string>> = {
  landscape: "1536x1024",
  square: "1024x1024",
  portrait: "1024x1536",
};

const openai: ImageService = {
  name: "openai",
  title: "OpenAI",
  keyVars: ["OPENAI_API_KEY"],
  baseUrl: "https://api.openai.com/v1",
  models: ["gpt-image-2", "gpt-image-1.5", "gpt-image-1"],
  maxReferences: () => 16,
  async generate({ prompt, aspectRatio, references }, use) {
    const size = pixels[aspectRatio];
    const { model, quality } = use;
    if (references.length === 0) {
      const json = { model, prompt, size, quality, n: 1 };
      const answer = await callService("openai", { path: "/images/generations", json }, use);
      return answer.ok ? ok({ media: openAiMedia(answer.value) }) : answer;
    }
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt, size, quality })) form.set(name, value);
    for (const [index, { base64, mimeType }] of references.entries()) {
      const file = new Blob([Buffer.from(base64, "base64")], { type: mimeType });
      form.append("image[]", file, `image-${index + 1}.${extensions[mimeType] ?? "png"}`);
    }
    const answer = await callService("openai", { path: "/images/edits", form }, use);
    return answer.ok ? ok({ media: openAiMedia(answer.value) }) : answer;
  },
};

/** Creates images through a ChatGPT subscription: the Responses API with its own tool, as a stream of events. */
const openaiCodex: ImageService = {
  name: "openai-codex",
  title: "OpenAI with a ChatGPT account",
  keyVars: ["CODEX_ACCESS_TOKEN"],
  keyHint: "hermes auth add openai-codex --oauth",
  baseUrl: "https://chatgpt.com/backend-api/codex",
  models: ["gpt-image-2"],
  maxReferences: () => 0,
  async generate({ prompt, aspectRatio }, use) {
    const json = {
      model: "gpt-5.5",
      instructions: "Create exactly the image that the user describes.",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: prompt }] }],
      tools: [{ type: "image_generation", model: use.model, size: pixels[aspectRatio], quality: use.quality }],
      tool_choice: { type: "image_generation" },
      store: false,
      stream: true,
    };
    const answer = await callApi(
      use.web,
      {
        service: "openai-codex",
        url: `${use.baseUrl}/responses`,
        headers: { authorization: `Bearer ${use.key}`, accept: "text/event-stream", ...use.headers },
        json,
        timeoutMs: 300_000,
        maxBytes: 200_000_000,
        isNamedBySettings: use.isOwnServer,
      },
      use.signal,
    );
    if (!answer.ok) return answer;
    const events = new TextDecoder().decode(answer.value.body).split("\n").flatMap(eventOf);
    const failed = events.find(({ type }) => type === "response.failed" || type === "error");
    if (failed) {
      const reason = member(failed, "response", "error", "message") ?? failed["message"];
      return err(
        unexpectedAnswer("openai-codex", typeof reason === "string" ? reason : "it could not create the image"),
      );
    }
    const media = events.flatMap((event): readonly MediaLocation[] => {
      const base64 = event["type"] === "response.output_item.done" ? member(event, "item", "result") : undefined;
      return typeof base64 === "string" ? [{ base64 }] : [];
    });
    return ok({ media });
  },
};

function eventOf(line: string): readonly Record<string, unknown>[] {
  if (!line.startsWith("data: {")) return [];
  try {
    return [JSON.parse(line.slice("data: ".length)) as Record<string, unknown>];
  } catch {
    return [];
  }
}

const openrouter: ImageService = {
  name: "openrouter",
  title: "OpenRouter",
  keyVars: ["OPENROUTER_API_KEY"],
  baseUrl: "https://openrouter.ai/api/v1",
  models: ["google/gemini-2.5-flash-image", "google/gemini-3-pro-image-preview", "openai/gpt-5-image"],
  maxReferences: () => 3,
  async generate({ prompt, aspectRatio, references }, use) {
    const images = references.map((each) => ({ type: "image_url", image_url: { url: referenceUrl(each) } }));
    const json = {
      model: use.model,
      messages: [{ role: "user", content: [{ type: "text", text: prompt }, ...images] }],
      modalities: ["image", "text"],
      image_config: { aspect_ratio: ratios[aspectRatio] },
    };
    const answer = await callService("openrouter", { path: "/chat/completions", json }, use);
    if (!answer.ok) return answer;
    const media = objects(member(answer.value, "choices", 0, "message", "images")).flatMap((image) => {
      const url = member(image, "image_url", "url");
      return typeof url === "string" ? [{ url }] : [];
    });
    return ok({ media });
  },
};

const xai: ImageService = {
  name: "xai",
  title: "xAI",
  keyVars: ["XAI_API_KEY"],
  baseUrl: "https://api.x.ai/v1",
  models: ["grok-imagine-image", "grok-imagine-image-pro"],
  maxReferences: () => 1,
  async generate({ prompt, aspectRatio, references: [reference] }, use) {
    const json = {
      model: use.model,
      prompt,
      n: 1,
      response_format: "b64_json",
      aspect_ratio: ratios[aspectRatio],
      ...(reference && { image: { url: referenceUrl(reference), type: "image_url" } }),
    };
    const path = reference ? "/images/edits" : "/images/generations";
    const answer = await callService("xai", { path, json }, use);
    return answer.ok ? ok({ media: openAiMedia(answer.value) }) : answer;
  },
};

const krea: ImageService = {
  name: "krea",
  title: "Krea",
  keyVars: ["KREA_API_KEY"],
  baseUrl: "https://api.krea.ai",
  models: ["krea/krea-2/medium", "krea/krea-2/large"],
  maxReferences: () => 10,
  async generate({ prompt, aspectRatio, references }, use) {
    const json = {
      prompt,
      aspect_ratio: ratios[aspectRatio],
      ...(references.length > 0 && {
        image_style_references: references.map((each) => ({ url: referenceUrl(each), strength: 0.6 })),
      }),
    };
    const started = await callService("krea", { path: `/generate/image/${use.model}`, json }, use);
    if (!started.ok) return started;
    const id = started.value["job_id"];
    if (typeof id !== "string") return err(unexpectedAnswer("krea", "it returned no job"));
    return pollJob(
      async () => {
        const job = await callService("krea", { path: `/jobs/${encodeURIComponent(id)}` }, use);
        if (!job.ok) return job;
        const { status } = job.value;
        if (status === "failed" || status === "cancelled") {
          const reason = member(job.value, "error", "message") ?? job.value["error"];
          return err(unexpectedAnswer("krea", typeof reason === "string" ? reason : `the job ${status}`));
        }
        if (status !== "completed") return ok(undefined);
        const urls = member(job.value, "result", "urls");
        const texts = Array.isArray(urls) ? urls.filter((url) => typeof url === "string") : [];
        return ok({ media: texts.map((url) => ({ url })) });
      },
      use,
      { name: "The image", maxMs: 600_000 },
    );
  },
};

const deepinfra: ImageService = {
  name: "deepinfra",
  title: "DeepInfra",
  keyVars: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
  baseUrl: "https://api.deepinfra.com/v1/openai",
  models: ["black-forest-labs/FLUX-2-klein-9b", "black-forest-labs/FLUX-1-schnell", "Qwen/Qwen-Image"],
  maxReferences: () => 0,
  async generate({ prompt, aspectRatio }, use) {
    const json = { model: use.model, prompt, size: pixels[aspectRatio], n: 1, response_format: "b64_json" };
    const answer = await callService("deepinfra", { path: "/images/generations", json }, use);
    return answer.ok ? ok({ media: openAiMedia(answer.value) }) : answer;
  },
};

const gemini: ImageService = {
  name: "gemini",
  title: "Google Gemini",
  keyVars: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  models: ["gemini-2.5-flash-image", "gemini-3-pro-image-preview"],
  maxReferences: (model) => (model.includes("pro") ? 14 : 3),
  async generate({ prompt, aspectRatio, references }, use) {
    const images = references.map(({ base64, mimeType }) => ({ inlineData: { mimeType, data: base64 } }));
    const json = {
      contents: [{ role: "user", parts: [{ text: prompt }, ...images] }],
      generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: ratios[aspectRatio] } },
    };
    const path = `/models/${encodeURIComponent(use.model)}:generateContent`;
    const auth = { "x-goog-api-key": use.key };
    const answer = await callService("gemini", { path, json, auth }, use);
    if (!answer.ok) return answer;
    const blocked = member(answer.value, "promptFeedback", "blockReason");
    if (typeof blocked === "string")
      return err({
        kind: "refused",
        message: `gemini refuses this prompt (${blocked}). Describe the image differently.`,
      });
    const media = objects(member(answer.value, "candidates", 0, "content", "parts")).flatMap((part) => {
      const base64 = member(part, "inlineData", "data");
      return typeof base64 === "string" ? [{ base64 }] : [];
    });
    return ok({ media });
  },
};

/** The services in order of preference; the first one with a key is used. */
export const imageServices: readonly ImageService[] = [
  falImages,
  openai,
  openrouter,
  gemini,
  xai,
  krea,
  deepinfra,
  openaiCodex,
];
