import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { parsedObject } from "../../src/base/json.ts";

/** A 1 x 1 PNG. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);
/** The first bytes of a video. */
export const mp4 = Buffer.from("00000018667479706d703432000000006d70343269736f6d", "hex");

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly json: Record<string, unknown>;
}

/**
 * Simulates the documented APIs of fal, OpenAI, OpenRouter, Gemini, xAI, Krea and DeepInfra. The first answers about
 * a job report that it is not ready. A prompt with `refuse` is refused in the way of each service.
 */
export async function mediaServices() {
  const requests: SeenRequest[] = [];
  const questions = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("latin1");
      const path = request.url ?? "";
      const seen = { method: request.method ?? "", path, headers: request.headers, body, json: parsedObject(body) };
      requests.push(seen);
      const [status, answer] = answerTo(seen);
      if (Buffer.isBuffer(answer)) return response.writeHead(status).end(answer);
      const type = typeof answer === "string" ? "text/event-stream" : "application/json";
      response.writeHead(status, { "content-type": type });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const isReady = (job: string): boolean => {
    const times = (questions.get(job) ?? 0) + 1;
    questions.set(job, times);
    return times > 1;
  };

  function answerTo({ method, path, headers, body, json }: SeenRequest): readonly [number, unknown] {
    if (path === "/files/image.png") return [200, png];
    if (path === "/files/video.mp4") return [200, mp4];
    const key = headers.authorization ?? headers["x-goog-api-key"];
    if (!String(key).endsWith("good")) return [401, { error: { message: "Invalid key" } }];
    if (body.includes("refuse")) return refusals[path.split("/")[1] ?? ""] ?? [400, { error: { message: "Not this" } }];
    const b64 = { data: [{ b64_json: png.toString("base64") }] };
    const [, service = "", ...rest] = path.split("/");
    const route = `/${rest.join("/")}`;
    switch (service) {
      case "fal": {
        const job = `${url}/fal/jobs/${requests.length}`;
        if (method === "PUT") return [200, { status: "CANCELLATION_REQUESTED" }];
        if (method === "POST")
          return [
            200,
            {
              request_id: "1",
              status_url: `${job}/status${route}`,
              response_url: `${job}/result${route}`,
              cancel_url: `${job}/cancel`,
            },
          ];
        if (route.includes("/status")) return [200, { status: isReady(route) ? "COMPLETED" : "IN_PROGRESS" }];
        if (route.includes("upscaler")) return [200, { image: { url: `${url}/files/image.png` } }];
        if (route.includes("veo")) return [200, { video: { url: `${url}/files/video.mp4` } }];
        return [200, { images: [{ url: `${url}/files/image.png` }] }];
      }
      case "openai":
      case "deepinfra":
        if (route.startsWith("/inference/")) return [200, { video_url: "/files/video.mp4" }];
        return [200, b64];
      case "codex":
        return [
          200,
          [
            { type: "response.created" },
            {
              type: "response.output_item.done",
              item: { type: "image_generation_call", result: png.toString("base64") },
            },
            { type: "response.completed" },
          ]
            .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
            .join(""),
        ];
      case "openrouter": {
        const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } };
        return [200, { choices: [{ message: { content: "", images: [image] } }] }];
      }
      case "gemini": {
        const inlineData = { mimeType: "image/png", data: png.toString("base64") };
        return [200, { candidates: [{ content: { parts: [{ text: "Here." }, { inlineData }] } }] }];
      }
      case "xai":
        if (route === "/videos/generations") return [200, { request_id: "v1" }];
        if (route === "/videos/v1")
          return [
            200,
            isReady("xai") ? { status: "done", video: { url: `${url}/files/video.mp4` } } : { status: "pending" },
          ];
        return [200, b64];
      case "krea":
        if (route === "/jobs/k1")
          return [
            200,
            isReady("krea")
              ? { status: "completed", result: { urls: [`${url}/files/image.png`] } }
              : { status: "processing" },
          ];
        return typeof json["prompt"] === "string"
          ? [200, { job_id: "k1", status: "queued" }]
          : [400, { error: "prompt" }];
      default:
        return [404, {}];
    }
  }

  return {
    url,
    requests,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refusals: Readonly<Record<string, readonly [number, unknown]>> = {
  fal: [422, { detail: [{ msg: "The content could not be processed", type: "content_policy_violation" }] }],
  gemini: [200, { promptFeedback: { blockReason: "SAFETY" } }],
  openrouter: [200, { choices: [{ message: { content: "I cannot." } }] }],
  codex: [200, 'data: {"type":"response.failed","response":{"error":{"message":"Against the rules"}}}\n\n'],
};
